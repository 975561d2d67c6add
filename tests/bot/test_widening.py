"""A search is widened only where the pack and the environment both allow it (R-F9)."""

import shutil
from pathlib import Path

import pytest

from bot.wiring import Application, read_settings


@pytest.fixture
def packs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The oncology pack, which allows it here, and says so."""
    folder = tmp_path / "packs" / "oncology"
    shutil.copytree(root / "config" / "packs" / "oncology", folder)
    file = folder / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    text = text.replace("widening_allowed: false", "widening_allowed: true")
    text = text.replace("wording:\n", "wording:\n  widened: I looked further.\n", 1)
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("GROUNDRULE_PACKS", str(folder.parent))
    return folder


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize(
    ("said", "allowed"), [(None, False), ("true", False), ("false", True)]
)
def test_the_environment_permits_what_the_pack_allows_R_F9_R_I11(
    said: str | None, allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default nothing does."""
    monkeypatch.delenv("RAG_NO_SILENT_FALLBACK_ENABLED", raising=False)
    if said is not None:
        monkeypatch.setenv("RAG_NO_SILENT_FALLBACK_ENABLED", said)
    application = Application(read_settings(tmp_path / "data"))
    assert application.pack("oncology").retrieval.widening_allowed is allowed
