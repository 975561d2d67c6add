"""Trial records of ClinicalTrials.gov (API version 2): one, or a page of a search.

Each record is one document. Its canonical text has one line a field, "Label: value", as
the register's page shows it, so that every field can be quoted; an absent field has no
line. Codes are written as on the register's page (`ACTIVE_NOT_RECRUITING`: "Active, not
recruiting"); no other value is reworded.

A file is loaded as a whole: where a record cannot be read, or the page has fewer
records than it states, the file is refused with the record's name. Other JSON has no
document.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice

import re2

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.described import make_thing
from adapters.loaders.fields import read_json
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.markdown import append_markdown
from adapters.loaders.readers import make_loader_name
from adapters.loaders.record_fields import Fields
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError, DocumentTooLarge

NAME = make_loader_name("clinicaltrials")
KIND = "trial"
PAGE = "https://clinicaltrials.gov/study/"
NUMBER = re2.compile(r"^NCT\d{8}$")
# The numbers of six registers, as they occur among other identifiers.
NUMBERS = re2.compile(
    r"(?i)\b(?:NCT\d{8}|ACTRN\d{14}|ISRCTN\d{8}|jRCT(?:s\d{9}|\d{10})|UMIN\d{9}"
    r"|20\d{2}-\d{6}-\d{2}(?:-\d{2})?)\b"
)
MONTH = re2.compile(r"^\d{4}(?:-\d{2})?$")
MOST_RECORDS = 1_000  # of one page, as the register's API allows

Record = Mapping[str, object]
_WORDED = {
    "NA": "Not applicable",
    "EARLY_PHASE1": "Early phase 1",
    "ACTIVE_NOT_RECRUITING": "Active, not recruiting",
    "NON_RANDOMIZED": "Non-randomized",
    "NONE": "None (open label)",
}
MOST_OUTCOMES = 60  # of one record; a remark counts the others


def parse(text: str, path: str, limits: Limits) -> Loaded:
    """Parse every record of a file; there is none in other JSON.

    Raises:
        DocumentError: it is not JSON, or a record is missing or unreadable.
        DocumentTooLarge: it passes a limit.
    """
    if not any(f'"{key}"' in text for key in ("protocolSection", "studies")):
        return Loaded(documents=())
    page = _read_page(text, path)
    if "protocolSection" in page:
        return Loaded(documents=(_read_record(page, path, limits),))
    if "studies" not in page:
        return Loaded(documents=())
    studies = page["studies"]
    if not isinstance(studies, list) or not studies:
        raise DocumentError(
            f'{path}: "studies" is no list with at least one record; fetch it again'
        )
    if len(studies) > MOST_RECORDS:
        raise DocumentTooLarge(f"{path}: more than {MOST_RECORDS:,} records; split it")
    documents = tuple(
        _read_record(study, f"{path}#{at}", limits)
        for at, study in enumerate(studies, 1)
    )
    _check_count(page, documents, path)
    return Loaded(documents=documents)


def _read_page(text: str, path: str) -> Record:
    try:
        page = read_json(text)
    except ValueError as error:
        raise DocumentError(
            f"{path}: does not read as JSON ({error}); fetch it again"
        ) from error
    return page if isinstance(page, Mapping) else {}


def _check_count(page: Record, documents: Sequence[Parsed], path: str) -> None:
    """Check that every record occurs once, and that as many are there as stated."""
    seen: dict[str, str] = {}
    for document in documents:
        first = seen.setdefault(str(document.url), document.path)
        if first != document.path:
            raise DocumentError(
                f"{document.path}: is the same record as {first} ({document.url}); "
                "fetch the page again"
            )
    total = Fields(page, path).count("totalCount")
    last = not page.get("nextPageToken") and not page.get("pageToken")
    if last and total and int(total) != len(documents):
        raise DocumentError(
            f"{path}: says {total} records and holds {len(documents)}; fetch it again"
        )


def _read_record(value: object, path: str, limits: Limits) -> Parsed:
    """Read one record.

    Raises:
        DocumentError: it has no number of the register, no title, or an unreadable
            field.
    """
    study = Fields.of(value, f"{path}: record {_find_number(value)}")
    protocol = study.inside("protocolSection")
    identity = protocol.inside("identificationModule")
    number, title = identity.line("nctId"), identity.line("briefTitle")
    if not NUMBER.match(number) or not title:
        raise DocumentError(
            f"{path}: record {_find_number(value)} has no "
            f"{'briefTitle' if number else 'nctId'}; fetch it again"
        )
    out = CanonicalText(path, limits)
    acronym = identity.line("acronym")
    out.add(Piece(BlockKind.HEADING, f"{acronym}: {title}" if acronym else title, 1))
    numbers = _list_numbers(number, identity)
    for label, said in _list_fields(protocol, numbers):
        if said:
            out.add(Piece(BlockKind.PARAGRAPH, f"{label}: {said}"))
    outcomes = _read_outcomes(study)
    for line in list_results(outcomes):
        out.add(Piece(BlockKind.PARAGRAPH, f"Result: {line}"))
    names = (*numbers, acronym) if acronym else numbers
    described = make_thing(KIND, names, out.text, out.blocks)
    _append_prose(out, protocol)
    left = len(outcomes) - MOST_OUTCOMES
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=f"{acronym} ({number}): {title}" if acronym else f"{number}: {title}",
        url=PAGE + number,
        published=_read_day(
            protocol.inside("statusModule", "lastUpdatePostDateStruct")
        ),
        things=(described.model_copy(update={"end": len(out.text)}),),
        remarks=(f"has {left} outcomes more, which are not read",) if left > 0 else (),
    )


def _find_number(study: object) -> str:
    """Find the number of a record for messages, as far as it can be read."""
    for name in ("protocolSection", "identificationModule", "nctId"):
        study = study.get(name) if isinstance(study, Mapping) else None
    return study if isinstance(study, str) and study else "without a number"


def _read_outcomes(study: Fields) -> Sequence[Fields]:
    """Read the outcomes of a record.

    Raises:
        DocumentError: it states that it has results, and has none.
    """
    if study.data.get("hasResults") is True and "resultsSection" not in study.data:
        raise DocumentError(
            f"{study.place} has results and no resultsSection; fetch it again"
        )
    return list_outcomes(study.inside("resultsSection"))


def _list_numbers(number: str, identity: Fields) -> tuple[str, ...]:
    """List the record's numbers in all registers, its own first."""
    others = [each.line("id") for each in identity.each("secondaryIdInfos")]
    aliases = identity.lines("nctIdAliases")
    own = identity.inside("orgStudyIdInfo").line("id")
    found = [n for text in (*aliases, own, *others) for n in NUMBERS.findall(text)]
    return tuple(dict.fromkeys((number, *found)))


