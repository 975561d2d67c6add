"""Stored questions through today's gates, pack and index, without a model (R-D4)."""

import json
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from adapters.ledger.history import Wanted
from bot.commands.replay import Reading, replay_outcomes
from bot.replay.many import Many
from bot.replay.report import HIDDEN, render_page, render_text
from bot.replay.run import Replay, Verdict, question_of
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine import Outcome, Pack
from engine.model.answer import Answer
from engine.model.errors import UsageError
from tests.bot.command import Command, command
from tests.demo import NAMES, Demo
from tests.engine.pipeline.test_drafting import first_sentences
from tests.loopback.model import Provider, Said, provider_aside

ASKED = {
    "oncology": ("How is capecitabine taken?", "What is DPD deficiency?", "Why me?"),
    "textbook": (
        "What is integral windup?",
        "What are the main QoS policies?",
        "Who won the football match?",
    ),
}
CANARY = "heron-4711"


@pytest.fixture
async def application(demo: Demo, tmp_path: Path) -> AsyncIterator[Application]:
    """The demo texts, with some questions about each pack on record."""
    data = shutil.copytree(demo.data, tmp_path / "data")
    settings = Settings(data=data)
    async with Application(settings, embedder=demo.embedder) as opened:
        await opened.ledger.expire(opened.clock.now())  # what others asked is no matter
        copy = Demo(data, demo.embedder)
        async with copy.open() as room:
            for pack, questions in ASKED.items():
                for asked in questions:
                    await room.ask(pack, asked)
        yield opened


def raised(pack: Pack) -> Pack:
    """The pack with a gate that hardly opens."""
    openings = [
        rule.model_copy(update={"relevance": 0.995}) for rule in pack.gate.openings
    ]
    gate = pack.gate.model_copy(update={"openings": tuple(openings)})
    return pack.model_copy(update={"gate": gate, "hash": "f" * 64, "version": "9.9.9"})


async def verdicts(application: Application, pack: Pack) -> Mapping[str, list[Verdict]]:
    """What became of each question."""
    again, found = Replay(application, pack), dict[str, list[Verdict]]()
    async for stored in application.ledger.outcomes(Wanted(pack=pack.id)):
        one = await again.replay(stored)
        found.setdefault(stored.record.question, []).append(one.verdict)
    return found


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_changes_under_the_same_pack_R_D4(
    application: Application, name: str
) -> None:
    """Answers and refusals alike; what was forgotten is only counted."""
    before = await application.ledger.count(Wanted())
    found = await verdicts(application, application.pack(name))
    for question in ASKED[name]:
        assert found[question] == [Verdict.SAME], question
    assert set(found.pop("", [])) <= {Verdict.FORGOTTEN}
    assert await application.ledger.count(Wanted()) == before  # nothing was recorded


async def test_a_change_is_what_asking_anew_brings_R_D4(
    application: Application, demo: Demo
) -> None:
    """Under a raised threshold; why is said with both figures."""
    name = "textbook"
    pack = raised(application.pack(name))
    found = await replay_outcomes(application, pack, Wanted(pack=name))
    changed = {change.question: change for change in found.changes}
    async with Demo(application.data, demo.embedder).open() as room:
        strict = room.but(packs={name: pack})
        for question in ASKED[name]:
            anew: Outcome = await strict.ask(name, question)
            was: Outcome = await room.ask(name, question)
            differs = isinstance(anew.result, Answer) != isinstance(was.result, Answer)
            assert (question in changed) is differs, question
    assert changed
    for change in changed.values():
        assert change.before.startswith("answered from demo/")
        assert change.now.startswith("refused")
        assert any("now 9.9.9 (ffffffff)" in cause for cause in change.why)
        assert any(cause.startswith("the gate: open") for cause in change.why)
    assert any("would change" in line for line in render_text(found))


async def test_a_withdrawn_document_is_named_as_the_cause_R_D4(
    application: Application,
) -> None:
    pack = application.pack("textbook")
    corpus = application.corpus(pack)
    await corpus.index.withdraw(pack.id, "demo/pid-control")
    await application.ledger.withdraw(corpus.shelf, "demo/pid-control")
    found = await replay_outcomes(application, pack, Wanted(pack=pack.id))
    [change] = [c for c in found.changes if c.question == "What is integral windup?"]
    assert "demo/pid-control is no longer in the pack" in change.why


async def test_what_was_asked_with_access_tags_is_shown_to_who_holds_them_R_C5(
    application: Application, demo: Demo
) -> None:
    """It is replayed and counted all the same."""
    name = "textbook"
    async with Demo(application.data, demo.embedder).open() as room:
        asked = f"What are the main QoS policies? {CANARY}"
        await room.ask(name, asked, tags=frozenset({"board"}))
    pack, wanted = raised(application.pack(name)), Wanted(pack=name)
    hidden = await replay_outcomes(application, pack, wanted, Reading(held=frozenset()))
    assert CANARY not in hidden.model_dump_json() + render_page(hidden)
    assert HIDDEN in {change.question for change in hidden.changes}
    seen = await replay_outcomes(
        application, pack, wanted, Reading(held=frozenset({"board"}))
    )
    assert CANARY in seen.model_dump_json()
    assert len(seen.changes) == len(hidden.changes)


