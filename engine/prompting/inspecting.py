"""DSPy at work on a repository: numbers of evidence lines and a verdict.

A reply in prose is read, too: the result is always a text that the contract judges
(engine/inspection/contract.py), and none of it is shown.
"""

from collections.abc import Iterator, Sequence

import dspy

from engine.inspection.contract import GAPS, format_draft
from engine.inspection.ports import Drafted, Request
from engine.inspection.records import Block
from engine.model.places import Place, parse_place
from engine.model.prompt import Failure
from engine.prompting.exchange import escape_markers
from engine.prompting.modules import Call, Model
from engine.prompting.numbers import read_numbers
from engine.prompting.signatures import make_inspecting

TOKENS = 32_000  # of one call


class ModelInspector:
    """The Inspector port over DSPy.

    Args:
        model: the language model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._programs = {
            analysing: dspy.Predict(make_inspecting(analyse_only=analysing))
            for analysing in (False, True)
        }

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def inspect(self, request: Request) -> Drafted:
        """Write one draft, by one call; see `engine.inspection.ports.Inspector`."""
        call = Call(self._model, "inspect", request.seconds, TOKENS)
        program = self._programs[request.analyse_only]
        said, prompt = await call.run(program, _make_inputs(request))
        if said is not None:
            return Drafted(text=_format_selection(said, request), prompt=prompt)
        unread = prompt.failure is Failure.UNREADABLE
        return Drafted(text=prompt.answer if unread else "", prompt=prompt)


def _make_inputs(request: Request) -> dict[str, object]:
    lines: list[str] = []
    number = 0
    for block in request.blocks:
        note = f" ({escape_markers(block.note)})" if block.note else ""
        lines.append(f"{escape_markers(block.path)}{note}")
        for line in block.lines:
            number += 1
            lines.append(f"[{number}] {line.number}: {escape_markers(line.text)}")
    return {
        "question": escape_markers(request.question),
        "evidence": "\n".join(lines),
        "verdicts": list(request.verdicts),
        "required_lines": escape_markers(request.schema_text),
        "feedback": [escape_markers(text) for text in request.feedback],
    }


def _format_selection(said: dspy.Prediction, request: Request) -> str:
    """Format a model's selection as a draft: numbers are places, other text is the
    body.
    """
    places = list(_iterate_places(request.blocks))
    cited: list[str] = []
    body: list[str] = []
    for each in said.lines:
        plain = str(each).strip().strip("`")
        found = read_numbers(plain)
        if found.named and not found.discarded:
            for at in found.named:
                known = 0 < at <= len(places)
                cited.append(str(places[at - 1]) if known else f"number:{max(at, 1)}")
        elif parse_place(plain.strip("[]().")) is not None:
            cited.append(plain.strip("[]()."))
        else:
            body.append(str(each))
    fields = {str(name): str(value) for name, value in said.filled.items()}
    fields = {n: v for n, v in fields.items() if n not in ("VERDICT", "CITATIONS")}
    if said.not_found:
        gaps = (str(gap).replace(";", ",") for gap in said.not_found)
        fields[GAPS] = "; ".join(gaps)
    verdict = " ".join(str(said.verdict).split())
    return format_draft(verdict, tuple(dict.fromkeys(cited)), fields, "\n".join(body))


def _iterate_places(blocks: Sequence[Block]) -> Iterator[Place]:
    """Yield the place of each number, in order."""
    for block in blocks:
        for line in block.lines:
            yield Place(block.path, line.number, line.number)
