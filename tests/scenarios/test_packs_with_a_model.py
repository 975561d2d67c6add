"""The packs `mrd` and `immigration` with a model: their own suites' questions.

A closed gate asks no model; an answer keeps the section contract of its kind of
question, and shows sources, fixed texts, register links and numbers alone, whatever
the model writes.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from random import Random

import pytest

from adapters import packs
from adapters.embedding import MiniLM
from adapters.reply import compose
from bot.wiring import Application
from config.settings import PACKS as FOLDERS
from config.settings import Settings
from engine import Answer, Open, Outcome
from engine.model.answer import Claim, Section
from engine.model.passage import Chunk
from engine.model.question import Question
from engine.policy.authority import find_named_types
from engine.policy.contract import select_sections
from engine.policy.pack import IntentRule, Pack, SectionRule
from engine.policy.things import ThingRule
from engine.text.patterns import fold, matches
from evals.cases.suites import DEMO, load
from evals.forms import Case, Expected
from evals.record.corpora import FixedClock
from evals.record.recorder import TODAY
from tests.demo import question
from tests.engine.pipeline.test_drafting import passages, saying
from tests.loopback.model import Json, Said, provider
from tests.scenarios.conftest import TakenIn
from tests.scenarios.reading import messages, read_beside
from tests.scenarios.test_small_model import patient

PACKS = ("mrd", "immigration")
SAMPLE, SEED = 40, 20261123
LACKING = "Not in the passages found: "  # how the last line of an answer opens
THREE = {
    "mrd": (
        "Is Signatera covered by Medicare?",
        "Does NCCN recommend ctDNA for surveillance of colon cancer?",
        "What have trials of ctDNA shown in muscle-invasive bladder cancer?",
    ),
    "immigration": (
        "How long is a person inadmissible for misrepresentation?",
        "How many hours per week may a student work off campus?",
        "What does section 40 of IRPA say?",
    ),
}


# --- what a model may write ---------------------------------------------------------


def headings(body: Json) -> Sequence[str]:
    """The headings that a request allows; one that is empty where it names none."""
    text = body["messages"][-1]["content"].split("[[ ## headings ## ]]")[1]
    found: list[str] = json.loads(text.split("[[ ##")[0])
    return found or [""]


def selecting(
    pick: Callable[[Mapping[int, str]], Sequence[int]],
    under: Callable[[Sequence[str]], str],
) -> Callable[[Json], str]:
    """Picks of every passage, all under one heading."""

    def write(body: Json) -> str:
        chosen = [number for each in passages(body) for number in pick(each)]
        sections = [{"heading": under(headings(body)), "sentences": chosen}]
        return json.dumps({"status": "answered", "sections": sections})

    return write


def dealt(body: Json) -> str:
    """Every sentence, dealt to all headings in turn, the last heading first."""
    numbers = [number for sentences in passages(body) for number in sentences]
    held = list(reversed(headings(body)))
    sections = [
        {"heading": heading, "sentences": numbers[at :: len(held)]}
        for at, heading in enumerate(held)
    ]
    return json.dumps({"status": "answered", "sections": sections})


SCRIPTS: Mapping[str, Callable[[Json], str]] = {
    "first of each": selecting(lambda each: [min(each)], lambda held: held[0]),
    "all": selecting(list, lambda held: held[0]),
    "last of each": selecting(lambda each: [max(each)], lambda held: held[0]),
    "dealt": dealt,
    "misplaced": selecting(lambda each: [min(each)], lambda held: held[-1]),
    "strange heading": selecting(lambda each: [min(each)], lambda _: "CURES"),
    "prose": lambda _: saying("NCCN recommends it for all, and 95% are cured."),
    "plain text": lambda _: "NCCN recommends it for all [1], 95% are cured (2).",
    "unknown numbers": lambda _: saying(1, 99_999),
    "no answer": lambda _: saying(status="not_found", not_found=["all of it"]),
    "no JSON": lambda _: "I cannot help with that.",
}


# --- what is asked, and what comes of it --------------------------------------------


def cases(pack: str) -> tuple[Case, ...]:
    """What the suites ask of the demo texts as they are."""
    suites = [suite for suite in load(pack) if suite.corpus == DEMO]
    return tuple(c for suite in suites for c in suite.cases if not c.changes)


def sample(pack: str) -> tuple[Case, ...]:
    """As many that have an answer as have none."""
    drawn = Random(SEED).sample(cases(pack), len(cases(pack)))
    kinds = ("answer", "refuse")
    of_kind = [[c for c in drawn if c.expected.outcome == kind] for kind in kinds]
    return tuple(case for found in of_kind for case in found[: SAMPLE // 2])


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a question: `calls` of the model, `wrong` with what is shown."""

    outcome: Outcome
    calls: int
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks a pack's demo texts with the model of the settings."""

    settings: Settings
    embedder: MiniLM
    name: str

    def opened(self) -> Application:
        """The application on the day of the suites."""
        clock = FixedClock(TODAY)
        return Application(self.settings, embedder=self.embedder, clock=clock)

    def scripted(
        self, asked: Sequence[Case], scripts: Sequence[str]
    ) -> tuple[Came, ...]:
        """What comes of it where scripts stand for a model, each in its turn."""
        turns = dict(zip((c.id for c in asked), cycle(scripts), strict=False))
        current = ""

        def write(body: Json) -> Said:
            return Said(SCRIPTS[turns[current]](body))

        async def ask() -> tuple[Came, ...]:
            nonlocal current
            found: list[Came] = []
            async with provider(write) as served:
                modelled = self.by("openai/test", served.url)
                pack = packs.load(FOLDERS / self.name)
                async with modelled.opened() as application:
                    for case in asked:
                        current, before = case.id, len(served.asked)
                        came = await came_of(case, pack, application)
                        made = len(served.asked) - before
                        found.append(replace(came, calls=made))
            return tuple(found)

        return asyncio.run(ask())

    def by(self, model: str, url: str | None) -> "Asking":
        """The same with a model."""
        told = {"model": model, "model_url": url, "model_prices": (0.0, 0.0)}
        return replace(self, settings=self.settings.model_copy(update=told))


