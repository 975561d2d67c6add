"""What a workspace or server has alone: taken in, found by nobody else, made again."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from weaviate.classes.tenants import TenantActivityStatus

from adapters.index.weaviate import WeaviateIndex
from adapters.loaders.sandbox import SERVED, Parser
from adapters.reply import Reply
from bot.documents.corpus import Corpus
from bot.documents.ingest import Job, Steps, ingest, look
from bot.messages.recollection import Recollection
from bot.wiring import Application, read_settings
from engine import Answer, Outcome, Question, Reason, Refusal
from engine.model.document import shelf_of
from engine.model.question import Scope
from engine.search.selection import read_selection
from tests.adapters.index.on_server import switch
from tests.bot.command import Command, command
from tests.weaviate_server import LocalServer

TEXTBOOK = ("--pack", "textbook")
OURS, OTHERS = "slack:T1", "slack:T2"
ASKERS = (OTHERS, "discord:1", "discord:dm", "slack:T", "slack:T11", "shared")
WRONG = (
    *("", "shared", "T1", "slack:", "slack:t1", "slack:T1 ", "slack:T1\n"),
    *("discord:dm", "discord:x", "slack:../T1", "slack:T1@x"),
    "slack:T\N{CYRILLIC CAPITAL LETTER A}",
)
TEXT = "The Zephyr gripper holds a payload of nine kilograms."
QUESTION = "What payload does the Zephyr gripper hold?"
SERVER = [pytest.param("server", marks=pytest.mark.servers)]


@pytest.fixture(params=["embedded", *SERVER])
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the index stands."""
    if request.param == "server":
        server: LocalServer = request.getfixturevalue("weaviate")
        monkeypatch.setenv("GROUNDRULE_INDEX", "weaviate")
        monkeypatch.setenv("WEAVIATE_URL", server.url)
        monkeypatch.setenv("GROUNDRULE_WEAVIATE_GRPC", str(server.ports.grpc))
        monkeypatch.setenv("GROUNDRULE_WEAVIATE_NAME", uuid4().hex)
        monkeypatch.setenv("GROUNDRULE_WEAVIATE_DEADLINE", "10")
    return str(request.param)


