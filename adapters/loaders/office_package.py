"""Bounded reading of the zip archive of a .docx, .pptx, .xlsx or .epub file.

Every part of XML is checked before it is parsed: a document type could include other
files or expand to gigabytes, and no office program writes one.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import join, normpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element
from xml.parsers import expat

import re2

from adapters.loaders.canonical import UNSHOWN, make_storable
from adapters.loaders.decoding import decode
from adapters.loaders.limits import Limits
from adapters.loaders.markup_tree import read_tree
from engine.model.errors import DocumentError, DocumentTooLarge

MOST_PARTS = 20_000
MOST_UNPACKED = 400_000_000  # bytes of all parts
MOST_RATIO = 400  # of unpacked to packed bytes, in parts above RATIO_FROM
RATIO_FROM = 20_000_000
HEAD_BYTES = 65_536  # of a part, in which its root element must begin
OLE = b"\xd0\xcf\x11\xe0"  # first bytes of a file with a password or in an older format
# Strict OOXML uses other namespaces, which are converted to the usual ones.
STRICT = re2.compile(r"http://purl\.oclc\.org/ooxml/(\w+)/")
TRANSITIONAL = r"http://schemas.openxmlformats.org/\1/2006/"
KIND = re2.compile(r"(?i)<!DOCTYPE[^>\[]*>")  # of books
FILE_NAME = re2.compile(
    r"(?i)\.(docx?|pptx?|xlsx?|pdf|odt|tex)$|^Microsoft |^(?:power ?point|document|"
    r"untitled|book|slide|workbook)[ -]?(?:presentation|\d*)$"
)


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference of a part: the last word of its type, and the target's name."""

    kind: str
    target: str
    external: bool


@dataclass(slots=True)
class Package:
    """The parts of an archive by their names, read on demand."""

    path: str
    limits: Limits
    archive: zipfile.ZipFile
    names: frozenset[str]
    trees: dict[str, Element | None] = field(default_factory=dict)

    def read(self, name: str) -> bytes:
        """Read the bytes of a part.

        Raises:
            DocumentError: it is missing or damaged.
        """
        try:
            return self.archive.read(name)
        except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise make_damaged(self.path, error) from error
        except (NotImplementedError, RuntimeError) as error:  # a method, a password
            raise DocumentError(
                f"{self.path}: is packed in a way that is not read ({error}); "
                "save it again without a password"
            ) from error

    def text(self, name: str) -> str:
        """Read a part of text, in the encoding that it declares."""
        return decode(self.read(name), f"{self.path}: {name}", ".xml")

    def tree(self, name: str) -> Element | None:
        """Parse a part of XML; return None where there is no such part."""
        if name not in self.names:
            return None
        if name not in self.trees:
            text = str(STRICT.sub(TRANSITIONAL, self.text(name)))
            self.trees[name] = read_tree(text, f"{self.path}: {name}", self.limits)
        return self.trees[name]

    def plain_tree(self, name: str) -> Element:
        """Parse a part of XML that may have a plain document type.

        Raises:
            DocumentError: it is missing, or its document type declares anything.
        """
        text = str(KIND.sub("", self.text(name), count=1))
        return read_tree(text, f"{self.path}: {name}", self.limits)

    def relations(self, name: str) -> dict[str, Relation]:
        """Map the ids in a part to its relations."""
        place = PurePosixPath(name)
        tree = self.tree(f"{place.parent}/_rels/{place.name}.rels".removeprefix("./"))
        found: dict[str, Relation] = {}
        for node in tree if tree is not None else ():
            target = node.get("Target", "")
            external = node.get("TargetMode") == "External"
            if not external:
                target = self.resolve(name, target)
            kind = node.get("Type", "").rpartition("/")[2]
            found[node.get("Id", "")] = Relation(kind, target, external)
        return found

    def related(self, name: str, kind: str) -> Iterator[str]:
        """List the targets of a part's relations of a kind."""
        for relation in self.relations(name).values():
            if relation.kind == kind and not relation.external:
                yield relation.target

    def main(self) -> str:
        """Find the main part of the document.

        Raises:
            DocumentError: there is none.
        """
        tree = self.tree("_rels/.rels")
        for node in tree if tree is not None else ():
            if node.get("Type", "").endswith("/officeDocument"):
                return self.resolve("", node.get("Target", ""))
        raise DocumentError(
            f"{self.path}: has no document inside; save it again in its own program"
        )

    def resolve(self, name: str, target: str) -> str:
        """Resolve a target relative to a part, without its fragment."""
        place = unquote(target.partition("#")[0])
        if place.startswith("/"):
            return normpath(place).lstrip("/")
        return normpath(join(str(PurePosixPath(name).parent), place))

    def title(self) -> str | None:
        """Read the title in the file's properties, unless it is a file name."""
        tree = self.tree("docProps/core.xml")
        for node in tree if tree is not None else ():
            if node.tag.endswith("}title"):
                return clean_title(node.text or "")
        return None


def clean_title(said: str) -> str | None:
    """Put a title on one line; return None where it is a file name or a default."""
    shown = " ".join(make_storable(said).split())
    return None if UNSHOWN in shown or FILE_NAME.search(shown) else shown or None


def make_damaged(path: str, error: Exception) -> DocumentError:
    """Make the error for a file that breaks its reader."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return DocumentError(
        f"{path}: damaged file ({reason}); open it in its own program and save it again"
    )


def open_package(data: bytes, path: str, limits: Limits) -> Package:
    """Open the archive after checking the sizes that it states.

    Raises:
        DocumentError: it is not a zip archive, or has a password.
        DocumentTooLarge: it unpacks to more than the limits.
    """
    if data.startswith(OLE):
        raise DocumentError(
            f"{path}: has a password, or is of an older format under a newer name; "
            "save a copy without a password in the format of its name"
        )
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise make_damaged(path, error) from error
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    packed = max(sum(part.compress_size for part in parts), 1)
    bomb = unpacked > RATIO_FROM and unpacked > MOST_RATIO * packed
    if len(parts) > MOST_PARTS or unpacked > MOST_UNPACKED or bomb:
        raise DocumentTooLarge(
            f"{path}: unpacks to {len(parts):,} parts of {unpacked:,} bytes, more than "
            "such a file should; split it"
        )
    if any(part.flag_bits & 1 for part in parts):
        raise DocumentError(f"{path}: has a password; save a copy without one")
    names = frozenset(part.filename for part in parts)
    if len(names) < len(parts):
        raise DocumentError(
            f"{path}: holds two parts of one name; open it in its own program and save "
            "it again"
        )
    return Package(path, limits, archive, names)


class _BegunError(Exception):
    """The root element begins, so no document type can follow."""


def refuse_types(package: Package) -> None:
    """Check the head of each part of XML, for a library that parses them itself.

    Raises:
        DocumentError: a part declares a document type, or is not XML.
    """
    for name in sorted(package.names):
        if name.endswith((".xml", ".rels", ".vml")):
            _refuse_type(package.read(name)[:HEAD_BYTES], f"{package.path}: {name}")


def _refuse_type(head: bytes, path: str) -> None:
    def begun(*_: object) -> None:
        raise _BegunError

    def refuse(*_: object) -> None:
        raise DocumentError(f"{path}: declares a document type; save the file again")

    parser = expat.ParserCreate()
    parser.StartElementHandler = begun
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(head, False)
    except _BegunError:
        return
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise make_damaged(path, error) from error
    raise DocumentError(f"{path}: is no XML; save the file again in its own program")


def local_name(node: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(node.tag).rpartition("}")[2]
