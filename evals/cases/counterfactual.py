"""Counterfactual cases: the sources change, and the answer has to follow.

Each is made from a case that was answered: what it quoted is taken out of its document,
a figure in it becomes another one everywhere, or its documents are deleted. Of a
provision that has versions with periods of force, the version in force is deleted, so
that no other may replace it, or a number in words becomes another one. A seed draws the
cases and figures from their ids, so that they are the same in every run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import re2

from adapters.loaders.sandbox import SERVED, SERVED_CODE
from bot.documents.demo import ABOUT
from bot.documents.ingest import look
from engine.model.errors import UsageError
from engine.text.sentences import split_sentences
from evals.cases.changes import apply_changes, holds
from evals.cases.suites import DEMO
from evals.forms import Case, Change, Expected, Row, Source, Suite

NAME = "counterfactual_generated"
MOST = 20  # cases of a kind
SHOWN = 5  # lines that must not be said any more
LEAST = 25  # characters of one: a shorter one may be said of something else
REQUIREMENT = "R-E6"
_FIGURE = re2.compile(r"\d+")
_OTHER = {
    "two": "eight",
    "three": "seven",
    "four": "nine",
    "five": "seven",
    "six": "nine",
    "seven": "four",
}
_NUMBER = re2.compile(rf"\b({'|'.join(_OTHER)})\b")


# --- cases that follow from answered ones -----------------------------------------


@dataclass(frozen=True, slots=True)
class Original:
    """A must-answer case with its answer; `paths` are the documents that it cites."""

    case: Case
    row: Row
    paths: tuple[str, ...]

    def quotes(self, path: str, sources: Mapping[str, Source]) -> Iterator[str]:
        """Yield the lines that the answer takes from a document, each once."""
        record = self.row.record or {}
        lines: dict[str, None] = {}
        for cited in record.get("sources", ()):
            if sources[cited["version"]].path == path:
                for quote in cited["quotes"]:
                    lines |= dict.fromkeys(quote["text"].split("\n"))
        return (line.strip() for line in lines if line.strip())


def find_originals(
    suite: Suite, rows: Mapping[str, Row], sources: Mapping[str, Source]
) -> list[Original]:
    """Find the cases of a suite that had to be answered from its corpus, and were."""
    found = []
    for case in suite.cases:
        row = rows.get(case.id)
        asked = case.expected.outcome == "answer" and not case.selection
        if row is None or row.record is None or row.refused or not asked:
            continue
        if case.changes or case.original is not None:
            continue
        versions = dict.fromkeys(str(c["version"]) for c in row.record["sources"])
        paths = dict.fromkeys(sources[version].path for version in versions)
        found.append(Original(case, row, tuple(paths)))
    return found


def choose_originals(found: Iterable[Original], most: int, seed: str) -> list[Original]:
    """Choose some originals: one of every document before two of any, by a seed."""

    def drawn(original: Original) -> str:
        return sha256(f"{seed}/{original.case.id}".encode()).hexdigest()

    turns: dict[str, int] = {}
    placed = []
    for original in sorted(found, key=drawn):
        document = original.case.document or original.paths[0]
        turns[document] = turns.get(document, 0) + 1
        placed.append((turns[document], drawn(original), original))
    return [original for *_, original in sorted(placed, key=lambda p: p[:2])[:most]]


def derive_case(original: Case, kind: str, expected: Expected, shows: str) -> Case:
    """Derive a case from its original, before anything in it is changed."""
    slices = (kind, "generated")
    return replace(
        original,
        id=f"{original.id}~{kind}",
        expected=expected,
        shows=(shows,),
        slices=slices,
        original=original.id,
        suite="",
    )


def make_suite(name: str, base: Suite, cases: Sequence[Case]) -> Suite:
    """Make a suite of generated cases, over the corpus and day of their originals."""
    apart = [base.corpus] if base.corpus != DEMO else []
    apart += [base.today.isoformat()] if base.today else []
    full = "_".join((name, *apart))
    placed = tuple(replace(case, suite=full) for case in cases)
    title = f"{name.replace('_', ' ')}: made from what was answered"
    return replace(base, name=full, title=title, cases=placed)


# --- documents --------------------------------------------------------------------

_FRONT = re2.compile(r"(?s)\A---\n.*?\n---\n")
_NAMES = re2.compile(r"(?m)^names:\s*(.+)$")
_TEXTUAL = frozenset({".md", ".markdown", ".rst", ".txt"}) | SERVED_CODE


class Texts:
    """The files of a corpus folder; one that is no text is empty, and never changed.

    Args:
        folder: of the corpus.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, frozenset[str]] = {}

    def holding(self, wanted: str) -> frozenset[str]:
        """List the paths of the documents in which a change would find a text.

        Raises:
            UsageError: a document cannot be read.
        """
        if wanted not in self._held:
            self._held[wanted] = frozenset(
                path for path, text in self._every.items() if holds(text, wanted)
            )
        return self._held[wanted]

    def of(self, path: str) -> str:
        """Return a document's file; empty where it is not there, or is no text."""
        return self._every.get(path, "")

    def versions(self, path: str) -> frozenset[str]:
        """List the other documents of the same thing, in force at another time."""
        names = _read_name(self.of(path))
        return frozenset(
            other
            for other, text in self._every.items()
            if other != path and names and _read_name(text) == names
        )

    def textual(self, path: str) -> bool:
        """Tell whether a document is there and can be changed."""
        return bool(self.of(path))

    @cached_property
    def _every(self) -> dict[str, str]:
        found = look(self._folder, SERVED | SERVED_CODE)
        return {
            file.relative_to(found.root).as_posix(): _read_text(file)
            for file in found.files
            if file.name != ABOUT
        }


