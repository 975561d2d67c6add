"""A cache of answers, by the content address of their request.

The address covers the question, the corpus, the code, the model and the repeat: a
change in one of them asks again, and a run that was cut off goes on where it stopped.
An entry that cannot be read is asked again too. Errors are never kept, and no answer
that was made without the model because its provider failed.
"""

import json
import os
import time
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp

from engine.model.prompt import Failure
from engine.pipeline.drafting import LATE
from evals.forms import Row, Source
from evals.record.runner import Answered, Item
from evals.store import StoreFailed, canonical, row_of_json

ANSWERS = "answers"  # in the folder of what is kept from run to run
SOURCES = "sources"
UNUSED_S = 14 * 24 * 3600.0  # after which a file is deleted


class AnswerCache:
    """A folder with a file for each answer, and one for each document.

    Args:
        folder: made where it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, item: Item) -> Answered | None:
        """Return what the same request brought before, as this item's; None: nothing
        did."""
        try:
            held = json.loads(self._place(item.key).read_text(encoding="utf-8"))
            row = row_of_json(held["row"])
            sources = tuple(self._read_source(name) for name in held["sources"])
            took = held["took"] | {"cached": True}
            known = row.key == item.key and model_answered(row)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        if not known:
            return None
        row = replace(row, case=item.case.id, repeat=item.repeat)
        return Answered(row, sources, took)

    def put(self, answered: Answered) -> None:
        """Keep an answer.

        Raises:
            StoreFailed: the folder cannot be written.
        """
        row = answered.row
        if row.error is not None or not model_answered(row):
            return
        names = [self._keep(source) for source in answered.sources]
        held = {"row": row, "sources": names, "took": dict(answered.took)}
        _write(self._place(row.key), canonical(held))

    def forget(self) -> None:
        """Delete what is two weeks old: the code has most likely changed since."""
        oldest = time.time() - UNUSED_S
        for place in self._folder.rglob("*.json"):
            with suppress(OSError):
                if place.stat().st_mtime < oldest:
                    place.unlink()

    def _place(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _keep(self, source: Source) -> str:
        text = canonical(source)
        name = sha256(text.encode()).hexdigest()
        place = self._folder / SOURCES / f"{name}.json"
        if not place.exists():
            _write(place, text)
        return name

    def _read_source(self, name: str) -> Source:
        """Read a kept document, refused where its content is not what it is called."""
        text = (self._folder / SOURCES / f"{name}.json").read_text(encoding="utf-8")
        if sha256(text.encode()).hexdigest() != name:
            raise ValueError(f"{name}: is damaged")
        held = json.loads(text)
        sections = held.get("sections")
        return Source(**held | {"sections": sections and tuple(sections)})


def _write(place: Path, text: str) -> None:
    """Write a file in one step; two writers write the same."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = mkstemp(dir=place.parent, suffix=".new")
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.replace(draft, place)
    except OSError as error:
        with suppress(OSError, UnboundLocalError):
            os.unlink(draft)
        raise StoreFailed(f"{place}: cannot be written ({error})") from error


def model_answered(row: Row) -> bool:
    """Tell whether the model answered every call that a row's question made.

    A draft that cannot be read is the model's own. After any other failure, or where no
    time was left to ask, the answer is made without the model, so it says nothing of
    this model or of its program.
    """
    record = {} if row.record is None else row.record
    failures = {prompt["failure"] for prompt in record.get("prompts", ())} - {None}
    late = any(found["code"] == LATE for found in record.get("findings", ()))
    return not late and not failures - {Failure.UNREADABLE.value}
