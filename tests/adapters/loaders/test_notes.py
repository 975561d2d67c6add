"""Footnotes stand behind the paragraph that needs them, and go with its sentences."""

from collections.abc import Callable

import pytest

from adapters.loaders import html, markdown, rst, text
from adapters.loaders.limits import Limits
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.document import Document, Parsed, Sentence
from engine.policy.disagreement import disagree
from engine.text.quotable import preview_quotation

Loader = Callable[[str, str, Limits], Parsed]

MARKDOWN = """# Parking fees

A trailer may stay in the yard overnight.[^1] The parking fee is 3 euros a day.

A car pays 5 euros[^fee] and a bike pays 1 euro.

[^1]: Members-only
[^fee]: From May on.

    In winter **2 euros**.
"""
HTML = """<h1>Parking fees</h1>
<p>A trailer may stay in the yard overnight.<sup id="r1"><a href="#fn1">1</a></sup>
The parking fee is 3 euros a day.</p>
<p>A car pays 5 euros<a href="#fn2" id="r2" role="doc-noteref">†</a> and a bike pays 1
euro.</p>
<section class="footnotes"><ol><li id="fn1"><p>Members-only <a href="#r1">↩</a></p></li>
<li id="fn2">† From May on.<p>In winter <b>2 euros</b>. <a href="#r2">back</a></p></li>
</ol></section>"""
RST = """
Parking fees
============

A trailer may stay in the yard overnight.\\ [1]_ The parking fee is 3 euros a day.

A car pays 5 euros\\ [#fee]_ and a bike pays 1 euro.

.. [1] Members-only
.. [#fee] From May on.

   In winter **2 euros**.
"""
PAGES: dict[str, tuple[Loader, str]] = {
    "markdown": (markdown.parse, MARKDOWN),
    "html": (html.parse, HTML),
    "rst": (rst.parse, RST),
}


def document(loader: Loader, page: str) -> Document:
    return build_document(loader(page, "fees", Limits()), "source")


def sentence(page: Document, begins: str) -> Sentence:
    return next(s for s in page.sentences if s.of(page.text).startswith(begins))


def leaning(page: Document, begins: str) -> list[str]:
    """What a sentence is never shown without."""
    return [span.of(page.text) for span in sentence(page, begins).leans_on]


@pytest.mark.parametrize("form", PAGES)
def test_a_note_follows_its_paragraph_and_closes_its_sentence_R_A15(form: str) -> None:
    page = document(*PAGES[form])
    assert page.text.split("\n\n") == [
        "Parking fees",
        "A trailer may stay in the yard overnight.[note 1] The parking fee is 3 euros"
        " a day.",
        "[note 1] Members-only",
        "A car pays 5 euros[note 2] and a bike pays 1 euro.",
        "[note 2] From May on. In winter 2 euros.",
    ]
    assert leaning(page, "A trailer") == ["[note 1] Members-only"]
    assert leaning(page, "The parking fee") == []
    assert leaning(page, "A car pays") == [
        "[note 2] From May on.",
        "In winter 2 euros.",
    ]
    assert leaning(page, "[note 1]") == [
        "A trailer may stay in the yard overnight.[note 1]"
    ]


@pytest.mark.parametrize("form", PAGES)
def test_a_quotation_brings_the_note_R_A15(form: str) -> None:
    (chunk,) = make_chunks(document(*PAGES[form]))
    at = next(
        n for n, s in enumerate(chunk.sentences) if s.start == chunk.text.index("A tr")
    )
    shown = preview_quotation(chunk, at).text(chunk)
    assert "[note 1] Members-only" in shown and "From May" not in shown


