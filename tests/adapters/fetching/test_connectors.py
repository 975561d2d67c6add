"""Connectors against publishers in their real forms: whole lists, polite, careful."""

import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from pydantic import ValidationError

from adapters.fetching.connectors import make_connector
from adapters.fetching.records import Known
from adapters.fetching.survey import survey_site
from adapters.fetching.web import Manners, Web, is_public
from adapters.loaders.limits import Limits
from adapters.loaders.registry import load
from bot.documents.fetched import Fetched
from bot.documents.sync import Fetching, Wish, fetch
from engine.model.errors import FetchFailed
from engine.policy.records import Feed
from tests.loopback.publishers import HOST, Publishers

NUMBERS = ("NCT00000001", "NCT00000002", "NCT00000003")


@pytest.fixture
async def place() -> AsyncIterator[Publishers]:
    published = Publishers(
        records=dict.fromkeys(NUMBERS, "2024-03-05"),
        laws={"I-2.5": "2024-01-02", "C-29": "2024-01-02"},
        pages={
            "/guide/one.html": "<h1>One</h1><p>The first page.</p>",
            "/guide/two.html": "<h1>Two</h1><p>The second page.</p>",
            "/private/three.html": "<h1>Three</h1><p>Not for machines.</p>",
        },
    )
    async with published.open():
        yield published


