"""Parts of a question before the gate: the first decides, a missing one is said."""

from collections.abc import Sequence

import pytest

from engine.model.answer import Answer
from engine.model.codes import Reason
from engine.model.evidence import Evidence
from engine.model.gate import Closed, Open
from engine.model.outcome import Refusal
from engine.model.passage import Chunk, Pick
from engine.model.question import Intent
from engine.parse.intent import AskedPart
from engine.pipeline.partial import Judged, judge_parts, judge_readings
from engine.policy.pack import Pack
from engine.text.quotable import text_of
from tests.demo import Room
from tests.engine.small_pack import chunk, evidence, intent, small_pack
from tests.engine.verify.drafts import chunks_of

FIRST, SECOND = "first", "second"
PARTS = tuple(AskedPart(name, intent(text=name)) for name in (FIRST, SECOND))


def found(documents: Sequence[str], *, citations: int = 1, needs: int = 1) -> Judged:
    """Evidence that opens the gate, of these documents."""
    chunks = tuple(chunk(0.9, document) for document in documents)
    opened = Open(
        rule="test",
        chunks=chunks,
        documents=len(chunks),
        required_documents=needs,
        tier_one=False,
        minimum_citations=citations,
    )
    return Judged(evidence(chunks), opened)


def nothing(reason: Reason = Reason.LOW_SCORE) -> Judged:
    """Evidence that does not open it."""
    low: Evidence = evidence([chunk(0.2)])
    return Judged(low, Closed(reason=reason, explanation="no"))


async def asked(
    whole: Judged, by_part: dict[str, Judged], pack: Pack | None = None
) -> tuple[Judged, list[str]]:
    """What it comes to, and which parts were searched for."""
    searched: list[str] = []

    async def judge(part: Intent) -> Judged:
        searched.append(part.text)
        return by_part[part.text]

    return await judge_parts(whole, PARTS, judge, pack or small_pack()), searched


async def test_both_parts_give_their_passages_R_A12() -> None:
    """Citations and documents are asked for as of the strictest part (R-I3)."""
    parts = {FIRST: found(["a"], citations=2), SECOND: found(["b", "c"], needs=2)}
    judged, searched = await asked(nothing(), parts)
    assert isinstance(judged.decision, Open)
    assert [c.document for c in judged.decision.chunks] == ["a", "b", "c"]
    assert judged.decision.required_documents == 2
    assert judged.evidence.chunks == judged.decision.chunks
    assert not judged.decision.missing
    assert searched == [FIRST, SECOND]


async def test_what_is_mainly_asked_must_open_the_gate_R_I6() -> None:
    """Then nothing else is searched for, and the whole is refused as it was."""
    whole = nothing()
    judged, searched = await asked(whole, {FIRST: nothing(), SECOND: found(["a"])})
    assert judged.decision is whole.decision
    assert searched == [FIRST]
    assert [p.reason for p in judged.evidence.trace.parts] == [Reason.LOW_SCORE]


async def test_a_missing_part_is_said_or_refused_as_the_pack_says_R_A12() -> None:
    parts = {FIRST: found(["a"]), SECOND: nothing()}
    said, _ = await asked(nothing(), parts)
    assert isinstance(said.decision, Open)
    assert said.decision.missing == (SECOND,)
    strict = small_pack()
    answer = strict.answer.model_copy(update={"partial": "refuse"})
    refused, _ = await asked(
        nothing(), parts, strict.model_copy(update={"answer": answer})
    )
    assert isinstance(refused.decision, Closed)


@pytest.mark.parametrize(
    "reason", [Reason.OUT_OF_SCOPE, Reason.RECENCY_FAIL, Reason.UNSUPPORTED_LANGUAGE]
)
async def test_a_part_is_free_of_no_other_reason_R_G2(reason: Reason) -> None:
    whole = nothing(reason)
    judged, searched = await asked(whole, {FIRST: found(["a"])})
    assert judged is whole
    assert not searched


