"""The best passages are read, each for itself, by the packaged small reader (R-G11)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from adapters.reader import make_small_reader
from engine.model.document import BlockKind
from engine.model.errors import ReaderFailed
from engine.model.frozen import Span
from engine.model.passage import Chunk, Pick
from engine.model.ports import Candidate, Readable, Reader, ReaderScore
from engine.rank.calibration import GENERAL, SURE, Calibration, Linear, Place
from engine.rank.reading import (
    BEFORE,
    FOUND,
    LIKELY,
    MOST,
    Bounds,
    Reading,
    make_readable,
    rank_for_reading,
    read,
)
from tests.engine.rank.chunks import chunk_of

QUESTION = "When does hair grow back after chemotherapy?"
HAIR = "Hair grows back two to three months after the last chemotherapy."
HAT = "A hat keeps the head warm."
NOTHING = Linear(names=(), mean=(), scale=(), weights=())
PLAIN = Calibration(
    embedder="e",
    reader="r",
    order=NOTHING,
    relevance=NOTHING,
    reading=Linear(names=(FOUND, BEFORE), mean=(0, 0), scale=(10, 10), weights=(10, 0)),
    floor=-4.0,
    places={GENERAL: Place(even=0.0, sure=SURE)},
    selected=0.0,
)


@dataclass
class Overheard:
    """The real small reader, and what it was given."""

    name: str = "overheard"
    reader: Reader = field(default_factory=make_small_reader)
    given: list[tuple[str, Readable]] = field(default_factory=list)

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        self.given += [(question, passage) for passage in passages]
        return await self.reader.read(question, passages)


@dataclass
class Pointing:
    """A reader that is sure, and points at one place."""

    start: int
    name: str = "pointing"

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        return [ReaderScore(3.0, self.start) for _ in passages]


@dataclass
class Away:
    """A reader that cannot be reached."""

    name: str = "away"

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        raise ReaderFailed("away")


def passage(number: int, *sentences: str, **changes: object) -> Chunk:
    """A judged passage; all of one document, at one relevance."""
    lines = [(sentence, BlockKind.PARAGRAPH) for sentence in sentences]
    picks = [Pick(sentence=n, score=-n, relevance=0.6) for n in range(len(lines))]
    told = {"id": f"c{number}", "relevance": 0.6, "picks": tuple(picks), **changes}
    return chunk_of(lines, **told)


def found(chunks: Sequence[Chunk]) -> list[Candidate]:
    return [Candidate(chunk, None, 0.5) for chunk in chunks]


async def test_no_passage_has_the_relevance_of_another_R_G6_R_G11() -> None:
    """Two of one page, which search took for equally near."""
    chunks = [passage(1, HAT), passage(2, HAIR)]
    reading = Reading(make_small_reader(), PLAIN)
    best, other = await read(reading, QUESTION, chunks, found(chunks), Bounds())
    assert best.id == "c2"
    assert best.relevance > 0.8 > 0.2 > other.relevance
    assert all(pick.relevance == best.relevance for pick in best.picks)


async def test_what_was_not_read_or_lies_below_the_floor_opens_nothing_R_G11() -> None:
    """Whatever else speaks for it."""
    chunks = [passage(n, HAT, relevance=0.99) for n in range(MOST + 2)]
    overheard = Overheard()
    reading = Reading(overheard, PLAIN.model_copy(update={"floor": 30.0}))
    judged = await read(reading, QUESTION, chunks, found(chunks), Bounds())
    assert len(overheard.given) == MOST
    assert [chunk.relevance for chunk in judged] == [0.0] * len(chunks)


async def test_features_speak_for_a_passage_and_not_against_it_R_G6() -> None:
    """A question in everyday words shares few of them with the page that answers."""
    weighed = Linear(
        names=(FOUND, LIKELY), mean=(0, 0), scale=(10, 10), weights=(1, 10)
    )
    reading = Reading(Pointing(0), PLAIN.model_copy(update={"reading": weighed}))
    strange, even, near = [
        (await read(reading, QUESTION, [one], found([one]), Bounds()))[0].relevance
        for one in (passage(1, HAIR, relevance=r) for r in (0.001, 0.5, 0.9))
    ]
    assert strange == even < near


async def test_the_sentence_that_the_reader_points_at_is_the_best_R_A3() -> None:
    chunks = [passage(1, HAT, "Scarves are warm, too.", HAIR)]
    reading = Reading(make_small_reader(), PLAIN)
    (chunk,) = await read(reading, QUESTION, chunks, found(chunks), Bounds())
    assert chunk.picks[0].sentence == 2
    assert chunk.picks[0].score == max(pick.score for pick in chunk.picks)
    assert {pick.sentence for pick in chunk.picks} == {0, 1, 2}


def test_no_heading_is_read_twice_R_G11() -> None:
    """A page whose first heading is its title, a passage that opens with its own."""
    chunk = passage(1, "40 Misrepresentation", HAIR).model_copy(
        update={
            "title": "Immigration Act, section 40: Misrepresentation",
            "section": ("40 Misrepresentation",),
        }
    )
    assert make_readable(chunk) == Readable(chunk.title, HAIR)
    alone = passage(1, "Hair").model_copy(
        update={"title": "Hair", "section": ("Care",)}
    )
    assert make_readable(alone) == Readable("Hair > Care", "Hair")


async def test_pointing_counts_from_below_the_headings_R_A3() -> None:
    chunk = passage(1, "Hair loss", HAT, "Scarves are warm, too.", HAIR).model_copy(
        update={"title": "Chemotherapy", "section": ("Hair loss",)}
    )
    reading = Reading(make_small_reader(), PLAIN)
    (judged,) = await read(reading, QUESTION, [chunk], found([chunk]), Bounds())
    assert judged.picks[0].sentence == 3


async def test_the_head_of_a_table_is_not_pointed_at_R_A3_R_A15() -> None:
    """The reader points at it, for it begins the table: it states nothing alone."""
    chunk = passage(1, "Freezer | Month | Who", "Beta | March | Tomas")
    head, row = chunk.sentences
    span = Span(start=head.start, end=head.end)
    headed = row.model_copy(update={"heads": (span,), "leans_on": (span,)})
    picks = (Pick(sentence=1, score=1.0, relevance=0.6),)
    chunk = chunk.model_copy(update={"sentences": (head, headed), "picks": picks})
    reading = Reading(Pointing(0), PLAIN)
    (read_, *_) = await read(reading, "who?", [chunk], found([chunk]), Bounds())
    assert [pick.sentence for pick in read_.picks] == [1]


def test_what_any_measure_puts_first_is_read_soon_R_R1() -> None:
    """One that meaning alone brings, and one that a stored question alone brings."""
    chunks = [passage(n, HAT, relevance=0.9 - n / 100) for n in range(20)]
    candidates = found(chunks)
    candidates[18] = replace(candidates[18], cosine=0.9)
    candidates[19] = replace(candidates[19], question=0.9)
    order = [chunk.id for chunk in rank_for_reading(chunks, candidates)[:MOST]]
    assert {"c0", "c18", "c19"} <= set(order)


@pytest.mark.parametrize("leaving", [True, False])
async def test_only_what_may_leave_goes_to_a_reader_elsewhere_R_G11(
    *, leaving: bool
) -> None:
    """No passage with access tags, and nothing where the pack does not allow it."""
    chunks = [passage(1, HAIR), passage(2, HAT, tags=("staff",))]
    remote, own = Overheard("remote"), Overheard("own")
    reading = Reading(remote, PLAIN, Reading(own, PLAIN))
    asked = f"{QUESTION} My number is 555-123-4567."
    bounds = Bounds(leaving=leaving)
    judged = await read(reading, asked, chunks, found(chunks), bounds)
    assert {chunk.id for chunk in judged if FOUND in chunk.parts} == {"c1", "c2"}
    assert [given.text for _, given in remote.given] == [HAIR] * leaving
    assert all("4567" not in question for question, _ in remote.given)
    assert len(own.given) == 2 - leaving


async def test_the_packaged_reader_serves_with_its_own_calibration_R_G11() -> None:
    """Where the other cannot be reached."""
    chunks = [passage(1, HAIR)]
    strict = PLAIN.model_copy(update={"floor": 30.0})
    reading = Reading(Away(), PLAIN, Reading(make_small_reader(), strict))
    bounds = Bounds(leaving=True)
    (chunk,) = await read(reading, QUESTION, chunks, found(chunks), bounds)
    assert FOUND in chunk.parts
    assert chunk.relevance == 0.0
    with pytest.raises(ReaderFailed):
        await read(Reading(Away(), PLAIN), QUESTION, chunks, found(chunks), bounds)


@dataclass
class Titled:
    """A reader that is surer of a question below a title."""

    alone: float
    name: str = "titled"

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        score = 3.0 if question.startswith("Hair: ") else self.alone
        return [ReaderScore(score, None) for _ in passages]


@pytest.mark.parametrize(("alone", "counts"), [(-2.5, True), (-3.5, False)])
async def test_a_title_alone_lifts_no_passage_R_G11_R_U14(
    alone: float, *, counts: bool
) -> None:
    """The mean of the question with and without it decides, whatever features say."""
    chunks = [passage(1, HAIR, relevance=0.99)]
    bounds = Bounds(alone="and when?")
    [judged] = await read(
        Reading(Titled(alone), PLAIN), "Hair: and when?", chunks, found(chunks), bounds
    )
    assert (judged.relevance > 0.5) is counts
