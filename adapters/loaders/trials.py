"""Trial records of ClinicalTrials.gov (API version 2): one, or a page of a search.

Each record is one document. Its canonical text has one line a field, "Label: value",
as the register's own page shows it, so that every field is a quotation; what is not in
the record has no line. Codes are written as the register's page writes them
(`ACTIVE_NOT_RECRUITING`: "Active, not recruiting"); nothing else is worded here.

A file goes in whole: where a record cannot be read, or the page holds fewer than it
says, the file is refused with the record's name (R-R2). JSON that is about something
else holds no document.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import re2

from adapters.loaders.canonical import CanonicalText, Piece, storable
from adapters.loaders.described import thing_of
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.markdown import append_markdown
from adapters.loaders.trial_results import results
from engine.documents.records import BlockKind, Parsed
from engine.errors import DocumentError, DocumentTooLarge

NAME = "clinicaltrials/2"
KIND = "trial"
PAGE = "https://clinicaltrials.gov/study/"
NUMBER = re2.compile(r"^NCT\d{8}$")
# The six registers of R-R2, as their numbers stand among other identifiers.
NUMBERS = re2.compile(
    r"(?i)\b(?:NCT\d{8}|ACTRN\d{14}|ISRCTN\d{8}|jRCT(?:s\d{9}|\d{10})|UMIN\d{9}"
    r"|20\d{2}-\d{6}-\d{2}(?:-\d{2})?)\b"
)
ESCAPED = re2.compile(r"\\([\\<>*_#~\[\]()`+.-])")
MOST_RECORDS = 1_000  # of one page, as the register's API allows

Record = Mapping[str, object]


def parse(text: str, path: str, limits: Limits) -> Loaded:
    """Every record of a file; none where it is JSON of another kind.

    Raises:
        DocumentError: it is no JSON, or a record of it is missing or unreadable.
        DocumentTooLarge: it passes a limit.
    """
    if not any(f'"{key}"' in text for key in ("protocolSection", "studies")):
        return Loaded(documents=())
    page = _read(text, path)
    if "protocolSection" in page:
        return Loaded(documents=(_document(page, path, limits),))
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
        _document(_mapping(study), f"{path}#{at}", limits)
        for at, study in enumerate(studies, 1)
    )
    _count(page, documents, path)
    return Loaded(documents=documents)


def _read(text: str, path: str) -> Record:
    try:
        page = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{path}: is not JSON ({error}); fetch it again") from error
    return _mapping(page)


def _count(page: Record, documents: Sequence[Parsed], path: str) -> None:
    """R-R2: every record once, and as many as the page says there are."""
    seen: dict[str, str] = {}
    for document in documents:
        first = seen.setdefault(str(document.url), document.path)
        if first != document.path:
            raise DocumentError(
                f"{document.path}: is the same record as {first} ({document.url}); "
                "fetch the page again"
            )
    total = page.get("totalCount")
    last = not page.get("nextPageToken") and not page.get("pageToken")
    if last and isinstance(total, int) and total != len(documents):
        raise DocumentError(
            f"{path}: says {total} records and holds {len(documents)}; fetch it again"
        )


def _document(study: Record, path: str, limits: Limits) -> Parsed:
    """One record.

    Raises:
        DocumentError: it has no number of the register, or no title.
    """
    protocol = _mapping(study.get("protocolSection"))
    identity = _mapping(protocol.get("identificationModule"))
    number, title = _line(identity.get("nctId")), _line(identity.get("briefTitle"))
    if not NUMBER.match(number) or not title:
        raise DocumentError(
            f"{path}: record {number or 'without a number'} has no "
            f"{'briefTitle' if number else 'nctId'}; fetch it again"
        )
    out = CanonicalText(path, limits)
    acronym = _line(identity.get("acronym"))
    out.add(Piece(BlockKind.HEADING, f"{acronym}: {title}" if acronym else title, 1))
    numbers = _numbers(number, identity)
    for label, value in _fields(protocol, numbers):
        if value:
            out.add(Piece(BlockKind.PARAGRAPH, f"{label}: {value}"))
    for line in results(_mapping(study.get("resultsSection"))):
        out.add(Piece(BlockKind.PARAGRAPH, f"Result: {line}"))
    names = (*numbers, acronym) if acronym else numbers
    described = thing_of(KIND, names, out.text, out.blocks)
    _prose(out, protocol)
    status = _mapping(protocol.get("statusModule"))
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=f"{acronym} ({number}): {title}" if acronym else f"{number}: {title}",
        url=PAGE + number,
        published=_day(status.get("lastUpdatePostDateStruct")),
        things=(described.model_copy(update={"end": len(out.text)}),),
    )


def _numbers(number: str, identity: Record) -> tuple[str, ...]:
    """The record's numbers in all registers, its own first."""
    others = [
        _line(_mapping(each).get("id")) for each in _list(identity, "secondaryIdInfos")
    ]
    aliases = [_line(each) for each in _list(identity, "nctIdAliases")]
    own = _line(_mapping(identity.get("orgStudyIdInfo")).get("id"))
    found = [n for text in (*aliases, own, *others) for n in NUMBERS.findall(text)]
    return tuple(dict.fromkeys((number, *found)))


