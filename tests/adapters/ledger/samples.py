"""Documents and outcomes to put into a ledger."""

import hashlib
from collections.abc import Sequence

from engine.model.answer import Answer, Citation, Claim, Finding, Quote, Section
from engine.model.codes import Reason, RefusalReason
from engine.model.document import Block, BlockKind, Document, Sentence
from engine.model.frozen import Span
from engine.model.gate import Closed, Open
from engine.model.outcome import Nearest, Outcome, Refusal
from engine.model.question import Intent, Question

TEXT = "Rest often. Drink enough water.\n\nCall the team about a fever."
REST, WATER, FEVER = (
    Span(start=0, end=11),
    Span(start=12, end=31),
    Span(start=33, end=61),
)


def document(text: str = TEXT, id: str = "rest", **changes: object) -> Document:
    """A document of one paragraph and one sentence."""
    whole = {"start": 0, "end": len(text), "kind": BlockKind.PARAGRAPH}
    made = Document(
        id=id,
        version=hashlib.sha256(text.encode()).hexdigest(),
        source="clinic",
        path=f"clinic/{id}.md",
        title=f"About {id}",
        text=text,
        blocks=(Block.model_validate(whole),),
        sentences=(Sentence.model_validate(whole),),
        loader="test 1",
        url=f"https://example.org/{id}",
    )
    return made.model_copy(update=changes)


def question(**changes: object) -> Question:
    """A question somebody asked."""
    asked = Question(
        id="q-1",
        session="thread-7",
        text="May I sleep all day?",
        pack="oncology",
        asker="asker-4711",
    )
    return asked.model_copy(update=changes)


def intent(text: str = "May I sleep all day?") -> Intent:
    """A sensitive intent."""
    return Intent(
        query_type="general",
        name="INFORMATIONAL_SYMPTOMS",
        text=text,
        sensitive=True,
        named=("sleep",),
    )


def answered(
    cited: Document, spans: Sequence[Span] = (REST, WATER), **changes: object
) -> Outcome:
    """An answer that quotes these spans of a document, each as a source of its own."""
    asked = question(**changes)
    claims = tuple(
        Claim(
            text=span.of(cited.text),
            citations=(number,),
            quotes=(_quote(cited, span),),
            quotation=True,
            sensitive=True,
        )
        for number, span in enumerate(spans, 1)
    )
    answer = Answer(
        sections=(Section(heading="", claims=claims),),
        citations=tuple(
            _citation(cited, span, number) for number, span in enumerate(spans, 1)
        ),
        minimum_citations=len(spans),
        not_found=("how long",),
        attribution="{publisher} writes in {title}:",
    )
    return Outcome(
        question=asked,
        intent=intent(asked.text),
        result=answer,
        gate=Open(
            rule="two passages",
            chunks=(),
            documents=1,
            tier_one=True,
            minimum_citations=len(spans),
        ),
        pack_version="1.0.0",
        pack_hash="abc",
        notices=("Demo texts.",),
        milliseconds={"retrieve": 12.25},
    )


def leaning(cited: Document, **changes: object) -> Outcome:
    """An answer that cites one span, and quotes another of the text above it."""
    made = answered(cited, [FEVER], **changes)
    assert isinstance(made.result, Answer)
    (claim,) = made.result.sections[0].claims
    whole = f"{REST.of(cited.text)}\n[\u2026]\n{claim.text}"
    quotes = (_quote(cited, REST), *claim.quotes)
    closed = claim.model_copy(update={"text": whole, "quotes": quotes})
    sections = (Section(heading="", claims=(closed,)),)
    result = made.result.model_copy(update={"sections": sections})
    return made.model_copy(update={"result": result})


def refused(**changes: object) -> Outcome:
    """A refusal whose gate stayed closed."""
    asked = question(**changes)
    return Outcome(
        question=asked,
        intent=intent(asked.text),
        result=Refusal(
            reason=Reason.LOW_SCORE,
            shown_reason=RefusalReason.LOW_CONFIDENCE,
            explanation="The best passage reached 0.21.",
            fallback="I have nothing reliable on this.",
        ),
        gate=Closed(
            reason=Reason.LOW_SCORE,
            explanation="The best passage reached 0.21.",
            numbers={"best": 0.21, "needed": 0.3},
        ),
        nearest=(
            Nearest(
                document_id="rest",
                title="About rest",
                section="At home",
                url=None,
                relevance=0.21,
            ),
        ),
        findings=(
            Finding(
                validator="figures",
                code="NUMBER",
                severity="reject",
                message="no 12 in the source",
                claim="Sleep 12 hours.",
            ),
        ),
    )


def _quote(cited: Document, span: Span) -> Quote:
    return Quote(
        text=span.of(cited.text),
        chunk=f"{cited.id}#0",
        document=cited.id,
        version=cited.version,
        start=span.start,
        end=span.end,
    )


def _citation(cited: Document, span: Span, number: int) -> Citation:
    return Citation(
        number=number,
        chunk=f"{cited.id}#0",
        document=cited.id,
        version=cited.version,
        source=cited.source,
        title=cited.title,
        section=("About", "At home"),
        start=span.start,
        end=span.end,
        relevance=0.75,
        publisher="A clinic",
        url=cited.url,
    )
