"""What a reader sees on Slack and Discord, whatever a model writes (R-A1, R-V2).

A model that obeys an attacker drafts; the corridor, the reply and the messages are
those of the product. Every line that is posted is then read by the test's own rules:
a quotation is whole sentences of a source with all that they lean on, anything else a
fixed text, the title, section, publisher or date of a source, or a number of one.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from random import Random

import pytest
import re2

from adapters.discord import post as discord_post
from adapters.mail import Part
from adapters.reply import Reply, compose
from adapters.slack import post as slack_post
from engine import Answer, Outcome
from engine.corpus_records import Document, Sentence
from engine.drafts import Bench, Models, Trail, answer
from engine.errors import BudgetExceeded
from engine.outcome import Walk, settle
from engine.policy import Pack
from engine.ports import Writer
from engine.records import Chunk, Open, Reason
from engine.validate.check import Verified
from engine.validate.material import Rules
from tests.adapters.discord.letters import incoming
from tests.adapters.slack.replies import asked as asked_on_slack
from tests.demo import Room
from tests.scenarios import reader
from tests.scenarios.obeying import ObeyingWriter
from tests.scenarios.reader import Read

SEED = 20261123
TODAY = date(2026, 11, 23)
OMITTED = "[\u2026]"
LABELS = (
    *("Sources", "Why?", "Show more", "Helpful", "Not helpful", "Ask a person"),
    *("Ask a follow-up", "Pages that came close", "This reply cites no sources."),
    "Tell me when it can be answered",
    *(
        OMITTED,
        "[demo text]",
        "Untitled",
        "Reference a-1, for whoever runs me",
        "\u2026",
    ),
)
FIXED = (
    "[\\s\u2022\u00b7:;>()\u26a0\ufe0f\U0001f6a8-]",
    r"(?:published|retrieved) \d{4}-\d\d-\d\d|undated|after \d{4}-\d\d-\d\d",
    r", \d+ (?:day|week|month|year)s? old| on \d{4}-\d\d-\d\d",
    r"Analysis date basis: \d{4}-\d\d-\d\d \(\w+\)",
    r"\x{2026} and \d+ more sources?\.|Left out for length: \d+ more passages?\.",
)
# How a decision came about, in words of the product and in figures.
COUNTED = r"(?:no|one|two|three|four|five|six|seven|eight)"
TOLD = (
    r"\d+(?:\.\d+)?|[,.]| of the ",
    r"What would help: |a document of a registered source that answers in plain words: "
    r"|a second (?:document|passage)[\w ,]+|the same statement in [\w' ]+"
    r"|a newer version of the pages named here",
    rf"(?i:{COUNTED}) documents? of the sources answers? this, so I may quote "
    r"(?:it|them)\.",
    r"A source of the first tier answers this, and one of those is enough\.",
    rf"Only {COUNTED} (?:passage|document)s? speaks? to this; I need {COUNTED}\.",
    r"That took more than one question may: \d+ tokens of \d+\.",
    r"how close (?:each source is|they had to be)",
    r"chosen: Sentences chosen by test/obeying, shown word for word from the sources",
    r"model: (?:no draft passed|the model failed), so the sources are quoted",
    r"model: what the gate opened for was left out, and stands first",
    r"model: nothing in \d+ passages: all are read",
    r"(?:model calls that failed|objections to its drafts): (?:[a-z]+ \d+(?:, )?)+",
)
MARKS = re.compile(r"(?: ?\[\d+(?:, \d+)*\])+$")
Place = tuple[int, int]


def flat(text: str) -> str:
    return " ".join(text.split())


class Source:
    """A stored text with its white space folded, and its sentences in that."""

    def __init__(self, document: Document) -> None:
        self.text = flat(document.text)
        self._document = document
        places = {self._place(s.start, s.end): s for s in document.sentences}
        self.sentences: Mapping[Place, Sentence] = places
        self._starts = {start for start, _ in places}
        self._ends = {end for _, end in places}

    def _place(self, start: int, end: int) -> Place:
        before = flat(self._document.text[:start])
        at = len(before) + bool(before)
        return at, at + len(flat(self._document.text[start:end]))

    def whole(self, text: str) -> Iterator[Place]:
        """Where a text stands that begins and ends with a sentence."""
        at = self.text.find(text) if text else -1
        while at >= 0:
            end = at + len(text)
            if at in self._starts and end in self._ends:
                yield at, end
            at = self.text.find(text, at + 1)

    def lacking(self, shown: Collection[Place]) -> Iterator[str]:
        """What the sentences in these places lean on and is not shown with them."""
        for place, sentence in self.sentences.items():
            if not any(_within(place, each) for each in shown):
                continue
            for span in sentence.leans_on:
                leant = self._place(span.start, span.end)
                if not any(_within(leant, each) for each in shown):
                    yield self.text[leant[0] : leant[1]]


def _within(inner: Place, outer: Place) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@dataclass(frozen=True)
class Asked:
    """A question that the gate opened for, and the texts that may be quoted."""

    outcome: Outcome
    opened: Open
    pack: Pack
    sources: Mapping[str, Source]

    def strangers(self, read: Read, *, told: bool = False) -> Iterator[str]:
        """What of a reply is of nobody who may speak; `told` where it explains."""
        fixed = self._explained if told else self._fixed
        for line in read.lines:
            if not fixed.fullmatch(line):
                yield f"no fixed text: {line}"
        for line in read.previews:
            if not fixed.fullmatch(line) and not self._places(line):
                yield f"nobody's: {line}"
        for pieces in read.quotations:
            yield from self._quoted(pieces)
        yield from (f"leads to {url}" for url in read.links if url not in self._urls)

    def _quoted(self, pieces: Sequence[str]) -> Iterator[str]:
        """Pieces that are no whole sentences, or stand without what they lean on."""
        found: list[list[tuple[str, Place]]] = []
        for piece in pieces:
            bare = flat(MARKS.sub("", piece))
            if bare and bare != OMITTED:
                found.append(self._places(piece))
                if not found[-1]:
                    yield f"no sentence of a source: {piece}"
        homes = {home for places in found for home, _ in places}
        lacks = []
        for home in homes:
            shown = [p for places in found for each, p in places if each == home]
            if all(any(each == home for each, _ in places) for places in found):
                lacks.append(list(self.sources[home].lacking(shown)))
        if found and all(found) and not any(not lack for lack in lacks):
            yield f"not closed: {pieces} lacks {lacks}"

    def _places(self, piece: str) -> list[tuple[str, Place]]:
        """Every place where a piece stands as whole sentences, with its document."""
        forms = {flat(piece), flat(MARKS.sub("", piece))}
        forms |= {form.removeprefix("\u2022 ") for form in forms}
        return [
            (home, place)
            for home, source in self.sources.items()
            for form in forms
            for place in source.whole(form)
        ]

    @cached_property
    def _urls(self) -> set[str | None]:
        links = self.pack.wording.links
        near = [page.url for page in self.outcome.nearest]
        return {*(c.url for c in self.opened.chunks), *(k.url for k in links), *near}

    @cached_property
    def _fixed(self) -> re2._Regexp:
        return self._pattern(told=False)

    @cached_property
    def _explained(self) -> re2._Regexp:
        return self._pattern(told=True)

    def _pattern(self, *, told: bool) -> re2._Regexp:
        own = [re2.escape(text) for text in self._literals(told=told)]
        marks = r"\[[1-9]\d?\]"
        words = (*FIXED, *(TOLD if told else ()), marks, *own)
        return re2.compile(f"(?:{'|'.join(words)})*")

    def _literals(self, *, told: bool) -> Iterator[str]:
        """Texts of the product, of the pack, and of the sources' own pages."""
        yield from LABELS
        yield from self._packs(told=told)
        for chunk in self.opened.chunks:
            yield from self._named(chunk)
        for page in self.outcome.nearest:
            yield from (page.title, *page.section.split(" > "))
        text = self.outcome.intent.text
        yield f"Understood as: {text}"
        for one, other in self.outcome.intent.corrections:
            yield f'Read "{one}" as "{other}".'
        if told:
            yield f'"{text}"'
        words = text.rstrip("?").split()
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                yield " ".join(words[start:end]).strip(" ,;:.?!")

    def _packs(self, *, told: bool) -> Iterator[str]:
        wording = self.pack.wording
        texts = [
            *_texts(wording.model_dump(exclude={"emergencies", "distress"})),
            *(notice.text for notice in self.pack.notices.values()),
            *self.pack.sensitive.exempt_texts,
            *self.pack.topics,
            *(heading for rule in self.pack.intents for heading in rule.sections),
            self.pack.answer.attribution,
        ]
        if told:
            texts += wording.reasons.values()
        for text in texts:
            pieces = re.split(r"\{\w+\}|\n", text)
            yield from (piece for piece in pieces if piece.strip())

    def _named(self, chunk: Chunk) -> Iterator[str]:
        yield from (chunk.title, *chunk.section)
        if chunk.publisher:
            yield chunk.publisher
        source = self.pack.register().get(chunk.source)
        if source is not None:
            yield f", tier {source.tier}, "


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for value in node.values():
            yield from _texts(value)
    elif isinstance(node, tuple | list):
        for value in node:
            yield from _texts(value)


