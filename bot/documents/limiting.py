"""Tell whether access is limited by tags where a folder goes in.

There, `tags` in front matter may be meant to keep people out, and a document that has
them without `access_tags` is refused; elsewhere they are topics.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import re2

from bot.documents.folder import Folder
from engine.model.document import Membership, VersionState
from engine.model.errors import DocumentError
from engine.policy.pack import Pack

FIELD = "access_tags"
SET = re2.compile(rb"(?m)(?:^|[{,])\s*[\"']?access_tags[\"']?\s*:")
PIECE, OVERLAP = 1 << 20, 200  # bytes that are looked at together
TOPICS = "its `tags` are topics and keep nobody out (`access_tags` does)"


@dataclass
class Limiting:
    """What may limit access: the register, the command, the shelf, another file."""

    pack: Pack
    tags: tuple[str, ...]
    folder: Folder
    members: Iterable[Membership] = field(repr=False)

    def refuse_topics(self, path: str) -> None:
        """Refuse a document with `tags` alone where tags limit access.

        Raises:
            DocumentError: they do.
        """
        if self.place is not None:
            raise DocumentError(
                f"{path}: 'tags' is not read and keeps nobody out, and access is "
                f"limited by tags here ({self.place}); if it says who may see the "
                f"document, write `{FIELD}: [staff]` in its front matter, else call it "
                "`keywords`"
            )

    @cached_property
    def place(self) -> str | None:
        """The first place that limits access by tags; None where there is none."""
        return next(self._find_places(), None)

    def _find_places(self) -> Iterator[str]:
        if self.tags:
            yield "--tags"
        yield from (f"source {s.id}" for s in self.pack.sources if s.tags)
        for member in self.members:
            if member.tags and member.state is VersionState.CURRENT:
                yield member.document
        yield from (str(file) for file in self.folder.files if _sets_tags(file))


def _sets_tags(file: Path) -> bool:
    """Tell whether a file sets the field anywhere, in any encoding of Unicode."""
    before = b""
    try:
        with file.open("rb") as stream:
            while piece := stream.read(PIECE):
                piece = before + piece.replace(b"\0", b"")
                if SET.search(piece):
                    return True
                before = piece[-OVERLAP:]
    except OSError:
        return False  # which its own reading names
    return False
