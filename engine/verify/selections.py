"""The claims of a draft in the form to show: selected sentences with their
dependencies.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.model.answer import Claim, Finding, Quote
from engine.model.document import BlockKind
from engine.model.draft import Draft, DraftClaim, Selected
from engine.model.passage import CHOSEN, Chunk, Pick
from engine.policy.rules import Material
from engine.text.answers import AnswerRequirements, Verdict
from engine.text.cells import render_quotes
from engine.text.closure import is_selectable
from engine.text.english import find
from engine.text.patterns import fold, matches
from engine.text.quotable import (
    Range,
    expand,
    extend_quotation,
    render_quotation,
    text_of,
)
from engine.verify.citations import Passage
from engine.verify.limits import Part, add_limits

EXCERPT = 120  # characters of a quotation that a finding shows
MOST_UNKNOWN = 5  # numbers of one draft that a finding names

Run = tuple[Selected, ...]  # sentences of one chunk, shown as one quotation


@dataclass(slots=True)
class DraftChecker:
    """Turns the claims of one draft into parts, and judges them."""

    material: Material
    doubted: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    _told: list[Quote] = field(default_factory=list)
    _asked: AnswerRequirements = field(init=False)

    def __post_init__(self) -> None:
        rules = self.material.rules
        question = self.material.question
        self._asked = AnswerRequirements.from_question(
            question, rules.populations, rules.kinds
        )
        if self.material.page:
            self._asked = AnswerRequirements.from_question("", (), ())
        chosen = all(CHOSEN in chunk.parts for chunk in self.material.chunks)
        if chosen and not find("asks_first", question) and not question.endswith("?"):
            # The title of a section is no question: "Opening hours and contact:
            # Holidays" needs no hours.
            self._asked = replace(self._asked, needed=None)

    def find_unknown(self, draft: Draft) -> Finding | None:
        """Return a finding on a number that was not offered, or None."""
        chunks = self.material.chunks
        if draft.unknown:
            named = ", ".join(str(number) for number in draft.unknown[:MOST_UNKNOWN])
            return self._mismatch(f"names sentences that were not offered: {named}")
        for section in draft.sections:
            for claim in section.claims:
                for each in claim.sentences:
                    known = 0 < each.chunk <= len(chunks)
                    if not known or each.sentence >= len(
                        chunks[each.chunk - 1].sentences
                    ):
                        what = f"selects {each.chunk}.{each.sentence}"
                        return self._mismatch(f"{what}, of {len(chunks)} passages")
        return None

    def list_selected(self, claims: Iterable[DraftClaim]) -> list[Run]:
        """Return the selected sentences of claims, those of one chunk together."""
        return [run for claim in claims for run in _group_by_chunk(claim.sentences)]

    def find_left_out(self, selected: Iterable[Run]) -> list[Run]:
        """Return the passage that the gate opened for, where a model selected none of
        it.

        Other selections are true of their page, and may be about another drug, dose or
        age than was asked: they are placed below what answers, not in its place.
        """
        chosen = {each for run in selected for each in run}
        near = list(find_nearest(self.material.chunks))
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

    def make_parts(self, selected: Iterable[Run]) -> list[Part]:
        """Make the parts of a section, in order and without repetitions.

        Neighbours that depend on the same sentence are one quotation, which a judge
        doubts as one.
        """
        parts: list[Part] = []
        before = tuple(self._told)
        for run in selected:
            self._add(run, parts)
        material = self.material
        parts = add_limits(parts, material.chunks, material.rules.limits, before)
        self.note_quoted(parts)
        return [part for part in parts if part.text not in self.doubted]

    def note_quoted(self, parts: Iterable[Part]) -> None:
        """Note quotations, so that nothing of them is shown twice."""
        for part in parts:
            self._told += part.quotes

    def list_fixed_texts(self, draft: Draft) -> tuple[Claim, ...]:
        """Return the pack's fixed texts that a draft names by id, each once."""
        known = self.material.rules.fixed
        for name in draft.texts:
            if name not in known:
                self._drop(
                    "texts", "unknown_text", "is no fixed text of the pack", name
                )
        named = dict.fromkeys(name for name in draft.texts if name in known)
        return tuple(Claim(text=known[name], citations=()) for name in named)

    # --- from sentences to a part -----------------------------------------------------

    def _add(self, selected: Sequence[Selected], parts: list[Part]) -> None:
        """Add a part for those of the sentences that may be shown and were not yet."""
        number = selected[0].chunk
        chunk = self.material.chunks[number - 1]
        chosen: list[int] = []
        wanted = sorted({each.sentence for each in selected})
        for at in wanted:
            sentence = chunk.sentences[at]
            text = chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]
            if not is_selectable(sentence):
                why = "cannot be shown with all that it leans on"
                self._drop("closure", "not_closed", why, text)
            elif self._is_told(number, at, wanted):
                self._note("quotes", "repeated", "was quoted before", text)
                if sentence.announces is None:  # a lead-in alone states nothing
                    _cite(parts, chunk, Passage(number, sentence.start, sentence.end))
            else:
                chosen.append(at)
        if not chosen:
            return
        chosen += _find_restrictions(chunk, chosen)
        headings = (chunk.title, *chunk.section)
        made = render_quotation(chunk, chosen)
        judged = self._asked.judge(headings, made.text)
        self.verdicts.append(judged.verdict)
        if judged.verdict is Verdict.UNSUPPORTED:
            self._drop("answers", "beside", judged.explanation, made.text)
            return
        if matches(self.material.prohibited, fold(made.text)):
            why = "says what answers to such questions do not say unless asked"
            self._drop("contract", "prohibited", why, made.text)
            return
        self._told += made.quotes
        above = " ".join(headings)
        passages: tuple[Passage, ...] = (Passage(number, made.start, made.end),)
        if parts and parts[-1].above == above:
            whole = extend_quotation(parts[-1].quotes, chunk, chosen)
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

    def find_lack(self, parts: Iterable[Part]) -> str | None:
        """Return why the parts together do not answer; None where they do."""
        chunks = {chunk.id: chunk for chunk in self.material.chunks}
        told = ((render_quotes(part.quotes, chunks), part.above) for part in parts)
        return self._asked.find_lack([*told])

    def _is_told(self, number: int, at: int, wanted: Sequence[int]) -> bool:
        """Return whether a sentence is within an earlier quotation, as an item of a
        list.

        With all that it announces, as far as its chunk goes and no item of it is
        `wanted` for itself.
        """
        chunk = self.material.chunks[number - 1]
        sentence = chunk.sentences[at]
        told = sentence.announces
        if told and any(
            told.start <= chunk.sentences[n].start < told.end for n in wanted
        ):
            told = None
        end = min(chunk.end, told.end) if told else sentence.end
        return _is_within(self._told, chunk, sentence.start, max(end, sentence.end))

    # --- findings ---------------------------------------------------------------------

    def _mismatch(self, what: str) -> Finding:
        return make_finding("citations", "unknown_number", "reject", what)

    def _drop(self, validator: str, code: str, why: str, text: str) -> None:
        self.findings.append(make_finding(validator, code, "drop", why, text))

    def _note(self, validator: str, code: str, why: str, text: str) -> None:
        self.findings.append(make_finding(validator, code, "note", why, text))