async def test_where_the_whole_opens_parts_only_add_R_A12() -> None:
    """What was found for the whole stays, and no part is called missing."""
    whole = found(["w"])
    judged, _ = await asked(whole, {FIRST: nothing(), SECOND: found(["b"])})
    assert isinstance(judged.decision, Open)
    assert [c.document for c in judged.decision.chunks] == ["w", "b"]
    assert not judged.decision.missing
    alone, _ = await asked(whole, {FIRST: nothing(), SECOND: nothing()})
    assert alone.decision is whole.decision


async def test_a_passage_that_serves_two_parts_stands_once_R_A12() -> None:
    parts = {FIRST: found(["a", "b"]), SECOND: found(["b"])}
    judged, _ = await asked(nothing(), parts)
    assert isinstance(judged.decision, Open)
    assert [c.document for c in judged.decision.chunks] == ["a", "b"]


# --- over the demo texts ------------------------------------------------------------


async def test_the_missing_part_is_named_and_never_guessed_at_R_A12(
    room: Room,
) -> None:
    """The record says what was searched for; the answer holds the first part alone."""
    outcome = await room.ask(
        "oncology", "How is capecitabine taken and what is its price?"
    )
    assert isinstance(outcome.result, Answer)
    assert outcome.result.not_found == ("what is its price",)
    assert len(outcome.result.citations) >= 2
    assert outcome.trace is not None
    reasons = {part.meant: part.reason for part in outcome.trace.parts}
    assert reasons["what is capecitabine's price?"] is Reason.LOW_SCORE


async def test_the_textbook_refuses_where_a_part_is_missing_R_A12(room: Room) -> None:
    outcome = await room.ask("textbook", "What is SLAM and who invented it?")
    assert isinstance(outcome.result, Refusal)


async def test_both_parts_are_answered_R_A12(room: Room) -> None:
    outcome = await room.ask(
        "textbook", "What is a node and how can it be renamed at start time?"
    )
    assert isinstance(outcome.result, Answer)
    said = " ".join(c.text for s in outcome.result.sections for c in s.claims)
    assert "participant" in said
    assert "renamed at start time" in said


@pytest.mark.parametrize(
    "question",
    [
        "How many minutes does the brachytherapy implantation take, and what is it?",
        "What does capecitabine cost and how is it taken?",
        "How is capecitabine taken in dogs and how often in cats?",
    ],
)
async def test_a_near_miss_is_not_made_answerable_R_I6(
    room: Room, question: str
) -> None:
    """What is mainly asked is missing, or a restriction would have to be dropped."""
    outcome = await room.ask("oncology", question)
    assert isinstance(outcome.result, Refusal)


async def turns(
    by_text: dict[str, Judged], *, story: bool = True
) -> tuple[str, Judged, list[str]]:
    """Which reading counts, what it comes to, and what was searched for."""
    searched: list[str] = []

    async def judge(read: Intent) -> Judged:
        searched.append(read.text)
        return by_text[read.text]

    told = intent(text=SECOND) if story else None
    first = next(iter(by_text))
    read, judged = await judge_readings(intent(text=first), filter(None, [told]), judge)
    return read.text, judged, searched


async def test_a_story_is_searched_for_where_the_question_alone_fell_short_R_U9() -> (
    None
):
    opened = found(["a"])
    assert await turns({FIRST: nothing(), SECOND: opened}) == (
        SECOND,
        opened,
        [FIRST, SECOND],
    )


async def test_a_story_changes_nothing_of_a_question_that_is_answered_R_U9() -> None:
    opened = found(["a"])
    assert await turns({FIRST: opened, SECOND: nothing()}) == (FIRST, opened, [FIRST])


@pytest.mark.parametrize(
    ("asked", "pointing"),
    [
        ("can I still do it", True),
        ("does that hurt", True),
        ("is this why", True),
        ("who won the cup", False),
        ("is there more", False),
    ],
)
async def test_a_question_of_unknown_words_is_read_with_what_it_points_at_R_U9(
    asked: str, pointing: bool
) -> None:
    """No word of it stands in the documents, so it is about what was told, or about
    something else."""
    unknown, opened = nothing(Reason.OUT_OF_SCOPE), found(["a"])
    searched = (await turns({asked: unknown, SECOND: opened}))[2]
    assert searched == ([asked, SECOND] if pointing else [asked])