def _read_name(text: str) -> str:
    """Read the name of a text with a period of force; empty for any other text."""
    front = _FRONT.match(text)
    found = _NAMES.search(front.group()) if front else None
    dated = front is not None and "\nin_force_from:" in front.group()
    return str(found.group(1)) if found and dated else ""


def _read_text(file: Path) -> str:
    if file.suffix.lower() not in _TEXTUAL:
        return ""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error})") from error


# --- kinds of change --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents that a case was asked of: as cited, by version, and as files."""

    sources: Mapping[str, Source]
    texts: Texts


# The changes to the corpus of an answered case, and what is expected then; None where
# they cannot be made.
Changed = tuple[Sequence[Change], Expected] | None


def cited_removed(original: Original, corpus: Corpus) -> Changed:
    """Take what the answer quoted out of its documents; other texts may answer.

    One change a line; a line that went with an earlier one, in a block of code, is
    gone.
    The answer may not say any of it where no other document does.
    """
    made: list[Change] = []
    removed: list[str] = []
    left = {path: corpus.texts.of(path) for path in original.paths}
    for path, line in _list_quoted(original, corpus.sources):
        change = Change(path=path, without=line)
        if holds(left[path], line):
            left[path] = apply_changes(left[path], [change]) or ""
            made.append(change)
        if corpus.texts.holding(line) == {path} and len(line) >= LEAST:
            removed.append(line)
    absent = sorted(removed, key=len, reverse=True)[:SHOWN]
    return (made, Expected(outcome="either", absent=tuple(absent))) if made else None


def _list_quoted(
    original: Original, sources: Mapping[str, Source]
) -> Iterator[tuple[str, str]]:
    for path in original.paths:
        lines = list(original.quotes(path, sources))
        # A line within another goes with it.
        for line in lines:
            if not any(line in other and line != other for other in lines):
                yield path, line


def figure_changed(original: Original, corpus: Corpus) -> Changed:
    """Change a figure of a fact wherever the corpus has this wording.

    The answer has to say the wording, and the new one must be in no document. The new
    figure is expected, or what other wordings of the fact still say, or a refusal.
    """
    texts = corpus.texts
    for fact in original.case.expected.facts:
        for wording in fact:
            if wording not in original.row.served or not _FIGURE.search(wording):
                continue
            other, holding = other_figure(wording), sorted(texts.holding(wording))
            if not holding or texts.holding(other):
                continue
            kept = (w for w in fact if w != wording and texts.holding(w))
            made = [Change(path=path, replace=(wording, other)) for path in holding]
            facts = ((other, *kept),)
            return made, Expected(outcome="either", facts=facts, absent=(wording,))
    return None


