"""Counterfactuals of what has versions: a provision and its periods of force (R-E6).

The version that was in force is gone, so none may stand in for it; or a figure that it
has in words is another one, and the answer follows that version alone.
"""

from collections.abc import Iterator

import re2

from engine.text.sentences import split_sentences
from evals.cases.derived import Original
from evals.cases.texts import Texts
from evals.forms import Change, Expected

SHOWN = 5  # sentences of other versions that must not be said
LEAST = 25  # characters of one: a shorter one may be said of something else
_OTHER = {
    "two": "eight",
    "three": "seven",
    "four": "nine",
    "five": "seven",
    "six": "nine",
    "seven": "four",
}
_NUMBER = re2.compile(rf"\b({'|'.join(_OTHER)})\b")
_FIGURE = re2.compile(r"\d")


class VersionDeleted:
    """The version in force is deleted; one of another time answers nothing."""

    name = "version_deleted"

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def changes(self, original: Original) -> list[Change]:
        if original.case.previous is not None:
            return []
        paths = [path for path in original.paths if self._texts.versions(path)]
        own = any(True for path in paths for _ in self._others(path))
        return [Change(path=path, delete=True) for path in paths] if own else []

    def expected(self, original: Original) -> Expected:
        """Nothing that only the other versions say."""
        others = {line for path in original.paths for line in self._others(path)}
        longest = sorted(others, key=lambda line: (-len(line), line))[:SHOWN]
        return Expected(outcome="either", absent=tuple(longest))

    def _others(self, path: str) -> Iterator[str]:
        own = self._texts.of(path)
        for other in sorted(self._texts.versions(path)):
            for line in self._texts.of(other).rpartition("\n---\n")[2].splitlines():
                for said in split_sentences(line):
                    text = line[said.start : said.end].strip()
                    if len(text) >= LEAST and text not in own:
                        yield text


class NumberInWords:
    """A figure of a fact that is written in words is another one, in one version."""

    name = "number_in_words_changed"

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def changes(self, original: Original) -> list[Change]:
        wording = self._wording(original)
        if wording is None:
            return []
        pair = (wording, _changed(wording))
        paths = (p for p in original.paths if p in self._texts.holding(wording))
        return [Change(path=path, replace=pair) for path in paths]

    def expected(self, original: Original) -> Expected:
        wording = self._wording(original) or ""
        facts = ((_changed(wording),),)
        return Expected(outcome="either", facts=facts, absent=(wording,))

    def _wording(self, original: Original) -> str | None:
        """A wording with a number in words that one version of something has."""
        every = (w for fact in original.case.expected.facts for w in fact)
        return next((w for w in every if self._changes(w, original)), None)

    def _changes(self, wording: str, original: Original) -> bool:
        held = self._texts.holding(wording) & set(original.paths)
        return (
            wording in original.row.served
            and not _FIGURE.search(wording)
            and bool(_NUMBER.search(wording))
            and any(self._texts.versions(path) for path in held)
            and not self._texts.holding(_changed(wording))
        )


def _changed(wording: str) -> str:
    found = _NUMBER.search(wording)
    if found is None:
        return wording
    return (
        wording[: found.start()] + _OTHER[str(found.group(1))] + wording[found.end() :]
    )
