"""Labelled questions as an administrator writes them: a question, a page, a quote.

The quote is looked for in the page, so that no offsets have to be counted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from engine.model.document import Document
from engine.model.errors import UsageError
from engine.model.frozen import Frozen
from evals.relevance.cases import Case, Gold

FEWEST = 100  # questions; on fewer a fit says more of them than of the corpus


class Line(Frozen):
    """One line: `page` is the title, id or file of the page, `quote` the answer in it.

    Both are left out where no page answers.
    """

    question: str = Field(min_length=1)
    page: str | None = None
    quote: str | None = None


def read(file: Path, documents: Sequence[Document]) -> tuple[Case, ...]:
    """Read the cases of a file of JSON lines.

    Raises:
        UsageError: the file or a line is wrong, or there are too few; with its number.
    """
    named = _key_by_name(documents)
    cases = []
    for number, line in read_lines(file):
        try:
            cases.append(_make_case(line, number, named))
        except (ValidationError, UsageError) as error:
            raise UsageError(f"{file}, line {number}: {error}") from error
    kinds = {case.answerable for case in cases}
    if len(cases) < FEWEST or len(kinds) < 2:
        raise UsageError(
            f"{file} holds {len(cases)} questions: at least {FEWEST} are needed, some "
            "of them without a page that answers"
        )
    return tuple(cases)


def read_lines(file: Path) -> Iterator[tuple[int, Line]]:
    """Yield the lines of a file of JSON lines, with their numbers.

    Raises:
        UsageError: the file or a line is wrong; with its number.
    """
    try:
        texts = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    for number, text in enumerate(texts, start=1):
        if text.strip():
            try:
                yield number, Line.model_validate(json.loads(text))
            except (ValueError, ValidationError) as error:
                raise UsageError(f"{file}, line {number}: {error}") from error


def _key_by_name(documents: Sequence[Document]) -> Mapping[str, Document]:
    """Key documents by title, id and the name of their file."""
    return {
        name.casefold(): document
        for document in documents
        for name in (document.title, Path(document.path).name, document.id)
    }


def _make_case(line: Line, number: int, named: Mapping[str, Document]) -> Case:
    name = f"own-{number}"
    if line.page is None or line.quote is None:
        if line.page is not None or line.quote is not None:
            raise UsageError("page and quote go together: give both, or neither")
        return Case(
            id=name, question=line.question, kind="near_miss", wording=None, half="tune"
        )
    page = named.get(line.page.casefold())
    if page is None:
        raise UsageError(f"no page of this corpus is called {line.page!r}")
    start = page.text.find(line.quote)
    if start < 0 or not line.quote.strip():
        raise UsageError(f"the quote is not in {line.page!r}: copy it from there")
    gold = Gold(
        path=page.path,
        version=page.version,
        start=start,
        end=start + len(line.quote),
    )
    return Case(
        id=name,
        question=line.question,
        kind="answerable",
        wording="plain",
        half="tune",
        gold=((gold,),),
    )