def _question(case: Case) -> Question:
    return question(
        case.pack,
        case.question,
        tags=frozenset(case.tags),
        selection=case.selection,
        previous=case.previous,
        as_of=case.as_of,
    )


async def came_of(case: Case, pack: Pack, application: Application) -> Came:
    """Asks one question, and judges the reply; its calls are those on record."""
    outcome = await application.engine(pack).ask(_question(case))
    wrong = [*problems(outcome, pack)]
    wrong += await _strangers(outcome, pack, application)
    told = tuple(f"{case.id}: {each}" for each in wrong)
    return Came(outcome, len(outcome.prompts), told)


async def _strangers(
    outcome: Outcome, pack: Pack, application: Application
) -> list[str]:
    """What a reader of either platform misses above a reply, or sees in an answer that
    nobody may say."""
    posted = list(messages(compose(outcome, pack.wording, TODAY)))
    headless = [read for read, _ in posted[:2] if outcome.header not in read.lines]
    found = [f"no header: {read.lines[:3]}" for read in headless]
    if outcome.answered and isinstance(outcome.gate, Open):
        asked = await read_beside(outcome, pack, application.ledger)
        for read, told in posted:
            found += asked.strangers(read, told=told)
    return found


# --- the contract, by the test's own rules ------------------------------------------


def problems(outcome: Outcome, pack: Pack) -> Iterator[str]:
    """What of a reply keeps a promise of the pack not (R-A2, R-F5, R-I3)."""
    day = outcome.intent.as_of
    if day is None or outcome.header != (
        f"Analysis date basis: {day.isoformat()} ({outcome.intent.basis})"
    ):
        yield f"header {outcome.header}"
    result = outcome.result
    if not isinstance(result, Answer):
        return
    if len(result.citations) < result.minimum_citations:
        yield f"{len(result.citations)} citations"
    rule = pack.rule(outcome.intent.query_type)
    if rule.sections:
        yield from _sections(outcome, result, rule, pack)


def _sections(
    outcome: Outcome, answer: Answer, rule: IntentRule, pack: Pack
) -> Iterator[str]:
    contract = {section.heading: section for section in rule.sections}
    headings = [section.heading for section in answer.sections if section.heading]
    needed = [s.heading for s in rule.sections if not s.optional and not s.missing]
    if headings != [name for name in contract if name in headings]:
        yield f"headings {headings}"
    yield from (f"no section {name}" for name in needed if name not in headings)
    for section in answer.sections:
        if section.heading in contract:
            yield from _section(outcome, section, contract[section.heading], pack)
    yield from _last_line(outcome, answer, rule, pack)
    forbidden = rule.forbids(fold(outcome.intent.text))
    for quoted in (c.text for s in answer.sections for c in s.claims if c.citations):
        if matches(forbidden, fold(quoted)):
            yield f"forbidden: {quoted}"
    if rule.blocks is not None:
        thing = next(t for t in pack.things if t.kind == rule.blocks)
        yield from _blocks(outcome, answer, thing)