def _find_restrictions(chunk: Chunk, chosen: Sequence[int]) -> Iterator[int]:
    """Yield the sentence behind what is chosen that depends on it and bounds it.

    "This should not be used for more than 2 days" is quoted with the recipe of a rinse.
    """
    after = max(chosen) + 1
    if after >= len(chunk.sentences):
        return
    sentence = chunk.sentences[after]
    if sentence.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM):
        return
    blocks = {chunk.sentences[at].block for at in chosen}
    behind = {
        (other.start, other.end) for other in chunk.sentences if other.block in blocks
    }
    depends = any((span.start, span.end) in behind for span in sentence.leans_on)
    said = text_of(chunk, sentence)
    if depends and is_selectable(sentence) and find("restricts", said):
        yield after


def make_finding(
    validator: str,
    code: str,
    severity: Literal["reject", "drop", "note"],
    message: str,
    text: str = "",
) -> Finding:
    """Make a finding about `text`, with the beginning of it."""
    excerpt = text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "\u2026"
    return Finding(
        validator=validator,
        code=code,
        severity=severity,
        message=message,
        claim=excerpt,
    )


def _is_within(quotes: Iterable[Quote], chunk: Chunk, start: int, end: int) -> bool:
    """Return whether [start, end) of a chunk's document is within one of the quotes."""
    return any(
        (quote.document, quote.version) == (chunk.document, chunk.version)
        and quote.start <= start
        and end <= quote.end
        for quote in quotes
    )


def _cite(parts: list[Part], chunk: Chunk, passage: Passage) -> None:
    """Add a passage to the part that shows it: it was selected like others."""
    for at, part in enumerate(parts):
        if _is_within(part.quotes, chunk, passage.start, passage.end):
            parts[at] = replace(part, passages=(*part.passages, passage))
            return


def _group_by_chunk(selected: Iterable[Selected]) -> Iterator[Run]:
    """Yield neighbouring selections of one chunk as runs, in the order given."""
    run: list[Selected] = []
    for each in selected:
        if run and run[-1].chunk != each.chunk:
            yield tuple(run)
            run = []
        run.append(each)
    if run:
        yield tuple(run)


@dataclass(frozen=True, slots=True)
class NearestPassage:
    """A passage of the highest relevance: `sentences` are quoted together.

    `core` is the sentence of it that was picked, or the run that the question names.
    """

    sentences: tuple[Selected, ...]
    core: frozenset[Selected]


def find_nearest(chunks: Sequence[Chunk]) -> Iterator[NearestPassage]:
    """Yield the nearest passage; where the question names several, each of them.

    The gate opened for it, and it held the expected text in 327 of 355 answerable cases
    of four packs.
    """
    picked = [
        ((chunk.relevance, pick.score), number, pick)
        for number, chunk in enumerate(chunks, start=1)
        for pick in chunk.picks
        if is_selectable(chunk.sentences[pick.sentence])
    ]
    best = max((rank for rank, _, _ in picked), default=None)
    for rank, number, pick in picked:
        if rank == best:
            yield _make_nearest(number, chunks[number - 1], pick)


def _make_nearest(number: int, chunk: Chunk, pick: Pick) -> NearestPassage:
    if pick.last is None:
        core, part = Range(pick.sentence, pick.sentence), expand(chunk, pick.sentence)
    else:
        core = part = Range(pick.sentence, pick.last)
    return NearestPassage(
        tuple(_select(number, chunk, part)), frozenset(_select(number, chunk, core))
    )


def _select(number: int, chunk: Chunk, part: Range) -> Iterator[Selected]:
    for at in range(part.first, part.last + 1):
        if is_selectable(chunk.sentences[at]):
            yield Selected(chunk=number, sentence=at)
