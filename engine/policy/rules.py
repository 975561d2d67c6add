"""The material that a draft is checked against: passages and the pack's rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.model.gate import Open
from engine.model.passage import NAMED, Chunk
from engine.model.question import Intent
from engine.policy.authority import find_named_types
from engine.policy.mix import LimitRule
from engine.policy.pack import IntentRule, Pack, SectionRule
from engine.policy.records import CodeHost
from engine.policy.things import ThingRule
from engine.text.folding import normalise
from engine.text.patterns import fold


@dataclass(frozen=True)
class Rules:
    """The rules of a pack for answers, compiled once when the pack is loaded.

    `fixed` are the pack's sentences that need no citation, by id. `cautious` is True
    where it names sensitive words, so that every other sentence is sensitive.
    `populations` and `kinds` are the subjects that a page may have, words for each.
    `intents` are the rules by query type, with `other` for unknown ones; `names` are
    the names by which a rule may know a source, `hosts` the hosts of source code,
    `things` the rules of entities by kind.
    """

    cautious: bool
    fixed: Mapping[str, str]
    exempt: frozenset[str]
    populations: tuple[tuple[str, ...], ...]
    kinds: tuple[tuple[str, ...], ...]
    minimum: int
    minimum_sensitive: int
    most_in_section: int
    partial: Literal["say", "refuse"]
    attribution: str
    selection_attribution: str
    intents: Mapping[str, IntentRule]
    other: IntentRule
    names: Mapping[str, frozenset[str]]
    hosts: Mapping[str, CodeHost]
    things: Mapping[str, ThingRule]
    limits: LimitRule | None

    @classmethod
    def of(cls, pack: Pack) -> "Rules":
        """Compile the rules of a pack."""
        return cls(
            cautious=bool(pack.sensitive.terms or pack.sensitive.patterns),
            fixed=pack.sensitive.by_id,
            exempt=frozenset(map(normalise, pack.sensitive.exempt_texts)),
            populations=pack.answer.populations,
            kinds=pack.answer.kinds,
            minimum=pack.citations.minimum,
            minimum_sensitive=pack.citations.minimum_sensitive,
            most_in_section=pack.citations.maximum_per_section,
            partial=pack.answer.partial,
            attribution=pack.answer.attribution,
            selection_attribution=pack.answer.selection_attribution,
            intents={rule.query_type: rule for rule in pack.intents},
            other=pack.intents[-1],
            names={s.id: frozenset((s.id, s.type)) for s in pack.sources},
            hosts={s.id: s.code for s in pack.sources if s.code is not None},
            things={rule.kind: rule for rule in pack.things},
            limits=pack.answer.limits,
        )

    def sensitive(self, text: str, *, intended: bool) -> bool:
        """Return whether `text` needs the citations of sensitive content.

        Args:
            text: as it would be shown.
            intended: the question's intent is sensitive.
        """
        return (intended or self.cautious) and normalise(text) not in self.exempt


@dataclass(frozen=True)
class Material:
    """Everything that one draft may use: evidence numbered from 1, and the question.

    `intended` is True where the intent is sensitive; `minimum` counts the distinct
    citations that sensitive content needs, from at least `documents` documents.
    `contract` are the sections of the intent, in their order, `prohibited` patterns
    that no shown sentence may match, `missing` the parts of the question that the gate
    stayed closed for. `blocks` is the rule of the entities whose record cards open the
    answer, `named` the documents about entities that the question names, `leading`
    those of the entity that answers it. `headings` are those of the evidence's own
    parts, which then replace a contract's; `page`: a whole page is asked for.
    """

    chunks: tuple[Chunk, ...]
    rules: Rules
    question: str
    intended: bool
    minimum: int
    documents: int
    attribution: str
    contract: tuple[SectionRule, ...] = ()
    prohibited: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    blocks: ThingRule | None = None
    named: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    page: bool = False

    @property
    def named_types(self) -> frozenset[str]:
        """The types of sources that the question names."""
        every = (name for names in self.rules.names.values() for name in names)
        return find_named_types(self.question, every)

    @property
    def looked_up(self) -> bool:
        """True where only fields of a named entity are asked for.

        Its record card states them all, or that they are missing.
        """
        found = any(NAMED in chunk.parts for chunk in self.chunks)
        return found and self.blocks is not None


def gather_material(
    opened: Open,
    intent: Intent,
    rules: Rules,
    *,
    selection: bool = False,
) -> Material:
    """Gather the passages and rules that a draft about `opened` is checked against.

    Args:
        opened: the gate's decision; its chunks are the evidence, numbered from 1.
        intent: what the rules read out of the question.
        rules: the compiled rules of the pack.
        selection: the evidence is a text that the asker selected.
    """
    rule = rules.intents.get(intent.query_type, rules.other)
    return Material(
        chunks=opened.chunks,
        rules=rules,
        question=intent.text,
        intended=intent.sensitive,
        minimum=max(opened.minimum_citations, rules.minimum_sensitive),
        documents=opened.required_documents,
        attribution=rules.selection_attribution if selection else rules.attribution,
        contract=() if opened.headings or intent.page else rule.sections,
        prohibited=rule.forbids(fold(intent.text)),
        missing=opened.missing,
        blocks=rules.things.get(rule.blocks or ""),
        named=opened.named,
        leading=opened.leading,
        headings=opened.headings,
        page=bool(intent.page),
    )
