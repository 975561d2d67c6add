"""Fields of a register's record: an absent one is empty, an unreadable one an error.

A record is loaded as a whole, so a value of another type than the register writes
refuses the record with the place of the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2

from adapters.loaders.canonical import make_storable
from engine.model.errors import DocumentError

ESCAPED = re2.compile(r"\\([\\<>*_#~\[\]()`+.-])")
COUNT = re2.compile(r"^\d{1,9}$")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of a record; `place` names file, record and path.

    Every method raises DocumentError where a value exists and cannot be read.
    """

    data: Mapping[str, object]
    place: str

    @classmethod
    def of(cls, value: object, place: str) -> "Fields":
        """Make the fields of an object at a place."""
        if not isinstance(value, Mapping):
            raise DocumentError(f"{place} is no object; fetch it again")
        return cls(value, place)

    def inside(self, *names: str) -> "Fields":
        """Return the object under nested names; an empty one where it is absent."""
        found = self
        for name in names:
            place = found._at(name)
            found = Fields.of(found.data.get(name, {}), place)
        return found

    def each(self, name: str) -> Sequence["Fields"]:
        """Return the objects of a list."""
        return [Fields.of(value, place) for value, place in self._listed(name)]

    def lines(self, name: str) -> Sequence[str]:
        """Return the texts of a list."""
        return [_read_line(value, place) for value, place in self._listed(name)]

    def line(self, name: str) -> str:
        """Return a text as one line without Markdown escapes; "" where absent."""
        return _read_line(self.data.get(name, ""), self._at(name))

    def needed(self, name: str) -> str:
        """Return a text that must not be empty."""
        line = self.line(name)
        if not line:
            raise DocumentError(f"{self._at(name)} is missing; fetch it again")
        return line

    def text(self, name: str) -> str:
        """Return a text of several lines, as written."""
        value = self.data.get(name, "")
        _read_line(value, self._at(name))
        return make_storable(str(value or ""))

    def count(self, name: str) -> str:
        """Return a count as text; "" where absent."""
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


def _read_line(value: object, place: str) -> str:
    """Read a text as one line; null is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DocumentError(f"{place} is no text; fetch it again")
    return " ".join(str(ESCAPED.sub(r"\1", make_storable(value))).split())