# --- the command line -------------------------------------------------------------


@pytest.fixture
def bot(
    demo: Demo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command line over the demo texts, with nothing on record that counts."""
    data = shutil.copytree(demo.data, tmp_path / "data")
    return command(data, monkeypatch, capsys)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A model that selects the first sentences."""
    with provider_aside(lambda body: Said(first_sentences(body))) as running:
        monkeypatch.setenv("GROUNDRULE_MODEL", "openai/test")
        monkeypatch.setenv("GROUNDRULE_MODEL_URL", running.url)
        yield running


def test_a_stored_draft_is_judged_without_its_model_R_D4(
    bot: Command, served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a model selected is selected again; the model is not asked."""
    drafted = bot("ask", "What is integral windup?", "--pack", "textbook", "--json")
    assert json.loads(drafted.out)["mode"] == "llm"
    calls = len(served.asked)
    monkeypatch.delenv("GROUNDRULE_MODEL")
    result = bot("replay", "textbook", "--most", 1, "--json")
    assert result.code == 0, result.out
    assert json.loads(result.out)["counts"]["same"] == 1
    assert len(served.asked) == calls


def test_a_pack_is_replayed_before_it_is_in_service_R_D4(
    bot: Command, tmp_path: Path
) -> None:
    """`pack check --replay` asks a pack in another folder; the page has no script."""
    bot("ask", "What is integral windup?", "--pack", "textbook")
    same = bot("pack", "check", "textbook", "--replay")
    assert same.code == 0, same.out + same.err
    assert "0 would change" in same.out
    folder = shutil.copytree(PACKS / "textbook", tmp_path / "textbook")
    rules = (folder / "sources.yaml").read_text(encoding="utf-8")
    changed = rules.replace("trusted: true", "trusted: false")
    assert changed != rules
    (folder / "sources.yaml").write_text(changed, encoding="utf-8")
    other = bot("pack", "check", folder, "--replay")
    assert other.code == 1, other.out + other.err
    assert "What is integral windup?" in other.out
    drawn = tmp_path / "replay.html"
    assert bot("replay", "textbook", "--page", drawn).code == 0
    written = drawn.read_text(encoding="utf-8")
    assert "default-src 'none'" in unescape(written)
    assert "<script" not in written


def test_a_day_that_is_none_is_named(bot: Command) -> None:
    result = bot("replay", "textbook", "--since", "soon")
    assert result.code == 2
    assert "--since soon" in result.err


def test_other_processes_come_to_the_same_R_D4(bot: Command) -> None:
    """Questions that were asked alike are asked once; each outcome is counted."""
    for asked in ("What is integral windup?", "Who won?", "What is integral windup?"):
        bot("ask", asked, "--pack", "textbook")
    alone = bot("replay", "textbook", "--json", "--processes", 1)
    beside = bot("replay", "textbook", "--json", "--processes", 2)
    assert (alone.code, beside.code) == (0, 0), beside.err
    found = [json.loads(result.out) for result in (alone, beside)]
    assert found[0]["counts"] == found[1]["counts"]
    assert found[0]["counts"]["same"] >= 3


async def test_a_process_that_cannot_begin_is_named(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of one process ends the replay of all; nobody sees a group of them."""
    pack = application.pack("textbook")
    many = Many(application, pack, 2)
    settings = application.settings.model_copy(update={"index": "weaviate"})
    monkeypatch.setattr(many, "_start", (settings, pack))
    outcomes = application.ledger.outcomes(Wanted(pack=pack.id))
    with pytest.raises(UsageError, match="WEAVIATE_URL"):
        async with many:
            _ = [one async for one in many.replay(outcomes)]


async def test_what_was_asked_alike_is_asked_once_R_D4(
    application: Application, demo: Demo
) -> None:
    """Another tag, another selection or another question before it is another one."""
    name, asked = "textbook", "What is integral windup?"
    async with Demo(application.data, demo.embedder).open() as room:
        await room.ask(name, asked)
        await room.ask(name, asked, tags=frozenset({"board"}))
        await room.ask(name, asked, selection="Windup is told of in chapter 3.")
        await room.ask(name, asked, previous="What is a PID controller?")
        await room.ask(name, asked, about="PID control")
        await room.ask(name, asked, as_of=date(2026, 1, 1))
    again = Replay(application, application.pack(name))
    keys = [
        again.hash_question(stored)
        async for stored in application.ledger.outcomes(Wanted(pack=name))
        if stored.record.question == asked
    ]
    assert len(keys) == 7
    assert len(set(keys)) == 6


async def test_a_question_for_the_sources_words_is_asked_so_again_R_A13(
    application: Application, demo: Demo
) -> None:
    """Even one of which no answer says it: it was refused."""
    async with Demo(application.data, demo.embedder).open() as room:
        await room.ask("textbook", "Who won?", verbatim=True)
    [stored] = [s async for s in application.ledger.outcomes(Wanted(), 1)]
    assert stored.record.verbatim
    assert question_of(stored).verbatim
