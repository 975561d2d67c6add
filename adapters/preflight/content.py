"""The bytes of one file by lines, numbered by line feeds alone, as in editors."""

import codecs
from array import array
from bisect import bisect_right
from functools import cached_property

import numpy as np

from engine.inspection.records import Line

LONGEST_LINE = 400  # characters shown of one line
_SNIFFED = 8_192  # bytes that decide whether a file is binary, as in git and ripgrep


# Marks of UTF-16 and UTF-32, which are text without lines that can be cited.
WIDE = (codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Content:
    """A file's bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def size(self) -> int:
        """Return the bytes that it takes in memory, with the table of its lines."""
        return len(self.data) + 4 * self.data.count(b"\n")

    @cached_property
    def binary(self) -> bool:
        return b"\0" in self.data[:_SNIFFED] or self.data.startswith(WIDE)

    @cached_property
    def _starts(self) -> "array[int]":
        """Return the start of each line, in four bytes, as there may be many lines."""
        ends = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == ord("\n"))
        starts = array("I", [0])
        starts.frombytes((ends + 1).astype(np.uint32).tobytes())
        if self.data and starts[-1] == len(self.data):
            starts.pop()
        return starts

    @property
    def count(self) -> int:
        """Return the number of lines; an empty file has one empty line."""
        return len(self._starts)

    def number(self, offset: int) -> int:
        """Find the line of a byte."""
        return bisect_right(self._starts, offset)

    def end(self, number: int) -> int:
        """Return the offset behind a line, where the next one starts."""
        return self._starts[number] if number < self.count else len(self.data)

    def line(self, number: int) -> Line:
        """Return one line as it is shown, with invalid UTF-8 as U+FFFD."""
        raw = self.data[self._starts[number - 1] : self.end(number)]
        # A character has at most four bytes.
        short = raw[: 4 * (LONGEST_LINE + 1)].rstrip(b"\r\n")
        text = short.decode("utf-8", "replace")
        cut = len(text) > LONGEST_LINE
        return Line(number=number, text=text[:LONGEST_LINE], cut=cut)

    def lines(self, first: int, last: int) -> tuple[Line, ...]:
        """Return the existing lines of a range."""
        top = min(last, self.count)
        return tuple(self.line(number) for number in range(max(1, first), top + 1))
