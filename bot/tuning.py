"""Try an administrator's own questions: which fail, and what would answer them.

Each question names the page that answers it, or that none does. It is asked of the
pipeline without a model, as `replay` asks; nothing is written of that.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.documents.corpus import Corpus
from bot.documents.nearest import Passage, find_nearest
from bot.documents.reindex import current_members
from bot.replay.run import Replay
from engine.model.answer import Answer
from engine.model.document import Membership
from engine.model.errors import UsageError
from engine.model.question import Question

SEPARATOR = " | "
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, and the title or id of the page that answers it; None: none does."""

    text: str
    page: str | None


@dataclass(frozen=True, slots=True)
class Failed:
    """A question that is not answered from its page, and the passage that would.

    `passage` is None where no page answers it, and it was answered all the same.
    """

    asked: Labelled
    why: str
    passage: Passage | None = None


def read_questions(file: Path) -> list[Labelled]:
    """Read questions from a file: one a line, " | ", and the page that answers it.

    Raises:
        UsageError: the file cannot be read, or a line names no page.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        text, _, page = (part.strip() for part in line.rpartition(SEPARATOR))
        if not text or not page:
            raise UsageError(
                f"{file}, line {number}: write QUESTION{SEPARATOR}PAGE with the title "
                f"or id of the page that answers it, or {NOTHING} where none does"
            )
        found.append(Labelled(text, None if page == NOTHING else page))
    if not found:
        raise UsageError(f"{file} holds no question")
    return found


@dataclass(frozen=True, slots=True)
class Tuning:
    """A pack's corpus, and the pipeline that it is asked through."""

    corpus: Corpus
    replay: Replay

    async def find_failed(self, sheet: Sequence[Labelled]) -> AsyncIterator[Failed]:
        """Yield the questions that fail, in order.

        Raises:
            UsageError: a question names no page of this corpus, or several.
            EnvironmentFailed: ledger, index or embedder failed.
        """
        members = await current_members(self.corpus)
        pages = [asked.page and _find_page(members, asked.page) for asked in sheet]
        for asked, page in zip(sheet, pages, strict=True):
            why = await self._judge(asked, page)
            if why is not None:
                held = members[page] if page else None
                passage = (
                    await find_nearest(self.corpus, held, asked.text) if held else None
                )
                yield Failed(asked, why, passage)

    async def _judge(self, asked: Labelled, page: str | None) -> str | None:
        """Say why a question is not answered as it should be; None where it is."""
        pack = self.corpus.pack.id
        question = Question(id="tune", session="tune", text=asked.text, pack=pack)
        result = (await self.replay.ask(question)).result
        if not isinstance(result, Answer):
            return None if page is None else f"refused ({result.reason})"
        if page is None:
            return "answered, though no page does"
        if all(cited.document != page for cited in result.citations):
            return "answered from another page"
        return None


def _find_page(members: Mapping[str, Membership], named: str) -> str:
    """Find the id of a page by its id, its title or the end of its path."""
    found = [
        m.document
        for m in members.values()
        if m.document == named
        or m.title.casefold() == named.casefold()
        or f"/{m.path}".endswith(f"/{named}")
    ]
    if len(found) != 1:
        told = "no page" if not found else f"{len(found)} pages"
        raise UsageError(
            f"{told} of this corpus answers to {named!r}: write its title or id as "
            "`groundrule sources` lists it"
        )
    return found[0]
