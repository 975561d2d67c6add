"""A draft through every validator, in order: an answer, or a rejection with its reason.

1. Readability: its size, its characters. 2. Provenance: a number that was not offered
rejects the draft. 3. Claim by claim (selections.py): sentences that may be shown, with
their dependencies; whether they answer. 4. Each part under the heading that takes its
source, in the contract's order. 5. Citations beyond the most of a section are trimmed;
the rest is counted, and too few for sensitive content reject the draft. 6. The contract
is completed: the fixed texts of sections, empty ones included.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from engine.model.answer import Answer, Claim, ClaimTally, Finding, Quote, Section
from engine.model.codes import Reason
from engine.model.draft import Draft
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.policy.contract import (
    CONTRACT,
    describe_missing,
    find_section,
    match_heading,
    select_sections,
)
from engine.policy.rules import Material
from engine.text.answers import Verdict
from engine.text.markup import make_inert
from engine.text.masking import preview
from engine.text.quotable import read_text_at, text_of
from engine.verify.blocks import make_cards
from engine.verify.citations import Numbered, number
from engine.verify.limits import Part, collect_passages, merge_citations
from engine.verify.sections import SectionParts as _Section
from engine.verify.sections import find_lead, find_missing_fields
from engine.verify.selections import DraftChecker, make_finding

MOST_CLAIMS = 300
MOST_SENTENCES = 1_000


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer that passed, with the objections on the way."""

    answer: Answer
    findings: tuple[Finding, ...]
    tally: ClaimTally


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft of which nothing may be shown; `text` is its selection, for the event.

    `gaps` are the parts of the question that a draft without claims names as missing.
    """

    reason: Reason
    findings: tuple[Finding, ...]
    tally: ClaimTally
    citations: int
    text: str
    gaps: tuple[str, ...] = ()


def check(
    draft: Draft, material: Material, doubted: frozenset[str] = frozenset()
) -> Verified | Rejected:
    """Judge a draft against its evidence and the pack's rules; never raises.

    A part that is not clearly allowed is dropped or rejects the draft, with a finding.

    Args:
        draft: the selection.
        material: the evidence and rules.
        doubted: quotations that a judge took away.
    """
    checker = DraftChecker(material, doubted)
    if draft.discarded:
        told = f"words beside the numbers, which are discarded: {draft.discarded}"
        checker.findings.append(make_finding("draft", "discarded", "note", told))
    unreadable = _find_unreadable(draft)
    if unreadable:
        checker.findings.append(
            make_finding("draft", "unreadable", "reject", unreadable)
        )
        return _reject(Reason.INSUFFICIENT_CITATIONS, draft, checker)
    unknown = checker.find_unknown(draft)
    if unknown is not None:
        checker.findings.append(unknown)
        return _reject(Reason.CITATION_MISMATCH, draft, checker)
    opened = make_cards(material)
    checker.note_quoted(opened)
    sections = list(_compose(draft, checker))
    if material.contract:
        sections = _arrange(sections, checker)
        sections = [
            _Section(
                s.heading,
                [*s.parts, *checker.make_parts(find_missing_fields(s, material))],
            )
            for s in sections
        ]
    beside = [part for section in sections for part in section.parts]
    opened = make_cards(material, beside)
    sections = list(_add_cards(opened, sections, material))
    chunks, most = material.chunks, material.rules.most_in_section
    sections = [
        _Section(s.heading, _trim(merge_citations(s.parts, chunks, most), checker))
        for s in sections
    ]
    return _settle(draft, [s for s in sections if s.parts], checker)


def enforcement_event(
    question: Question, intent: Intent, rejected: Rejected
) -> dict[str, object]:
    """Make the `citation_enforcement_failed` event."""
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


def _find_unreadable(draft: Draft) -> str | None:
    """Return why a draft is not read at all, or None."""
    claims = [claim for section in draft.sections for claim in section.claims]
    sentences = sum(len(claim.sentences) for claim in claims)
    if sentences > MOST_SENTENCES or len(claims) > MOST_CLAIMS:
        return f"is too long: {len(claims)} claims, {sentences} sentences"
    words = (*(section.heading for section in draft.sections), *draft.texts)
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        return "holds half of a character"
    return None


def _compose(draft: Draft, checker: DraftChecker) -> Iterator[_Section]:
    """Yield the sections of a draft; a model's first opens with the nearest passage."""
    selected = [checker.list_selected(section.claims) for section in draft.sections]
    if draft.mode == "llm" and selected:
        selected[0][:0] = checker.find_left_out(chain.from_iterable(selected))
    for section, runs in zip(draft.sections, selected, strict=True):
        yield _Section(
            _match_heading(section.heading, checker), checker.make_parts(runs)
        )


def _match_heading(heading: str, checker: DraftChecker) -> str:
    known = match_heading(heading, checker.material)
    if known is None:
        message = "is no heading of the section contract, and is not shown"
        checker.findings.append(
            make_finding(CONTRACT, "heading", "note", message, heading)
        )
    return known or ""


