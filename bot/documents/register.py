"""Find the registered source of a document, by what it says or where it lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

import re2

from engine.model.document import Parsed
from engine.model.errors import UnregisteredSource, UsageError
from engine.policy.links import is_below
from engine.policy.pack import Source

Rule = Literal["--source", "front matter", "URL", "path", "what it was"]


@dataclass(frozen=True, slots=True)
class Bound:
    """The source of a document, and the rule that found it.

    `glob` is the one of the register that its path matched, if that was the rule.
    """

    source: Source
    rule: Rule
    glob: str | None = None


class Register:
    """The sources of one pack, and the four ways to find a document's among them.

    In this order: `--source`, front matter, a URL below a prefix (the longest wins), a
    path that a glob matches. A source of demo texts takes a document by URL or path
    only where the demo itself is taken in: what it has steps back for other documents.

    Args:
        sources: the pack's register.
        chosen: the id that `--source` names, or None.
        demo: the demo texts of the pack are taken in.

    Raises:
        UsageError: no source has that id.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        chosen: str | None = None,
        *,
        demo: bool = False,
    ) -> None:
        self._by_id = {source.id: source for source in sources}
        sources = [source for source in sources if demo or not source.demo]
        self._prefixes = sorted(
            ((prefix, source) for source in sources for prefix in source.url_prefixes),
            key=lambda pair: -len(pair[0]),
        )
        self._globs = [
            (re2.compile(_compile_glob(glob)), source, glob)
            for source in sources
            for glob in source.path_globs
        ]
        if chosen is not None and chosen not in self._by_id:
            raise UsageError(
                f"--source {chosen}: the register has no such source; it has "
                + ", ".join(self._by_id)
            )
        self._chosen = chosen

    def find_held(self, source: str) -> Bound | None:
        """Return a source by its id, for a held document; None where it is gone."""
        found = self._by_id.get(source)
        return None if found is None else Bound(found, "what it was")

    def find_source(self, parsed: Parsed, place: str) -> Bound:
        """Find the source of a document.

        Args:
            parsed: the document.
            place: its path with the ingested folder's own name in front, for globs.

        Raises:
            UnregisteredSource: none of the four ways finds one.
        """
        if self._chosen is not None:
            return Bound(self._by_id[self._chosen], "--source")
        if parsed.source is not None:
            return Bound(self._find_claimed(parsed, parsed.source), "front matter")
        for prefix, source in self._prefixes:
            if parsed.url is not None and is_below(parsed.url, prefix):
                return Bound(source, "URL")
        for pattern, source, glob in self._globs:
            if pattern.fullmatch(place):
                return Bound(source, "path", glob)
        raise UnregisteredSource(
            f"{parsed.path}: belongs to no registered source; use --source ID, a front "
            "matter line `source: ID`, a URL below a prefix of the register, or a path "
            f"that one of its globs matches (sources: {', '.join(self._by_id)})"
        )

    def _find_claimed(self, parsed: Parsed, claimed: str) -> Source:
        try:
            return self._by_id[claimed]
        except KeyError as error:
            raise UnregisteredSource(
                f"{parsed.path}: its front matter names the source {claimed!r}, which "
                f"is not in the register ({', '.join(self._by_id)})"
            ) from error


def _compile_glob(glob: str) -> str:
    """Turn a glob into a pattern of whole paths: ** spans folders, * and ? do not."""
    parts = PurePosixPath(glob).parts
    pattern = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            pattern += ".*" if last else "(?:.*/)?"
        else:
            pattern += _compile_part(part) + ("" if last else "/")
    return f"(?s){pattern}"


def _compile_part(part: str) -> str:
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(character, re2.escape(character)) for character in part)
