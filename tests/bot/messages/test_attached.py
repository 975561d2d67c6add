"""What is read of a file that came with a question, and from where (R-A6, R-S2)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from aiohttp import web

from adapters.mail import Action, File, Incoming, Place, Platform
from bot.messages import attached as module
from bot.messages.attached import BYTES, HOSTS, Attached, open_attached
from config.settings import Settings
from tests.adapters.loaders.office import paragraph, word
from tests.adapters.loaders.pdfs import pdf_of

HERE = frozenset({"127.0.0.1"})
TEXT = b"The blue box stands on the left shelf.\n"


@dataclass
class Shelf:
    """Where a platform keeps files; it notes who asked for which."""

    url: str = ""
    kept: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    async def give(self, request: web.Request) -> web.StreamResponse:
        """A file, or where it is not."""
        name = request.match_info["name"]
        self.asked.append((name, request.headers.get("Authorization")))
        if name.startswith("moved"):
            raise web.HTTPFound("https://elsewhere.example/secret")
        if name.startswith("slow"):
            await asyncio.sleep(60)
        return web.Response(body=self.kept[name])

    def file(self, name: str, content: bytes, **told: object) -> File:
        """One that is kept here."""
        self.kept[name] = content
        given = {"name": name, "size": len(content), "url": f"{self.url}/{name}"}
        return File.model_validate({**given, **told})


@pytest.fixture
async def shelf() -> AsyncIterator[Shelf]:
    """A platform's host."""
    kept = Shelf()
    app = web.Application()
    app.add_routes([web.get("/{name}", kept.give)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    kept.url = f"http://127.0.0.1:{port}"
    yield kept
    await runner.cleanup()


def asked(*files: File, platform: Platform = Platform.SLACK) -> Incoming:
    """A question with files."""
    place = Place(platform=platform, tenant="T1", channel="C1", message="1.0")
    return Incoming(
        event="e",
        platform=platform,
        action=Action.ASK,
        place=place,
        person="U1",
        text="Where is the box?",
        files=bool(files),
        attached=files,
        received=datetime(2026, 1, 1, tzinfo=UTC),
    )


async def token(tenant: str) -> str | None:
    """The bot's, in the one workspace."""
    return {"T1": "xoxb-1"}.get(tenant)


READER = Attached(dict.fromkeys(Platform, HERE), token, HERE)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("box.txt", TEXT),
        ("BOX.MD", b"# Where\n\n" + TEXT),
        ("box.docx", word(paragraph(TEXT.decode().strip()))),
        ("box.pdf", pdf_of(TEXT.decode().strip())),
    ],
)
async def test_a_text_a_pdf_and_a_word_file_are_read_R_A6(
    shelf: Shelf, name: str, content: bytes
) -> None:
    """With the token of that workspace; its text, and nothing active in it."""
    text = await READER.read(asked(shelf.file(name, content)))
    assert text is not None and "blue box stands on the left shelf" in text
    assert shelf.asked == [(name, "Bearer xoxb-1")]


async def test_a_sentence_that_a_file_breaks_is_one_R_A6(shelf: Shelf) -> None:
    """Else "on the left shelf" would be quoted without its "not"."""
    wrapped = b"Do not store the box\non the left shelf.\n\nIt belongs\nupstairs.\n"
    text = await READER.read(asked(shelf.file("box.txt", wrapped)))
    assert text == "Do not store the box on the left shelf.\nIt belongs upstairs."


async def test_a_full_disk_loses_no_question_R_I8(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is not read; the worker goes on."""

    def full(data: bytes, kind: str) -> str:
        raise OSError("no space left on device")

    monkeypatch.setattr(module, "_parse", full)
    assert await READER.read(asked(shelf.file("box.txt", TEXT))) is None


async def test_discord_gets_no_token_R_S1(shelf: Shelf) -> None:
    """Its addresses are enough."""
    file = shelf.file("box.txt", TEXT)
    assert await READER.read(asked(file, platform=Platform.DISCORD))
    assert shelf.asked == [("box.txt", None)]


WRONG: list[Callable[[Shelf], tuple[File, ...]]] = [
    lambda shelf: (),
    lambda shelf: (shelf.file("a.txt", TEXT), shelf.file("b.txt", TEXT)),
    lambda shelf: (shelf.file("picture.png", TEXT),),
    lambda shelf: (shelf.file("box", TEXT),),
    lambda shelf: (shelf.file("empty.txt", b""),),
    lambda shelf: (shelf.file("large.txt", b"x" * (BYTES + 1)),),
    lambda shelf: (shelf.file("box.txt", TEXT, url="http://127.0.0.2/box.txt"),),
    lambda shelf: (shelf.file("box.txt", TEXT, url="file:///etc/passwd"),),
]


@pytest.mark.parametrize("files", WRONG)
async def test_what_is_not_one_such_file_is_not_asked_for_R_S2(
    shelf: Shelf, files: Callable[[Shelf], tuple[File, ...]]
) -> None:
    """Several, another kind, too large, kept elsewhere."""
    assert await READER.read(asked(*files(shelf))) is None
    assert shelf.asked == []


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("moved.txt", TEXT, len(TEXT)),
        ("box.txt", TEXT * 2, len(TEXT)),  # a page about it, or more than was said
        ("large.txt", b"x" * (BYTES + 1), BYTES),
        ("box.docx", TEXT, len(TEXT)),
        ("box.pdf", b"%PDF-1.7 no more", 16),
        ("blank.txt", b" \n", 2),
        ("slow.txt", TEXT, len(TEXT)),
    ],
)
async def test_what_cannot_be_read_is_left_R_S2(
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes,
    told: int,
) -> None:
    """No error of it reaches anybody; a redirect is not followed, nor is the token
    taken there."""
    if name.startswith("slow"):
        monkeypatch.setattr(module, "SECONDS", 0.2)
    assert await READER.read(asked(shelf.file(name, content, size=told))) is None
    assert [asked for asked, _ in shelf.asked] == [name]


async def test_a_private_address_is_not_asked_R_S2(shelf: Shelf) -> None:
    """Even where its name is that of a platform's host."""
    careless = Attached(dict.fromkeys(Platform, HERE), token)
    assert await careless.read(asked(shelf.file("box.txt", TEXT))) is None
    assert shelf.asked == []


def test_files_are_taken_from_the_platforms_hosts_alone_R_S2() -> None:
    """Unless Slack itself is somewhere else."""

    class Process:
        def __init__(self, **settings: object) -> None:
            self.settings = Settings.model_validate(settings)

    real = open_attached(Process())  # type: ignore[arg-type]
    assert (real.hosts, real.private) == (HOSTS, frozenset())
    own = open_attached(Process(slack_api="http://127.0.0.1:1/api/"))  # type: ignore[arg-type]
    assert own.hosts[Platform.SLACK] == own.private == HERE
    assert own.hosts[Platform.DISCORD] == HOSTS[Platform.DISCORD]
