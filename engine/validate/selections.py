"""The claims of a draft as what may be shown of them: selected sentences, closed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.documents.closure import selectable
from engine.patterns import fold as plain
from engine.patterns import matches
from engine.records import (
    Chunk,
    Claim,
    Draft,
    DraftClaim,
    Finding,
    Quote,
    Selected,
)
from engine.retrieve.quotation import text_of
from engine.validate.answers import Asked, Verdict
from engine.validate.citations import Passage, Statement, statements
from engine.validate.limits import Part, limited
from engine.validate.material import Material
from engine.validate.nearest import nearest
from engine.validate.pointers import Pointers
from engine.validate.quotes import quotations
from engine.validate.shown import goes_on, shown
from engine.validate.text import find_quote, fold

EXCERPT = 120  # characters of a statement that a finding shows
LONGEST_STATEMENT = 4_000  # characters; nothing that long is one sentence
MOST_STATEMENTS = 400  # of one draft that are pointed

Run = tuple[Selected, ...]  # sentences of one chunk, shown as one quotation


@dataclass(slots=True)
class Bench:
    """Turns the claims of one draft into parts, and counts.

    `unanchored` of `quotations` in prose did not stand in what they cite: the flag of a
    fabricated quote (R-V4). Nothing of either is shown.
    """

    material: Material
    doubted: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    quotations: int = 0
    unanchored: int = 0
    _told: list[Quote] = field(default_factory=list)
    _pointers: Pointers = field(init=False)
    _asked: Asked = field(init=False)
    _pointed: int = 0

    def __post_init__(self) -> None:
        self._pointers = Pointers(self.material.chunks)
        rules = self.material.rules
        question = self.material.question
        self._asked = Asked.by(question, rules.populations, rules.kinds)

    def unknown(self, draft: Draft) -> Finding | None:
        """R-V1: what is told of a number outside the evidence, or None."""
        chunks = self.material.chunks
        for section in draft.sections:
            for claim in section.claims:
                for each in claim.sentences:
                    known = 0 < each.chunk <= len(chunks)
                    if not known or each.sentence >= len(
                        chunks[each.chunk - 1].sentences
                    ):
                        return self._mismatch(f"selects {each.chunk}.{each.sentence}")
                for statement in self._read(claim):
                    for cited in statement.citations:
                        if not 0 < cited <= len(chunks):
                            return self._mismatch(f"cites {cited}", statement.text)
        return None

    def selected(self, claims: Iterable[DraftClaim]) -> list[Run]:
        """What claims select, those of one chunk together."""
        return [run for claim in claims for run in self._selected(claim)]

    def opened_for(self, selected: Iterable[Run]) -> list[Run]:
        """What the gate opened for, where a model selected none of it (R-V4).

        What else it selects is true of its page, and may be of another drug, dose or
        age than was asked: it stands below what answers, not in its place.
        """
        chosen = {each for run in selected for each in run}
        near = list(nearest(self.material.chunks))
        if not chosen or self.material.looked_up or not near:
            return []
        if any(chosen & each.core for each in near):
            return []
        first = near[0].sentences[0]
        chunk = self.material.chunks[first.chunk - 1]
        why = "what the gate opened for was left out, and stands first"
        text = text_of(chunk, chunk.sentences[first.sentence])
        self._note("model", "opened_for", why, text)
        return [near[0].sentences]

    def parts(self, selected: Iterable[Run]) -> list[Part]:
        """What may be shown of a section, in order and nothing twice.

        Neighbours that lean on the same sentence are one quotation, which a judge
        doubts as one.
        """
        parts: list[Part] = []
        before = tuple(self._told)
        for run in selected:
            self._add(run, parts)
        material = self.material
        parts = limited(parts, material.chunks, material.rules.limits, before)
        self.tell(parts)
        return [part for part in parts if part.text not in self.doubted]

    def tell(self, parts: Iterable[Part]) -> None:
        """Note what is quoted already, so that nothing of it is shown twice."""
        for part in parts:
            self._told += part.quotes

    def fixed(self, draft: Draft) -> tuple[Claim, ...]:
        """The pack's fixed texts that a draft names by id, each once."""
        known = self.material.rules.fixed
        for name in draft.texts:
            if name not in known:
                self._drop(
                    "texts", "unknown_text", "is no fixed text of the pack", name
                )
        named = dict.fromkeys(name for name in draft.texts if name in known)
        return tuple(Claim(text=known[name], citations=()) for name in named)

    # --- from a claim to sentences ----------------------------------------------------

    def _selected(self, claim: DraftClaim) -> Iterator[Run]:
        """The sentences of a claim, those of one chunk together."""
        if claim.sentences:
            yield from _by_chunk(claim.sentences)
        for statement in self._read(claim):
            yield from ((each,) for each in self._pointed_to(statement))

    def _read(self, claim: DraftClaim) -> Sequence[Statement]:
        return statements(claim.text, claim.citations) if claim.text else ()

    def _pointed_to(self, statement: Statement) -> tuple[Selected, ...]:
        self._pointed += 1
        if len(statement.text) > LONGEST_STATEMENT or self._pointed > MOST_STATEMENTS:
            self._drop("pointers", "too_long", "is too long", statement.text)
            return ()
        if not statement.citations:
            self._drop("citations", "uncited", "cites nothing", statement.text)
            return ()
        self._count_quotations(statement)
        found = self._pointers.of(statement.text, statement.citations)
        if not found:
            why = "points to no sentence of what it cites"
            self._drop("pointers", "nowhere", why, statement.text)
        return found

    def _count_quotations(self, statement: Statement) -> None:
        """Quotations that do not stand in a cited passage are counted, not shown."""
        for quotation in quotations(statement.text):
            self.quotations += 1
            wanted = fold(quotation.inner)
            cited = [self.material.chunks[n - 1] for n in statement.citations]
            if not any(find_quote(wanted, self.material.folded[c.id]) for c in cited):
                self.unanchored += 1
                why = "quotes what its source does not hold"
                self._note("pointers", "unanchored", why, statement.text)

    # --- from sentences to a part -----------------------------------------------------

    def _add(self, selected: Sequence[Selected], parts: list[Part]) -> None:
        """What of these sentences may be shown and was not yet, as one quotation."""
        number = selected[0].chunk
        chunk = self.material.chunks[number - 1]
        chosen: list[int] = []
        wanted = sorted({each.sentence for each in selected})
        for at in wanted:
            sentence = chunk.sentences[at]
            text = chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]
            if not selectable(sentence):
                why = "cannot be shown with all that it leans on"
                self._drop("closure", "not_closed", why, text)
            elif self._is_told(number, at, wanted):
                self._note("quotes", "repeated", "was quoted before", text)
                if sentence.announces is None:  # a lead-in alone says nothing (R-I3)
                    _cite(parts, chunk, Passage(number, sentence.start, sentence.end))
            else:
                chosen.append(at)
        if not chosen:
            return
        headings = (chunk.title, *chunk.section)
        made = shown(chunk, chosen)
        judged = self._asked.judge(headings, made.text)
        self.verdicts.append(judged.verdict)
        if judged.verdict is Verdict.UNSUPPORTED:
            self._drop("answers", "beside", judged.explanation, made.text)
            return
        if matches(self.material.prohibited, plain(made.text)):
            why = "says what answers to such questions do not say unless asked"
            self._drop("contract", "prohibited", why, made.text)
            return
        self._told += made.quotes
        above = " ".join(headings)
        passages: tuple[Passage, ...] = (Passage(number, made.start, made.end),)
        if parts and parts[-1].above == above:
            whole = goes_on(parts[-1].quotes, chunk, chosen)
            if whole is not None:
                made, passages = whole, parts.pop().passages + passages
        rules = self.material.rules
        part = Part(
            text=made.text,
            passages=passages,
            quotes=made.quotes,
            sensitive=rules.sensitive(made.text, intended=self.material.intended),
            above=above,
        )
        parts.append(part)

    def lacks(self, parts: Iterable[Part]) -> str | None:
        """Why the parts together do not answer; None: they do (R-V4)."""
        return self._asked.lacks([(part.text, part.above) for part in parts])

    def _is_told(self, number: int, at: int, wanted: Sequence[int]) -> bool:
        """Whether a sentence stands in what is quoted already, as an item of a list.

        With what it announces, as far as its chunk goes and no item of it is `wanted`
        for itself.
        """
        chunk = self.material.chunks[number - 1]
        sentence = chunk.sentences[at]
        told = sentence.announces
        if told and any(
            told.start <= chunk.sentences[n].start < told.end for n in wanted
        ):
            told = None
        end = min(chunk.end, told.end) if told else sentence.end
        return _stands(self._told, chunk, sentence.start, max(end, sentence.end))

    # --- findings ---------------------------------------------------------------------

    def _mismatch(self, what: str, text: str = "") -> Finding:
        message = f"{what}, of {len(self.material.chunks)} passages"
        return finding("citations", "unknown_number", "reject", message, text)

    def _drop(self, validator: str, code: str, why: str, text: str) -> None:
        self.findings.append(finding(validator, code, "drop", why, text))

    def _note(self, validator: str, code: str, why: str, text: str) -> None:
        self.findings.append(finding(validator, code, "note", why, text))


