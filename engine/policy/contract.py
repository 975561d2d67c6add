"""The section contract of a pack, applied to an answer, whoever drafted it.

A sentence is shown under the heading that takes its source; the pack decides which one,
so a heading of a draft is at most a wish. The contract is completed last, after
everything that can take a sentence away.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from engine.model.answer import Finding
from engine.model.draft import Draft
from engine.model.passage import Chunk
from engine.policy.pack import SectionRule
from engine.policy.rules import Material
from engine.text.folding import normalise
from engine.text.patterns import fold, matches

CONTRACT = "contract"  # the validator that its findings name
NOT_IN_PASSAGES = "Not in the passages found: "  # how the last line of an answer opens


def may_open_with(contract: Sequence[SectionRule], heading: str) -> bool:
    """Return whether a contract, if there is any, may begin with this heading.

    With its first section, or one that only optional sections precede.
    """
    first = next((at for at, r in enumerate(contract) if not r.optional), None)
    begins = contract if first is None else contract[: first + 1]
    wanted = normalise(heading)
    return not contract or any(normalise(rule.heading) == wanted for rule in begins)


def keeps_contract(contract: Sequence[SectionRule], headings: Sequence[str]) -> bool:
    """Return whether these headings are those of a contract, in its order.

    Only optional ones may be missing.
    """
    held = [normalise(heading) for heading in headings if heading]
    wanted = {normalise(rule.heading): rule for rule in contract}
    needed = [name for name, rule in wanted.items() if not rule.may_lack]
    ordered = [name for name in wanted if name in held]
    return not contract or (held == ordered and not set(needed).difference(held))


def check_first_section(draft: Draft, material: Material) -> Finding | None:
    """Return a finding on the first section of a draft, or None.

    A contract's first section comes first; a draft that opens with another one is not
    routing compliant. An intent without a contract takes any, and numbers without any
    heading are put under those that take their sources.
    """
    contract = material.contract
    heading = draft.sections[0].heading if draft.sections else ""
    headless = not any(section.heading.strip() for section in draft.sections)
    if headless or may_open_with(contract, heading):
        return None
    return Finding(
        validator=CONTRACT,
        code="first_section",
        severity="reject",
        message=f"the first section has to be {contract[0].heading}",
        claim=heading,
    )


def match_heading(heading: str, material: Material) -> str | None:
    """Return a heading as in the contract or the evidence; "" for none, else None."""
    if not heading.strip():
        return ""
    wanted = normalise(heading)
    named = (*(rule.heading for rule in material.contract), *material.headings)
    return next((own for own in named if normalise(own) == wanted), None)


def find_section(
    contract: Sequence[SectionRule], names: Collection[str], text: str, wish: str = ""
) -> SectionRule | None:
    """Return the section that takes a quotation, or None where none does.

    Args:
        contract: the sections, in their order.
        names: by which a rule may know the quotation's source.
        text: of the quotation.
        wish: the heading that a draft gave it, which counts where it takes the source.
    """
    takes = [
        r for r in contract if not r.sources or not set(r.sources).isdisjoint(names)
    ]
    wished = next((r for r in takes if wish and r.heading == wish), None)
    if wished is not None:
        return wished
    said = fold(text)
    marked = (r for r in takes if r.patterns and matches(r.patterns, said))
    plain = (r for r in takes if not r.patterns and not r.other_types)
    return next(plain, None) or next(marked, None)


def select_sections(
    contract: Sequence[SectionRule], named: Collection[str]
) -> Sequence[SectionRule]:
    """Return the sections whose sources a question names; all where it names none.

    "What does NCCN say?" asks for no other society, and for no trial.
    """
    asked = {*named}
    return [
        rule
        for rule in contract
        if not asked
        or not rule.sources
        or (asked & {*rule.sources} and not (rule.other_types and len(asked) == 1))
    ]


def describe_missing(
    contract: Sequence[SectionRule],
    cited: Mapping[str, Sequence[Chunk]],
    chunks: Sequence[Chunk],
    names: Mapping[str, frozenset[str]],
) -> str | None:
    """Return the last line of an answer, on what the passages found lack, or None.

    Statements that they hold but that were not quoted are not called missing.

    Args:
        contract: the sections.
        cited: the passages that are quoted, by the heading they are under.
        chunks: all passages that the gate let through.
        names: by which a rule may know a source.
    """
    said: dict[str, str] = {}
    for chunk in chunks:
        above = " ".join((chunk.title, *chunk.section))
        said[chunk.document] = said.get(chunk.document, "") + f" {above} {chunk.text}"
    texts = {document: fold(text) for document, text in said.items()}
    lacking: dict[str, None] = {}
    for rule in contract:
        lacking.update(
            dict.fromkeys(_find_missing_fields(contract, cited, texts, rule))
        )
        stands = bool(cited.get(rule.heading)) or _has_passage(rule, chunks, names)
        if rule.missing is not None and not stands:
            lacking[rule.missing] = None
    return f"{NOT_IN_PASSAGES}{', '.join(lacking)}." if lacking else None


def _find_missing_fields(
    contract: Sequence[SectionRule],
    cited: Mapping[str, Sequence[Chunk]],
    texts: Mapping[str, str],
    of: SectionRule,
) -> Iterator[str]:
    """Yield the fields of a section that documents lack, with titles unless all do.

    A field of several sections is named once, for the documents of all of them.
    """
    for field in of.fields:
        asking = [r for r in contract if field.label in {f.label for f in r.fields}]
        titles = {c.document: c.title for r in asking for c in cited.get(r.heading, ())}
        without = [d for d in titles if not matches(field.patterns, texts[d])]
        if without:
            only = len(without) < len(titles)
            listed = "; ".join(titles[document] for document in without)
            yield f"{field.label} ({listed})" if only else field.label


def _has_passage(
    rule: SectionRule, chunks: Sequence[Chunk], names: Mapping[str, frozenset[str]]
) -> bool:
    """Return whether a passage found belongs in a section, quoted there or not."""
    taken = [
        chunk
        for chunk in chunks
        if not rule.sources or names[chunk.source].intersection(rule.sources)
    ]
    if rule.other_types:
        types = {names[c.source] - {c.source} or names[c.source] for c in taken}
        return len(types) > 1
    return any(not rule.patterns or matches(rule.patterns, fold(c.text)) for c in taken)