def _last_line(
    outcome: Outcome, answer: Answer, rule: IntentRule, pack: Pack
) -> Iterator[str]:
    """A section that stands is not said to be missing; one without passages is.

    Only of those that are asked for: "What does NCCN say?" asks for no trial.
    """
    said = [claim.text for s in answer.sections if not s.heading for claim in s.claims]
    lines = [text for text in said if text.startswith(LACKING)]
    if len(lines) > 1 or lines != said[len(said) - len(lines) :]:
        yield f"not one last line: {lines}"
    named = lines[0].removeprefix(LACKING).removesuffix(".") if lines else ""
    register = pack.register()
    sources = {chunk.source for chunk in _chunks(outcome).values()}
    found = {*sources, *(register[source].type for source in sources)}
    quoting = (s for s in answer.sections if any(c.citations for c in s.claims))
    standing = {section.heading for section in quoting}  # a fixed text finds nothing
    types = (name for source in pack.sources for name in (source.id, source.type))
    for section in select_sections(
        rule.sections, find_named_types(outcome.question.text, types)
    ):
        if section.missing is None:
            continue
        told = section.missing in named.split(", ")
        if told and section.heading in standing:
            yield f"{section.heading} stands, and is said to be missing"
        none = section.sources and found.isdisjoint(section.sources)
        if none and not told:
            yield f"not said to be missing: {section.missing}"
        plain = not section.patterns and not section.other_types
        if told and plain and not none:
            yield f"said to be missing, though it was found: {section.missing}"


def _section(
    outcome: Outcome, section: Section, rule: SectionRule, pack: Pack
) -> Iterator[str]:
    """Its sources, the sentences that it owes, and those for what it lacks."""
    assert isinstance(outcome.result, Answer)
    said = [claim.text for claim in section.claims if not claim.citations]
    quoted = [claim for claim in section.claims if claim.citations]
    if rule.says and rule.says not in said:
        yield f"{rule.heading} does not say: {rule.says}"
    if not section.claims or (not quoted and not {rule.empty, rule.says} & {*said}):
        yield f"{rule.heading} says nothing"
    register = pack.register()
    chunks = _chunks(outcome)
    for claim in quoted:
        allowed = set(rule.sources)
        if claim is section.claims[0] and section == outcome.result.sections[0]:
            allowed |= _leading(rule, outcome, pack)
        for chunk in (chunks[quote.chunk] for quote in claim.quotes):
            names = {chunk.source, register[chunk.source].type}
            if rule.sources and names.isdisjoint(allowed):
                yield f"{rule.heading} quotes {chunk.source}"


def _leading(rule: SectionRule, outcome: Outcome, pack: Pack) -> set[str]:
    """Sources of the sentence that answers: it may stand first, above the fields."""
    rules = pack.rule(outcome.intent.query_type).sections
    leads = {name for each in rules if each.leads for name in each.sources}
    assert leads.isdisjoint({"nccn", "asco", "esmo"})
    return leads if rule.leads else set()


def _blocks(outcome: Outcome, answer: Answer, thing: ThingRule) -> Iterator[str]:
    """Every block has each field once: read from the record, or missing.

    They stand in the pack's order, but that what is stated of a named thing and was
    asked for stands first.
    """
    rows = [claim for s in answer.sections for claim in s.claims if claim.row]
    if len(rows) % len(thing.fields):
        yield f"{len(rows)} rows of {len(thing.fields)} fields"
    size = len(thing.fields)
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        places = [_field(row, thing, _chunks(outcome)) for row in block]
        if sorted(places) != list(range(len(block))):
            yield f"fields {places}: {[row.text for row in block]}"
        named = outcome.trace is not None and outcome.trace.things
        first = next(at for at in range(size) if places[at:] == sorted(places[at:]))
        if first and not (named and all(row.quotes for row in block[:first])):
            yield f"fields in the order {places}"
        yield from _unstated(block, answer, thing, _chunks(outcome))


