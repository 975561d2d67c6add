"""`make demo` works where an older release left its data."""

from pathlib import Path

import pytest

from bot.wiring import Application
from config.settings import Settings
from engine.model.errors import IndexFailed
from scripts.demo import prepare


async def test_an_index_of_an_older_release_is_made_again_R_U7(tmp_path: Path) -> None:
    (tmp_path / "index" / "older-embedder").mkdir(parents=True)
    async with Application(Settings(data=tmp_path)) as application:
        with pytest.raises(IndexFailed, match="reindex"):
            _ = application.search.index
        await prepare(application)
        assert await application.search.index.versions("oncology") == {}