@pytest.fixture
def bot(
    index: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command line on a data folder of the test, and that index."""
    return command(tmp_path / "data", monkeypatch, capsys)


def write(folder: Path, name: str, text: str) -> Path:
    """A document of the textbook pack."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.md"
    file.write_text(f"---\nid: {name}\nsource: ros2-docs\n---\n\n# {name}\n\n{text}\n")
    return file


def ask(data: Path, *tenants: str) -> list[Outcome]:
    """Ask for the gripper, once for each asker's tenant."""

    async def every() -> list[Outcome]:
        async with Application(read_settings(data)) as application:
            engine = application.engine(application.pack("textbook"))
            return [
                await engine.ask(
                    Question(
                        id=f"q-{tenant}",
                        session=tenant,
                        text=QUESTION,
                        pack="textbook",
                        tenant=tenant,
                    )
                )
                for tenant in tenants
            ]

    return asyncio.run(every())


def described(folder: Path, **matter: str) -> Path:
    """The folder of the gripper's document, with this said of it beside its text."""
    lines = "".join(f"{field}: {told}\n" for field, told in matter.items())
    file = write(folder, "gripper", TEXT)
    whole = file.read_text(encoding="utf-8").replace("id: ", f"{lines}id: ", 1)
    file.write_text(whole, encoding="utf-8")
    return folder


def answered(outcome: Outcome) -> bool:
    """Whether the gripper's own passage was the answer."""
    return isinstance(outcome.result, Answer) and any(
        citation.document == "gripper" for citation in outcome.result.citations
    )


def assert_ours_alone(data: Path) -> None:
    """Ours find the document, and it does not even come near a question of others."""
    mine, *others = ask(data, OURS, *ASKERS)
    assert answered(mine)
    for outcome in others:
        assert not answered(outcome)
        assert "Zephyr" not in outcome.result.model_dump_json().replace(QUESTION, "")
        assert "gripper.md" not in outcome.result.model_dump_json()


def test_a_document_of_a_workspace_is_found_by_that_workspace_alone_R_C5(
    bot: Command, tmp_path: Path
) -> None:
    """Ingested, made anew from the ledger, brought back from a backup, withdrawn."""
    data = tmp_path / "data"
    write(tmp_path / "all", "sensor", "A sensor measures light and sound in a room.")
    ours = write(tmp_path / "ours", "gripper", TEXT)
    assert bot("ingest", tmp_path / "all", *TEXTBOOK).code == 0
    taken = bot("ingest", ours.parent, *TEXTBOOK, "--tenant", OURS)
    assert taken.out.startswith("1 added"), taken.err
    assert_ours_alone(data)

    assert "gripper" not in bot("sources", "list", *TEXTBOOK).out
    listed = bot("sources", "list", *TEXTBOOK, "--tenant", OURS)
    assert listed.out.startswith("gripper\tcurrent")
    assert bot("sources", "list", *TEXTBOOK, "--tenant", OTHERS).out == ""
    again = bot("ingest", ours.parent, *TEXTBOOK, "--tenant", OURS)
    assert again.out.startswith("0 added, 0 changed, 1 unchanged")

    assert bot("reindex", "--fresh").code == 0
    assert_ours_alone(data)
    assert bot("verify", "--all").code == 0
    backup = tmp_path / "backup"
    assert bot("backup", backup).code == 0

    assert bot("sources", "withdraw", "gripper", *TEXTBOOK).code == 2
    gone = bot("sources", "withdraw", "gripper", *TEXTBOOK, "--tenant", OURS)
    assert gone.code == 0
    assert not answered(*ask(data, OURS))
    assert bot("reindex").code == 0
    assert not answered(*ask(data, OURS))

    assert bot("restore", backup).code == 0
    assert_ours_alone(data)


def test_two_workspaces_have_documents_of_one_name(
    bot: Command, tmp_path: Path
) -> None:
    """Neither takes the other's away, nor does --prune."""
    data = tmp_path / "data"
    ours = write(tmp_path / "ours", "gripper", TEXT)
    theirs = write(tmp_path / "theirs", "gripper", TEXT.replace("nine", "two"))
    assert bot("ingest", ours.parent, *TEXTBOOK, "--tenant", OURS).code == 0
    assert bot("ingest", theirs.parent, *TEXTBOOK, "--tenant", OTHERS).code == 0
    write(tmp_path / "theirs", "other", "A lamp gives light to a whole room.")
    theirs.unlink()
    pruned = bot(
        "ingest", tmp_path / "theirs", *TEXTBOOK, "--prune", "--tenant", OTHERS
    )
    assert "1 pruned" in pruned.out
    mine, other = ask(data, OURS, OTHERS)
    assert answered(mine)
    assert not answered(other)


def switched(data: Path, tenant: str, status: TenantActivityStatus) -> None:
    """Do to a tenant what an administrator of the server does."""

    async def one() -> None:
        async with Application(read_settings(data)) as application:
            index = application.corpus(application.pack("textbook"), tenant).index
            assert isinstance(index, WeaviateIndex)
            await switch(index, tenant, status)

    asyncio.run(one())


@pytest.mark.parametrize("index", SERVER, indirect=True)
def test_a_workspace_that_is_switched_off_on_the_server_stops_no_other(
    bot: Command, tmp_path: Path
) -> None:
    """It is refused with a reason and named; nothing says that all is well."""
    data = tmp_path / "data"
    names = {OTHERS: "gripper", OURS: "gripper", "slack:T3": "arm"}
    for tenant, name in names.items():
        folder = write(tmp_path / tenant[-2:], name, TEXT).parent
        assert bot("ingest", folder, *TEXTBOOK, "--tenant", tenant).code == 0
    switched(data, OURS, TenantActivityStatus.INACTIVE)
    off, on = ask(data, OURS, OTHERS)
    assert answered(on)
    assert isinstance(off.result, Refusal)
    assert off.result.reason is Reason.PROVIDER_FAILED
    again = bot("reindex")
    assert again.code == 4
    assert f"tenant {OURS} is inactive" in again.err
    assert "all else is done" in again.err
    for tenant in (OTHERS, "slack:T3"):
        assert f"textbook for {tenant}: 1 document as in the ledger" in again.err
    looked = bot("doctor")
    assert looked.code == 4
    broken = [one for one in looked.out.splitlines() if one.startswith("broken")]
    assert any(f"tenant {OURS} is inactive" in line for line in broken)
    assert f"corpus textbook for {OTHERS}: 1 document" in looked.out
    switched(data, OURS, TenantActivityStatus.ACTIVE)
    assert bot("reindex").code == 0
    assert all(map(answered, ask(data, OURS, OTHERS)))


@pytest.mark.parametrize("name", WRONG)
def test_a_tenant_that_is_no_workspace_is_exit_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    """With a sentence that says what to write; nothing is taken in."""
    bot = command(tmp_path / "data", monkeypatch, capsys)
    ours = write(tmp_path / "ours", "gripper", TEXT)
    for line in (
        ("ingest", ours),
        ("sources", "list"),
        ("sources", "withdraw", "gripper"),
    ):
        refused = bot(*line, *TEXTBOOK, "--tenant", name)
        assert refused.code == 2
        assert "slack:T0123ABC" in refused.err
    assert not (tmp_path / "data" / "ledger.db").exists()


async def take_in(corpus: Corpus, folder: Path) -> None:
    """Ingest a folder as a source that the pack knows."""
    job = Job(folder, source=corpus.pack.sources[0].id, replace=True)
    with Parser() as parser:
        summary = await ingest(corpus, parser, job, look(folder, SERVED), Steps())
    assert summary.failures == []


async def test_a_selection_is_found_in_what_the_asker_may_see_R_A6(
    tmp_path: Path,
) -> None:
    """A passage of another workspace's document is no evidence in a medical pack."""
    assert shelf_of("oncology", OURS) != shelf_of("oncology", OTHERS) != "oncology"
    async with Application(read_settings(tmp_path / "data")) as application:
        pack = application.pack("oncology")
        documents = write(tmp_path / "ours", "ward", TEXT).parent
        corpus = application.corpus(pack, OURS)
        await take_in(corpus, documents)
        for tenant, found in ((OURS, 1), (OTHERS, 0), ("shared", 0)):
            asked = Question(
                id="q",
                session="s",
                text="What holds it?",
                pack=pack.id,
                tenant=tenant,
                selection=TEXT,
            )
            chunks = await read_selection(asked, pack, application.ledger)
            assert len(chunks) == found


ROS = "https://docs.ros.org/"
WORDS = {
    OURS: {"title": "Ours", "url": f"{ROS}ours", "published": "2026-01-02"},
    OTHERS: {
        "title": "Theirs",
        "url": f"{ROS}theirs",
        "published": "2019-08-09",
        "publisher": "Neighbour",
    },
}


def as_now(data: Path, outcome: Outcome) -> Reply:
    """The reply to a recorded question, as somebody without tags sees it later."""

    async def recalled() -> Reply:
        async with Application(read_settings(data)) as application:
            recollection = Recollection(application.ledger, application.clock)
            record = await recollection.record(str(outcome.audit_id))
            scope = Scope(pack="textbook", tenant=outcome.question.tenant)
            pack = application.pack("textbook")
            return await recollection.reply(record, pack, scope)

    return asyncio.run(recalled())


def assert_each_its_own(data: Path) -> None:
    """Answer and later sources say of the gripper what the asker's shelf says."""
    for tenant, outcome in zip(WORDS, ask(data, *WORDS), strict=True):
        assert answered(outcome)
        [source] = as_now(data, outcome).sources
        told = WORDS[tenant]
        assert (source.title, source.url) == (told["title"], told["url"])
        assert told["published"] in source.dated
        [other] = WORDS.keys() - {tenant}
        for said in (repr(source), outcome.model_dump_json()):
            for foreign in WORDS[other].values():
                assert foreign not in said, (tenant, foreign)


def test_what_a_shelf_says_of_a_document_is_said_of_that_one_alone_R_S8(
    bot: Command, tmp_path: Path
) -> None:
    """One id, one text, two workspaces: asked, looked up later, and made anew."""
    data = tmp_path / "data"
    for tenant, words in WORDS.items():
        folder = described(tmp_path / tenant[-2:], **words)
        taken = bot("ingest", folder, *TEXTBOOK, "--tenant", tenant)
        assert taken.out.startswith("1 added"), taken.err
    assert_each_its_own(data)
    assert bot("reindex", "--fresh").code == 0
    assert_each_its_own(data)
    for tenant, words in WORDS.items():
        listed = bot("sources", "list", *TEXTBOOK, "--tenant", tenant).out
        assert listed.rstrip().endswith(words["title"])


def test_access_tags_of_one_shelf_do_not_decide_for_another_R_S8(
    bot: Command, tmp_path: Path
) -> None:
    """They neither hide there nor open, whichever was stored last."""
    data = tmp_path / "data"
    closed = described(tmp_path / "ours", access_tags="[staff]")
    opened = described(tmp_path / "theirs")
    for folder, tenant in ((closed, OURS), (opened, OTHERS)):
        assert bot("ingest", folder, *TEXTBOOK, "--tenant", tenant).code == 0
    mine, other = ask(data, OURS, OTHERS)
    assert not answered(mine)
    assert answered(other)
    described(tmp_path / "ours", access_tags="[board]")
    assert bot("ingest", closed, *TEXTBOOK, "--tenant", OURS).code == 0
    assert as_now(data, other).sources


async def test_a_selection_goes_by_the_shelf_it_is_found_on_R_S8(
    tmp_path: Path,
) -> None:
    """What another workspace says of the same text neither opens nor closes it."""
    open_folder = described(tmp_path / "open", title="Open")
    closed_folder = described(tmp_path / "closed", title="S", access_tags="[staff]")
    async with Application(read_settings(tmp_path / "data")) as application:
        pack = application.pack("oncology")
        for closed, opened in ((OURS, OTHERS), (OTHERS, "slack:T3")):
            await take_in(application.corpus(pack, opened), open_folder)
            await take_in(application.corpus(pack, closed), closed_folder)
            await take_in(application.corpus(pack, "slack:T4"), open_folder)
            for tenant, titles in ((closed, []), (opened, ["Open"])):
                asked = Question(
                    id="q",
                    session="s",
                    text="What holds it?",
                    pack=pack.id,
                    tenant=tenant,
                    selection=TEXT,
                )
                chunks = await read_selection(asked, pack, application.ledger)
                assert [chunk.title for chunk in chunks] == titles