def finding(
    validator: str,
    code: str,
    severity: Literal["reject", "drop", "note"],
    message: str,
    text: str = "",
) -> Finding:
    """A finding about `text`, which it shows the beginning of."""
    excerpt = text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "\u2026"
    return Finding(
        validator=validator,
        code=code,
        severity=severity,
        message=message,
        claim=excerpt,
    )


def _stands(quotes: Iterable[Quote], chunk: Chunk, start: int, end: int) -> bool:
    """Whether [start, end) of a chunk's document stands in one of the quotes."""
    return any(
        (quote.document, quote.version) == (chunk.document, chunk.version)
        and quote.start <= start
        and end <= quote.end
        for quote in quotes
    )


def _cite(parts: list[Part], chunk: Chunk, passage: Passage) -> None:
    """Let the part that shows a passage rest on it too: it was chosen like others."""
    for at, part in enumerate(parts):
        if _stands(part.quotes, chunk, passage.start, passage.end):
            parts[at] = replace(part, passages=(*part.passages, passage))
            return


def _by_chunk(selected: Iterable[Selected]) -> Iterator[Run]:
    """Neighbours of one chunk together, in the order given."""
    run: list[Selected] = []
    for each in selected:
        if run and run[-1].chunk != each.chunk:
            yield tuple(run)
            run = []
        run.append(each)
    if run:
        yield tuple(run)