def _arrange(sections: Sequence[_Section], checker: DraftChecker) -> list[_Section]:
    """Move the parts under the headings that take their sources, in the contract's
    order.
    """
    material = checker.material
    found = {rule.heading: _Section(rule.heading, []) for rule in material.contract}
    for section in sections:
        for part in section.parts:
            names = _name_source(part, material)
            rule = find_section(material.contract, names, part.text, section.heading)
            if rule is None:
                why = f"is of {min(names)}, which no section of the contract takes"
                lost = make_finding(CONTRACT, "no_section", "drop", why, part.text)
                checker.findings.append(lost)
                continue
            found[rule.heading].parts.append(part)
    named = material.named_types
    for held in list(found.values())[:1]:  # named publishers come first
        held.parts.sort(key=lambda part: named.isdisjoint(_name_source(part, material)))
    return list(found.values())


def _name_source(part: Part, material: Material) -> frozenset[str]:
    """Return the names by which a rule may know the source of a part."""
    source = material.chunks[part.passages[0].number - 1].source
    return material.rules.names.get(source, frozenset((source,)))


def _add_cards(
    opened: list[Part], sections: Sequence[_Section], material: Material
) -> Sequence[_Section]:
    """Open the first section with the record cards.

    Above them is the sentence that answers, where more than fields is asked for.
    """
    if not opened:
        return sections
    lead = None if material.looked_up else find_lead(sections, material)
    sections = [
        _Section(section.heading, [part for part in section.parts if part is not lead])
        for section in sections
    ]
    first = sections[0] if sections else _Section("", [])
    above = [lead] if lead is not None else []
    return [_Section(first.heading, [*above, *opened, *first.parts]), *sections[1:]]


def _trim(parts: list[Part], checker: DraftChecker) -> list[Part]:
    """Trim citations beyond a section's most; those cited first are kept."""
    most = checker.material.rules.most_in_section
    cited = number(
        checker.material.chunks, (p for part in parts for p in part.passages)
    )
    if len(cited.citations) <= most:
        return parts
    ranked = dict.fromkeys(cited.numbers[p] for part in parts for p in part.passages)
    kept = set(list(ranked)[:most])
    why = f"{len(cited.citations)} citations in a section, {most} are shown"
    checker.findings.append(make_finding("citations", "trimmed", "note", why))
    trimmed: list[Part] = []
    for part in parts:
        if any(cited.numbers[passage] not in kept for passage in part.passages):
            why = "rests on a citation that was trimmed"
            dropped = make_finding("citations", "trimmed", "drop", why, part.text)
            checker.findings.append(dropped)
            continue
        trimmed.append(part)
    return trimmed


# --- the verdict ------------------------------------------------------------------


def _settle(
    draft: Draft, sections: Sequence[_Section], checker: DraftChecker
) -> Verified | Rejected:
    """Count the remaining citations and build the answer, or reject the draft."""
    material, findings = checker.material, checker.findings
    parts = [part for section in sections for part in section.parts]
    passages = (p for part in parts for p in part.passages)
    cited = number(material.chunks, passages, material.rules.hosts)
    sensitive = any(part.sensitive for part in parts)
    missing = material.missing
    if material.rules.partial == "refuse" and missing:
        message = "answers in part, and the pack refuses partial answers"
        findings.append(make_finding("draft", "partial", "reject", message))
        return _reject(Reason.INSUFFICIENT_CONTEXT, draft, checker, cited)
    judged = parts and not material.looked_up
    lacking = checker.find_lack(parts) if judged else None
    if lacking is not None:
        findings.append(make_finding("answers", "lacking", "reject", lacking))
        return _reject(Reason.INSUFFICIENT_CONTEXT, draft, checker, cited)
    why = _find_too_few(parts, cited, sensitive=sensitive, checker=checker)
    if why:
        findings.append(make_finding("citations", "too_few", "reject", why))
        return _reject(Reason.INSUFFICIENT_CITATIONS, draft, checker, cited)
    lost = _find_incomplete(draft, sections, material)
    if lost is not None:
        findings.append(make_finding(CONTRACT, "missing_section", "reject", lost))
        return _reject(Reason.INSUFFICIENT_CITATIONS, draft, checker, cited)
    built = [_build_section(section, cited) for section in sections]
    built = list(_complete(built, sections, material)) if material.contract else built
    fixed = checker.list_fixed_texts(draft)
    if fixed:
        built.append(Section(heading="", claims=fixed))
    answer = Answer(
        sections=tuple(built),
        citations=cited.citations,
        minimum_citations=material.minimum if sensitive else material.rules.minimum,
        not_found=tuple(make_inert(text) for text in missing),
        attribution=material.attribution,
        mode=draft.mode,
    )
    return Verified(answer, tuple(findings), _count_claims(checker, parts))


