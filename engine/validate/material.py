"""What a draft is checked against: the question's passages and the pack's rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from engine.policy import Pack
from engine.records import Chunk, Intent, Open
from engine.validate.figures import Kind, Row, tokens
from engine.validate.ground import Tokens
from engine.validate.markup import Links
from engine.validate.phrases import Phrases
from engine.validate.quotes import folded_of
from engine.validate.text import Folded, fold


@dataclass(frozen=True)
class Rules:
    """What a pack asks of an answer, compiled once when the pack is loaded.

    `fixed` holds the pack's sentences that need no citation, by their folded text
    (R-M2). `lexicon` holds the words of its sensitive terms: drugs, tests, symptoms.
    `cautious` says that it names any, so that all but `fixed` is sensitive (R-M7).
    """

    phrases: Phrases
    cautious: bool
    links: Links
    fixed: Mapping[str, str]
    lexicon: Tokens
    minimum: int
    minimum_sensitive: int
    most_in_section: int
    partial: Literal["say", "refuse"]
    attribution: str
    selection_attribution: str
    sections: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, pack: Pack) -> "Rules":
        """Compile the rules of a pack (some milliseconds)."""
        wording = pack.wording
        addresses = [link.url for link in wording.links]
        addresses += [source.homepage for source in pack.sources]
        prefixes = [prefix for s in pack.sources for prefix in s.url_prefixes]
        return cls(
            phrases=Phrases(pack.answer.prohibited),
            cautious=bool(pack.sensitive.terms or pack.sensitive.patterns),
            links=Links(
                prefixes=tuple(dict.fromkeys(prefixes)),
                exact=frozenset(address.rstrip("/") for address in addresses),
            ),
            fixed={normal(text): text for text in pack.sensitive.exempt_texts},
            lexicon=_lexicon(pack.sensitive.terms),
            minimum=pack.citations.minimum,
            minimum_sensitive=pack.citations.minimum_sensitive,
            most_in_section=pack.citations.maximum_per_section,
            partial=pack.answer.partial,
            attribution=pack.answer.attribution,
            selection_attribution=pack.answer.selection_attribution,
            sections={rule.query_type: rule.sections for rule in pack.intents},
        )

    def sensitive(self, text: str, *, intended: bool) -> bool:
        """Whether `text` needs the citations of sensitive content (R-M1).

        Args:
            text: a sentence as it would be shown.
            intended: the question's intent is sensitive.
        """
        return (intended or self.cautious) and normal(text) not in self.fixed


@dataclass(frozen=True)
class Material:
    """Everything that one draft may use: evidence numbered from 1, and what is asked.

    `intended` says that the intent is sensitive; `minimum` counts the distinct
    citations that sensitive content needs, from at least `documents` documents.
    `contract` are the headings of the intent, in their order (R-A2). `missing` is what
    the gate stayed closed for, `rare` the rare words by which else a part of the
    question is seen to be left open (R-A12).
    """

    chunks: tuple[Chunk, ...]
    folded: Mapping[str, Folded]
    rules: Rules
    question: str
    intended: bool
    minimum: int
    documents: int
    attribution: str
    contract: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()

    @cached_property
    def asked(self) -> Row:
        """The tokens of the question."""
        return tokens(plain(self.question))

    def headings(self, number: int) -> frozenset[str]:
        """The title and the headings of one chunk, folded."""
        chunk = self.chunks[number - 1]
        return frozenset(map(normal, (chunk.title, *chunk.section)))


def material(
    opened: Open,
    intent: Intent,
    rules: Rules,
    folded: Mapping[str, Folded] | None = None,
    *,
    selection: bool = False,
) -> Material:
    """Gather what a draft about `opened` is checked against.

    Args:
        opened: the gate's decision; its chunks are the evidence, numbered from 1.
        intent: what the rules read out of the question.
        rules: the compiled rules of the pack.
        folded: folded chunks by chunk id, offsets into the canonical text; what is
            missing is folded when it is needed.
        selection: the evidence is a text that the asker selected (R-A6).
    """
    return Material(
        chunks=opened.chunks,
        folded=_Folding(opened.chunks, folded or {}),
        rules=rules,
        question=intent.text,
        intended=intent.sensitive,
        minimum=max(opened.minimum_citations, rules.minimum_sensitive),
        documents=opened.required_documents,
        attribution=rules.selection_attribution if selection else rules.attribution,
        contract=rules.sections.get(intent.query_type, ()),
        missing=opened.missing,
    )


def plain(text: str) -> str:
    """The folded text alone (R-I7)."""
    return fold(text).text


class _Folding(Mapping[str, Folded]):
    """Folded chunks by id; one that was not stored is folded when first asked for."""

    def __init__(self, chunks: Sequence[Chunk], stored: Mapping[str, Folded]) -> None:
        self._chunks = {chunk.id: chunk for chunk in chunks}
        self._folded = dict(stored)

    def __getitem__(self, chunk: str) -> Folded:
        if chunk not in self._folded:
            self._folded[chunk] = folded_chunk(self._chunks[chunk])
        return self._folded[chunk]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)


def folded_chunk(chunk: Chunk) -> Folded:
    """The folded text of a chunk, its offsets into the canonical text."""
    folded = folded_of(chunk.text, chunk.text)
    return Folded(folded.text, folded.offsets + chunk.start)


def normal(text: str) -> str:
    """A sentence as fixed texts and headings are compared."""
    return plain(text).strip().casefold()


def _lexicon(terms: Iterable[str]) -> Tokens:
    found = (token for term in terms for token in tokens(plain(term)))
    return frozenset(token for token in found if token.kind is Kind.WORD)