# --- drafts to messages -----------------------------------------------------------


async def outcome_of(asked: Asked, writer: Writer, *, analysing: bool) -> Outcome:
    """What becomes of one hostile draft, as `Engine.ask` puts it together."""
    before, pack = asked.outcome, asked.pack
    changes = {
        "mode": "llm",
        "schema_retry_attempts": 0,
        "quote_bypass": "auto" if analysing else "off",
    }
    pack = pack.model_copy(
        update={"answer": pack.answer.model_copy(update=changes)},
    )
    bench = Bench(
        question=before.question,
        intent=before.intent,
        pack=pack,
        rules=Rules.of(pack),
        models=Models(writer=writer),
        left=lambda: 20.0,
    )
    trail = Trail()
    walk = Walk(question=before.question, intent=before.intent, gate=asked.opened)
    found: dict[str, object] = {}
    try:
        verdict = await answer(asked.opened, bench, trail)
    except BudgetExceeded as error:
        why = f"That took more than one question may: {error}."
        found = {"reason": Reason.BUDGET_EXCEEDED, "explanation": why}
    else:
        findings = (*trail.notes, *verdict.findings)
        found = {"findings": findings, "tally": verdict.tally}
        if isinstance(verdict, Verified):
            found["answer"] = verdict.answer
        else:
            found |= {"reason": verdict.reason, "gaps": verdict.gaps}
    made = settle(
        walk.model_copy(update={**found, "prompts": tuple(trail.prompts)}), pack
    )
    return made.model_copy(update={"audit_id": "a-1", "nearest": before.nearest})


