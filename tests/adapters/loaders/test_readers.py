"""A loader that reads otherwise has another number, so that texts are read again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from adapters.loaders.limits import Limits
from adapters.loaders.readers import TODAY
from adapters.loaders.registry import load
from engine.model.document import Parsed
from tests.adapters.loaders.office import (
    FEES,
    book,
    cell,
    epub,
    item,
    lists,
    paragraph,
    rows,
    slides,
    word,
)
from tests.adapters.loaders.pdfs import boxes, placed_pdf_of
from tests.adapters.loaders.studies import study_of

MATTER = "---\nid: 0123\ntitle: 3.10\npublished: 2026-3-1\naccess_tags: [staff]\n---\n"
TEXT = "Title\n\nOne sentence. Another:\n\n- first\n- second\n\nm² and “quoted”.\n"
MARKDOWN = (
    "# Title {#id}\n\nA *word*, `code`, ~~gone~~ and 10<sup>2</sup>.[^1]\n\n"
    "## Part\n\n1. one\n   - inner\n2. two\n\n> said\n\n| a | b |\n|---|---|\n"
    "| 1 |  |\n\n"
    "```\ncode\n```\n\n<p>html <b>too</b></p>\n\n[^1]: Members-only\n"
)
HTML = (
    "<title>Page</title><h1>Title</h1><p>A <b>word</b>, <s>gone</s>, 10<sup>2</sup>."
    "<ul><li>one<ol><li>inner</ol><li>two</ul><table><tr><th>a<th>b<tr><td>1<td></table>"
    "<p hidden>unseen<nav>menu</nav><pre>code</pre>"
)
RST = (
    "Title\n=====\n\nA *word*, ``code``, :sup:`2` and [1]_.\n\n- one\n\n  #. inner\n\n"
    "===  ===\na    b\n===  ===\n1    2\n===  ===\n\n.. note:: Mind.\n"
    "\n.. [1] Members-only\n"
)
ASCIIDOC = (
    "= Title\n:a: 5\n\nA *word*, `code`, 10^2^ for {a}.footnote:[Members-only]\n\n"
    "NOTE: Mind.\n\n* one\n. inner\n\nterm:: said\n\n.Fees\n|===\n|a |b\n\n|1 |\n|===\n"
)
XML = (
    "<Statute><Identification><ShortTitle>Fees</ShortTitle><Chapter>"
    "<ConsolidatedNumber>F-1</ConsolidatedNumber></Chapter></Identification><Body>"
    '<Heading level="1"><TitleText>General</TitleText></Heading>'
    "<Section><Label>1</Label><MarginalNote>Fee</MarginalNote>"
    "<Text>A fee of</Text><Paragraph>"
    "<Label>(a)</Label><Text>one.</Text></Paragraph></Section></Body></Statute>"
)
LINES = "\n".join(
    json.dumps({"text": text, "id": number, "title": "T", **more})
    for number, text, more in (
        (1, TEXT, {}),
        (2, "  (1) If\n    (a) one", {"section": "3", "headings": ["Part 1"]}),
    )
)
PDF = placed_pdf_of(
    [(72, 700, "*Title"), (72, 680, "A sentence. Another:"), (72, 660, "B")],
    [(90 + 90 * n % 180, 690 - n // 2 * 30, t) for n, t in enumerate("abcd")],
    drawn=boxes((80, 170, 260), (650, 680, 710)),
)

SAMPLES: Mapping[str, tuple[str, bytes]] = {
    "markdown": ("a.md", (MATTER + MARKDOWN).encode()),
    "html": ("a.html", (MATTER + HTML).encode()),
    "rst": ("a.rst", (MATTER + RST).encode()),
    "text": ("a.txt", (MATTER + TEXT).encode()),
    "pdf": ("a.pdf", PDF),
    "csv": ("a.csv", b"Boat;Fee\nKayak;5\nYacht;\n"),
    "xlsx": ("a.xlsx", book(rows(*FEES, strong=1))),
    "epub": ("a.epub", epub({"a": "<h1>One</h1><p>A rule.</p>", "b": "<p>Two.</p>"})),
    "asciidoc": ("a.adoc", (MATTER + ASCIIDOC).encode()),
    "mdx": ("a.mdx", b"import A\n\n# T\n\n<A title='B'>\nA {rule}.\n</A>\n"),
    "docx": (
        "a.docx",
        word(
            item("One")
            + f"<w:tbl><w:tr>{cell('Fee')}{cell('5')}</w:tr></w:tbl>"
            + '<w:p><w:r><w:t>A rule.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>',
            numbering=lists("decimal %1."),
            footnotes='<w:footnote w:id="2">'
            + paragraph("Not on Sundays.")
            + "</w:footnote>",
        ),
    ),
    "pptx": ("a.pptx", slides(["Title", "A rule.", "Another."])),
    "jsonl": ("a.jsonl", LINES.encode()),
    "clinicaltrials": ("a.json", json.dumps(study_of("NCT00000001", "KITE")).encode()),
    "justice-laws": ("a.xml", XML.encode()),
}
# What each loader made of its sample, by its number.
READ = {
    "asciidoc": (1, "a76e83d0d0eb9e43"),
    "clinicaltrials": (2, "7f50f3a43bfaa71b"),
    "csv": (1, "cdd152a8b33eb76d"),
    "docx": (1, "ff19cc9139c59944"),
    "epub": (1, "5a0a857f4e0f73c7"),
    "html": (3, "9db31e320c440cbe"),
    "jsonl": (3, "fdf6da07310a277a"),
    "justice-laws": (4, "2a056fa1f42a860f"),
    "markdown": (3, "ab21e22a4127cb47"),
    "mdx": (1, "95f4c73c3af70a81"),
    "pdf": (5, "9be74c8aa512b411"),
    "pptx": (1, "904a985a1a4dbf68"),
    "rst": (3, "5105b2f502fe5b95"),
    "xlsx": (1, "9b23a7a892c6a6a2"),
    "text": (3, "f5381c3581a0d275"),
}


def digest(documents: Sequence[Parsed]) -> str:
    """Tells what was read, but for fields that say nothing."""
    read = [
        one.model_dump(mode="json", exclude={"loader"}, exclude_defaults=True)
        for one in documents
    ]
    return hashlib.sha256(json.dumps(read, sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", sorted(TODAY))
def test_a_change_of_a_reading_raises_the_loaders_number_R_D7(
    tmp_path: Path, name: str
) -> None:
    """Else nobody is told that stored texts are read otherwise today.

    Where this fails, raise the number in adapters/loaders/readers.py, once for each
    release, and write what is read now beside it.
    """
    file, data = SAMPLES[name]
    (tmp_path / file).write_bytes(data)
    documents = load(tmp_path / file, file, Limits()).documents
    found = digest(documents)
    assert READ[name] == (TODAY[name], found), "\n".join(d.text for d in documents)
