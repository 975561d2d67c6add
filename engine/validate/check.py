"""A draft through every validator, in order: an answer, or a rejection with its reason.

1. Whether it can be read: its size, its characters.
2. Provenance: a number outside the evidence rejects the draft (R-V1).
3. Statement by statement: quotations anchored and widened (R-I7, R-V2), prohibited
   phrases, addresses and markup (R-V5, R-V7, R-V8), figures and words (R-V3, R-V4),
   uncited sentences dropped (R-V9).
4. Citations beyond the most of a section are trimmed; what is left is counted again
   (R-A12), and too few for sensitive content reject the draft (R-I3, R-M4).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter

from engine.masking import preview
from engine.records import (
    Answer,
    Claim,
    ClaimTally,
    Draft,
    Finding,
    Intent,
    Question,
    Quote,
    Reason,
    Section,
)
from engine.validate.citations import Numbered, Passage, Statement, number, statements
from engine.validate.claims import Verdict
from engine.validate.figures import tokens
from engine.validate.markup import inert
from engine.validate.material import Material, normal, plain
from engine.validate.missing import not_found
from engine.validate.parts import Part
from engine.validate.statements import Bench, finding

LONGEST_DRAFT = 60_000  # characters; an answer has a few thousand
MOST_CLAIMS = 300


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer that passed, with what was objected to on the way.

    `unanchored` of `quotations` in the draft did not stand in their source (R-V2).
    """

    answer: Answer
    findings: tuple[Finding, ...]
    tally: ClaimTally
    quotations: int
    unanchored: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft of which nothing may be shown; `text` is all of it, for the event."""

    reason: Reason
    findings: tuple[Finding, ...]
    tally: ClaimTally
    quotations: int
    unanchored: int
    citations: int
    text: str
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    parts: list[Part]


def check(draft: Draft, material: Material) -> Verified | Rejected:
    """Judge a draft against its evidence and the pack's rules; never raises.

    What is not clearly allowed is dropped or rejects the draft; nothing goes silently.
    """
    bench = Bench(material)
    unreadable = _unreadable(draft)
    if unreadable:
        bench.findings.append(finding("draft", "unreadable", "reject", unreadable))
        return _rejected(Reason.INSUFFICIENT_CITATIONS, draft, bench)
    read = [
        (section.heading, [statements(claim) for claim in section.claims])
        for section in draft.sections
    ]
    unknown = _unknown(material, [s for _, c in read for listed in c for s in listed])
    if unknown is not None:
        bench.findings.append(unknown)
        return _rejected(Reason.CITATION_MISMATCH, draft, bench)
    sections = [_section(heading, claims, bench) for heading, claims in read]
    return _settle(draft, [s for s in sections if s.parts], bench)


def enforcement_event(
    question: Question, intent: Intent, rejected: Rejected
) -> dict[str, object]:
    """The `citation_enforcement_failed` event, with exactly the keys of R-M4."""
    return {
        "event": "citation_enforcement_failed",
        "sessionId": question.session,
        "messageId": question.id,
        "query": preview(question.text),
        "intent": intent.name,
        "citationCount": rejected.citations,
        "responsePreview": preview(rejected.text),
    }


# --- step by step -----------------------------------------------------------------


def _unreadable(draft: Draft) -> str | None:
    """Why a draft is not read at all, or None."""
    text = _text(draft)
    claims = sum(len(section.claims) for section in draft.sections)
    if claims > MOST_CLAIMS or len(text) > LONGEST_DRAFT:
        return f"is too long: {claims} claims, {len(text)} characters"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a character"
    return None


def _text(draft: Draft) -> str:
    parts: list[str] = []
    for section in draft.sections:
        parts += [section.heading, *(claim.text for claim in section.claims)]
    return "\n".join(filter(None, (*parts, *draft.not_found)))


def _unknown(material: Material, read: Sequence[Statement]) -> Finding | None:
    """R-V1: what a citation outside the evidence is told as, or None."""
    known = range(1, len(material.chunks) + 1)
    for statement in read:
        unknown = [str(n) for n in statement.citations if n not in known]
        if unknown:
            message = f"cites {', '.join(unknown)} of {len(known)} passages"
            return finding(
                "citations", "unknown_number", "reject", message, statement.text
            )
    return None


def _section(
    heading: str, claims: Sequence[Sequence[Statement]], bench: Bench
) -> _Section:
    shown: list[Quote] = []
    bench.open_section()
    parts = [part for listed in claims for part in bench.judge_all(listed, shown)]
    parts = _trimmed(_merged(parts, bench), bench)
    if not _stands_above(heading, parts, bench.material):
        message = "is no heading of the section contract or of every passage below it"
        bench.findings.append(finding("markup", "heading", "note", message, heading))
        heading = ""
    return _Section(inert(heading), parts)


def _stands_above(heading: str, parts: Sequence[Part], material: Material) -> bool:
    """Whether a heading is the contract's, or the source's own for every part."""
    said = normal(heading)
    if not said or said in map(normal, material.contract):
        return True
    cited = [part.passages for part in parts if part.passages]
    return all(
        any(said in material.headings(passage.number) for passage in passages)
        for passages in cited
    )


def _merged(parts: list[Part], bench: Bench) -> list[Part]:
    """R-I3: where a section cites too much, neighbours in one passage become one.

    Nothing is lost by it: the citation is longer, and still holds what it supports.
    """
    chunks, most = bench.material.chunks, bench.material.rules.most_in_section
    while len(number(chunks, _passages(parts)).citations) > most:
        near = min(_gaps(_passages(parts)), key=itemgetter(0), default=None)
        if near is None:
            return parts
        _, one, two = near
        whole = Passage(one.number, one.start, max(one.end, two.end))
        parts = [
            replace(part, passages=tuple(_within(p, whole) for p in part.passages))
            for part in parts
        ]
    return parts


def _passages(parts: Sequence[Part]) -> list[Passage]:
    return [passage for part in parts for passage in part.passages]


def _gaps(passages: Sequence[Passage]) -> Iterator[tuple[int, Passage, Passage]]:
    """The distance of neighbours in one chunk that do not overlap yet."""
    ordered = sorted(set(passages), key=lambda p: (p.number, p.start, p.end))
    for one, two in pairwise(ordered):
        if one.number == two.number and two.start >= one.end:
            yield two.start - one.end, one, two


def _within(passage: Passage, whole: Passage) -> Passage:
    inside = whole.start <= passage.start and passage.end <= whole.end
    return whole if inside and passage.number == whole.number else passage


def _trimmed(parts: list[Part], bench: Bench) -> list[Part]:
    """R-I3: at most so many citations a section, first those that a part needs."""
    most = bench.material.rules.most_in_section
    cited = number(bench.material.chunks, (p for part in parts for p in part.passages))
    if len(cited.citations) <= most:
        return parts
    needed = [passage for part in parts for passage in _needed(part)]
    others = [passage for part in parts for passage in part.passages]
    ranked = dict.fromkeys(cited.numbers[passage] for passage in (*needed, *others))
    kept = set(list(ranked)[:most])
    message = f"{len(cited.citations)} citations in a section, {most} are shown"
    bench.findings.append(finding("citations", "trimmed", "note", message))
    trimmed: list[Part] = []
    for part in parts:
        if any(cited.numbers[passage] not in kept for passage in _needed(part)):
            why = "rests on a citation that was trimmed"
            dropped = finding("citations", "trimmed", "drop", why, part.text)
            bench.findings.append(dropped)
            continue
        passages = tuple(p for p in part.passages if cited.numbers[p] in kept)
        trimmed.append(replace(part, passages=passages))
    return trimmed


def _needed(part: Part) -> tuple[Passage, ...]:
    """The passages without which a part cannot stand: one, or all that it quotes."""
    return part.passages if part.quotes and not part.quotation else part.passages[:1]


# --- the verdict ------------------------------------------------------------------


def _settle(
    draft: Draft, sections: Sequence[_Section], bench: Bench
) -> Verified | Rejected:
    """Count what is left and build the answer, or reject the draft."""
    material, findings = bench.material, bench.findings
    parts = [part for section in sections for part in section.parts]
    cited = number(material.chunks, (p for part in parts for p in part.passages))
    sensitive = any(part.sensitive for part in parts)
    missing = _missing(parts, material)
    left_open = missing or _admitted(draft, bench)
    if material.rules.partial == "refuse" and (left_open or bench.lost):
        message = "answers in part, and the pack refuses partial answers"
        findings.append(finding("draft", "partial", "reject", message))
        return _rejected(Reason.INSUFFICIENT_CONTEXT, draft, bench, cited)
    why = _too_few(parts, cited, sensitive=sensitive, bench=bench)
    if why:
        findings.append(finding("citations", "too_few", "reject", why))
        return _rejected(Reason.INSUFFICIENT_CITATIONS, draft, bench, cited)
    answer = Answer(
        sections=tuple(_built(section, cited) for section in sections),
        citations=cited.citations,
        minimum_citations=material.minimum if sensitive else material.rules.minimum,
        not_found=tuple(inert(text) for text in missing),
        attribution=material.attribution,
        mode=draft.mode,
    )
    return Verified(
        answer, tuple(findings), _tally(bench), bench.quotations, bench.unanchored
    )


def _too_few(
    parts: Sequence[Part], cited: Numbered, *, sensitive: bool, bench: Bench
) -> str | None:
    """Why the citations left do not suffice, or None (R-I3, R-A12)."""
    material, count = bench.material, len(cited.citations)
    if not parts:
        return "nothing is left that may be shown"
    documents = len({citation.document for citation in cited.citations})
    if sensitive and count < material.minimum:
        return f"sensitive content with {count} citations of {material.minimum}"
    if sensitive and documents < material.documents:
        return f"sensitive content from {documents} documents of {material.documents}"
    if count < material.rules.minimum:
        return f"{count} citations of {material.rules.minimum}"
    return None


def _missing(parts: Sequence[Part], material: Material) -> tuple[str, ...]:
    """What was not found, whatever a draft says of it (R-A12).

    The gate stayed closed for it, or nothing shown speaks of it.
    """
    cited = {passage.number for part in parts for passage in part.passages}
    chunks = [material.chunks[number - 1] for number in sorted(cited)]
    texts = [part.text for part in parts]
    left = not_found(material.question, material.rare, texts, chunks)
    return material.missing or tuple(left)


def _admitted(draft: Draft, bench: Bench) -> bool:
    """Whether a draft says itself that it leaves a part of the question open.

    That may refuse an answer and is never shown.
    """
    asked = set(bench.material.asked)
    message = "is named as not found by the draft, which cannot know it"
    for text in draft.not_found:
        bench.findings.append(finding("claims", "not_found", "note", message, text))
    said = [tokens(plain(text)) for text in draft.not_found]
    return any(named and asked.issuperset(named) for named in said)


def _built(section: _Section, cited: Numbered) -> Section:
    claims = tuple(
        Claim(
            text=part.text,
            citations=tuple(sorted({cited.numbers[p] for p in part.passages})),
            quotes=part.quotes,
            quotation=part.quotation,
            sensitive=part.sensitive,
        )
        for part in section.parts
    )
    return Section(heading=section.heading, claims=claims)


def _tally(bench: Bench) -> ClaimTally:
    return ClaimTally(
        supported=bench.verdicts.count(Verdict.SUPPORTED),
        partial=bench.verdicts.count(Verdict.PARTIAL),
        unsupported=bench.verdicts.count(Verdict.UNSUPPORTED),
        fabricated_quotes=bench.unanchored,
    )


def _rejected(
    reason: Reason, draft: Draft, bench: Bench, cited: Numbered | None = None
) -> Rejected:
    return Rejected(
        reason=reason,
        findings=tuple(bench.findings),
        tally=_tally(bench),
        quotations=bench.quotations,
        unanchored=bench.unanchored,
        citations=len(cited.citations) if cited else 0,
        text=_text(draft),
    )