@pytest.mark.parametrize("reason", [Reason.OUT_OF_SCOPE, Reason.LOW_TRUST])
async def test_no_story_talks_a_rule_away_R_U9_R_G5(reason: Reason) -> None:
    closed = nothing(reason)
    assert await turns({FIRST: closed, SECOND: found(["a"])}) == (
        FIRST,
        closed,
        [FIRST],
    )


async def test_the_reading_that_came_nearer_says_what_is_offered_R_U9_R_Q5() -> None:
    """With the story or without it; and without one there is nothing to try."""
    near, far = nothing(), nothing()
    near = near._replace(evidence=evidence([chunk(0.3)]))
    assert (await turns({FIRST: far, SECOND: near}))[0] == SECOND
    assert (await turns({FIRST: near, SECOND: far}))[0] == FIRST
    assert (await turns({FIRST: near}, story=False))[2] == [FIRST]


async def in_rivalry(
    first: tuple[str, Judged],
    *rivals: tuple[str, Judged],
    about: tuple[str, Judged] | None = None,
    goes_on: bool = False,
) -> tuple[str, list[str]]:
    """The reading that is taken, and which were searched for; `about` has a title."""
    known, searched = dict((first, *rivals, *([about] if about else []))), []

    async def judge(read: Intent) -> Judged:
        searched.append(read.text)
        return known[read.text]

    def read(named: tuple[str, Judged]) -> Intent:
        return intent(text=named[0], follow_up=goes_on)

    below = read(about) if about else None
    taken, _ = await judge_readings(read(first), (), judge, map(read, rivals), below)
    return taken.text, searched


def surer(judged: Judged) -> Judged:
    """The same, of higher relevance."""
    chunks = (c.model_copy(update={"relevance": 0.95}) for c in judged.evidence.chunks)
    return Judged(evidence(tuple(chunks)), judged.decision)


async def test_of_rival_readings_the_best_answered_is_taken_R_U14() -> None:
    """Two questions side by side open the gate with either."""
    low, high = found(["a"]), surer(found(["b"]))
    taken, searched = await in_rivalry(("A? B?", low), ("B?", high), ("C?", nothing()))
    assert taken == "B?"
    assert searched == ["A? B?", "B?", "C?"]


async def test_one_question_that_is_answered_has_no_rival_R_U14() -> None:
    taken, searched = await in_rivalry(("A?", found(["a"])), ("B?", found(["b"])))
    assert (taken, searched) == ("A?", ["A?"])
    taken, _ = await in_rivalry(("A?", nothing()), ("B?", found(["b"])))
    assert taken == "B?"


async def test_a_question_below_a_title_is_taken_where_that_is_better_R_U14() -> None:
    """No rule has to find what "it" is; an answer that is as good alone stays."""
    low, high = found(["a"]), surer(found(["b"]))
    both = ["Can men?", "Tamoxifen: can men?"]
    for alone, below, taken in (
        (nothing(), low, both[1]),
        (low, high, both[1]),
        (low, low, both[0]),
        (high, low, both[0]),
        (low, nothing(), both[0]),
        (nothing(), nothing(), both[0]),
    ):
        title = (both[1], below)
        came = await in_rivalry((both[0], alone), about=title, goes_on=True)
        assert came == (taken, both)


@pytest.mark.parametrize("told", ["named", "unknown_names"])
async def test_a_new_subject_is_read_below_no_title_R_U14(told: str) -> None:
    """Answered alone, or naming an entity, found or not."""
    opened = found(["a"])
    alone = ("How do I study?", opened)
    below = ("T: how do I study?", found(["b"]))
    assert await in_rivalry(alone, about=below) == (alone[0], [alone[0]])
    trace = opened.evidence.trace.model_copy(update={told: ("NCT99999999",)})
    named = Judged(
        opened.evidence.model_copy(update={"trace": trace}), nothing().decision
    )
    came = await in_rivalry((alone[0], named), about=below, goes_on=True)
    assert came == (alone[0], [alone[0]])


