"""Whose words the lines of a reply are, by the tests' own rules (R-A1, R-V2).

A quotation is whole sentences of a source with all that they lean on, anything else a
fixed text, the title, section, publisher or date of a source, or a number of one.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import re2

from adapters.discord.writer import DISCORD as discord_post
from adapters.ledger.store import SqlLedger
from adapters.mail import Part
from adapters.reply import TOGETHER, Reply
from adapters.slack.writer import SLACK as slack_post
from engine import Answer, Outcome
from engine.model.document import Document, Sentence
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.parse.context import parts
from engine.policy.pack import Pack, SectionRule
from engine.policy.things import ThingRule
from tests.adapters.discord.letters import incoming
from tests.adapters.slack.replies import asked as asked_on_slack
from tests.scenarios import reader
from tests.scenarios.reader import Read

OMITTED = "[\u2026]"
LABELS = (
    *("Sources", "Why?", "Show more", "Helpful", "Not helpful", "Ask a person"),
    *("Ask a follow-up", "Pages that came close", "This reply cites no sources."),
    *("Tell me when it can be answered", "the message that you chose"),
    *(
        OMITTED,
        "[demo text]",
        "Untitled",
        "\u2026",
    ),
)
FIXED = (
    "[\\s\u2022\u00b7:;>()\u26a0\ufe0f\U0001f6a8-]",
    r"(?:(?:published|retrieved|after) )?\d{4}-\d\d-\d\d|undated",
    r"in force (?:since|until) \d{4}-\d\d-\d\d",
    r"in force from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d",
    r", \d+ (?:day|week|month|year)s? old| on \d{4}-\d\d-\d\d",
    r"Analysis date basis: \d{4}-\d\d-\d\d \(\w+\)",
    r"This is for \d{4}-\d\d-\d\d, the day (?:that you named|of the application)\.",
    r"\x{2026} and \d+ more sources?\.|Left out for length: \d+ more passages?\.",
)
# How a decision came about, in words of the product and in figures.
COUNTED = r"(?:no|one|two|three|four|five|six|seven|eight)"
TOLD = (
    r"\d+(?:\.\d+)?|[,.]| of the ",
    r"What would help: |a page that answers this plainly: "
    r"|a second (?:document|passage)[\w ,]+|the same statement in [\w' ]+"
    r"|a newer version of the pages named here",
    rf"(?i:{COUNTED}) documents? of the sources answers? this, so I may quote "
    r"(?:it|them)\.",
    r"The text that you chose answers this, so I may quote it\.",
    r"A source of the first tier answers this, and one of those is enough\.",
    rf"Only {COUNTED} (?:passage|document)s? speaks? to this; I need {COUNTED}\.",
    r"That took more than one question may: \d+ tokens of \d+\.",
    r"how close (?:each source is|they had to be)",
    r"chosen: Sentences chosen by [\w./-]+, shown word for word from the sources",
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


async def read_beside(outcome: Outcome, pack: Pack, ledger: SqlLedger) -> "Asked":
    """An outcome of an open gate, with the documents that it may quote."""
    assert isinstance(outcome.gate, Open)
    sources = {}
    for chunk in outcome.gate.chunks:
        stored = await ledger.document(chunk.document, chunk.version, pack.id)
        assert stored is not None
        sources[chunk.document] = Source(stored)
    return Asked(outcome, outcome.gate, pack, sources)


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
            if not fixed.fullmatch(line) and not self._lacking.fullmatch(line):
                yield f"no fixed text: {line}"
        for line in read.previews:
            own = fixed.fullmatch(line) or self._lacking.fullmatch(line)
            if not own and not self._places(line):
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
        if {flat(MARKS.sub("", piece)) for piece in pieces} <= self._rows:
            return  # the fields of a block stand in their own order
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
    def _rows(self) -> set[str]:
        """The lines of the blocks of fields of an answer."""
        result = self.outcome.result
        sections = result.sections if isinstance(result, Answer) else ()
        rows = [claim.text for s in sections for claim in s.claims if claim.row]
        return {flat(line) for row in rows for line in row.split("\n")}

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
        things = self.pack.things
        lines = ((rule.found, rule.silent, rule.otherwise) for rule in things)
        own += [_filled(text) for told in lines for text in told if text]
        marks = r"\[[1-9]\d?\]"
        words = (*FIXED, *(TOLD if told else ()), marks, *own)
        return re2.compile(f"(?:{'|'.join(words)})*")

    @cached_property
    def _lacking(self) -> re2._Regexp:
        """The last line of an answer: what a contract asks for and no passage holds.

        A field that only some documents lack stands with their titles.
        """
        rules = [s for rule in self.pack.intents for s in rule.sections]
        labels = {field.label for rule in rules for field in rule.fields}
        missing = {rule.missing for rule in rules if rule.missing}
        titles = _any(chunk.title for chunk in self.opened.chunks)
        fields = rf"{_any(labels)}(?: \({titles}(?:; {titles})*\))?"
        part = rf"(?:{_any(missing)}|{fields})"
        return re2.compile(rf"Not in the passages found: {part}(?:, {part})*\.")

    def _literals(self, *, told: bool) -> Iterator[str]:
        """Texts of the product, of the pack, and of the sources' own pages."""
        yield from LABELS
        yield f"Reference {self.outcome.audit_id}, for whoever runs me"
        yield from self._packs(told=told)
        for chunk in self.opened.chunks:
            yield from self._named(chunk)
        for page in self.outcome.nearest:
            yield from (page.title, *page.section.split(" > "))
        text = self.outcome.intent.text
        asked = reversed(parts(self.outcome.question.previous))
        before = " → ".join(" ".join(each.split()) for each in asked)
        short = f"{before[:160].rstrip()}…" if before[160:] else before
        yield TOGETHER.replace("{before}", short)
        for one, other in self.outcome.intent.corrections:
            yield from ("Read ", f'"{one}" as "{other}"', ".")
        if self.outcome.trace is not None:
            yield from (thing.name for thing in self.outcome.trace.things)
        yield ", "  # between these
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
            *(word for group in self.pack.answer.kinds for word in group),
            *(text for rule in self.pack.intents for text in _told(rule.sections)),
            *(text for rule in self.pack.things for text in _told([rule])),
            self.pack.answer.attribution,
            self.pack.answer.selection_attribution,
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


def _any(texts: Iterable[str]) -> str:
    """The pattern of one of some texts."""
    return f"(?:{'|'.join(re2.escape(text) for text in sorted(set(texts)))})"


def _filled(text: str) -> str:
    """The pattern of a fixed text with numbers in its places, or labels of fields."""
    parts = re.split(r"(\{\w+\})", text)
    places = {"{fields}": r"[\w ,]+"}
    return "".join(
        places.get(part, r"\d+") if part.startswith("{") else re2.escape(part)
        for part in parts
    )


def _told(rules: Iterable[SectionRule | ThingRule]) -> Iterator[str]:
    """What a contract and its blocks of fields say of themselves."""
    said = {"heading", "empty", "missing", "says", "label", "absent", "unrecorded"}
    said |= {"found", "left", "unknown", "unheld", "silent", "otherwise", "fields"}
    for rule in rules:
        told = rule.model_dump(include=said)
        fields = [field["label"] for field in told.pop("fields")]
        yield from (*fields, *_texts(told))


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for value in node.values():
            yield from _texts(value)
    elif isinstance(node, tuple | list):
        for value in node:
            yield from _texts(value)


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