def _field(row: Claim, thing: ThingRule, chunks: Mapping[str, Chunk]) -> int:
    """Which field a row is, by what its record states; -1 for none."""
    told = {
        a.name
        for quote in row.quotes
        for owner in chunks[quote.chunk].things
        for a in owner.attributes
        if quote.start <= a.start < quote.end
    }
    for at, field in enumerate(thing.fields):
        lines = (
            w.replace("{label}", field.label) for w in (thing.absent, thing.unrecorded)
        )
        if not row.quotes and any(_says(row.text, line) for line in lines):
            return at
        if not told.isdisjoint(field.attributes):
            return at
    return -1


def _says(text: str, line: str) -> bool:
    """Whether a text is a line of the pack, with whatever name in it."""
    before, _, after = line.partition("{name}")
    return text.startswith(before) and text.endswith(after)


def _unstated(
    block: Sequence[Claim],
    answer: Answer,
    thing: ThingRule,
    chunks: Mapping[str, Chunk],
) -> Iterator[str]:
    """A field is "not in its own record" only where sentences stand beside it, and "not
    stated" nowhere where one of these is about the same thing (R-A16)."""
    own = {o.names for r in block for q in r.quotes for o in chunks[q.chunk].things}
    beside = [
        quote
        for section in answer.sections
        for claim in section.claims
        if not claim.row
        for quote in claim.quotes
    ]
    about = {o.names for quote in beside for o in chunks[quote.chunk].things}
    lines = [thing.absent.replace("{label}", field.label) for field in thing.fields]
    for row in block:
        absent = any(_says(row.text, line) for line in lines)
        if not row.quotes and absent and own & about:
            yield f"may be stated beside it: {row.text}"
        if not row.quotes and not absent and not beside:
            yield f"nothing stands beside it: {row.text}"


def _chunks(outcome: Outcome) -> Mapping[str, Chunk]:
    assert isinstance(outcome.gate, Open)
    return {chunk.id: chunk for chunk in outcome.gate.chunks}


# --- the tests ----------------------------------------------------------------------


@pytest.fixture(scope="module", params=PACKS)
def asking(
    request: pytest.FixtureRequest, embedder: MiniLM, taken_in: TakenIn
) -> Asking:
    return Asking(taken_in(request.param), embedder, request.param)


def held(came: Sequence[Came]) -> None:
    """No call where the gate is closed, one at least where a draft was answered with,
    and nothing wrong with any reply."""
    for each in came:
        if not isinstance(each.outcome.gate, Open):
            assert each.calls == 0, each.outcome.question.text
            assert not each.outcome.answered, each.outcome.question.text
        assert each.calls == len(each.outcome.prompts)
    assert "\n".join(wrong for each in came for wrong in each.wrong) == ""


def test_a_closed_gate_asks_no_model_and_contracts_hold_R_I1_R_G2_R_A1_R_A2_R_V1_R_F5(
    asking: Asking,
) -> None:
    """A sample of each pack's suites, half of it without an answer."""
    came = asking.scripted(sample(asking.name), list(SCRIPTS))
    held(came)
    assert sum(each.calls == 0 for each in came) >= SAMPLE // 3
    answered = [c.outcome.result for c in came if isinstance(c.outcome.result, Answer)]
    modes = Counter(answer.mode for answer in answered)
    assert min(modes["llm"], modes["deterministic"]) >= SAMPLE // 10, modes


@pytest.mark.prove
@pytest.mark.parametrize("first", range(0, len(SCRIPTS), 2))
def test_contracts_hold_over_every_question_of_the_suites_R_I1_R_G2_R_A1_R_A2_R_V1(
    asking: Asking, first: int
) -> None:
    """All but those that change the documents first; each with five of the scripts."""
    names = list(SCRIPTS)
    held(asking.scripted(cases(asking.name), [*names[first:], *names[:first]]))


@pytest.mark.servers
def test_a_real_model_keeps_the_contracts_R_A1_R_A2(
    asking: Asking, small_model: Settings
) -> None:
    """Three questions of each pack, given the time that a small model takes."""
    assert small_model.model is not None
    modelled = asking.by(small_model.model, small_model.model_url)
    pack = patient(packs.load(FOLDERS / asking.name))
    wanted = Expected(outcome="answer")

    async def ask() -> list[Came]:
        async with modelled.opened() as application:
            return [
                await came_of(
                    Case(id=text, question=text, pack=asking.name, expected=wanted),
                    pack,
                    application,
                )
                for text in THREE[asking.name]
            ]

    came = asyncio.run(ask())
    held(came)
    assert all(each.outcome.prompts for each in came)
    read = [c for c in came if any(p.failure is None for p in c.outcome.prompts)]
    assert len(read) >= 2