class Waits:
    """Keeps how long was waited, and waits not at all."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def web(waits: Waits | None = None, *private: str, most: int = 100_000) -> Web:
    allowed = frozenset(private or (HOST,))
    return Web("me@example.org", allowed, Manners(page_bytes=most), waits or Waits())


async def synced(
    feed: Feed, folder: Path, wish: Wish | None = None, waits: Waits | None = None
) -> Fetching:
    async with web(waits) as client:
        reader = make_connector(feed, client)
        return await fetch(reader, Fetched(folder), feed.most, wish or Wish())


def trials(place: Publishers, **changes: object) -> Feed:
    told = {"by": "clinicaltrials", "url": f"{place.base}/api/v2/studies"}
    return Feed.model_validate({**told, "condition": "colon cancer", **changes})


def site(place: Publishers, **changes: object) -> Feed:
    told = {"by": "sitemap", "url": f"{place.base}/sitemap.xml"}
    return Feed.model_validate({**told, **changes})


def linked(place: Publishers, **changes: object) -> Feed:
    told = {"by": "links", "url": f"{place.base}/guide/"}
    return Feed.model_validate({**told, **changes})


def names(folder: Path) -> Sequence[str]:
    return sorted(f.name for f in folder.iterdir() if not f.name.startswith("."))


# --- the register ---------------------------------------------------------------------


async def test_every_record_of_a_search_is_fetched_once_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    """Over pages of the list; a second run fetches what changed, and nothing else."""
    done = await synced(trials(place), tmp_path)
    assert names(tmp_path) == [f"{n}.json" for n in NUMBERS]
    assert len(done.new) == 3
    for file in names(tmp_path):
        (parsed,) = load(tmp_path / file, file, Limits()).documents
        assert parsed.things[0].names[0] == file.removesuffix(".json")
    place.asked.clear()
    place.records["NCT00000002"] = "2025-01-01"
    done = await synced(trials(place), tmp_path)
    assert (done.changed, len(done.unchanged)) == (["NCT00000002.json"], 2)
    assert [p for p in place.asked if "NCT" in p] == ["/api/v2/studies/NCT00000002"]


async def test_records_are_fetched_by_number_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    await synced(trials(place, condition=None, ids=NUMBERS[:1]), tmp_path)
    assert names(tmp_path) == ["NCT00000001.json"]
    with pytest.raises(FetchFailed, match="has no record NCT00000009"):
        ids = (*NUMBERS, "NCT00000009")
        await synced(trials(place, condition=None, ids=ids), tmp_path)


async def test_a_list_that_lost_a_record_changes_nothing_R_R2(
    place: Publishers, tmp_path: Path
) -> None:
    """The register says how many there are: fewer is a failure, not a withdrawal."""
    await synced(trials(place), tmp_path)
    place.lost = 1
    with pytest.raises(FetchFailed, match="says 3 records and lists 1"):
        await synced(trials(place), tmp_path, Wish(prune=True))
    assert len(names(tmp_path)) == 3


async def test_a_run_that_was_cut_off_goes_on_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    """What was whole before is not fetched again; what was half is."""
    day = place.records.pop("NCT00000003")
    await synced(trials(place), tmp_path)
    place.records["NCT00000003"] = day
    (tmp_path / "NCT00000002.json").unlink()
    (tmp_path / ".NCT00000003.json.part").write_bytes(b"{")
    place.asked.clear()
    done = await synced(trials(place), tmp_path)
    assert sorted(done.new) == ["NCT00000002.json", "NCT00000003.json"]
    assert "/api/v2/studies/NCT00000001" not in place.asked


async def test_what_is_gone_stays_until_it_is_pruned_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    await synced(trials(place), tmp_path)
    del place.records["NCT00000001"]
    done = await synced(trials(place), tmp_path)
    assert (done.gone, len(names(tmp_path))) == (["NCT00000001.json"], 3)
    dry = await synced(trials(place), tmp_path, Wish(prune=True, dry=True))
    assert (dry.gone, len(names(tmp_path))) == (["NCT00000001.json"], 3)
    await synced(trials(place), tmp_path, Wish(prune=True))
    assert len(names(tmp_path)) == 2
    place.records.clear()
    with pytest.raises(FetchFailed, match="no document"):
        await synced(trials(place), tmp_path, Wish(prune=True))
    assert len(names(tmp_path)) == 2


async def test_a_dry_run_fetches_and_writes_nothing_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    done = await synced(trials(place), tmp_path / "none", Wish(dry=True))
    assert len(done.new) == 3
    assert not (tmp_path / "none").exists()
    assert not [path for path in place.asked if "NCT" in path]


async def test_a_feed_that_is_wider_than_meant_is_refused_R_S2(
    place: Publishers, tmp_path: Path
) -> None:
    with pytest.raises(FetchFailed, match="more than 2 documents"):
        await synced(trials(place, most=2), tmp_path)


# --- laws -----------------------------------------------------------------------------


async def test_acts_are_fetched_when_they_changed_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    url = f"{place.base}/eng/XML/Legis.xml"
    feed = Feed(by="justice_laws", url=url, ids=("I-2.5",))
    file = "eng/acts/I-2.5.xml"
    assert (await synced(feed, tmp_path)).new == [file]
    assert b"<Section>I-2.5" in (tmp_path / file).read_bytes()
    assert (await synced(feed, tmp_path)).unchanged == [file]
    assert place.asked["/eng/XML/I-2.5.xml"] == 1
    place.laws["I-2.5"] = "2024-06-01"
    await synced(feed, tmp_path)
    assert place.asked["/eng/XML/I-2.5.xml"] == 2
    with pytest.raises(FetchFailed, match="does not list X-1"):
        await synced(feed.model_copy(update={"ids": ("X-1",)}), tmp_path)


# --- a website ------------------------------------------------------------------------


async def test_a_site_is_fetched_as_its_robots_allow_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    """Pages of its own host alone, slowly, under a name; again only if changed."""
    waits = Waits()
    place.robots += "Crawl-delay: 7\n"
    done = await synced(site(place), tmp_path, waits=waits)
    assert len(done.new) == 2
    assert ["robots.txt" in failure for failure in done.failures] == [True]
    assert "/private/three.html" not in place.asked
    assert set(waits.seconds) == {7.0}
    assert place.agents == {"groundrule-sync (+me@example.org)"}
    parsed = [load(tmp_path / n, n, Limits()).documents[0] for n in names(tmp_path)]
    assert {p.url for p in parsed} == {
        f"{place.base}/guide/one.html",
        f"{place.base}/guide/two.html",
    }
    place.pages["/guide/two.html"] = "<h1>Two</h1><p>Changed.</p>"
    done = await synced(site(place, below=["/guide/"]), tmp_path)
    assert [len(x) for x in (done.changed, done.unchanged, done.failures)] == [1, 1, 0]
    assert (
        "Changed."
        in load(tmp_path / done.changed[0], "a.html", Limits()).documents[0].text
    )


async def test_a_page_is_read_in_the_encoding_that_its_place_names_R_A15(
    place: Publishers, tmp_path: Path
) -> None:
    """Its mark goes first, then the header, then the page; what is none is named."""
    fee, label = "<p>The fee is €45, “once”.</p>", '<meta charset="{}">'
    place.pages = {
        "/header.html": fee.encode("cp1252"),
        "/both.html": f"{label.format('koi8-r')}{fee}".encode(),
        "/page.html": f"{label.format('iso-8859-1')}{fee}".encode("cp1252"),
        "/mark.html": f"{label.format('koi8-r')}{fee}".encode("utf-16"),
        "/plain.html": fee.encode(),
        "/false.html": fee.encode("cp1252"),
    }
    place.types = {
        "/header.html": "text/html; charset=iso-8859-1",
        "/both.html": "text/html; charset=utf-8",
        "/page.html": "text/html; charset=nonsense",
        "/mark.html": "text/html; charset=koi8-r",
        "/false.html": "text/html; charset=utf-8",
    }
    done = await synced(site(place), tmp_path)
    assert len(done.new) == 5
    assert len(done.failures) == 1
    assert "/false.html: is not utf-8 text" in done.failures[0]
    for name in names(tmp_path):
        (parsed,) = load(tmp_path / name, name, Limits()).documents
        assert parsed.text == "The fee is €45, “once”."
        assert parsed.url is not None


async def test_nothing_is_fetched_where_nobody_knows_the_rules(
    place: Publishers, tmp_path: Path
) -> None:
    place.robots = ""
    with pytest.raises(FetchFailed, match=r"robots\.txt: status 503"):
        await synced(site(place), tmp_path)


async def test_a_busy_place_is_asked_again_later(
    place: Publishers, tmp_path: Path
) -> None:
    waits = Waits()
    place.busy = 2
    assert len((await synced(trials(place), tmp_path, waits=waits)).new) == 3
    assert waits.seconds[:2] == [1.0, 1.0]
    place.busy = 99
    with pytest.raises(FetchFailed, match="status 503"):
        await synced(trials(place), tmp_path)


# --- no way in ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.8/",
        "https://169.254.169.254/latest",
        "https://[::ffff:127.0.0.1]/",
        "https://[fd00::1]/",
        "https://localhost/",
        "http://example.org/",
        "file:///etc/passwd",
        "https://user:secret@example.org/",
        "https://2130706433/",
    ],
)
async def test_private_addresses_are_not_fetched_from_R_S2(url: str) -> None:
    """Neither written out nor behind a name, and nothing but https."""
    async with web(None, "only.example") as client:
        with pytest.raises(FetchFailed):
            await client.get(url, robots=False)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::ffff:93.184.216.34", False),
        ("2002:7f00:1::", False),
        ("fe80::1%eth0", False),
        ("64:ff9b::a9fe:a9fe", False),  # 169.254.169.254 behind NAT64
        ("64:ff9b::5db8:d822", False),
        ("64:ff9b:1::1", False),
        ("fec0::1", False),
        ("fc00::1", False),
        ("192.0.0.8", False),
        ("192.0.0.192", False),
        ("192.88.99.1", False),
        ("::127.0.0.1", False),
        ("2001:0:1::1", False),
        ("2001:db8::1", False),
        ("3fff::1", False),
        ("::1", False),
    ],
)
def test_only_public_addresses_are_public_R_S2(address: str, public: bool) -> None:
    assert is_public(address) is public


async def test_a_redirect_leads_nowhere_else_R_S2(place: Publishers) -> None:
    """Neither to another host nor round in circles."""
    async with web() as client:
        for to in ("https://localhost/", "http://169.254.169.254/", "file:///etc"):
            with pytest.raises(FetchFailed):
                await client.get(f"{place.base}/away?to={to}", robots=False)
        with pytest.raises(FetchFailed, match="on and on"):
            await client.get(f"{place.base}/away", robots=False)
    assert "/etc" not in place.asked


async def test_a_page_beyond_its_bound_is_refused_R_S2(place: Publishers) -> None:
    place.pages["/guide/one.html"] = "x" * 200_000
    async with web() as client:
        with pytest.raises(FetchFailed, match="larger than 100,000 bytes"):
            await client.get(f"{place.base}/guide/one.html")


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY b "c">]><urlset/>',
        "<urlset>",
        "no xml",
        "",
    ],
)
async def test_a_sitemap_that_is_none_is_refused_R_S2(
    place: Publishers, tmp_path: Path, text: str
) -> None:
    place.pages["/mine.xml"] = text
    feed = Feed(by="sitemap", url=f"{place.base}/mine.xml")
    with pytest.raises(FetchFailed):
        await synced(feed, tmp_path)


@pytest.mark.parametrize("name", ["../out.md", "/etc/x.md", "a/../../out.md", ".git/x"])
def test_no_name_leads_out_of_its_folder_R_S2(tmp_path: Path, name: str) -> None:
    with pytest.raises(FetchFailed):
        Fetched(tmp_path / "in").keep(name, b"x")


def test_what_is_known_in_another_form_is_fetched_again(tmp_path: Path) -> None:
    fetched = Fetched(tmp_path)
    fetched.keep("a.md", b"A")
    fetched.note({"a.md": Known("1", day="2026-01-01")})
    assert fetched.read_known()["a.md"].mark == "1"
    for text in ("{", "[]", '{"a.md": 3}', '{"a.md": {"other": 1}}'):
        (tmp_path / ".state.json").write_text(text, "utf-8")
        assert fetched.read_known() == {}


# --- git ------------------------------------------------------------------------------


def committed(repository: Path, **files: str | None) -> None:
    """Commit files, by name without ending; None takes one away."""
    if not repository.exists():
        repository.mkdir(parents=True)
        git(repository, "init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        file = repository / "docs" / f"{name}.md"
        file.parent.mkdir(exist_ok=True)
        if text is None:
            file.unlink()
        else:
            file.write_text(text, "utf-8")
    git(repository, "add", "--all")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(repository, *who, "commit", "--quiet", "--message=x")


def git(repository: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=repository, check=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_markdown_of_a_repository_is_copied_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    """Of one branch and folder, what changed as changed; nothing else comes along."""
    place.repositories = tmp_path / "repositories"
    repository = place.repositories / "notes"
    committed(repository, one="# One\n\nText.", two="# Two\n\nText.")
    (repository / "README.md").write_text("# Elsewhere", "utf-8")
    (repository / "docs" / "code.py").write_text("print()", "utf-8")
    (repository / "docs" / "link.md").symlink_to("/etc/passwd")
    committed(repository, one="# One\n\nText.")
    feed = Feed(by="git", url=f"{place.base}/git/notes", below=("docs",), branch="main")
    folder = tmp_path / "fetched"
    assert sorted((await synced(feed, folder)).new) == ["docs/one.md", "docs/two.md"]
    committed(repository, one="# One\n\nNew text.", two=None)
    done = await synced(feed, folder)
    assert (done.changed, done.gone) == (["docs/one.md"], ["docs/two.md"])
    with pytest.raises(FetchFailed, match="cannot be copied"):
        await synced(feed.model_copy(update={"branch": "other"}), folder)
    with pytest.raises(FetchFailed, match="cannot be copied"):
        away = f"{place.base}/away?to=/git/notes"
        await synced(feed.model_copy(update={"url": away}), folder)


@pytest.mark.parametrize(
    "url",
    ["https://localhost/a", "https://10.0.0.1/a", "http://example.org/a", "ssh://a/b"],
)
async def test_a_repository_is_public_and_https_R_S2(url: str, tmp_path: Path) -> None:
    feed = Feed(by="git", url="https://example.org/").model_copy(update={"url": url})
    async with web(None, "only.example") as client:
        with pytest.raises(FetchFailed):
            await fetch(make_connector(feed, client), Fetched(tmp_path), 9, Wish())


@pytest.mark.parametrize(
    "told",
    [
        {"by": "clinicaltrials", "url": "https://a.example/"},
        {"by": "justice_laws", "url": "https://a.example/"},
        {"by": "sitemap", "url": "https://a.example/", "ids": ["1"]},
        {"by": "sitemap", "url": "ftp://a.example/"},
        {"by": "git", "url": "https://user@a.example/b"},
        {"by": "git", "url": "https://a.example/b", "branch": "--upload-pack=x"},
        {"by": "magic", "url": "https://a.example/"},
    ],
)
def test_a_feed_that_says_too_little_or_too_much_is_refused(
    told: dict[str, object],
) -> None:
    with pytest.raises(ValidationError):
        Feed.model_validate(told)


# --- a site without a sitemap, and what a site says of itself (R-U13) -----------------

FRONT = (
    '<title>Home - The Club</title><a href="one.html#top">1</a>'
    '<a href="/guide/two.html">2</a><a href="/elsewhere.html">up</a>'
    '<a href="gone.html">gone</a><a href="one.html?month=1">more</a>'
    '<a href="https://elsewhere.example/guide/">away</a><a href="plan.pdf">plan</a>'
    '<a rel="nofollow" href="shy.html">shy</a><a href="mailto:a@b.example">mail</a>'
    '<a href="http://[bad">bad</a><a href="closed/x.html">closed</a>'
)


async def addresses(feed: Feed) -> list[str]:
    async with web() as client:
        items = [item async for item in make_connector(feed, client).items()]
    return [item.url.partition("/guide/")[2] for item in items]


async def test_links_are_followed_below_their_page_and_nowhere_else_R_U13(
    place: Publishers,
) -> None:
    """Each page once, in order, with the pages that it leads to in turn."""
    place.robots += "Disallow: /guide/closed/\n"
    place.pages["/guide/"] = FRONT
    place.pages["/guide/one.html"] = '<h1>One</h1><a href="deep/three.html">3</a>'
    place.pages["/guide/deep/three.html"] = '<h1>Three</h1><a href="/guide/">up</a>'
    for page in ("shy.html", "plan.pdf", "closed/x.html"):
        place.pages[f"/guide/{page}"] = "<h1>Not asked for</h1>"
    assert await addresses(linked(place)) == [
        "",
        "one.html",
        "two.html",
        "deep/three.html",
    ]
    assert all(number == 1 for number in place.asked.values())


async def test_a_crawl_is_polite_bounded_and_repeatable_R_U13_R_R10(
    place: Publishers, tmp_path: Path
) -> None:
    """A pause before each page; more pages than meant are refused, the same are none
    that changed."""
    place.pages["/guide/"] = FRONT
    waits = Waits()
    done = await synced(linked(place), tmp_path, waits=waits)
    assert (len(done.new), done.failures) == (3, [])
    assert len(waits.seconds) >= 3
    assert {*waits.seconds} == {1.0}
    again = await synced(linked(place), tmp_path)
    assert len(again.unchanged) == 3
    with pytest.raises(FetchFailed, match="more than 2"):
        await synced(linked(place, most=2), tmp_path)


async def test_a_page_that_fails_this_time_is_not_gone_R_U13(
    place: Publishers, tmp_path: Path
) -> None:
    """It is named, and what was fetched of it stays; one that is gone is told."""
    place.pages["/guide/"] = FRONT
    await synced(linked(place), tmp_path)
    place.pages["/guide/two.html"] = b"x" * 200_000
    del place.pages["/guide/one.html"]
    done = await synced(linked(place), tmp_path, Wish(prune=True))
    assert [failure for failure in done.failures if "larger" in failure]
    [gone] = done.gone
    assert "one" in gone
    assert len(names(tmp_path)) == 2


async def test_a_site_is_read_by_its_sitemap_or_else_by_links_R_U13(
    place: Publishers,
) -> None:
    """Who publishes it, from its markup; the pages below the address alone."""
    place.pages["/guide/"] = FRONT
    async with web() as client:
        found = await survey_site(client, f"{place.base}/guide/#top")
    assert (found.publisher, found.prefix) == ("The Club", f"{place.base}/guide/")
    assert (found.feed.by, found.feed.below) == ("sitemap", ("/guide/",))
    place.robots += "Disallow: /sitemap.xml\n"
    named = '<meta property="og:site_name" content="Club  of 1890">'
    place.pages["/guide/"] = named + FRONT
    async with web() as client:
        found = await survey_site(client, f"{place.base}/guide/")
    assert (found.publisher, found.feed.by) == ("Club of 1890", "links")
    with pytest.raises(FetchFailed, match="404"):
        async with web() as client:
            await survey_site(client, f"{place.base}/nothing/")