NOTED: dict[str, tuple[Loader, str, str, list[str]]] = {
    "inline": (
        markdown.parse,
        "It is free.^[For members.]",
        "It",
        ["[note 1] For members."],
    ),
    "used twice": (
        markdown.parse,
        "It is free.[^a]\n\nThat was one.\n\nThe bar is open.[^a]\n\n[^a]: In May.",
        "The bar",
        ["[note 1] In May."],
    ),
    "note of a note": (
        markdown.parse,
        "It is free.[^a]\n\n[^a]: In May.[^b]\n[^b]: Not in 2027.",
        "It",
        ["[note 1] In May.[note 2]", "[note 2] Not in 2027."],
    ),
    "heading": (
        markdown.parse,
        "# Fees[^a]\n\nThe hall costs 9 euros.\n\n## More\n\nThe bar is open.\n\n"
        "[^a]: For members.",
        "The bar",
        ["[note 1] For members."],
    ),
    "item": (
        markdown.parse,
        "Members may bring these:\n\n- dogs[^a]\n- cats\n\n[^a]: On a lead.",
        "dogs",
        ["Members may bring these:", "[note 1] On a lead."],
    ),
    "lead-in": (
        markdown.parse,
        "Members may bring:[^a]\n\n- dogs\n- cats\n\n[^a]: Not in May.",
        "cats",
        ["Members may bring:[note 1]", "[note 1] Not in May."],
    ),
    "cell": (
        markdown.parse,
        "| Plan | Fee |\n|-|-|\n| A | 5[^a] |\n| B | 6 |\n\n[^a]: Per month.",
        "A | 5",
        ["Plan | Fee", "[note 1] Per month."],
    ),
    "head of a column": (
        markdown.parse,
        "| Plan | Fee[^a] |\n|-|-|\n| A | 5 |\n\n[^a]: In euros.",
        "A | 5",
        ["Plan | Fee[note 1]", "[note 1] In euros."],
    ),
    "cell of html": (
        html.parse,
        "<table><tr><th>Plan<th>Fee<tr><td>A<td>5<sup><a href=#n>a</a></sup></table>"
        "<p id=n><sup>a</sup> Per month.</p>",
        "A | 5",
        ["Plan | Fee", "[note 1] Per month."],
    ),
    "anchor inside the note": (
        html.parse,
        '<p>It is free<a class="footnote-ref" href="#n"><sup>1</sup></a>.</p>'
        '<p><a name="n"></a>1. For members.</p>',
        "It is",
        ["[note 1] For members."],
    ),
    "asterisk": (
        text.parse,
        "The hall costs 9 euros.*\n\n* For members.",
        "The hall",
        ["* For members."],
    ),
    "asterisk in a table": (
        html.parse,
        "<table><tr><th>Plan<th>Fee<tr><td>A<td>5*</table><p>Open daily.</p>"
        "<p>* Per month.</p>",
        "A | 5*",
        ["Plan | Fee", "* Per month."],
    ),
    "raised without a link": (
        html.parse,
        "<p>The hall costs 9 euros<sup>1</sup>.</p><p><sup>1</sup> For members.</p>",
        "The hall",
        ["¹ For members."],
    ),
    "dagger": (
        markdown.parse,
        "It is free.†\n\n† For members.",
        "It is",
        ["† For members."],
    ),
}


@pytest.mark.parametrize("case", NOTED)
def test_whatever_refers_to_a_note_brings_it_R_A15(case: str) -> None:
    loader, page, begins, notes = NOTED[case]
    assert leaning(document(loader, page), begins) == notes


UNNOTED: dict[str, tuple[Loader, str, str]] = {
    "literature": (
        html.parse,
        '<p>It works.<sup><a href="#cite_note-1">[1]</a></sup></p>'
        '<ol><li id="cite_note-1">Smith 2019.</li></ol>',
        "It works.",
    ),
    "link to a heading": (
        html.parse,
        '<p>It works<sup><a href="#more">1</a></sup>.</p>'
        '<h2 id="more">More</h2><p>Text.</p>',
        "It works",
    ),
    "square metres": (
        markdown.parse,
        "The hall has 90 m².\n\nIt costs 9 euros.",
        "The hall",
    ),
    "citation of rst": (
        rst.parse,
        "It works [A1]_.\n\n.. [A1] Smith 2019.\n",
        "It works",
    ),
}


@pytest.mark.parametrize("case", UNNOTED)
def test_what_is_no_note_stays_where_it_is_R_A15(case: str) -> None:
    loader, page, begins = UNNOTED[case]
    assert leaning(document(loader, page), begins) == []


def test_a_note_that_nothing_refers_to_is_kept_R_A15() -> None:
    page = document(markdown.parse, "It is free.\n\n[^a]: For members.")
    assert page.text == "It is free.\n\n[note 1] For members."


def test_the_number_of_a_note_is_no_figure_R_A15() -> None:
    one, other = "The hall is free in May.[note 1]", "The hall is free in May.[note 2]"
    assert not disagree([one], [other])
