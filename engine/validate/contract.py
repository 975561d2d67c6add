"""What a pack's section contract says of a draft (R-A2)."""

from collections.abc import Sequence

from engine.records import Draft, Finding
from engine.validate.material import Material, normal

CONTRACT = "contract"  # the validator that its findings name


def opens_with(contract: Sequence[str], heading: str) -> bool:
    """Whether a first section is the one that a contract, if there is any, asks for."""
    return not contract or normal(heading) == normal(contract[0])


def first_section(draft: Draft, material: Material) -> Finding | None:
    """What is wrong with the first section of a draft, or None.

    A contract's first section comes first; a draft that opens with another one is not
    routing compliant. An intent without a contract takes any.
    """
    contract = material.contract
    heading = draft.sections[0].heading if draft.sections else ""
    if opens_with(contract, heading):
        return None
    return Finding(
        validator=CONTRACT,
        code="first_section",
        severity="reject",
        message=f"the first section has to be {contract[0]}",
        claim=heading,
    )


def headed(heading: str, material: Material) -> str | None:
    """A heading as the contract has it; "" for none, None for one it does not have."""
    if not heading.strip():
        return ""
    wanted = normal(heading)
    return next((own for own in material.contract if normal(own) == wanted), None)
