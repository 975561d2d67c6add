"""Markdown to canonical text."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.loaders.limits import Limits
from adapters.loaders.markdown import parse
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge
from tests.adapters.loaders.blocks import blocks_of, lead_ins


def load(text: str, limits: Limits | None = None) -> Parsed:
    return parse(text, "a/b.md", limits or Limits())


def paragraphs(text: str) -> list[str]:
    return [seen for _, _, seen in blocks_of(load(text))]


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (
            "**Rest** is *good* and `code` [here](https://e.org/x).",
            "Rest is good and code here.",
        ),
        ("-5 and ~10 and snake_case", "-5 and ~10 and snake_case"),
        ("Use 5 &lt; 6 &amp; \\*stars\\*.", "Use 5 < 6 & *stars*."),
        ("Soft\nbreak and hard  \nbreak", "Soft break and hard\nbreak"),
        ("a line-\nend hyphen", "a line-\nend hyphen"),
        ("10<sup>2</sup> and H<sub>2</sub>O, 5<sup>th</sup>", "10² and H₂O, 5th"),
        ("10<sup>-9</sup>, x<sup>a</sup>", "10⁻⁹, x^a"),
        (
            "Counts of 1.5*10^9 or 100*10^9 cells",
            "Counts of 1.5*10^9 or 100*10^9 cells",
        ),
        ("~~Take 10 mg.~~ Take 5 mg.", "~~Take 10 mg.~~ Take 5 mg."),
        ("Put it in <package_name> now", "Put it in <package_name> now"),
        ("**Rest.**Sleep well", "Rest. Sleep well"),
        ("**Rest****.**", "Rest."),
        ("The [page](https://e.org){.external} has it", "The page has it"),
        ("See ![icon](i.png) there", "See  there"),
    ],
)
def test_marks_that_the_parser_consumed_are_gone(markdown: str, shown: str) -> None:
    """Everything a reader does not see is gone, everything else untouched."""
    assert paragraphs(markdown) == [shown]


def test_headings_paragraphs_code_and_tables_are_blocks() -> None:
    """One block each; cells of a row are joined by a bar."""
    text = "# A\n\nText.\n\n```py\nx = 1\n\ny\n```\n\n|a|b|\n|-|-|\n|*1*|2 |\n"
    assert blocks_of(load(text)) == [
        ("heading", 1, "A"),
        ("paragraph", 0, "Text."),
        ("code", 0, "x = 1\n\ny"),
        ("table_row", 0, "a | b"),
        ("table_row", 0, "1 | 2"),
    ]


def test_a_split_heading_is_one_heading() -> None:
    """An empty heading takes the short paragraph below it, and nothing longer."""
    assert blocks_of(load("##\n\nCancer fatigue symptoms\n\nText.")) == [
        ("heading", 2, "Cancer fatigue symptoms"),
        ("paragraph", 0, "Text."),
    ]
    assert blocks_of(load("##\n\nThis is a statement.\n")) == [
        ("paragraph", 0, "This is a statement.")
    ]


def test_lists_know_what_introduces_them() -> None:
    """A paragraph with a colon or of one sentence, or the item around a nested list."""
    text = (
        "It is common. Signs are:\n\n- pain\n- heat:\n  - mild\n  - high\n\n"
        "One sentence.\n\n1. first\n2. second\n\n"
        "Two sentences. Not a lead.\n\n* alone\n"
    )
    parsed = load(text)
    assert blocks_of(parsed) == [
        ("paragraph", 0, "It is common. Signs are:"),
        ("list_item", 1, "pain"),
        ("list_item", 1, "heat:"),
        ("list_item", 2, "mild"),
        ("list_item", 2, "high"),
        ("paragraph", 0, "One sentence."),
        ("list_item", 1, "1. first"),
        ("list_item", 1, "2. second"),
        ("paragraph", 0, "Two sentences. Not a lead."),
        ("list_item", 1, "alone"),
    ]
    assert lead_ins(parsed) == [
        None,
        "It is common. Signs are:",
        "It is common. Signs are:",
        "heat:",
        "heat:",
        None,
        "One sentence.",
        "One sentence.",
        None,
        None,
    ]


def test_a_year_that_looks_like_a_list_number_stays() -> None:
    """The number of an ordered item is text that a reader sees."""
    assert paragraphs("1986. A great year.") == ["1986. A great year."]


def test_html_in_markdown_is_read_as_a_browser_shows_it() -> None:
    """Blank lines do not cut a table; comments and scripts are not shown."""
    text = (
        "<table>\n\n<tr><th>Key</th><th>Use</th></tr>\n\n<tr><td>r</td><td>turn</td>"
        "</tr>\n\n</table>\n\n<!-- hidden -->\n\n<script>bad()</script>\n\nText"
    )
    assert paragraphs(text) == ["Key | Use", "r | turn", "Text"]


def test_fences_and_attributes_of_site_generators_are_markup() -> None:
    """Titles and text of admonitions stay, their fences go; code is left alone."""
    text = (
        "## Use {#use}\n\n:::{warning} Mind this.\nIt is hot.\n:::\n\n"
        "```\n:::{note}\n```\n\n![gone](x.png){w=500px h=500px}\n"
    )
    assert blocks_of(load(text)) == [
        ("heading", 2, "Use"),
        ("paragraph", 0, "Mind this."),
        ("paragraph", 1, "It is hot."),
        ("code", 0, ":::{note}"),
    ]


def test_a_picture_description_is_kept_and_not_quotable() -> None:
    """Several words about a picture are text; a file's nickname is not."""
    parsed = load("![A line chart of survival](x.png)\n\n![chart](y.png)")
    assert blocks_of(parsed) == [("paragraph", 0, "A line chart of survival")]
    assert not parsed.blocks[0].quotable


