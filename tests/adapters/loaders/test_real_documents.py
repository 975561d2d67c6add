"""Real pages through the whole way from file to chunks; a sample of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import re2

from adapters.loaders.sandbox import Parser
from engine.documents.anchors import measure_coverage
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.document import BlockKind, Document
from tests.adapters.loaders.blocks import blocks_of
from tests.engine.documents.test_corpus import check_chunks

EVERY = 9  # one file in so many
WORD = re2.compile(r"[A-Za-z]{4,}")
# Crude on purpose: what a page does not show, without the loaders' help.
UNSHOWN = re2.compile(
    r"(?ms)\A---\n.*?\n---$|<!--.*?-->|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|<[^<>]*>"
    r"|^ *(?:```|~~~)[^\n]*$|^:::.*$|\{[.#][^}]*\}"
    r"|^ *\.\. (?:redirect-from|toctree)::\n(?:\n|[ \t]+[^\n]*\n)*"
    r"|^ *\.\. (?:contents|image|figure|include|raw|code-block|_[^:]*):.*$"
    r"|^ *\.\. [\w-]+::|^ *:[\w-]+:.*$|:\w+:`(?:[^`<]*/)?"
)


@pytest.fixture(scope="module", params=["a_cancer/docs", "e_robotics"])
def pages(
    request: pytest.FixtureRequest, shared_data: Path
) -> Iterator[list[tuple[str, Document]]]:
    """(source text, document) of a sample of one folder."""
    root = shared_data / request.param
    files = sorted(f for f in root.rglob("*") if f.suffix in {".md", ".rst"})
    found: list[tuple[str, Document]] = []
    with Parser() as parser:
        for file in files[::EVERY]:
            (parsed,) = parser.parse(file, str(file.relative_to(root)))
            blocks_of(parsed)
            found.append((file.read_text(), build_document(parsed, "real")))
    yield found


def test_chunks_cover_real_pages_and_carry_anchors_R_R7(
    pages: list[tuple[str, Document]],
) -> None:
    """Every visible character is in one chunk; every chunk has its anchors."""
    for _, document in pages:
        chunks = make_chunks(document)
        check_chunks(document, chunks)
        assert measure_coverage(chunks).share == 1.0


def test_no_word_of_a_real_page_is_lost(pages: list[tuple[str, Document]]) -> None:
    """What stands in the source outside its markup stands in the canonical text."""
    for source, document in pages:
        shown = str(UNSHOWN.sub(" ", source))
        lost = {w for w in map(str, WORD.findall(shown)) if w not in document.text}
        assert not lost, document.path


def test_real_sentences_end_like_sentences(pages: list[tuple[str, Document]]) -> None:
    """Inside a paragraph, hardly a sentence ends without a mark of its end."""
    ends = strange = 0
    for _, document in pages:
        for one, two in zip(document.sentences, document.sentences[1:], strict=False):
            if one.block == two.block and one.kind is not BlockKind.CODE:
                ends += 1
                strange += (
                    not one.of(document.text)
                    .rstrip("\"')]}\u201d")
                    .endswith((".", "?", "!", ":", "-"))
                )
    assert strange <= ends // 200
