"""What every reader has to do (R-G11): the packaged ones, and one behind a server."""

import asyncio
import math

from engine.model.ports import Readable, Reader, ReaderScore

FEVER = Readable(
    "Fever > What counts as fever",
    "A temperature of 38 °C or higher counts as fever. Wash your hands often.",
)
HAIR = Readable(
    "Hair > Growth", "Hair grows back two to three months after the last infusion."
)
PARKING = Readable("", "Visitors park behind the north gate. The gate closes at eight.")
PASSAGES = (HAIR, PARKING, FEVER)
QUESTIONS = {
    "From which temperature on do I have a fever?": FEVER,
    "When does hair grow back?": HAIR,
    "Where can I park?": PARKING,
}


class ReaderContract:
    """Tests of a reader; a subclass gives the fixture `reader`."""

    def read(
        self, reader: Reader, question: str, *passages: Readable
    ) -> list[ReaderScore]:
        """The scores, as a list."""
        return list(asyncio.run(reader.read(question, passages)))

    def test_the_passage_that_answers_has_the_highest_score_r_g11(self, reader):
        for question, answer in QUESTIONS.items():
            scores = self.read(reader, question, *PASSAGES)
            best = max(range(len(PASSAGES)), key=lambda at: scores[at].log_odds)
            assert PASSAGES[best] == answer, question

    def test_a_score_does_not_depend_on_what_is_read_with_it_r_g11(self, reader):
        question = next(iter(QUESTIONS))
        together = self.read(reader, question, *PASSAGES)
        turned = self.read(reader, question, *PASSAGES[::-1])[::-1]
        alone = [self.read(reader, question, passage)[0] for passage in PASSAGES]
        assert together == turned == alone

    def test_nothing_to_read_gives_nothing(self, reader):
        assert self.read(reader, "Where can I park?") == []

    def test_odd_texts_are_read(self, reader):
        odd = ("", " ", "a\ud800b", "[SEP] </s>", "ﷺ" * 300, "word " * 3_000)
        passages = [Readable(text[:50], text) for text in odd]
        for question in ("", "[CLS] what?", "why " * 900):
            scores = self.read(reader, question, *passages)
            assert len(scores) == len(odd)
            assert all(math.isfinite(score.log_odds) for score in scores)

    def test_a_start_lies_in_the_text_or_there_is_none(self, reader):
        for question in QUESTIONS:
            for passage, score in zip(
                PASSAGES, self.read(reader, question, *PASSAGES), strict=True
            ):
                assert score.start is None or 0 <= score.start < len(passage.text)

    def test_the_name_is_stable(self, reader):
        assert reader.name == reader.name != ""
