"""Sources, rules and drafts for tests of the validators."""

from collections.abc import Sequence
from typing import Any

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.documents.chunks import TOKENS, make_chunks
from engine.documents.corpus import build_document
from engine.model.draft import Draft, DraftClaim, DraftSection, Selected
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.policy.rules import Material, Rules, gather_material
from engine.verify.check import Rejected, Verified, check
from tests.engine.small_pack import data

GUIDANCE = "I recommend speaking with your oncologist about these symptoms."

# Written for these tests; the drug names are real, the statements need not be.
GUIDE = """# Tamoxifen

Tamoxifen is a hormone therapy for breast cancer. It may also cause hot flashes.
Adults usually take 20 mg once a day for 5 to 10 years, unless the doctor says
otherwise. Do not take tamoxifen during pregnancy, because it may harm the baby.
After chemotherapy, fatigue can last for months.
Chemotherapy causes cancer cells to die.
The drug lowers the risk of breast cancer and it raises the risk of blood clots.
In a trial (NCT01234567), 1,500 women got 2.5 mg/m² on day 1 and 12% stopped early.

## Side effects

Side effects include:

- nausea
- hair loss, which can be complete
- hot flashes

People with a fever of 38 °C or higher must call the clinic within 24 hours.

## Do not combine

Do not take tamoxifen together with these medicines:

- paroxetine
- warfarin
"""
SECOND = """# Letrozole

Letrozole is an aromatase inhibitor. Women should not take letrozole before menopause.
A dose of 2.5 mg is taken every day with or without food. Joint pain is common.
Bone density must be checked every two years. Typically, women stop after five years.
"""


def chunks_of(text: str, document: str = "guide", **changes: Any) -> tuple[Chunk, ...]:
    """The chunks of a Markdown text as they would be stored."""
    parsed = markdown.parse(text, f"{document}.md", Limits())
    stored = build_document(parsed, changes.pop("source", "one"))
    chunks = make_chunks(stored, changes.pop("tokens", TOKENS))
    update = {"document": document, "relevance": 0.9, **changes}
    return tuple(chunk.model_copy(update=update) for chunk in chunks)


def pack_of(**changes: Any) -> Pack:
    """A technical pack with no sensitive words."""
    sensitive = {"exempt_texts": [GUIDANCE]}
    tables = data(domain="technical", sensitive=sensitive, **changes)
    tables["sources"] = [
        {**source, "url_prefixes": ["https://www.cancer.gov/"]}
        for source in tables["sources"]
    ]
    tables["citations"] = {"minimum_sensitive": 1, **changes.get("citations", {})}
    return Pack.model_validate(tables)


def medical_pack(**changes: Any) -> Pack:
    """The same with sensitive words and two citations for what is sensitive."""
    tables = pack_of(**changes).model_dump()
    tables |= {"domain": "medical", "citations": {"minimum_sensitive": 2}}
    tables["sensitive"] = {"terms": ["aspirin"], "exempt_texts": [GUIDANCE]}
    return Pack.model_validate(tables)


def room(
    chunks: Sequence[Chunk],
    pack: Pack | None = None,
    question: str = "What is the usual dose of tamoxifen?",
    **changes: Any,
) -> Material:
    """What a draft on these chunks is checked against."""
    pack = pack or pack_of()
    opened = {"rule": "r", "documents": 1, "tier_one": False, "minimum_citations": 1}
    intent = {"query_type": "general", "name": "OTHER", "sensitive": False}
    intent |= {key: changes.pop(key) for key in tuple(changes) if key in intent}
    return gather_material(
        Open.model_validate({**opened, "chunks": tuple(chunks), **changes}),
        Intent.model_validate({**intent, "text": question}),
        Rules.of(pack),
    )


def selecting(place: Material, *texts: str) -> DraftClaim:
    """A claim that selects the sentences that begin so, wherever they stand."""
    found = [
        Selected(chunk=number, sentence=at)
        for text in texts
        for number, chunk in enumerate(place.chunks, start=1)
        for at, sentence in enumerate(chunk.sentences)
        if chunk.text[sentence.start - chunk.start :].startswith(text)
    ]
    assert len(found) == len(texts), texts
    return DraftClaim(sentences=tuple(found))


def draft(*claims: DraftClaim, heading: str = "", **changes: Any) -> Draft:
    """A draft of one section."""
    return Draft(sections=(DraftSection(heading=heading, claims=claims),), **changes)


def checked(
    place: Material, *claims: DraftClaim, **changes: Any
) -> Verified | Rejected:
    """The verdict on a draft of one section."""
    return check(draft(*claims, **changes), place)


def shown(verdict: Verified | Rejected) -> list[str]:
    """The texts of the claims that may be shown; none where the draft was rejected."""
    if isinstance(verdict, Rejected):
        return []
    return [c.text for section in verdict.answer.sections for c in section.claims]


def codes(verdict: Verified | Rejected) -> list[str]:
    """The codes of the findings, in order."""
    return [finding.code for finding in verdict.findings]
