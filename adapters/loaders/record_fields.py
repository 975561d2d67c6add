"""Fields of a record: what is absent is empty, what cannot be read is an error (R-R2).

A register's record goes in whole. Whatever stands under a name that is asked for, and
is not what the register writes there, refuses the record with its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2

from adapters.loaders.canonical import storable
from engine.model.errors import DocumentError

ESCAPED = re2.compile(r"\\([\\<>*_#~\[\]()`+.-])")
COUNT = re2.compile(r"^\d{1,9}$")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of a record; `place` names file, record and the way to it.

    Every method raises DocumentError where a value is there and cannot be read.
    """

    data: Mapping[str, object]
    place: str

    @classmethod
    def of(cls, value: object, place: str) -> "Fields":
        """An object at a place of its own."""
        if not isinstance(value, Mapping):
            raise DocumentError(f"{place} is no object; fetch it again")
        return cls(value, place)

    def inside(self, *names: str) -> "Fields":
        """The object under a name, or under one below the other; else an empty one."""
        found = self
        for name in names:
            place = found._at(name)
            found = Fields.of(found.data.get(name, {}), place)
        return found

    def each(self, name: str) -> Sequence["Fields"]:
        """The objects of a list."""
        return [Fields.of(value, place) for value, place in self._listed(name)]

    def lines(self, name: str) -> Sequence[str]:
        """The texts of a list."""
        return [_line(value, place) for value, place in self._listed(name)]

    def line(self, name: str) -> str:
        """A text as one line without Markdown's escapes; empty where there is none."""
        return _line(self.data.get(name, ""), self._at(name))

    def needed(self, name: str) -> str:
        """A text without which its object says nothing."""
        line = self.line(name)
        if not line:
            raise DocumentError(f"{self._at(name)} is missing; fetch it again")
        return line

    def text(self, name: str) -> str:
        """A text of several lines, as it is written."""
        value = self.data.get(name, "")
        _line(value, self._at(name))
        return storable(str(value or ""))

    def count(self, name: str) -> str:
        """A number of people or things; empty where there is none."""
        line = self.line(name)
        if line and not COUNT.match(line):
            raise DocumentError(f"{self._at(name)} is no number; fetch it again")
        return line

    def _listed(self, name: str) -> Sequence[tuple[object, str]]:
        values, place = self.data.get(name, []), self._at(name)
        if not isinstance(values, list):
            raise DocumentError(f"{place} is no list; fetch it again")
        return [(value, f"{place}[{at}]") for at, value in enumerate(values)]

    def _at(self, name: str) -> str:
        return f"{self.place}.{name}"


def _line(value: object, place: str) -> str:
    """A text, or a number as it is written; null is none."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DocumentError(f"{place} is no text; fetch it again")
    return " ".join(str(ESCAPED.sub(r"\1", storable(value))).split())
