"""Results of a trial record: one line an outcome, with the figure of every arm."""

from collections.abc import Iterator, Mapping
from itertools import islice

MOST_OUTCOMES = 60  # of one record; the others stand on its page


def results(section: Mapping[str, object]) -> Iterator[str]:
    """What a record's results section says of its outcomes, in its order."""
    module = _mapping(section.get("outcomeMeasuresModule"))
    for outcome in islice(
        map(_mapping, _list(module, "outcomeMeasures")), MOST_OUTCOMES
    ):
        figures = "; ".join(_figures(outcome))
        title = _text(outcome.get("title"))
        if title and figures:
            kind = _text(outcome.get("type")).lower()
            frame = _text(outcome.get("timeFrame"))
            told = f"{kind} outcome, {title}" if kind else title
            told += f" (time frame: {frame})" if frame else ""
            yield f"{told}: {figures}"


def _figures(outcome: Mapping[str, object]) -> Iterator[str]:
    """Each measurement with its arm, its class or category, unit and spread."""
    groups = {
        _text(group.get("id")): _text(group.get("title"))
        for group in map(_mapping, _list(outcome, "groups"))
    }
    unit = _text(outcome.get("unitOfMeasure"))
    for one in map(_mapping, _list(outcome, "classes")):
        for category in map(_mapping, _list(one, "categories")):
            named = [_text(one.get("title")), _text(category.get("title"))]
            place = ", ".join(filter(None, named))
            for measured in map(_mapping, _list(category, "measurements")):
                value = _measured(measured, unit, _text(outcome.get("dispersionType")))
                arm = groups.get(_text(measured.get("groupId")), "")
                if value and arm:
                    yield f"{arm}, {place}: {value}" if place else f"{arm}: {value}"


def _measured(measured: Mapping[str, object], unit: str, spread_of: str) -> str:
    value = _text(measured.get("value"))
    lower, upper = _text(measured.get("lowerLimit")), _text(measured.get("upperLimit"))
    spread = _text(measured.get("spread"))
    told = f"{value} {unit}".strip() if value else ""
    if told and lower and upper:
        return f"{told} ({spread_of or 'range'} {lower} to {upper})"
    return f"{told} ({spread_of} {spread})" if told and spread and spread_of else told


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(fields: Mapping[str, object], key: str) -> list[object]:
    value = fields.get(key)
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
