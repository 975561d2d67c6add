"""What a pack's section contract says of a draft (R-A2)."""

from engine.records import Draft, Finding
from engine.validate.material import Material, normal


def first_section(draft: Draft, material: Material) -> Finding | None:
    """What is wrong with the first section of a draft, or None.

    A contract's first section comes first; a draft that opens with another one is not
    routing compliant. An intent without a contract takes any.
    """
    contract = material.contract
    heading = draft.sections[0].heading if draft.sections else ""
    if not contract or normal(heading) == normal(contract[0]):
        return None
    return Finding(
        validator="contract",
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