@pytest.mark.parametrize(
    "matter",
    [
        'id: x\ntitle: "T: t"\nsource: s\npublished: 2026-05-06\ndemo: true\nmore: [1]',
        '{"id": "x", "title": "T: t", "source": "s", "demo": true,'
        ' "published": "2026-05-06T10:00:00"}',
    ],
)
def test_front_matter_is_yaml_or_json(matter: str) -> None:
    """Known fields are read, unknown ones ignored, and none of it is text."""
    parsed = load(f"---\n{matter}\n---\n\n# H\n")
    assert (parsed.id, parsed.title, parsed.source) == ("x", "T: t", "s")
    assert (parsed.published, parsed.demo) == (date(2026, 5, 6), True)
    assert parsed.text == "H"


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    """Text between two rules stays text."""
    assert "Only text" in load("---\nOnly text\n---\n\nMore.").text


@pytest.mark.parametrize(
    ("matter", "named"),
    [
        ("title: [", "front matter"),
        ("published: soon", "published"),
        ("title: [a, b]", "title"),
        ("demo: perhaps", "demo"),
        ("a: &a [x]\nb: *a", "aliases"),
        ("a: " + "[" * 500 + "]" * 500, "nests deeper"),
    ],
)
def test_bad_front_matter_names_file_and_field_R_S2(matter: str, named: str) -> None:
    """A wrong date or an alias is refused; it is never half read."""
    with pytest.raises(DocumentError, match=named) as raised:
        load(f"---\n{matter}\n---\nText")
    assert "a/b.md" in str(raised.value)


@pytest.mark.parametrize("bomb", [">" * 5_000 + " x", "- " * 3_000 + "x"])
def test_nesting_bombs_are_refused_R_S2(bomb: str) -> None:
    """Too deep is an error, because the parser would drop the text."""
    with pytest.raises(DocumentError, match="nest deeper"):
        load(bomb)


def test_too_many_blocks_are_refused_R_S2() -> None:
    """A document of a million paragraphs is not one document."""
    with pytest.raises(DocumentTooLarge, match=r"a/b\.md"):
        load("x\n\n" * 30, Limits(blocks=20))
    with pytest.raises(DocumentTooLarge, match="characters"):
        load("x" * 30, Limits(characters=20))


@given(st.lists(st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True), max_size=30))
def test_no_plain_word_is_lost(words: list[str]) -> None:
    """Words in prose, lists, tables and code arrive once each, in order."""
    half = len(words) // 2
    text = " ".join(words[:half]) + "\n\n- " + "\n- ".join(words[half:])
    loaded = load(text)
    blocks_of(loaded)
    assert loaded.text.split() == [word for word in words if word]
