"""What a draft is checked against: the question's passages and the pack's rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.model.gate import Open
from engine.model.passage import NAMED, Chunk
from engine.model.question import Intent
from engine.policy.authority import types_named
from engine.policy.mix import LimitRule
from engine.policy.pack import IntentRule, Pack, SectionRule
from engine.policy.records import CodeHost
from engine.policy.things import ThingRule
from engine.text.folding import normal
from engine.text.patterns import fold


@dataclass(frozen=True)
class Rules:
    """What a pack asks of an answer, compiled once when the pack is loaded.

    `fixed` are the pack's sentences that need no citation, by id (R-M2). `cautious`
    says that it names sensitive words, so that all but those is sensitive (R-M7).
    `populations` and `kinds` are whom and what a page may be about, words for each
    (R-V4). `intents` are the
    rules by query type, with `other` for those of no other; `names` are those that a
    rule may know a source by, `hosts` where a source's code is linked to, `things` what
    is said of them by kind.
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
            exempt=frozenset(map(normal, pack.sensitive.exempt_texts)),
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
        """Whether `text` needs the citations of sensitive content (R-M1).

        Args:
            text: as it would be shown.
            intended: the question's intent is sensitive.
        """
        return (intended or self.cautious) and normal(text) not in self.exempt


@dataclass(frozen=True)
class Material:
    """Everything that one draft may use: evidence numbered from 1, and what is asked.

    `intended` says that the intent is sensitive; `minimum` counts the distinct
    citations that sensitive content needs, from at least `documents` documents.
    `contract` are the sections of the intent, in their order (R-A2), `prohibited` what
    no sentence shown may say, `missing` the parts of the question that the gate stayed
    closed for (R-A12). `blocks` are the things that the answer opens with a block
    each of, `named` the documents about those that the question names, `leading` those
    about what answers it.
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

    @property
    def named_types(self) -> frozenset[str]:
        """The types of sources that the question names."""
        every = (name for names in self.rules.names.values() for name in names)
        return types_named(self.question, every)

    @property
    def looked_up(self) -> bool:
        """Whether only fields of a named thing are asked for: its block says them all,
        or that they are missing."""
        found = any(NAMED in chunk.parts for chunk in self.chunks)
        return found and self.blocks is not None


def material(
    opened: Open,
    intent: Intent,
    rules: Rules,
    *,
    selection: bool = False,
) -> Material:
    """Gather what a draft about `opened` is checked against.

    Args:
        opened: the gate's decision; its chunks are the evidence, numbered from 1.
        intent: what the rules read out of the question.
        rules: the compiled rules of the pack.
        selection: the evidence is a text that the asker selected (R-A6).
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
        contract=rule.sections,
        prohibited=rule.forbids(fold(intent.text)),
        missing=opened.missing,
        blocks=rules.things.get(rule.blocks or ""),
        named=opened.named,
        leading=opened.leading,
    )
