"""DSPy at work on a passage: questions that it answers, for ingestion.

It reads documents and never a person's question, so there is no gate before it. The
result is data and bounded: questions with numbers of sentences, tried before any is
used.
"""

from collections.abc import Iterator

import dspy

from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.model.prompt import Usage
from engine.prompting.exchange import escape_markers
from engine.prompting.modules import (
    ANSWER_TOKENS,
    PER_TOKEN,
    Call,
    Model,
    hash_program,
    render_messages,
)
from engine.prompting.numbers import UNKNOWN, read_numbers
from engine.prompting.signatures import Questioning, QuestionOut
from engine.questions.records import LONGEST, Proposals, Proposed

MOST = 5  # questions of one passage
SECONDS = 120.0
TOKENS = 16_000  # of one call
PER_QUESTION = 45  # tokens of one in an answer, for estimates


class ModelQuestioner:
    """Asks a model which questions a passage answers.

    Args:
        model: the language model.
        most: questions of one passage.
    """

    def __init__(self, model: Model, most: int) -> None:
        self._model = model
        self._most = min(most, MOST)
        self._program = dspy.Predict(Questioning)
        self.version = hash_program(self._program)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def key(self) -> str:
        """Everything besides the passage that a reply depends on."""
        return f"{self._model.name} {self.version} {self._most}"

    def rendered(self, chunk: Chunk) -> str:
        """Render a passage as the model reads it; "" without quotable sentences."""
        lines = [
            f"[{number}] {escape_markers(span.of(chunk.text))}"
            for number, span in enumerate(_find_sentences(chunk), 1)
        ]
        place = escape_markers(" > ".join((chunk.title, *chunk.section)))
        return "\n".join((place, *lines)) if lines else ""

    def estimate(self, chunk: Chunk) -> Usage:
        """Estimate the usage of one call, rather too much than too little."""
        sent = render_messages(self._program.signature, self._inputs(chunk))
        usage = Usage(
            calls=1,
            prompt_tokens=sum(len(message) for message in sent) // PER_TOKEN,
            answer_tokens=min(ANSWER_TOKENS, self._most * PER_QUESTION),
        )
        return usage.model_copy(update={"cost": self._model.cost(usage, None)})

    async def write(self, chunk: Chunk) -> Proposals:
        """Write the questions of a passage; a provider that fails raises nothing."""
        call = Call(self._model, "questions", SECONDS, TOKENS)
        said, prompt = await call.run(self._program, self._inputs(chunk))
        if said is None:
            return Proposals((), prompt)
        found = said.questions[: self._most]
        return Proposals(tuple(_read_proposals(found, chunk)), prompt)

    def _inputs(self, chunk: Chunk) -> dict[str, object]:
        return {"passage": self.rendered(chunk), "most": self._most}


def _find_sentences(chunk: Chunk) -> list[Span]:
    """Return the sentences that may be named, as offsets into the chunk."""
    return [
        Span(start=s.start - chunk.start, end=s.end - chunk.start)
        for s in chunk.sentences
        if s.quotable and s.closed
    ]


def _read_proposals(found: list[QuestionOut], chunk: Chunk) -> Iterator[Proposed]:
    spans = _find_sentences(chunk)
    for each in found:
        text = " ".join(each.question.encode("utf-8", "replace").decode().split())
        if not 3 <= len(text) <= LONGEST:
            yield Proposed(text=text[:LONGEST], flaw="too short or too long")
            continue
        said = (read_numbers(str(one)).named or (UNKNOWN,) for one in each.sentences)
        numbers = [number for named in said for number in named]
        if not numbers or any(not 0 < number <= len(spans) for number in numbers):
            yield Proposed(text=text, flaw="names no sentence of the passage")
            continue
        named = [spans[number - 1] for number in dict.fromkeys(numbers)]
        yield Proposed(
            text=text,
            sentences=tuple(
                Span(start=chunk.start + span.start, end=chunk.start + span.end)
                for span in named
            ),
        )
