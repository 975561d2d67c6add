"""The code_audit pack: a repository asked by its lines, on every surface (R-G10)."""

import asyncio
import io
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
import yaml

from adapters.packs import load
from adapters.reply import compose
from adapters.slack.names import ADMIN_COMMAND, COMMAND
from adapters.terminal import Terminal, make_console
from bot.documents.demo import take_in_demo
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine import Answer, Outcome, gate
from engine.model.evidence import Evidence
from engine.model.gate import Closed, Open
from engine.model.passage import Chunk
from engine.model.places import parse_place
from engine.policy.pack import Pack
from tests.demo import Demo, question, quotes
from tests.scenarios import test_discord, test_slack

PACK = "code_audit"
CORPUS = PACKS / PACK / "corpus"
ASKED = "Can deleted readings be restored?"
QUOTED = "Deleted readings cannot be restored."
TOKEN = "src/tidelog/store.py:52"
LINK = f"https://example.org/tidelog/blob/v2.3.0/{TOKEN.replace(':', '#L')}-L52"
NEAR = (  # about what is there, and not answered by it
    "Can deleted alarms be restored?",
    "Which encoding do log files have?",
    "What does parse_line return for an empty file?",
    "What password does the database have?",
    "Does it support PostgreSQL?",
    "Which license does tidelog have?",
)


def cases(name: str) -> list[Mapping[str, object]]:
    """The fixtures of the pack."""
    file = PACKS / PACK / "fixtures" / f"{name}.yaml"
    return list(yaml.safe_load(file.read_text("utf-8"))["cases"])


def answerable() -> dict[str, str]:
    """What must be answered, by question, with words that the answer quotes."""
    return {
        str(case["question"]): str(case["quotes"][0])  # type: ignore[index]
        for case in cases("must_answer")
    }


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load(PACKS / PACK)


@pytest.fixture(scope="module")
def outcomes(
    demo: Demo, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Outcome]:
    """What comes of every question over the demo package."""
    settings = Settings(data=tmp_path_factory.mktemp(PACK) / "data")
    refused = [str(case["question"]) for case in cases("must_refuse")]

    async def every() -> Mapping[str, Outcome]:
        async with Application(settings, embedder=demo.embedder) as application:
            pack = application.pack(PACK)
            corpus, packs = application.corpus(pack), application.settings.packs
            await take_in_demo(corpus, packs, application.data)
            engine = application.engine(pack)
            asked = (*answerable(), *refused, *NEAR, ASKED)
            told = {text: await engine.ask(question(PACK, text)) for text in asked}
            assert (await application.ledger.verify_all()).failures == ()
            return told

    return asyncio.run(every())


def test_a_repository_is_answered_from_R_G10(outcomes: Mapping[str, Outcome]) -> None:
    """In its own words."""
    for asked, said in answerable().items():
        told = [quote.text for quote in quotes(outcomes[asked])]
        assert any(said in text for text in told), (asked, told)


def test_what_it_does_not_say_is_refused_R_I6(outcomes: Mapping[str, Outcome]) -> None:
    """Also where it speaks of the same things."""
    refused = [str(case["question"]) for case in cases("must_refuse")]
    for asked in (*refused, *NEAR):
        assert not outcomes[asked].answered, asked


def test_every_citation_names_the_lines_that_it_quotes_R_G10(
    outcomes: Mapping[str, Outcome],
) -> None:
    """By reading bytes: each quotation begins and ends within its citation's lines."""
    seen = 0
    for outcome in outcomes.values():
        if not isinstance(outcome.result, Answer):
            continue
        for cited in outcome.result.citations:
            held = parse_place(cited.section[0])
            assert held is not None and held.path == cited.title
            lines = (CORPUS / held.path).read_bytes().decode().split("\n")
            text = "\n".join(lines[held.first - 1 : held.last])
            own = [q for q in quotes(outcome) if q.document == cited.document]
            inside = [q for q in own if cited.start <= q.start < cited.end]
            assert inside and all(quote.text in text for quote in inside), held
            assert cited.url is not None
            assert cited.url.endswith(f"{held.path}#L{held.first}-L{held.last}")
            seen += 1
    assert seen >= 5


def test_without_lines_the_gate_stays_closed_R_G10(
    pack: Pack, outcomes: Mapping[str, Outcome]
) -> None:
    """The same passage of a document whose lines are not known opens nothing."""
    outcome = outcomes[ASKED]
    assert isinstance(outcome.gate, Open)
    chunks = outcome.gate.chunks
    for file, kind in (("src/a.py", Open), (None, Closed)):
        changed = tuple(c.model_copy(update={"file": file}) for c in chunks)
        evidence = gate_evidence(outcome, changed)
        decided = gate.decide(evidence, outcome.intent, pack, pack.register())
        assert isinstance(decided, kind)


def gate_evidence(outcome: Outcome, chunks: tuple[Chunk, ...]) -> Evidence:
    assert outcome.trace is not None
    return Evidence(chunks=chunks, nearest=(), answerability=1.0, trace=outcome.trace)


def test_the_terminal_shows_path_line_and_link_R_G10(
    pack: Pack, outcomes: Mapping[str, Outcome]
) -> None:
    """Above the quotation and among the sources."""
    reply = compose(outcomes[ASKED], pack.wording, date(2026, 11, 23))
    out = io.StringIO()
    Terminal(make_console(out), "groundrule").show(reply)
    said = out.getvalue()
    assert TOKEN in said and LINK in said and QUOTED in said


async def test_slack_answers_a_command_in_a_bound_channel_R_G10(
    demo: Demo, tmp_path: Path
) -> None:
    """With path, line and a link to it."""
    async with test_slack.talking(demo, tmp_path) as talk:
        await take_in(talk.application)
        talk.people.command("C1", "U1", f"{ADMIN_COMMAND} bind {PACK}")
        await talk.slack.whispered()
        talk.people.command("C1", "U1", f"{COMMAND} public: {ASKED}")
        [post] = await talk.slack.posted(1)
        told = str(post.blocks)
        assert TOKEN in told and QUOTED in told and LINK in told


async def test_discord_answers_a_command_in_a_bound_channel_R_G10(
    demo: Demo, tmp_path: Path
) -> None:
    """With path, line and a link to it."""
    async with test_discord.talking(demo, tmp_path) as talk:
        await take_in(talk.application)
        talk.people.slash("pack bind", {"pack": PACK})
        await talk.last(1)
        talk.people.slash("ask", {"question": ASKED})
        reply = await talk.last(2)
        assert TOKEN in reply.text and QUOTED in reply.text and LINK in reply.text


async def take_in(application: Application) -> None:
    """The demo package, as `serve` takes it in."""
    corpus = application.corpus(application.pack(PACK))
    await take_in_demo(corpus, application.settings.packs, application.data)
