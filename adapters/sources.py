"""The sources of a reply: its numbers, and the cited documents."""

from collections.abc import Iterable
from datetime import date

from adapters.inert import Line, many
from engine.model.answer import Citation
from engine.model.frozen import Frozen
from engine.model.question import Basis, Intent
from engine.search.selection import SOURCE as SELECTION

CHOSEN = "the message that you chose"


class SourceLine(Frozen):
    """One numbered source: its place and its age."""

    number: int
    document: Line
    title: Line
    publisher: Line | None
    section: Line
    dated: Line
    url: Line | None
    demo: bool


class CitedPlace(Frozen):
    """A section of a document, with the numbers of its citations."""

    numbers: tuple[int, ...]
    section: Line
    url: Line | None


class CitedDocument(Frozen):
    """A document with all its numbers, and the places of its citations."""

    numbers: tuple[int, ...]
    title: Line
    publisher: Line | None
    dated: Line
    url: Line | None
    demo: bool
    places: tuple[CitedPlace, ...]


def documents(sources: Iterable[SourceLine]) -> tuple[CitedDocument, ...]:
    """Group sources by document, in the order of their first numbers."""
    held: dict[str, list[SourceLine]] = {}
    for source in sources:
        held.setdefault(source.document, []).append(source)
    return tuple(_make_document(cited) for cited in held.values())


def source_line(citation: Citation, intent: Intent, today: date) -> SourceLine:
    """Describe a citation; its age counts from today, or from the analysis date."""
    section = [part for part in citation.section if part != citation.title]
    return SourceLine(
        number=citation.number,
        document=citation.document,
        title=citation.title,
        publisher=citation.publisher,
        section=" > ".join(section),
        dated=_describe_date(citation, intent, today),
        url=citation.url,
        demo=citation.demo,
    )


def describe_age(then: date, today: date) -> str:
    """Describe the age of a source in plain words; a future date is named as such."""
    days = (today - then).days
    if days < 0:
        return "dated in the future"
    for limit, length, unit in ((14, 1, "day"), (61, 7, "week"), (731, 30.44, "month")):
        if days < limit:
            return f"{many(int(days / length), unit)} old"
    return f"{many(int(days / 365.25), 'year')} old"


def _make_document(cited: list[SourceLine]) -> CitedDocument:
    first = cited[0]
    places: dict[tuple[str, str | None], list[int]] = {}
    for source in cited:
        places.setdefault((source.section, source.url), []).append(source.number)
    return CitedDocument(
        numbers=_unique(source.number for source in cited),
        title=first.title,
        publisher=first.publisher,
        dated=first.dated,
        url=first.url,
        demo=any(source.demo for source in cited),
        places=tuple(
            CitedPlace(numbers=_unique(numbers), section=section, url=url)
            for (section, url), numbers in places.items()
        ),
    )


def _unique(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))


def _describe_date(citation: Citation, intent: Intent, today: date) -> str:
    """Describe the period of force and the age of a citation."""
    if citation.source == SELECTION:
        return CHOSEN
    said = filter(
        None, (_describe_force(citation), _describe_age(citation, intent, today))
    )
    return "; ".join(said) or "undated"


def _describe_force(citation: Citation) -> str:
    begins, ends = citation.in_force_from, citation.in_force_to
    if begins and ends:
        return f"in force from {begins} to {ends}"
    if begins:
        return f"in force since {begins}"
    return f"in force until {ends}" if ends else ""


def _describe_age(citation: Citation, intent: Intent, today: date) -> str:
    then = citation.published or citation.retrieved
    if then is None:
        return ""
    said = f"{'published' if citation.published else 'retrieved'} {then}"
    if intent.basis is Basis.TODAY or intent.as_of is None:
        return f"{said}, {describe_age(then, today)}"
    if then > intent.as_of:
        return f"{said}, after {intent.as_of}"
    return f"{said}, {describe_age(then, intent.as_of)} on {intent.as_of}"
