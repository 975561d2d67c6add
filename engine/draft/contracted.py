"""The deterministic answer under a section contract.

Each section quotes passages of its own sources, chosen as in any answer; the text of an
empty section is added by the check of the draft.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import re2

from engine.draft.extract import (
    CLOSE,
    Passage,
    choose_passages,
    is_repeated,
    make_passages,
    make_section,
    move_answer_first,
    stem_question,
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

    An optional section quotes only passages that come close to the best; where the
    other citations are too few, or from too few documents, it may quote all that the
    gate let through.
    """
    asked = opened.minimum_citations if intent.sensitive else 1
    needed = max(asked, pack.citations.minimum_sensitive)
    composer = _SectionComposer(opened, intent, pack)
    found = composer.compose_sections(1, near=True)
    if _is_short(found, opened, needed):
        found = composer.compose_sections(needed, near=False)
    return Draft(
        sections=tuple(make_section(p, rule.heading) for rule, p in found if p)
    )


_NAMES = re2.compile(r"\b\p{L}*\p{Lu}\p{L}*\p{Lu}[\p{L}\p{N}]*")  # two capitals
SHORTEST = 4  # characters of a name: DNA and FDA are abbreviations
_Sections = list[tuple[SectionRule, list[Passage]]]


def find_names(text: str) -> frozenset[str]:
    """Return the names of trials and the like in a text, in lower case: ALTAIR.

    They are its words with two capitals, unless they are short.
    """
    found = (name.casefold() for name in _NAMES.findall(text))
    return frozenset(name for name in found if len(name) >= SHORTEST)


def _is_short(found: _Sections, opened: Open, needed: int) -> bool:
    passages = [passage for _, held in found for passage in held]
    documents = {opened.chunks[p.number - 1].witness for p in passages}
    return len(passages) < needed or len(documents) < opened.required_documents


