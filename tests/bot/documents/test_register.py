"""Which source a document belongs to."""

import pytest

from adapters.packs import load
from bot.documents.register import Register
from config.settings import PACKS
from engine.model.document import Parsed
from engine.model.errors import UnregisteredSource, UsageError
from engine.policy.pack import Source


def source(name: str, **changes: object) -> Source:
    made = Source(
        id=name,
        publisher=name,
        type="page",
        tier=1,
        trusted=True,
        homepage="https://example.org/",
    )
    return made.model_copy(update=changes)


def parsed(**changes: object) -> Parsed:
    made = Parsed(path="a/b.md", text="", blocks=(), loader="test")
    return made.model_copy(update=changes)


SOURCES = (
    source("all", url_prefixes=("https://example.org/",)),
    source("drugs", url_prefixes=("https://example.org/drugs/",)),
    source("ros", path_globs=("**/ros2/**",)),
    source("notes", path_globs=("top/*.md", "**/x?.txt")),
)


@pytest.mark.parametrize(
    ("document", "place", "found"),
    [
        (parsed(source="ros", url="https://example.org/a"), "a/b.md", "ros"),
        (parsed(url="https://example.org/a"), "ros2/b.md", "all"),
        (parsed(url="https://example.org/drugs/a"), "a/b.md", "drugs"),
        (parsed(url="https://example.org.evil/a"), "d/ros2/b.md", "ros"),
        (parsed(), "d/ros2/deep/er/b.md", "ros"),
        (parsed(), "ros2/b.md", "ros"),
        (parsed(), "top/b.md", "notes"),
        (parsed(), "xy.txt", "notes"),
        (parsed(), "a/b/x\u00e9.txt", "notes"),
    ],
)
def test_the_first_way_that_fits_wins(document: Parsed, place: str, found: str) -> None:
    """Front matter, then the longest URL prefix, then a path glob."""
    assert Register(SOURCES).find_source(document, place).source.id == found


@pytest.mark.parametrize(
    "place", ["ros2.md", "a/ros2x/b.md", "top/deep/b.md", "atop/b.md", "x/y.txt"]
)
def test_a_document_of_no_source_is_refused_with_the_four_ways(place: str) -> None:
    """The message names the file and every way to bind it."""
    with pytest.raises(UnregisteredSource, match=r"(?s)a/b\.md") as refused:
        Register(SOURCES).find_source(parsed(), place)
    for way in ("--source", "front matter", "URL", "globs"):
        assert way in str(refused.value)


def test_the_command_line_wins() -> None:
    """--source binds every file of the run."""
    document = parsed(source="all")
    bound = Register(SOURCES, "drugs").find_source(document, "x")
    assert (bound.source.id, bound.rule) == ("drugs", "--source")


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (parsed(source="all", url="https://example.org/a"), "front matter"),
        (parsed(url="https://example.org/a"), "URL"),
        (parsed(), "path"),
    ],
)
def test_the_rule_that_found_a_source_is_told_R_S7(document: Parsed, rule: str) -> None:
    """So that `ingest` can sum up what was believed, and why."""
    assert Register(SOURCES).find_source(document, "d/ros2/b.md").rule == rule


def test_an_unknown_source_is_named() -> None:
    """On the command line it is a usage error; in a file the file is refused."""
    with pytest.raises(UsageError, match="absent"):
        Register(SOURCES, "absent")
    with pytest.raises(UnregisteredSource, match="absent"):
        Register(SOURCES).find_source(parsed(source="absent"), "x")


def test_a_demo_source_takes_nothing_but_the_demo_R_S7() -> None:
    """Neither by the name of a folder nor by an address; who names it gets it."""
    demo = source(
        "demo", path_globs=("**/trials/**",), url_prefixes=("https://x/",), demo=True
    )
    found = (parsed(), "trials/a.json"), (parsed(url="https://x/a"), "a.md")
    for document, place in found:
        with pytest.raises(UnregisteredSource):
            Register((demo,)).find_source(document, place)
        assert Register((demo,), demo=True).find_source(document, place).source is demo
    assert Register((demo,), "demo").find_source(parsed(), "a.md").source is demo
    named = Register((demo,)).find_source(parsed(source="demo"), "a.md")
    assert (named.source, named.rule) == (demo, "front matter")


def test_no_demo_source_of_a_shipped_pack_waits_for_a_folder_R_S7() -> None:
    """The folder of a person's own trials is theirs; only the demo package has none."""
    packs = ("mrd", "oncology", "textbook", "immigration")
    sources = [s for name in packs for s in load(PACKS / name).sources]
    assert not [s.id for s in sources if s.demo and s.path_globs]
