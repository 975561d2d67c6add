"""The deterministic answer under a section contract.

What each section quotes comes from the passages of its own sources, chosen as any
answer is; what a section says where there is none is for whoever checks the draft.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from engine.draft.extract import (
    CLOSE,
    Passage,
    answering_first,
    asked_about,
    made,
    quoted,
    repeated,
    section_of,
)
from engine.model.draft import Draft
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.authority import find_named_types
from engine.policy.contract import find_section
from engine.policy.pack import IntentRule, Pack, SectionRule
from engine.text.closure import is_selectable
from engine.text.patterns import fold, matches
from engine.text.quotable import Range, text_of

LIMITS = 2  # sentences of a section that is known by its patterns, where it names none


def write_sections(opened: Open, intent: Intent, pack: Pack) -> Draft:
    """Compose a draft of verbatim passages, section by section of the contract.

    What stands in an optional section comes close to the best; where the citations of
    the rest are too few, or from too few documents, whatever the gate let through may.
    """
    asked = opened.minimum_citations if intent.sensitive else 1
    needed = max(asked, pack.citations.minimum_sensitive)
    desk = _Desk(opened, intent, pack)
    found = desk.sections(1, near=True)
    if _short(found, opened, needed):
        found = desk.sections(needed, near=False)
    return Draft(sections=tuple(section_of(p, rule.heading) for rule, p in found if p))


_Sections = list[tuple[SectionRule, list[Passage]]]


def _short(found: _Sections, opened: Open, needed: int) -> bool:
    passages = [passage for _, held in found for passage in held]
    documents = {opened.chunks[p.number - 1].witness for p in passages}
    return len(passages) < needed or len(documents) < opened.required_documents


@dataclass(frozen=True, slots=True)
class _Desk:
    """One open gate, and whose contract is written for."""

    opened: Open
    intent: Intent
    pack: Pack

    @property
    def rule(self) -> IntentRule:
        return self.pack.rule(self.intent.query_type)

    def sections(self, needed: int, *, near: bool) -> _Sections:
        """Return the passages of each section, in the contract's order.

        Args:
            needed: citations that the first section with any has to have.
            near: optional sections hold what comes close to the best, and nothing else.
        """
        found: _Sections = []
        for rule in self.rule.sections:
            chosen = [passage for _, held in found for passage in held]
            if rule.patterns:
                held = list(self._known_by(rule, chosen))[: rule.quotes or LIMITS]
            else:
                chunks = list(self._chunks(rule, chosen, near=near))
                least = 1 if chosen else needed
                held = self._section(chunks, least, chosen, rule)
                held = self._most(held, max(rule.quotes or len(held), least))
            found.append((rule, held))
        return found

    def _most(self, held: Sequence[Passage], most: int) -> list[Passage]:
        """Return the first of these passages, those of documents not quoted yet before
        others.

        In the order that they have.
        """
        seen: Counter[str] = Counter()
        ranked = []
        for at, passage in enumerate(held):
            document = self.opened.chunks[passage.number - 1].document
            ranked.append((seen[document], at))
            seen[document] += 1
        return [held[at] for _, at in sorted(sorted(ranked)[:most], key=itemgetter(1))]

    def _chunks(
        self, rule: SectionRule, chosen: Sequence[Passage], *, near: bool
    ) -> Iterator[Chunk]:
        """Yield the passages that a section may quote."""
        best = max(chunk.relevance for chunk in self.opened.chunks)
        told = {self._type(self.opened.chunks[p.number - 1]) for p in chosen}
        for chunk in self.opened.chunks:
            close = not (rule.optional and near) or rule.far
            far = not close and chunk.relevance < best - CLOSE
            if rule.other_types:
                belongs = self._takes(rule, chunk) and self._type(chunk) not in told
            else:
                belongs = (
                    find_section(self.rule.sections, self._names(chunk), "") is rule
                )
            if belongs and not far:
                yield chunk

    def _section(
        self,
        chunks: Sequence[Chunk],
        least: int,
        chosen: Sequence[Passage],
        rule: SectionRule,
    ) -> list[Passage]:
        """Return what is quoted of these passages, what answers first."""
        allowed = {chunk.id for chunk in self._one_type(chunks, chosen)}
        numbers = {c.id: at for at, c in enumerate(self.opened.chunks, start=1)}
        many = sum(not rule.patterns for rule in self.rule.sections)
        found: list[Passage] = []
        for part in self.opened.parts or (self.opened,):
            own = tuple(chunk for chunk in part.chunks if chunk.id in allowed)
            if not own:
                continue
            documents = len({chunk.witness for chunk in own})
            wanted = max(part.required_documents, self._several(rule, own))
            narrowed = part.model_copy(
                update={
                    "chunks": own,
                    "documents": documents,
                    "required_documents": min(wanted, documents),
                }
            )
            told = asked_about(self.intent)
            held = [
                replace(passage, number=numbers[own[passage.number - 1].id])
                for passage in quoted(narrowed, self.pack, told, least, many)
            ]
            held = [p for p in held if not repeated(p, (*chosen, *found))]
            held = [p for p in held if not self._forbidden(p)]
            found += answering_first(held, self.intent.text) if held else []
        return found

    def _several(self, rule: SectionRule, chunks: Sequence[Chunk]) -> int:
        """Return how many documents a section quotes that asks for several of them."""
        if not rule.several:
            return 1
        used = self.pack.gate.used
        near = used if rule.far else self.opened.numbers.get("needed", used)
        documents = {c.witness for c in chunks if c.relevance >= near}
        return min(len(documents), rule.quotes or len(documents))

    def _one_type(
        self, chunks: Sequence[Chunk], chosen: Sequence[Passage]
    ) -> Sequence[Chunk]:
        """Return those of the best one's type, where others have a section of their
        own.

        Who is named in the question is asked first.
        """
        split = any(rule.other_types for rule in self.rule.sections)
        if not split or chosen or not chunks:
            return chunks
        named = find_named_types(self.intent.text, map(self._type, chunks))
        best = max(chunks, key=lambda c: (self._type(c) in named, c.relevance))
        return [c for c in chunks if self._type(c) == self._type(best)]

    def _known_by(
        self, rule: SectionRule, chosen: Sequence[Passage]
    ) -> Iterator[Passage]:
        """Sentences of what is quoted already that a section is known by."""
        told = {self.opened.chunks[p.number - 1].document for p in chosen}
        shown = [text for passage in chosen for text in passage.said]
        for number, chunk in enumerate(self.opened.chunks, start=1):
            if chunk.document not in told or not self._takes(rule, chunk):
                continue
            for at, sentence in enumerate(chunk.sentences):
                text = text_of(chunk, sentence)
                known = matches(rule.patterns, fold(text)) and text not in shown
                if known and is_selectable(sentence):
                    found = made(self.opened, number, Range(at, at), 0.0)
                    yield from (p for p in found if not self._forbidden(p))

    def _forbidden(self, passage: Passage) -> bool:
        patterns = self.rule.forbids(fold(self.intent.text))
        return matches(patterns, fold(passage.text))

    def _takes(self, rule: SectionRule, chunk: Chunk) -> bool:
        return not rule.sources or not self._names(chunk).isdisjoint(rule.sources)

    def _names(self, chunk: Chunk) -> frozenset[str]:
        return frozenset((chunk.source, self._type(chunk)))

    def _type(self, chunk: Chunk) -> str:
        return self.pack.register()[chunk.source].type
