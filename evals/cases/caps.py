"""What is wrong with the caps of a case: none at all, or one that is never reached."""

from collections.abc import Iterator, Mapping

from evals.forms import AtMost, Expected


def problems(expected: Expected) -> Iterator[tuple[str, str]]:
    """Caps of a refusal, and caps below what the case asks for at least, by field."""
    most = expected.at_most
    if most != AtMost() and expected.outcome == "refuse":
        yield "at_most", "is of an answer: outcome is `refuse`"
    caps: dict[str, tuple[int | None, int]] = {
        "citations": (most.citations, expected.citations),
        "section": (most.section, 1),
    }
    for tier, cap in most.tiers.items():
        caps[f"tiers.{tier}"] = (cap, expected.tiers.get(tier, 0))
    for name, cap in most.types.items():
        caps[f"types.{name}"] = (cap, expected.types.get(name, 0))
    for field, (allowed, least) in caps.items():
        if allowed is not None and allowed < least:
            yield f"at_most.{field}", f"is {allowed}, and at least {least} are needed"


def by_source(expected: Expected) -> bool:
    """Whether a cap is on a tier or a type, which the pack's register has to have."""
    return bool(expected.at_most.tiers or expected.at_most.types)


def unregistered(expected: Expected, register: object) -> Iterator[tuple[str, str]]:
    """Caps on what no source of the pack is: they could never be exceeded.

    Args:
        expected: of a case.
        register: the sources of the pack, as read.
    """
    sources = register if isinstance(register, list) else []
    for field in ("tiers", "types"):
        key = field.removesuffix("s")
        known = {str(each.get(key)) for each in sources if isinstance(each, Mapping)}
        for name in getattr(expected.at_most, field):
            if str(name) not in known:
                there = ", ".join(sorted(known)) or "none"
                yield (
                    f"at_most.{field}",
                    f"no source of the pack has the {key} {name}; there are: {there}",
                )
