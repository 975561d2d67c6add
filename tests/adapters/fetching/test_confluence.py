"""Confluence, both kinds: whole lists, who may read, and nothing that is closed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from adapters.fetching.connectors import make_connector
from adapters.fetching.web import Manners, Web
from adapters.loaders.limits import Limits
from adapters.loaders.registry import load
from bot.documents.fetched import Fetched
from bot.documents.sync import Fetching, Wish, fetch
from engine.model.errors import FetchFailed
from engine.policy.records import Feed
from tests.adapters.fetching.test_connectors import Waits, names
from tests.loopback.confluence import HOST, Confluence, Entry

KEY = "Bearer canary-9f2"


@pytest.fixture(params=[True, False], ids=["cloud", "data center"])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Confluence]:
    entries = {
        "10": Entry("Ward handbook", "<p>Visits end at eight.</p>"),
        "11": Entry("Night shift", "<p>The spare key hangs by the door.</p>", ("10",)),
        "12": Entry(
            "Pay", "<p>Nights pay 20 euros more.</p>", ("10",), ("ward-leads",)
        ),
        "13": Entry("Bands", "<p>Band two is for nurses.</p>", ("10", "12")),
        "14": Entry("Letters", "<p>To Ada alone.</p>", ("10",), users=("ada",)),
        "15": Entry("News", "<p>The lift works.</p>", kind="blogpost"),
        "16": Entry(
            "rota 2026.csv", b"day,name\nMonday,Ada\n", ("11",), kind="attachment"
        ),
        "17": Entry("pay.csv", b"day,euros\nMonday,20\n", ("12",), kind="attachment"),
        "18": Entry("photo.png", b"\x89PNG", ("11",), kind="attachment"),
        "19": Entry("Elsewhere", space="OTHER"),
    }
    async with Confluence(entries, KEY, cloud=request.param).open() as opened:
        yield opened


async def synced(
    place: Confluence, folder: Path, wish: Wish | None = None, **changes: object
) -> Fetching:
    feed = Feed.model_validate(
        {
            "by": "confluence",
            "url": place.base,
            "ids": ["WARD"],
            "groups": {"ward-leads": "leads"},
            **changes,
        }
    )
    origin = f"http://{HOST}:{place.port}"
    hosts = frozenset({HOST, "localhost"})
    client = Web("me@example.org", hosts, Manners(), Waits(), keys={origin: KEY})
    async with client:
        reader = make_connector(feed, client)
        return await fetch(reader, Fetched(folder), feed.most, wish or Wish())


def tags(folder: Path, name: str) -> tuple[str, ...]:
    (parsed,) = load(folder / name, name, Limits()).documents
    return tuple(parsed.tags)


async def test_a_space_is_fetched_whole_with_titles_and_addresses_R_R10(
    place: Confluence, tmp_path: Path
) -> None:
    """Over pages of the list; a second run asks for what changed, and nothing else."""
    done = await synced(place, tmp_path)
    pages = [f"page-{n}.html" for n in (10, 11, 12, 13, 15)]
    assert names(tmp_path) == ["file-16-rota-2026.csv", *pages]
    assert done.failures == []
    (night,) = load(tmp_path / "page-11.html", "page-11.html", Limits()).documents
    assert night.title == "Night shift"
    assert night.url == f"{place.base}/spaces/WARD/pages/11"
    assert "The spare key hangs by the door." in night.text
    assert place.keys_elsewhere == ([None] if place.cloud else [])  # no key leaves
    place.asked.clear()
    place.entries["11"].version, place.entries["11"].body = 2, "<p>It moved.</p>"
    done = await synced(place, tmp_path)
    assert (done.changed, len(done.unchanged)) == (["page-11.html"], 5)
    assert [asked for asked in place.asked if asked.startswith("page")] == ["page 11"]


async def test_who_may_read_a_page_is_who_may_read_all_above_it_R_S8(
    place: Confluence, tmp_path: Path
) -> None:
    done = await synced(place, tmp_path)
    assert tags(tmp_path, "page-11.html") == ()
    assert tags(tmp_path, "page-12.html") == ("leads",)
    assert tags(tmp_path, "page-13.html") == ("leads",)  # the page above it is limited
    assert done.closed == ["page-14.html", "file-17-pay.csv"]  # people; a limited file


async def test_what_becomes_limited_goes_at_once_R_S8(
    place: Confluence, tmp_path: Path
) -> None:
    """Without `--prune`, and without a new version of the page."""
    await synced(place, tmp_path)
    place.entries["11"].groups = ("board",)  # no tag stands for it
    place.entries["15"].groups = ("ward-leads",)
    done = await synced(place, tmp_path, Wish(dry=True))
    assert "page-11.html" in names(tmp_path) and "page-11.html" in done.closed
    done = await synced(place, tmp_path)
    assert done.changed == ["page-15.html"] and tags(tmp_path, "page-15.html") == (
        "leads",
    )
    gone = {"page-11.html", "file-16-rota-2026.csv"}
    assert not gone & {*names(tmp_path)} and gone <= {*done.closed}


@pytest.mark.parametrize("silent", ["silent", "silent_above"])
async def test_what_does_not_say_who_may_read_it_is_closed_R_S8(
    place: Confluence, tmp_path: Path, silent: str
) -> None:
    await synced(place, tmp_path)
    setattr(place, silent, True)
    done = await synced(place, tmp_path)
    assert names(tmp_path) == []
    assert len(done.closed) == 8


async def test_what_stands_above_and_is_not_listed_is_asked_for_R_S8(
    place: Confluence, tmp_path: Path
) -> None:
    """A folder of Cloud; one that cannot be read fails the run, and nothing changes."""
    place.entries["11"].above = ("77", "10")
    place.folders["77"] = ("ward-leads",)
    await synced(place, tmp_path)
    assert tags(tmp_path, "page-11.html") == ("leads",)
    del place.folders["77"]
    with pytest.raises(FetchFailed, match="77/restriction"):
        await synced(place, tmp_path)


async def test_a_label_limits_a_page_R_S8(place: Confluence, tmp_path: Path) -> None:
    """Beside its groups: who reads it holds a tag that both name."""
    place.entries["11"].labels = ("draft",)
    place.entries["12"].labels = ("draft",)
    done = await synced(place, tmp_path, labels={"draft": "editors"})
    assert tags(tmp_path, "page-11.html") == ("editors",)
    assert "page-12.html" in done.closed


async def test_a_wrong_key_changes_nothing_R_R2(
    place: Confluence, tmp_path: Path
) -> None:
    await synced(place, tmp_path)
    before = names(tmp_path)
    place.key = "another"
    with pytest.raises(FetchFailed, match="status 401"):
        await synced(place, tmp_path, Wish(prune=True))
    assert names(tmp_path) == before


def test_a_feed_names_spaces_R_C2() -> None:
    told = {"by": "confluence", "url": "https://team.atlassian.net/wiki"}
    with pytest.raises(ValidationError, match="confluence needs ids"):
        Feed.model_validate(told)
    with pytest.raises(ValidationError, match="keys of spaces"):
        Feed.model_validate({**told, "ids": ['A") or space = "B']})
    with pytest.raises(ValidationError, match="groups says nothing to git"):
        Feed.model_validate(
            {"by": "git", "url": "https://x.example", "groups": {"a": "b"}}
        )