@dataclass(frozen=True, slots=True)
class _SectionComposer:
    """The composer of sections for one open gate."""

    opened: Open
    intent: Intent
    pack: Pack

    @property
    def rule(self) -> IntentRule:
        return self.pack.rule(self.intent.query_type)

    def compose_sections(self, needed: int, *, near: bool) -> _Sections:
        """Return the passages of each section, in the contract's order.

        Args:
            needed: citations that the first section with any has to have.
            near: optional sections hold only passages that come close to the best.
        """
        found: _Sections = []
        for rule in self.rule.sections:
            chosen = [passage for _, held in found for passage in held]
            if rule.patterns:
                held = list(self._find_known(rule, chosen))[: rule.quotes or LIMITS]
            else:
                chunks = list(self._find_chunks(rule, chosen, near=near))
                least = 1 if chosen else needed
                held = self._compose_section(chunks, least, chosen, rule)
                held = self._keep_most(held, max(rule.quotes or len(held), least))
            found.append((rule, held))
        return found

    def _keep_most(self, held: Sequence[Passage], most: int) -> list[Passage]:
        """Keep `most` of these passages, those of new documents first, in order."""
        seen: Counter[str] = Counter()
        ranked = []
        for at, passage in enumerate(held):
            document = self.opened.chunks[passage.number - 1].document
            ranked.append((seen[document], at))
            seen[document] += 1
        return [held[at] for _, at in sorted(sorted(ranked)[:most], key=itemgetter(1))]

    def _find_chunks(
        self, rule: SectionRule, chosen: Sequence[Passage], *, near: bool
    ) -> Iterator[Chunk]:
        """Yield the passages that a section may quote."""
        best = max(chunk.relevance for chunk in self.opened.chunks)
        told = {self._source_type(self.opened.chunks[p.number - 1]) for p in chosen}
        for chunk in self.opened.chunks:
            close = not (rule.optional and near) or rule.far
            far = not close and chunk.relevance < best - CLOSE
            if rule.other_types:
                belongs = (
                    self._takes(rule, chunk) and self._source_type(chunk) not in told
                )
            else:
                belongs = (
                    find_section(self.rule.sections, self._source_names(chunk), "")
                    is rule
                )
            if belongs and not far:
                yield chunk

    def _compose_section(
        self,
        chunks: Sequence[Chunk],
        least: int,
        chosen: Sequence[Passage],
        rule: SectionRule,
    ) -> list[Passage]:
        """Return the quotations of these passages, the one that answers first."""
        allowed = {chunk.id for chunk in self._keep_one_type(chunks, chosen)}
        numbers = {c.id: at for at, c in enumerate(self.opened.chunks, start=1)}
        many = sum(not rule.patterns for rule in self.rule.sections)
        found: list[Passage] = []
        for part in self.opened.parts or (self.opened,):
            own = tuple(chunk for chunk in part.chunks if chunk.id in allowed)
            if not own:
                continue
            documents = len({chunk.witness for chunk in own})
            wanted = max(part.required_documents, self._count_documents(rule, own))
            narrowed = part.model_copy(
                update={
                    "chunks": own,
                    "documents": documents,
                    "required_documents": min(wanted, documents),
                }
            )
            told = stem_question(self.intent)
            held = [
                replace(passage, number=numbers[own[passage.number - 1].id])
                for passage in choose_passages(narrowed, self.pack, told, least, many)
            ]
            held = [p for p in held if not is_repeated(p, (*chosen, *found))]
            held = [p for p in held if not self._is_forbidden(p)]
            found += move_answer_first(held, self.intent.text) if held else []
        return found

    def _count_documents(self, rule: SectionRule, chunks: Sequence[Chunk]) -> int:
        """Count the documents that a section quotes; one unless it asks for several."""
        if not rule.several:
            return 1
        used = self.pack.gate.used
        near = used if rule.far else self.opened.numbers.get("needed", used)
        documents = {c.witness for c in chunks if c.relevance >= near}
        return min(len(documents), rule.quotes or len(documents))

    def _keep_one_type(
        self, chunks: Sequence[Chunk], chosen: Sequence[Passage]
    ) -> Sequence[Chunk]:
        """Return the passages of the best one's type, where a section takes other
        types.

        A type that the question names comes first.
        """
        split = any(rule.other_types for rule in self.rule.sections)
        if not split or chosen or not chunks:
            return chunks
        named = find_named_types(self.intent.text, map(self._source_type, chunks))
        best = max(chunks, key=lambda c: (self._source_type(c) in named, c.relevance))
        return [c for c in chunks if self._source_type(c) == self._source_type(best)]

    def _find_known(
        self, rule: SectionRule, chosen: Sequence[Passage]
    ) -> Iterator[Passage]:
        """Yield sentences of quoted documents that the section's patterns match.

        None that names what neither the question, a quotation nor a heading above one
        names: a review that is quoted about one trial has limits of other trials, too.
        """
        told = {self.opened.chunks[p.number - 1].document for p in chosen}
        shown = [text for passage in chosen for text in passage.said]
        quoted = [self.opened.chunks[passage.number - 1] for passage in chosen]
        above = [text for c in quoted for text in (c.title, *c.section)]
        texts = (self.intent.text, *(p.text for p in chosen), *above)
        named = find_names(" ".join(texts))
        for number, chunk in enumerate(self.opened.chunks, start=1):
            if chunk.document not in told or not self._takes(rule, chunk):
                continue
            for at, sentence in enumerate(chunk.sentences):
                text = text_of(chunk, sentence)
                known = matches(rule.patterns, fold(text)) and text not in shown
                known = known and find_names(text) <= named
                if known and is_selectable(sentence):
                    found = make_passages(self.opened, number, Range(at, at), 0.0)
                    yield from (p for p in found if not self._is_forbidden(p))

    def _is_forbidden(self, passage: Passage) -> bool:
        patterns = self.rule.forbids(fold(self.intent.text))
        return matches(patterns, fold(passage.text))

    def _takes(self, rule: SectionRule, chunk: Chunk) -> bool:
        return not rule.sources or not self._source_names(chunk).isdisjoint(
            rule.sources
        )

    def _source_names(self, chunk: Chunk) -> frozenset[str]:
        return frozenset((chunk.source, self._source_type(chunk)))

    def _source_type(self, chunk: Chunk) -> str:
        return self.pack.register()[chunk.source].type