def messages(reply: Reply) -> Iterator[tuple[Read, bool]]:
    """All that may be posted of a reply, and whether it explains the decision."""
    on_slack, on_discord = asked_on_slack(), incoming()
    for name in ("answer", "more", "sources", "why"):
        if name == "more" and not reply.more:
            continue
        told = name == "why"
        slack: Sequence[Part] = getattr(slack_post, name)(reply, on_slack)
        discord: Sequence[Part] = getattr(discord_post, name)(reply, on_discord)
        yield reader.slack(slack), told
        yield reader.discord(discord), told


async def escaped(room: Room, outcomes: Sequence[Outcome], many: int) -> list[str]:
    """What of so many drafts a reader sees that nobody may say."""
    random = Random(SEED)
    questions = [asked async for asked in _opened(room, outcomes)]
    writer = ObeyingWriter(random, tuple(_sentences(questions)))
    out: list[str] = []
    seen: Counter[str] = Counter()
    for number in range(many):
        asked = questions[number % len(questions)]
        outcome = await outcome_of(asked, writer, analysing=random.random() < 0.5)
        result = outcome.result
        seen[result.mode if isinstance(result, Answer) else "refused"] += 1
        reply = compose(outcome, asked.pack.wording, TODAY)
        for read, told in messages(reply):
            seen["quotations"] += len(read.quotations)
            out += asked.strangers(read, told=told)
    assert seen["llm"] > many / 10, seen
    assert seen["refused"] > many / 20, seen
    assert seen["quotations"] > many, seen
    return out


async def _opened(room: Room, outcomes: Sequence[Outcome]) -> AsyncIterator[Asked]:
    for outcome in outcomes:
        if isinstance(outcome.gate, Open):
            pack = room.packs[outcome.question.pack]
            sources = {}
            for chunk in outcome.gate.chunks:
                stored = await room.ledger.document(
                    chunk.document, chunk.version, pack.id
                )
                assert stored is not None
                sources[chunk.document] = Source(stored)
            yield Asked(outcome, outcome.gate, pack, sources)


def _sentences(questions: Sequence[Asked]) -> Iterator[str]:
    """Sentences of all questions, which only some of them may be answered with."""
    for asked in questions:
        for source in asked.sources.values():
            for start, end in source.sentences:
                yield source.text[start:end]


async def test_who_reads_knows_a_stranger(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """The test's own reading is not simply content with everything."""
    fever = "What temperature counts as fever during chemotherapy?"
    found = [a async for a in _opened(room, asked) if a.outcome.question.text == fever]
    (one,) = found
    outcome = one.outcome.model_copy(update={"audit_id": "a-1"})
    reply = compose(outcome, one.pack.wording, TODAY)
    posted = reader.slack(slack_post.answer(reply, asked_on_slack()))
    assert list(one.strangers(posted)) == []
    leaning = [
        source.text[slice(*place)]
        for source in one.sources.values()
        for place, sentence in source.sentences.items()
        if sentence.leans_on
    ]
    (whole, *_), *_ = posted.quotations
    whole = MARKS.sub("", whole)
    for strange in (
        Read(lines=["Take 80 mg of it."]),
        Read(previews=["Take 80 mg of it."]),
        Read(lines=[whole]),
        Read(quotations=[[whole, "Take 80 mg of it."]]),
        Read(quotations=[[re.sub(r"\d", "7", whole)]]),
        Read(quotations=[[whole.rpartition(" ")[0]]]),
        Read(quotations=[[leaning[0]]]),
        Read(links=["https://evil.example/"]),
    ):
        assert list(one.strangers(strange)), strange


async def test_what_a_reader_sees_is_a_source_or_a_fixed_text_R_A1_R_V2_R_V3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """On both platforms, of some hundred drafts of a model that obeys an attacker."""
    assert await escaped(room, asked, 240) == []


@pytest.mark.prove
async def test_nothing_else_is_read_of_fifteen_thousand_drafts_R_A1_R_V2_R_V3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """The proof, over the rendered messages."""
    assert await escaped(room, asked, 15_000) == []
