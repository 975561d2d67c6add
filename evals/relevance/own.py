"""Labelled questions as an administrator writes them: a question, a page, a quote.

The quote is looked for in the page, so that no offsets have to be counted; by letters
and digits where its file has other marks than its text, as a table does.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from engine.model.document import Document
from engine.model.errors import UsageError
from engine.model.frozen import Frozen
from evals.relevance.cases import Case, Gold
from evals.relevance.collect import keep_letters

FEWEST = 100  # questions; on fewer a fit says more of them than of the corpus
Kind = Literal["plain", "everyday", "paraphrased", "near_miss"]


class Line(Frozen):
    """One line: `page` is the title, id or file of the page, `quote` the answer in it.

    Both are left out where no page answers. `kind` says how close the question's words
    are to the page's, or that no page answers.
    """

    question: str = Field(min_length=1)
    page: str | None = None
    quote: str | None = Field(default=None, min_length=1)
    kind: Kind | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.page is None) is not (self.quote is None):
            raise ValueError("page and quote go together: give both, or neither")
        if self.kind and (self.kind == "near_miss") is not (self.page is None):
            raise ValueError("a near miss has no page, and every other kind has one")
        return self


def read(
    file: Path, documents: Sequence[Document], fewest: int = FEWEST
) -> tuple[Case, ...]:
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
    if len(cases) < fewest or len(kinds) < 2:
        raise UsageError(
            f"{file} holds {len(cases)} questions: at least {fewest} are needed, some "
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
        return Case(
            id=name, question=line.question, kind="near_miss", wording=None, half="tune"
        )
    page = named.get(line.page.casefold())
    if page is None:
        raise UsageError(f"no page of this corpus is called {line.page!r}")
    place = _find_quote(line.quote, page.text)
    if place is None:
        raise UsageError(f"the quote is not in {line.page!r}: copy it from there")
    gold = Gold(path=page.path, version=page.version, start=place[0], end=place[1])
    return Case(
        id=name,
        question=line.question,
        kind="answerable",
        wording=line.kind if line.kind and line.kind != "near_miss" else "plain",
        half="tune",
        gold=((gold,),),
    )


def _find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Find where a text says a quote, else its letters and digits; None where not."""
    sought = keep_letters(quote)
    start = text.find(quote)
    if start >= 0 and sought:
        return start, start + len(quote)
    kept = [(at, c) for at, char in enumerate(text) for c in keep_letters(char)]
    start = "".join(c for _, c in kept).find(sought)
    if start < 0 or not sought:
        return None
    return kept[start][0], kept[start + len(sought) - 1][0] + 1
