"""Things of any subject, each with a record: found by name, shown field by field."""

import asyncio
from collections.abc import Mapping

import pytest

from adapters.loaders.sandbox import SERVED, Parser
from bot.documents.ingest import Job, Steps, ingest, look
from bot.wiring import Application
from config.settings import Settings
from engine import Answer, Outcome
from engine.model.document import Document
from engine.model.gate import Open
from engine.policy.pack import Pack
from engine.policy.things import ThingRule
from tests.demo import Demo, question

PACK = "textbook"
RULE = ThingRule.model_validate(
    {
        "kind": "robot",
        "words": ["robot"],
        "patterns": [r"\bRB-\d{4}\b"],
        "asking": ["about", "compare", "overview", "tell"],
        "fields": [
            {"label": "Number", "attributes": ["number"], "words": ["id"]},
            {"label": "Payload", "attributes": ["payload"], "words": ["lift", "carry"]},
            {"label": "Sensors", "attributes": ["sensor", "camera"]},
            {"label": "Battery", "attributes": ["battery"], "words": ["hours"]},
        ],
    }
)
NAMES = ("HARRIER", "PEBBLE", "CURRENT", "LARK", "MAGPIE", "OSPREY", "PLOVER", "SWIFT")
QUESTIONS = {
    "one": "What is the payload of RB-1003?",
    "acronym": "Tell me about the CURRENT robot",
    "two": "Compare the battery of HARRIER and PEBBLE",
    "lost": "What is the payload of RB-9999?",
    "half": "Compare the payload of LARK and RB-9999",
    "beside": "Who invented the wheels of the LARK robot?",
}


def record(number: int, name: str) -> str:
    """A robot's record; only every second one says how long its battery lasts."""
    battery = f"Battery: lasts {number + 2} hours.\n\n" if number % 2 else ""
    return (
        f"---\nthing: robot\nnames: [RB-{1000 + number}, {name}]\n"
        f"title: {name} (RB-{1000 + number})\nsource: course-textbook\n---\n"
        f"# {name}\n\nNumber: RB-{1000 + number}\n\n{battery}"
        f"Sensor: lidar {number}.\n\nPayload: lifts {number + 5} kg.\n\n"
        f"Camera: a depth camera.\n\n## Story\n\n"
        + "A robot for the lab drives on wheels and was built by students. "
        * 12
    )


def with_robots(pack: Pack) -> Pack:
    """The pack with robots as things; the engine is not touched."""
    intents = tuple(i.model_copy(update={"blocks": "robot"}) for i in pack.intents)
    data = pack.model_dump(exclude={"hash"})
    data |= {"things": [RULE.model_dump()]}
    data["answer"]["partial"] = "say"
    data |= {"intents": [intent.model_dump() for intent in intents]}
    return Pack.model_validate(data)


@pytest.fixture(scope="module")
def asked(
    demo: Demo, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Mapping[str, Outcome], Mapping[str, Document]]:
    """What comes of every question, and the stored records."""
    home = tmp_path_factory.mktemp("things")
    folder = home / "robots"
    folder.mkdir()
    for number, name in enumerate(NAMES, 1):
        (folder / f"{name.lower()}.md").write_text(record(number, name), "utf-8")

    async def every() -> tuple[Mapping[str, Outcome], Mapping[str, Document]]:
        settings = Settings(data=home / "data")
        async with Application(settings, embedder=demo.embedder) as application:
            pack = with_robots(application.pack(PACK))
            corpus = application.corpus(pack)
            with Parser() as parser:
                await ingest(corpus, parser, Job(folder), look(folder, SERVED), Steps())
            engine = application.engine(pack)
            outcomes = {
                name: await engine.ask(question(PACK, text))
                for name, text in QUESTIONS.items()
            }
            stored: dict[str, Document] = {}
            for member in await application.ledger.memberships(corpus.shelf):
                document = await application.ledger.document(
                    member.document, member.version, corpus.shelf
                )
                if document is not None:
                    stored[document.id] = document
            return outcomes, stored

    return asyncio.run(every())


def lines(outcome: Outcome) -> list[str]:
    """The fields of the blocks of an answer, in order."""
    assert isinstance(outcome.result, Answer), outcome.result
    return [c.text for s in outcome.result.sections for c in s.claims if c.row]


Asked = tuple[Mapping[str, Outcome], Mapping[str, Document]]


def test_a_thing_is_shown_field_by_field_in_the_packs_order_R_A2(asked: Asked) -> None:
    """What is asked for first; what the record does not state is told in its place."""
    outcomes, _ = asked
    assert lines(outcomes["one"]) == [
        "Payload: lifts 8 kg.",
        "Number: RB-1003",
        "Sensor: lidar 3.\n[\u2026]\nCamera: a depth camera.",
        "Battery: lasts 5 hours.",
    ]
    assert lines(outcomes["acronym"])[0] == "Number: RB-1003"
    assert lines(outcomes["two"])[4:] == [
        "Number: RB-1002",
        "Payload: lifts 7 kg.",
        "Sensor: lidar 2.\n[\u2026]\nCamera: a depth camera.",
        # No field that it lacks stands first.
        "Battery of RB-1002: not stated in the source",
    ]


def test_every_field_that_is_shown_is_a_quotation_R_I7(asked: Asked) -> None:
    """Word for word at its offsets in the stored version; all of a thing cite once."""
    outcomes, stored = asked
    checked = 0
    for outcome in outcomes.values():
        if not isinstance(outcome.result, Answer):
            continue
        for section in outcome.result.sections:
            for claim in section.claims:
                for quote in claim.quotes:
                    text = stored[quote.document].text
                    assert text[quote.start : quote.end] == quote.text
                    checked += claim.row
                if claim.row:
                    assert bool(claim.citations) is bool(claim.quotes)
    assert checked >= 20


def test_a_named_thing_is_among_the_first_three_R_R2(asked: Asked) -> None:
    outcomes, _ = asked
    for name in ("one", "acronym", "two", "half", "beside"):
        trace = outcomes[name].trace
        assert trace is not None
        assert trace.named
        gate = outcomes[name].gate
        if isinstance(gate, Open):
            first = [chunk.document for chunk in gate.chunks[:3]]
            assert set(trace.named) <= set(first)


def test_what_is_not_there_is_named_and_no_other_answers_for_it_R_A2(
    asked: Asked,
) -> None:
    outcomes, _ = asked
    assert not outcomes["lost"].answered
    half = outcomes["half"].result
    assert isinstance(half, Answer)
    assert half.not_found == ("RB-9999",)
    assert "Number: RB-1004" in lines(outcomes["half"])


def test_a_question_beyond_the_fields_is_not_answered_by_a_block_R_I6(
    asked: Asked,
) -> None:
    outcomes, _ = asked
    assert not outcomes["beside"].answered
