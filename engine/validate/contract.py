"""What a pack's section contract says of an answer, whoever drafted it (R-A2).

A sentence stands under the heading that takes its source; which one that is, the pack
says, so a heading of a draft is at most a wish. The contract is completed last, after
everything that can take a sentence away.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from engine.patterns import fold, matches
from engine.policy.pack import SectionRule
from engine.records import Chunk, Draft, Finding
from engine.validate.material import Material, normal

CONTRACT = "contract"  # the validator that its findings name


def opens_with(contract: Sequence[SectionRule], heading: str) -> bool:
    """Whether a first section is one that a contract, if there is any, may begin with.

    That is its first, or one behind sections that may be left out.
    """
    first = next((at for at, r in enumerate(contract) if not r.optional), None)
    begins = contract if first is None else contract[: first + 1]
    wanted = normal(heading)
    return not contract or any(normal(rule.heading) == wanted for rule in begins)


def keeps(contract: Sequence[SectionRule], headings: Sequence[str]) -> bool:
    """Whether these headings are those of a contract, in its order, none missing."""
    held = [normal(heading) for heading in headings if heading]
    wanted = {normal(rule.heading): rule for rule in contract}
    needed = [name for name, rule in wanted.items() if not rule.optional]
    ordered = [name for name in wanted if name in held]
    return not contract or (held == ordered and not set(needed).difference(held))


def first_section(draft: Draft, material: Material) -> Finding | None:
    """What is wrong with the first section of a draft, or None.

    A contract's first section comes first; a draft that opens with another one is not
    routing compliant. An intent without a contract takes any, and numbers without any
    heading are put under those that take their sources.
    """
    contract = material.contract
    heading = draft.sections[0].heading if draft.sections else ""
    headless = not any(section.heading.strip() for section in draft.sections)
    if headless or opens_with(contract, heading):
        return None
    return Finding(
        validator=CONTRACT,
        code="first_section",
        severity="reject",
        message=f"the first section has to be {contract[0].heading}",
        claim=heading,
    )


def headed(heading: str, material: Material) -> str | None:
    """A heading as the contract has it; "" for none, None for one it does not have."""
    if not heading.strip():
        return ""
    wanted = normal(heading)
    named = (rule.heading for rule in material.contract)
    return next((own for own in named if normal(own) == wanted), None)


def place(
    contract: Sequence[SectionRule], names: Collection[str], text: str, wish: str = ""
) -> SectionRule | None:
    """The section that a quotation belongs to, or None where no section takes it.

    Args:
        contract: the sections, in their order.
        names: by which a rule may know the quotation's source.
        text: what it says.
        wish: the heading that a draft gave it, which counts where its source may stand.
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


def elsewhere(rule: SectionRule, quoted: Sequence[tuple[Collection[str], str]]) -> bool:
    """Whether other sections quote what belongs in one in which nothing stands.

    Args:
        rule: the empty section.
        quoted: by which names the source of each quotation is known, and its text.
    """
    taken = [
        (frozenset(names), text)
        for names, text in quoted
        if not rule.sources or not set(rule.sources).isdisjoint(names)
    ]
    if rule.other_types:
        return len({names for names, _ in taken}) > 1
    return any(not rule.patterns or matches(rule.patterns, fold(t)) for _, t in taken)


def not_stated(
    rule: SectionRule, cited: Sequence[Chunk], chunks: Sequence[Chunk]
) -> Iterator[str]:
    """One line for each document of a section that lacks a field which it has to have.

    Args:
        rule: the section.
        cited: the passages that are quoted in it.
        chunks: all passages of the evidence, which may state what is not quoted.
    """
    said: dict[str, str] = {}
    for chunk in chunks:
        above = " ".join((chunk.title, *chunk.section))
        said[chunk.document] = said.get(chunk.document, "") + f" {above} {chunk.text}"
    titles: Mapping[str, str] = {chunk.document: chunk.title for chunk in cited}
    for document, title in titles.items():
        text = fold(said[document])
        lacking = [f.label for f in rule.fields if not matches(f.patterns, text)]
        if lacking:
            line = rule.not_stated.replace("{fields}", ", ".join(lacking))
            yield line.replace("{title}", title)