def other_figure(wording: str) -> str:
    """Change the last digit of the wording's first figure; the rest stays."""
    found = _FIGURE.search(wording)
    if found is None:
        return wording
    last = found.end() - 1
    digit = (int(wording[last]) + 3) % 10
    return f"{wording[:last]}{digit or 5}{wording[last + 1 :]}"


def document_deleted(original: Original, corpus: Corpus) -> Changed:
    """Delete the documents that may carry the facts, where nothing else holds them."""
    paths = original.case.expected.sources or original.paths
    held = (
        {path for wording in fact for path in corpus.texts.holding(wording)}
        for fact in original.case.expected.facts
    )
    followed = original.case.previous is not None  # "and how?" fits many pages
    if followed or all(found - set(paths) for found in held):
        return None  # others hold every fact
    made = [Change(path=path, delete=True) for path in sorted(paths)]
    return made, Expected(outcome="refuse")


def version_deleted(original: Original, corpus: Corpus) -> Changed:
    """Delete the version in force; nothing is said that only another one says."""
    if original.case.previous is not None:
        return None
    paths = [path for path in original.paths if corpus.texts.versions(path)]
    others = {
        line for path in paths for line in _find_only_in_others(path, corpus.texts)
    }
    longest = sorted(others, key=lambda line: (-len(line), line))[:SHOWN]
    made = [Change(path=path, delete=True) for path in paths]
    expected = Expected(outcome="either", absent=tuple(longest))
    return (made, expected) if others else None


def _find_only_in_others(path: str, texts: Texts) -> Iterator[str]:
    """Yield the sentences that other versions of a document have, and it has not."""
    own = texts.of(path)
    for other in sorted(texts.versions(path)):
        for line in texts.of(other).rpartition("\n---\n")[2].splitlines():
            for said in split_sentences(line):
                text = line[said.start : said.end].strip()
                if len(text) >= LEAST and text not in own:
                    yield text


def number_in_words_changed(original: Original, corpus: Corpus) -> Changed:
    """Change a number in words that one version of something has in a fact."""
    texts = corpus.texts
    for wording in (w for fact in original.case.expected.facts for w in fact):
        found = _NUMBER.search(wording)
        if wording not in original.row.served or _FIGURE.search(wording) or not found:
            continue
        other = _OTHER[str(found.group(1))]
        new = wording[: found.start()] + other + wording[found.end() :]
        paths = [path for path in original.paths if path in texts.holding(wording)]
        if not any(map(texts.versions, paths)) or texts.holding(new):
            continue
        made = [Change(path=path, replace=(wording, new)) for path in paths]
        expected = Expected(outcome="either", facts=((new,),), absent=(wording,))
        return made, expected
    return None


KINDS: Sequence[Callable[[Original, Corpus], Changed]] = (
    cited_removed,
    figure_changed,
    document_deleted,
    version_deleted,
    number_in_words_changed,
)


def make(
    suite: Suite, rows: Mapping[str, Row], sources: Mapping[str, Source], texts: Texts
) -> Suite:
    """Make the counterfactual cases of a suite whose cases were asked of one corpus.

    Args:
        suite: the originals, with others among them.
        rows: of the first time that each was asked, by case.
        sources: by version.
        texts: the documents of the corpus.

    Returns:
        A suite; it has no case where nothing was answered.
    """
    found, corpus = find_originals(suite, rows, sources), Corpus(sources, texts)
    cases: list[Case] = []
    for kind in KINDS:
        name = kind.__name__
        able = {o.case.id: done for o in found if (done := kind(o, corpus))}
        for original in choose_originals(
            (o for o in found if o.case.id in able), MOST, name
        ):
            changes, expected = able[original.case.id]
            case = derive_case(original.case, name, expected, REQUIREMENT)
            cases.append(replace(case, changes=tuple(changes)))
    return make_suite(NAME, suite, cases)