def _fields(protocol: Record, numbers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The fields of a trial with their labels, in a fixed order."""
    identity = _mapping(protocol.get("identificationModule"))
    design = _mapping(protocol.get("designModule"))
    arms = _mapping(protocol.get("armsInterventionsModule"))
    outcomes = _mapping(protocol.get("outcomesModule"))
    conditions = _mapping(protocol.get("conditionsModule"))
    yield "Register number", ", ".join(numbers)
    yield "Acronym", _line(identity.get("acronym"))
    yield "Official title", _line(identity.get("officialTitle"))
    yield "Condition", "; ".join(map(_line, _list(conditions, "conditions")))
    yield "Keywords", "; ".join(map(_line, _list(conditions, "keywords")))
    yield "Phase", ", ".join(_code(p) for p in _list(design, "phases"))
    yield "Design", "; ".join(_design(design))
    yield "Enrollment", _enrolment(design)
    for arm in map(_mapping, _list(arms, "armGroups")):
        kind, label = _code(arm.get("type")), _line(arm.get("label"))
        told = _line(arm.get("description"))
        head = f"{label} ({kind})" if kind else label
        yield "Arm", f"{head}: {told}" if told else head
    for each in map(_mapping, _list(arms, "interventions")):
        kind, name = _code(each.get("type")), _line(each.get("name"))
        yield "Intervention", f"{name} ({kind})" if kind else name
    for label, key in (
        ("Primary endpoint", "primaryOutcomes"),
        ("Secondary endpoint", "secondaryOutcomes"),
    ):
        for outcome in map(_mapping, _list(outcomes, key)):
            yield label, _outcome(outcome)
    yield from _when(_mapping(protocol.get("statusModule")))
    sponsors = _mapping(protocol.get("sponsorCollaboratorsModule"))
    yield "Sponsor", _line(_mapping(sponsors.get("leadSponsor")).get("name"))


def _design(design: Record) -> Iterator[str]:
    info = _mapping(design.get("designInfo"))
    masking = _mapping(info.get("maskingInfo"))
    model = _code(info.get("interventionModel"))
    told = (
        _code(design.get("studyType")),
        _code(info.get("allocation")),
        f"{model} assignment" if model else "",
        _code(info.get("observationalModel")),
        _code(info.get("timePerspective")),
    )
    yield from filter(None, told)
    if masking.get("masking"):
        yield f"masking: {_code(masking.get('masking'))}"
    if info.get("primaryPurpose"):
        yield f"primary purpose: {_code(info.get('primaryPurpose'))}"


def _enrolment(design: Record) -> str:
    info = _mapping(design.get("enrollmentInfo"))
    count, kind = info.get("count"), _code(info.get("type"))
    if not isinstance(count, int) or isinstance(count, bool):
        return ""
    return f"{count} participants ({kind.lower()})" if kind else f"{count} participants"


def _outcome(outcome: Record) -> str:
    frame = _line(outcome.get("timeFrame"))
    measure = _line(outcome.get("measure"))
    return f"{measure} (time frame: {frame})" if frame else measure


def _when(status: Record) -> Iterator[tuple[str, str]]:
    stopped, told = _line(status.get("whyStopped")), _code(status.get("overallStatus"))
    yield "Status", f"{told} (why stopped: {stopped})" if stopped else told
    for label, key in (
        ("Start", "startDateStruct"),
        ("Primary completion", "primaryCompletionDateStruct"),
        ("Completion", "completionDateStruct"),
        ("Last update posted", "lastUpdatePostDateStruct"),
    ):
        day = _mapping(status.get(key))
        kind = _code(day.get("type")).lower()
        told = _line(day.get("date"))
        yield label, f"{told} ({kind})" if told and kind else told


def _prose(out: CanonicalText, protocol: Record) -> None:
    """The register's longer texts, which its API gives as Markdown."""
    told = _mapping(protocol.get("descriptionModule"))
    eligible = _mapping(protocol.get("eligibilityModule"))
    for heading, value in (
        ("Brief summary", told.get("briefSummary")),
        ("Detailed description", told.get("detailedDescription")),
        ("Eligibility criteria", eligible.get("eligibilityCriteria")),
    ):
        if isinstance(value, str) and value.strip():
            out.add(Piece(BlockKind.HEADING, heading, 2))
            append_markdown(out, storable(value))


def _day(struct: object) -> date | None:
    """A full date; a month alone is none."""
    try:
        return date.fromisoformat(_line(_mapping(struct).get("date")))
    except ValueError:
        return None


def _mapping(value: object) -> Record:
    return value if isinstance(value, Mapping) else {}


def _list(fields: Record, key: str) -> Sequence[object]:
    value = fields.get(key)
    return value if isinstance(value, list) else ()


def _line(value: object) -> str:
    """A text as one line without Markdown's escapes; empty where it is no text."""
    if not isinstance(value, str):
        return ""
    return " ".join(str(ESCAPED.sub(r"\1", storable(value))).split())


_WORDED = {
    "NA": "Not applicable",
    "EARLY_PHASE1": "Early phase 1",
    "ACTIVE_NOT_RECRUITING": "Active, not recruiting",
    "NON_RANDOMIZED": "Non-randomized",
    "NONE": "None (open label)",
}


def _code(value: object) -> str:
    """A code of the register in its words: PHASE2 is "Phase 2"."""
    code = _line(value)
    if code in _WORDED:
        return _WORDED[code]
    if code.startswith("PHASE"):
        return f"Phase {code.removeprefix('PHASE')}"
    return code.replace("_", " ").capitalize()
