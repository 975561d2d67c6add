"""The bytes of one file by lines, numbered as editors do it: by line feeds alone."""

import codecs
from array import array
from bisect import bisect_right
from functools import cached_property

import numpy as np

from engine.inspection.records import Line

LONGEST_LINE = 400  # characters that are shown of one
_SNIFFED = 8_192  # bytes that say whether a file is binary, as git and ripgrep do it


# How a file of UTF-16 or UTF-32 begins: a text, of which no line can be cited.
WIDE = (codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Content:
    """A file's bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def size(self) -> int:
        """Bytes that it takes in memory, with the table of its lines."""
        return len(self.data) + 4 * self.data.count(b"\n")

    @cached_property
    def binary(self) -> bool:
        return b"\0" in self.data[:_SNIFFED] or self.data.startswith(WIDE)

    @cached_property
    def _starts(self) -> "array[int]":
        """Where each line starts, four bytes a line: a file may be all line feeds."""
        ends = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == ord("\n"))
        starts = array("I", [0])
        starts.frombytes((ends + 1).astype(np.uint32).tobytes())
        if self.data and starts[-1] == len(self.data):
            starts.pop()
        return starts

    @property
    def count(self) -> int:
        """How many lines there are; an empty file is one empty line."""
        return len(self._starts)

    def number(self, offset: int) -> int:
        """The line in which a byte stands."""
        return bisect_right(self._starts, offset)

    def end(self, number: int) -> int:
        """The offset behind a line, where the next one starts."""
        return self._starts[number] if number < self.count else len(self.data)

    def line(self, number: int) -> Line:
        """One line as it is shown; what is no UTF-8 stands there as U+FFFD."""
        raw = self.data[self._starts[number - 1] : self.end(number)]
        # A character has at most four bytes.
        short = raw[: 4 * (LONGEST_LINE + 1)].rstrip(b"\r\n")
        text = short.decode("utf-8", "replace")
        cut = len(text) > LONGEST_LINE
        return Line(number=number, text=text[:LONGEST_LINE], cut=cut)

    def lines(self, first: int, last: int) -> tuple[Line, ...]:
        """The lines of a range, as far as there are any."""
        top = min(last, self.count)
        return tuple(self.line(number) for number in range(max(1, first), top + 1))
