"""Outcomes built by hand, for tests of how a reply looks."""

from datetime import date

from engine.conclude.fallback import list_homepages
from engine.model.answer import Answer, Citation, Claim, Quote, Section
from engine.model.codes import Reason, RefusalReason
from engine.model.document import BlockKind, Sentence
from engine.model.gate import Closed, Open
from engine.model.outcome import Nearest, Outcome, Refusal
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.policy.pack import Link, Wording
from engine.text.quotable import OMITTED

TODAY = date(2026, 11, 22)
WORDING = Wording(
    acknowledgement="That matters.",
    lacks="The documents do not hold this.",
    turn_to="Ask the team.",
    reasons={},
    first_use="Questions are stored.",
    demo_label="Demo texts, not for care.",
    not_found="Not found in the sources: {missing}",
    ask_again="Ask again in the sources' own words",
)
POINTING = WORDING.model_copy(
    update={
        "links": (
            Link(title="An Institute", url="https://institute.example/"),
            Link(title="A Society", url="https://society.example/cancer"),
        )
    }
)
KINDS = {
    "#": BlockKind.HEADING,
    "-": BlockKind.LIST_ITEM,
    "`": BlockKind.CODE,
}


def chunk(text: str, name: str = "c1", document: str = "d1") -> Chunk:
    """A chunk with one sentence a line; a first `#`, `-` or backtick sets its kind."""
    sentences = []
    plain = ""
    for number, line in enumerate(text.split("\n")):
        kind = KINDS.get(line[:1], BlockKind.PARAGRAPH)
        body = line[1:] if line[:1] in KINDS else line
        start = len(plain)
        plain += body + "\n"
        sentences.append(
            Sentence(start=start, end=start + len(body), kind=kind, block=number)
        )
    return Chunk(
        id=name,
        document=document,
        version="v",
        source="s",
        title="Mouth care",
        section=("Mouth care", "At home"),
        ordinal=0,
        start=0,
        end=len(plain) - 1,
        line_start=1,
        text=plain[:-1],
        sentences=tuple(sentences),
    )


def citation(number: int, cited: Chunk, **changes: object) -> Citation:
    """The whole of a chunk as a numbered source."""
    made = Citation(
        number=number,
        chunk=cited.id,
        document=cited.document,
        version="v",
        source="s",
        title=cited.title,
        section=cited.section,
        start=cited.start,
        end=cited.end,
        relevance=0.91,
        publisher="A Hospital",
        url=f"https://example.org/{cited.document}",
        published=date(2026, 1, 10),
    )
    return made.model_copy(update=changes)


def quotation(number: int, cited: Chunk) -> Claim:
    """The whole of a chunk as one verbatim claim."""
    quote = Quote(
        text=cited.text,
        chunk=cited.id,
        document=cited.document,
        version="v",
        start=cited.start,
        end=cited.end,
    )
    return Claim(text=cited.text, citations=(number,), quotes=(quote,), quotation=True)


def closed(number: int, cited: Chunk, *places: tuple[int, int]) -> Claim:
    """A claim of several runs of a document that stand at these places of a chunk."""
    quotes = tuple(
        Quote(
            text=cited.text[start:end],
            chunk=cited.id,
            document=cited.document,
            version="v",
            start=cited.start + start,
            end=cited.start + end,
        )
        for start, end in places
    )
    text = f"\n{OMITTED}\n".join(quote.text for quote in quotes)
    return Claim(text=text, citations=(number,), quotes=quotes, quotation=True)


def listing() -> Outcome:
    """An answer that quotes the second item of a list, with the line above it."""
    cited = chunk("Do this:\n-Take salt.\n-Take water.")
    claim = closed(1, cited, (0, 8), (20, 31))
    made = answered(cited)
    assert isinstance(made.result, Answer)
    section = Section(heading="", claims=(claim,))
    result = made.result.model_copy(update={"sections": (section,)})
    return made.model_copy(update={"result": result})


def answered(*chunks: Chunk, **changes: object) -> Outcome:
    """An answer that quotes each chunk in full."""
    answer = Answer(
        sections=(
            Section(
                heading="",
                claims=tuple(quotation(n, c) for n, c in enumerate(chunks, 1)),
            ),
        ),
        citations=tuple(citation(n, c) for n, c in enumerate(chunks, 1)),
        attribution="{publisher} writes in {title}:",
    )
    return outcome(
        answer,
        gate=Open(
            rule="two documents",
            chunks=chunks,
            documents=len({c.document for c in chunks}),
            tier_one=False,
            minimum_citations=1,
        ),
        **changes,
    )


def parted(*more: bool, **changes: object) -> Outcome:
    """An answer of one document for each, a part of them behind "Show more"."""
    chunks = [chunk(f"Step {n}.", f"c{n}", f"d{n}") for n in range(1, len(more) + 1)]
    made = answered(*chunks, **changes)
    assert isinstance(made.result, Answer)
    (section,) = made.result.sections
    claims = tuple(
        claim.model_copy(update={"more": behind})
        for claim, behind in zip(section.claims, more, strict=True)
    )
    fixed = Claim(text="Ask your team.", citations=())
    sections = (
        Section(heading="STEPS", claims=claims),
        Section(heading="", claims=(fixed,)),
    )
    result = made.result.model_copy(
        update={"sections": sections, "not_found": ("how often",)}
    )
    return made.model_copy(update={"result": result})


def refused(**changes: object) -> Outcome:
    """A refusal by the gate, with one passage that came near."""
    refusal = Refusal(
        reason=Reason.LOW_SCORE,
        shown_reason=RefusalReason.LOW_CONFIDENCE,
        explanation="Nothing comes close enough.",
        fallback="That matters. See https://example.org.",
        numbers={"best": 0.214, "needed": 0.7},
    )
    near = Nearest(
        document_id="d9",
        title="Nearby",
        section="A part",
        url="https://example.org/d9",
        relevance=0.21,
    )
    closed = Closed(reason=Reason.LOW_SCORE, explanation="Nothing comes close enough.")
    return outcome(refusal, gate=closed, nearest=(near,), **changes)


def pointed(text: str = "That matters. See https://example.org.") -> Outcome:
    """A refusal that ends with the homepages of POINTING, as the engine writes it."""
    made = refused()
    fallback = f"{text}\n\n{list_homepages(POINTING)}"
    result = made.result.model_copy(update={"fallback": fallback})
    return made.model_copy(update={"result": result})


def outcome(result: Answer | Refusal, **changes: object) -> Outcome:
    """An outcome around a result."""
    made = Outcome(
        question=Question(id="q", session="s", text="How?", pack="oncology"),
        intent=Intent(
            query_type="general", name="GENERAL", text="How?", sensitive=False
        ),
        result=result,
        audit_id="a-1",
    )
    return made.model_copy(update=changes)
