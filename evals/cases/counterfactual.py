"""Counterfactual cases: the sources change, and the answer has to follow (R-E6).

From a case that was answered: what it quoted is taken out of its document, a figure in
it becomes another one everywhere, or its documents are deleted; versions.py has those
of provisions with periods of force. Which cases, and which
figures, is drawn by a seed from their ids, so that they are the same in every run.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import re2

from evals.cases.changes import changed, holds
from evals.cases.derived import Original, derived, originals, spread, suite_of
from evals.cases.texts import Texts
from evals.cases.versions import NumberInWords, VersionDeleted
from evals.forms import Case, Change, Expected, Row, Source, Suite

NAME = "counterfactual_generated"
MOST = 20  # cases of a kind
SHOWN = 5  # lines that must not be said any more
LEAST = 25  # characters of one: a shorter one may be said of something else
REQUIREMENT = "R-E6"
_FIGURE = re2.compile(r"\d+")


def make(
    suite: Suite, rows: Mapping[str, Row], sources: Mapping[str, Source], texts: Texts
) -> Suite:
    """The counterfactual cases of a suite whose cases were asked of one corpus.

    Args:
        suite: the originals, with others among them.
        rows: of the first time that each was asked, by case.
        sources: by version.
        texts: the documents of the corpus.

    Returns:
        A suite; it has no case where nothing was answered.
    """
    found = originals(suite, rows, sources)
    cases: list[Case] = []
    kinds = (
        _Gone(sources, texts),
        _Figure(texts),
        _Deleted(texts),
        VersionDeleted(texts),
        NumberInWords(texts),
    )
    for kind in kinds:
        able = [o for o in found if kind.changes(o)]
        for original in spread(able, MOST, kind.name):
            expected = kind.expected(original)
            case = derived(original.case, kind.name, expected, REQUIREMENT)
            cases.append(replace(case, changes=tuple(kind.changes(original))))
    return suite_of(NAME, suite, cases)


class _Gone:
    """What an answer quoted is taken out of its documents; other texts may answer."""

    name = "cited_removed"

    def __init__(self, sources: Mapping[str, Source], texts: Texts) -> None:
        self._sources = sources
        self._texts = texts

    def changes(self, original: Original) -> list[Change]:
        """One a line; what went with an earlier line (a block of code) is gone."""
        made: list[Change] = []
        left = {path: self._texts.of(path) for path in original.paths}
        for path, line in self._lines(original):
            change = Change(path=path, without=line)
            if holds(left[path], line):
                left[path] = changed(left[path], [change]) or ""
                made.append(change)
        return made

    def expected(self, original: Original) -> Expected:
        """None of it is said any more, where no other document says it."""
        removed = [
            line
            for path, line in self._lines(original)
            if self._texts.holding(line) == {path} and len(line) >= LEAST
        ]
        longest = sorted(removed, key=len, reverse=True)[:SHOWN]
        return Expected(outcome="either", absent=tuple(longest))

    def _lines(self, original: Original) -> Iterator[tuple[str, str]]:
        for path in original.paths:
            lines = list(original.quotes(path, self._sources))
            # A line that stands within another goes with it.
            for line in lines:
                if not any(line in other and line != other for other in lines):
                    yield path, line


class _Figure:
    """A figure of a fact is another one, wherever the corpus has this wording."""

    name = "figure_changed"

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def changes(self, original: Original) -> list[Change]:
        wording = self._wording(original)
        if wording is None:
            return []
        pair = (wording, other_figure(wording))
        holding = sorted(self._texts.holding(wording))
        return [Change(path=path, replace=pair) for path in holding]

    def expected(self, original: Original) -> Expected:
        """The new figure, what other wordings of the fact still say, or a refusal."""
        wording = self._wording(original) or ""
        facts = original.case.expected.facts
        own = next(fact for fact in facts if wording in fact)
        others = (w for w in own if w != wording and self._texts.holding(w))
        return Expected(
            outcome="either",
            facts=((other_figure(wording), *others),),
            absent=(wording,),
        )

    def _wording(self, original: Original) -> str | None:
        """A wording with a figure that was said, and whose other figure is new."""
        said = original.row.served
        wordings = (w for fact in original.case.expected.facts for w in fact)
        for wording in wordings:
            if wording not in said or not _FIGURE.search(wording):
                continue
            new = self._texts.holding(other_figure(wording))
            if self._texts.holding(wording) and not new:
                return wording
        return None


class _Deleted:
    """The documents that may carry the facts are deleted; nothing else holds them."""

    name = "document_deleted"

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def changes(self, original: Original) -> list[Change]:
        paths = original.case.expected.sources or original.paths
        facts = original.case.expected.facts
        elsewhere = (self._held(fact) - set(paths) for fact in facts)
        followed = original.case.previous is not None  # "and how?" fits many pages
        if followed or not any(not held for held in elsewhere):
            return []  # others hold every fact
        return [Change(path=path, delete=True) for path in sorted(paths)]

    def expected(self, original: Original) -> Expected:
        return Expected(outcome="refuse")

    def _held(self, wordings: Iterable[str]) -> set[str]:
        return {path for wording in wordings for path in self._texts.holding(wording)}


def other_figure(wording: str) -> str:
    """The wording with the last digit of its first figure changed; the rest stays."""
    found = _FIGURE.search(wording)
    if found is None:
        return wording
    last = found.end() - 1
    digit = (int(wording[last]) + 3) % 10
    return f"{wording[:last]}{digit or 5}{wording[last + 1 :]}"