def _find_too_few(
    parts: Sequence[Part], cited: Numbered, *, sensitive: bool, checker: DraftChecker
) -> str | None:
    """Return why the remaining citations do not suffice, or None."""
    material, count = checker.material, len(cited.citations)
    if not parts:
        return "nothing is left that may be shown"
    witness = {chunk.document: chunk.witness for chunk in material.chunks}
    documents = len({witness[citation.document] for citation in cited.citations})
    if sensitive and count < material.minimum:
        return f"sensitive content with {count} citations of {material.minimum}"
    if sensitive and documents < material.documents:
        return f"sensitive content from {documents} documents of {material.documents}"
    if count < material.rules.minimum:
        return f"{count} citations of {material.rules.minimum}"
    return None


def _build_section(section: _Section, cited: Numbered) -> Section:
    claims: list[Claim] = []
    for part in section.parts:
        claims.append(
            Claim(
                text=part.text,
                citations=tuple(sorted({cited.numbers[p] for p in part.passages})),
                quotes=part.quotes,
                quotation=bool(part.quotes),
                sensitive=part.sensitive,
                row=part.row,
            )
        )
        if part.after:
            claims.append(Claim(text=make_inert(part.after), citations=()))
    return Section(heading=section.heading, claims=tuple(claims))


def _find_incomplete(
    draft: Draft, sections: Sequence[_Section], material: Material
) -> str | None:
    """Return why the contract is not kept: a section that has to be filled is empty.

    A model that left the first section empty is asked again where there is evidence for
    it: only where there is none the section may say so.
    """
    held = {section.heading for section in sections}
    for at, rule in enumerate(material.contract):
        if rule.heading in held or rule.may_lack:
            continue
        evidence = any(
            not material.rules.names[chunk.source].isdisjoint(rule.sources)
            for chunk in material.chunks
            if chunk.source in material.rules.names
        )
        passed_over = at == 0 and evidence and draft.mode == "llm"
        if rule.empty is None or passed_over:
            return f"nothing stands under {rule.heading}"
    return None


def _complete(
    built: Sequence[Section], sections: Sequence[_Section], material: Material
) -> Iterator[Section]:
    """Yield the sections of the contract, with the pack's fixed texts.

    A heading is shown only above a sentence; one last line names what is missing.
    """
    held = {section.heading: section for section in built}
    cited: dict[str, list[Chunk]] = {}
    for each in sections:
        numbers = dict.fromkeys(p.number for p in collect_passages(each.parts))
        cited[each.heading] = [material.chunks[number - 1] for number in numbers]
    for rule in material.contract:
        section = held.get(rule.heading)
        said = [rule.says] if rule.says else []
        if section is None and rule.empty is not None:
            said = [rule.empty, *said]
        claims = section.claims if section else ()
        fixed = tuple(Claim(text=make_inert(text), citations=()) for text in said)
        if claims or fixed:
            yield Section(heading=rule.heading, claims=(*claims, *fixed))
    names = material.rules.names
    known = [chunk for chunk in material.chunks if chunk.source in names]
    contract = select_sections(material.contract, material.named_types)
    lacking = describe_missing(contract, cited, known, names)
    if lacking is not None:
        last = Claim(text=make_inert(lacking), citations=())
        yield Section(heading="", claims=(last,))


def _count_claims(checker: DraftChecker, parts: Iterable[Part] = ()) -> ClaimTally:
    return ClaimTally(
        supported=checker.verdicts.count(Verdict.SUPPORTED),
        unsupported=checker.verdicts.count(Verdict.UNSUPPORTED),
        fabricated_quotes=_count_unanchored(checker.material, parts),
    )


def _count_unanchored(material: Material, parts: Iterable[Part]) -> int:
    """Count quotes that are not at their place in the text."""
    chunks = {chunk.id: chunk for chunk in material.chunks}
    quotes = (quote for part in parts for quote in part.quotes)
    return sum(not _is_anchored(quote, chunks[quote.chunk]) for quote in quotes)


def _is_anchored(quote: Quote, chunk: Chunk) -> bool:
    try:
        return read_text_at(chunk, quote.start, quote.end) == quote.text
    except KeyError:
        return False


def _reject(
    reason: Reason, draft: Draft, checker: DraftChecker, cited: Numbered | None = None
) -> Rejected:
    return Rejected(
        reason=reason,
        findings=tuple(checker.findings),
        tally=_count_claims(checker),
        citations=len(cited.citations) if cited else 0,
        text=_render_selection(draft, checker.material),
    )


def _render_selection(draft: Draft, material: Material) -> str:
    """Return the headings of a draft, each above the sentences that it selected."""
    lines: list[str] = []
    for section in draft.sections:
        lines.append(section.heading)
        for each in (one for claim in section.claims for one in claim.sentences):
            for chunk in material.chunks[each.chunk - 1 : each.chunk]:
                held = chunk.sentences[each.sentence : each.sentence + 1]
                lines += [text_of(chunk, sentence) for sentence in held]
    return "\n".join(filter(None, (*lines, *draft.texts)))
