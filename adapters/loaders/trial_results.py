"""Results of a trial record: one line an outcome, with the figure of every arm."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from adapters.loaders.record_fields import Fields
from engine.model.errors import DocumentError

MOST_OUTCOMES = 60  # of one record; the others stand on its page


def outcomes_of(section: Fields) -> Sequence[Fields]:
    """The outcomes of a record's results section."""
    return section.inside("outcomeMeasuresModule").each("outcomeMeasures")


def results(outcomes: Sequence[Fields]) -> Iterator[str]:
    """What a record says of its outcomes, in its order.

    Raises:
        DocumentError: one of them cannot be read.
    """
    for outcome in islice(outcomes, MOST_OUTCOMES):
        title = outcome.needed("title")
        figures = "; ".join(_figures(outcome))
        if figures:
            kind = outcome.line("type").lower()
            frame = outcome.line("timeFrame")
            told = f"{kind} outcome, {title}" if kind else title
            told += f" (time frame: {frame})" if frame else ""
            yield f"{told}: {figures}"


def _figures(outcome: Fields) -> Iterator[str]:
    """Each measurement with its arm, its class or category, unit and spread."""
    groups = {
        group.needed("id"): group.needed("title") for group in outcome.each("groups")
    }
    unit, spread_of = outcome.line("unitOfMeasure"), outcome.line("dispersionType")
    for one in outcome.each("classes"):
        for category in one.each("categories"):
            place = ", ".join(filter(None, [one.line("title"), category.line("title")]))
            for measured in category.each("measurements"):
                arm = _arm(measured, groups)
                value = _measured(measured, unit, spread_of)
                if value:
                    yield f"{arm}, {place}: {value}" if place else f"{arm}: {value}"


def _arm(measured: Fields, groups: Mapping[str, str]) -> str:
    """Whom a figure was measured in.

    Raises:
        DocumentError: nobody knows.
    """
    group = measured.needed("groupId")
    if group not in groups:
        raise DocumentError(f"{measured.place} is of no group; fetch it again")
    return groups[group]


def _measured(measured: Fields, unit: str, spread_of: str) -> str:
    value = measured.line("value")
    lower, upper = measured.line("lowerLimit"), measured.line("upperLimit")
    spread = measured.line("spread")
    told = f"{value} {unit}".strip() if value else ""
    if told and lower and upper:
        return f"{told} ({spread_of or 'range'} {lower} to {upper})"
    return f"{told} ({spread_of} {spread})" if told and spread and spread_of else told