async def test_where_a_title_helps_no_rule_is_tried_R_U14() -> None:
    opened = found(["a"])
    alone, rival = ("It?", nothing()), ("Is A it?", opened)
    came = await in_rivalry(alone, rival, about=("T: it?", opened), goes_on=True)
    assert came == ("T: it?", ["It?", "T: it?"])
    came = await in_rivalry(alone, rival, about=("T: it?", nothing()), goes_on=True)
    assert came == ("Is A it?", ["It?", "T: it?", "Is A it?"])


GLAZES = """# Glazes

| Glaze | Cone | Food safe |
|---|---|---|
| Clear gloss | 6 | yes |
| Copper red | 10 | no |
| Matt white | 6 | yes |

Copper red is a favourite.
"""


def table(relevance: float, document: str = "glazes") -> Chunk:
    """The table as a passage of which the last sentence came nearest."""
    (found,) = chunks_of(GLAZES, document)
    last = Pick(sentence=len(found.sentences) - 1, score=1.0, relevance=relevance)
    return found.model_copy(update={"picks": (last,), "relevance": relevance})


def opened(*chunks: Chunk) -> Judged:
    """Evidence of these passages, which opens the gate."""
    judged = found(["any"])
    assert isinstance(judged.decision, Open)
    decision = judged.decision.model_copy(update={"chunks": chunks})
    return Judged(evidence(chunks), decision)


async def compared(
    whole: Judged,
    one: Judged,
    other: Judged,
    pack: Pack | None = None,
    names: tuple[str, str] = ("clear gloss", "copper red"),
) -> Judged:
    """What a comparison of two glazes comes to."""
    sides = [AskedPart(name, intent(text=name), side=True) for name in names]
    by_side = dict(zip(names, (one, other), strict=True))

    async def judge(side: Intent) -> Judged:
        return by_side[side.text]

    return await judge_parts(whole, sides, judge, pack or small_pack())


async def test_the_rows_of_both_come_first_where_a_table_holds_both_R_U15() -> None:
    """Where the whole opens the gate, and where one side alone does."""
    here = opened(table(0.9))
    for whole, one in ((here, nothing()), (nothing(), here)):
        judged = await compared(whole, one, nothing())
        assert isinstance(judged.decision, Open)
        (chunk_,) = judged.decision.chunks
        ranked = sorted(chunk_.picks, key=lambda pick: -pick.score)
        rows = [text_of(chunk_, chunk_.sentences[p.sentence]) for p in ranked[:2]]
        assert rows == ["Clear gloss | 6 | yes", "Copper red | 10 | no"]


async def test_words_of_the_head_belong_to_a_row_R_U15() -> None:
    """A column's name picks no row: the row is copper red's, and not every row's."""
    names = ("clear gloss", "copper red food safe")
    judged = await compared(opened(table(0.9)), nothing(), nothing(), names=names)
    assert isinstance(judged.decision, Open)
    (chunk_,) = judged.decision.chunks
    ranked = sorted(chunk_.picks, key=lambda pick: -pick.score)
    rows = [text_of(chunk_, chunk_.sentences[p.sentence]) for p in ranked[:2]]
    assert rows == ["Clear gloss | 6 | yes", "Copper red | 10 | no"]


async def test_a_table_that_would_not_be_quoted_compares_nothing_R_U15() -> None:
    """The other page is quoted first; so the side that is not clear closes the gate."""
    one = opened(chunk(0.9, "first"), table(0.6))
    assert isinstance(one.decision, Open)
    unclear = Judged(
        evidence([table(0.4)]), Closed(reason=Reason.LOW_SCORE, explanation="no")
    )
    judged = await compared(nothing(), one, unclear)
    assert isinstance(judged.decision, Closed)


async def test_one_side_alone_is_shown_only_with_what_is_missing_R_U15_R_I6() -> None:
    """Named as not found where no passage names it; refused where the pack refuses."""
    judged = await compared(nothing(), found(["clear"]), nothing())
    assert isinstance(judged.decision, Open)
    assert judged.decision.missing == ("copper red",)
    answer = small_pack().answer.model_copy(update={"partial": "refuse"})
    pack = small_pack().model_copy(update={"answer": answer})
    for whole in (nothing(), found(["clear"])):
        judged = await compared(whole, found(["clear"]), nothing(), pack)
        assert isinstance(judged.decision, Closed)