def _list_fields(protocol: Fields, numbers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """List the fields of a trial with their labels, in a fixed order."""
    identity = protocol.inside("identificationModule")
    design = protocol.inside("designModule")
    arms = protocol.inside("armsInterventionsModule")
    outcomes = protocol.inside("outcomesModule")
    conditions = protocol.inside("conditionsModule")
    yield "Register number", ", ".join(numbers)
    yield "Acronym", identity.line("acronym")
    yield "Official title", identity.line("officialTitle")
    yield "Condition", "; ".join(conditions.lines("conditions"))
    yield "Keywords", "; ".join(conditions.lines("keywords"))
    yield "Phase", ", ".join(map(_word_code, design.lines("phases")))
    yield "Design", "; ".join(_list_design(design))
    yield "Enrollment", _word_enrolment(design.inside("enrollmentInfo"))
    for arm in arms.each("armGroups"):
        kind, label = _read_code(arm, "type"), arm.needed("label")
        told = arm.line("description")
        head = f"{label} ({kind})" if kind else label
        yield "Arm", f"{head}: {told}" if told else head
    for each in arms.each("interventions"):
        kind, name = _read_code(each, "type"), each.needed("name")
        yield "Intervention", f"{name} ({kind})" if kind else name
    for label, key in (
        ("Primary endpoint", "primaryOutcomes"),
        ("Secondary endpoint", "secondaryOutcomes"),
    ):
        for outcome in outcomes.each(key):
            yield label, _word_outcome(outcome)
    yield from _list_dates(protocol.inside("statusModule"))
    sponsors = protocol.inside("sponsorCollaboratorsModule")
    yield "Sponsor", sponsors.inside("leadSponsor").line("name")


def _list_design(design: Fields) -> Iterator[str]:
    info = design.inside("designInfo")
    model = _read_code(info, "interventionModel")
    told = (
        _read_code(design, "studyType"),
        _read_code(info, "allocation"),
        f"{model} assignment" if model else "",
        _read_code(info, "observationalModel"),
        _read_code(info, "timePerspective"),
    )
    yield from filter(None, told)
    masking = _read_code(info.inside("maskingInfo"), "masking")
    if masking:
        yield f"masking: {masking}"
    purpose = _read_code(info, "primaryPurpose")
    if purpose:
        yield f"primary purpose: {purpose}"


def _word_enrolment(info: Fields) -> str:
    count, kind = info.count("count"), _read_code(info, "type")
    if not count:
        return ""
    return f"{count} participants ({kind.lower()})" if kind else f"{count} participants"


def _word_outcome(outcome: Fields) -> str:
    frame = outcome.line("timeFrame")
    measure = outcome.needed("measure")
    return f"{measure} (time frame: {frame})" if frame else measure


def _list_dates(status: Fields) -> Iterator[tuple[str, str]]:
    stopped, told = status.line("whyStopped"), _read_code(status, "overallStatus")
    yield "Status", f"{told} (why stopped: {stopped})" if stopped else told
    for label, key in (
        ("Start", "startDateStruct"),
        ("Primary completion", "primaryCompletionDateStruct"),
        ("Completion", "completionDateStruct"),
        ("Last update posted", "lastUpdatePostDateStruct"),
    ):
        day = status.inside(key)
        kind, told = _read_code(day, "type").lower(), day.line("date")
        yield label, f"{told} ({kind})" if told and kind else told


def _append_prose(out: CanonicalText, protocol: Fields) -> None:
    """Append the register's longer texts, which are Markdown."""
    told = protocol.inside("descriptionModule")
    eligible = protocol.inside("eligibilityModule")
    for heading, value in (
        ("Brief summary", told.text("briefSummary")),
        ("Detailed description", told.text("detailedDescription")),
        ("Eligibility criteria", eligible.text("eligibilityCriteria")),
    ):
        if value.strip():
            out.add(Piece(BlockKind.HEADING, heading, 2))
            append_markdown(out, value)


def _read_day(struct: Fields) -> date | None:
    """Read a full date; return None for a month or year alone.

    Raises:
        DocumentError: it is not a date.
    """
    said = struct.line("date")
    if not said or MONTH.match(said):
        return None
    try:
        return date.fromisoformat(said)
    except ValueError as error:
        raise DocumentError(
            f"{struct.place}.date is no date; fetch it again"
        ) from error


def _read_code(fields: Fields, name: str) -> str:
    """Read a code of the register in words: PHASE2 is "Phase 2"."""
    return _word_code(fields.line(name))


def _word_code(code: str) -> str:
    if code in _WORDED:
        return _WORDED[code]
    if code.startswith("PHASE"):
        return f"Phase {code.removeprefix('PHASE')}"
    return code.replace("_", " ").capitalize()


def list_outcomes(section: Fields) -> Sequence[Fields]:
    """List the outcomes of a record's results section."""
    return section.inside("outcomeMeasuresModule").each("outcomeMeasures")


def list_results(outcomes: Sequence[Fields]) -> Iterator[str]:
    """List the results of a record's outcomes, in its order.

    Raises:
        DocumentError: one of them cannot be read.
    """
    for outcome in islice(outcomes, MOST_OUTCOMES):
        title = outcome.needed("title")
        figures = "; ".join(_list_figures(outcome))
        if figures:
            kind = outcome.line("type").lower()
            frame = outcome.line("timeFrame")
            told = f"{kind} outcome, {title}" if kind else title
            told += f" (time frame: {frame})" if frame else ""
            yield f"{told}: {figures}"


def _list_figures(outcome: Fields) -> Iterator[str]:
    """List each measurement with arm, class or category, unit and spread."""
    groups = {
        group.needed("id"): group.needed("title") for group in outcome.each("groups")
    }
    unit, spread_of = outcome.line("unitOfMeasure"), outcome.line("dispersionType")
    for one in outcome.each("classes"):
        for category in one.each("categories"):
            place = ", ".join(filter(None, [one.line("title"), category.line("title")]))
            for measured in category.each("measurements"):
                arm = _find_arm(measured, groups)
                value = _word_measurement(measured, unit, spread_of)
                if value:
                    yield f"{arm}, {place}: {value}" if place else f"{arm}: {value}"


def _find_arm(measured: Fields, groups: Mapping[str, str]) -> str:
    """Find the arm of a measurement.

    Raises:
        DocumentError: it belongs to no group.
    """
    group = measured.needed("groupId")
    if group not in groups:
        raise DocumentError(f"{measured.place} is of no group; fetch it again")
    return groups[group]


def _word_measurement(measured: Fields, unit: str, spread_of: str) -> str:
    value = measured.line("value")
    lower, upper = measured.line("lowerLimit"), measured.line("upperLimit")
    spread = measured.line("spread")
    told = f"{value} {unit}".strip() if value else ""
    if told and lower and upper:
        return f"{told} ({spread_of or 'range'} {lower} to {upper})"
    return f"{told} ({spread_of} {spread})" if told and spread and spread_of else told
