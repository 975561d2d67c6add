"""HTML inside of Markdown: a browser's page decides what of it is text."""

import pytest

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from adapters.loaders.styles import ELSEWHERE
from engine.documents.corpus import UNSHOWN, build_document
from engine.model.errors import DocumentError
from tests.adapters.loaders.blocks import blocks_of

LIMITS = Limits()


def text_of(page: str) -> str:
    return markdown.parse(page, "a.md", LIMITS).text


INLINE = (
    *(
        "<span hidden>no</span>",
        '<span style="display:none">no</span>',
        "<b hidden>no</b>",
    ),
    *("<script>no</script>", "<style>no{}</style>", "<textarea>no</textarea>"),
    *("<template>no</template>", "<title>no</title>"),
    *("<noscript>no</noscript>", "<iframe>no</iframe>", "<svg><text>no</text></svg>"),
    *('<font color="white">no</font>', "<span style='font-size:0'>no **no**</span>"),
    *("<span hidden>no <b>no</b> `no` [no](x)</span>", "<i style='opacity:0'>no</i>"),
    *(
        "<!-- no -->",
        "<span class=h>no</span>",
        "<span id=i>no</span>",
        "<dialog>no</dialog>",
    ),
    "<span hidden>no <span>no</span> no</span>",
)
SHEET = "<style>.h, #i {display: none}</style>\n\n"


@pytest.mark.parametrize("tag", INLINE)
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("Take {}5 mg.", "Take 5 mg."),
        ("Take {}5 mg.\n\nThe end.", "Take 5 mg.\n\nThe end."),
        ("# Dose {}5\n\nThe end.", "Dose 5\n\nThe end."),
        ("- Take {}5 mg.\n- The end.", "Take 5 mg.\nThe end."),
        ("> Take {}5 mg.", "Take 5 mg."),
        ("*Take {}5 mg.*", "Take 5 mg."),
    ],
)
def test_what_a_tag_hides_in_a_text_is_no_text_R_A15(
    tag: str, page: str, text: str
) -> None:
    """In paragraphs, headings, lists, quotations; whatever hides it."""
    assert text_of(SHEET + page.format(tag)) == text


@pytest.mark.parametrize(
    "page", ["Take {}5 mg.", "# Dose {}5", "- Take {}5 mg.", "> Take {}5 mg."]
)
def test_beside_a_choice_that_a_page_shows_nothing_is_quoted_R_A15(page: str) -> None:
    """A mark stands where its words would; none stands where it is hidden."""
    tag = "<select><option>no</option></select>"
    parsed = markdown.parse(page.format(tag), "a.md", LIMITS)
    assert UNSHOWN in parsed.text
    assert "no" not in parsed.text
    assert not any(s.quotable for s in build_document(parsed, "handbook").sentences)
    assert UNSHOWN not in text_of(
        page.format(tag.replace("select>", "select hidden>", 1))
    )


def test_a_hidden_part_of_a_cell_leaves_the_cell_R_A15() -> None:
    page = "| a | b |\n|---|---|\n| 1<span hidden>2</span> | <s>3</s> |\n"
    assert "1 | ~~3~~" in text_of(page)


def test_a_hidden_cell_keeps_its_place_R_A15() -> None:
    page = "| a | b | c |\n|---|---|---|\n| 1 | <i hidden>2</i> | 3 |\n"
    assert text_of(page).endswith("1 | – | 3")


def test_notes_and_titles_hide_what_their_tags_hide_R_A15() -> None:
    """A mark of a note stays where tags stand beside it."""
    page = (
        "Stay <span hidden>no</span> overnight.[^1]\n\n"
        "::: tip Mind <b hidden>no</b> this\n\nBeware.\n\n:::\n\n"
        "[^1]: Members <span hidden>no</span> only\n"
    )
    assert text_of(page) == (
        "Stay overnight.[note 1]\n\n[note 1] Members only\n\nMind this\n\nBeware."
    )


def test_a_title_alone_with_a_tag_loses_the_tag_R_A15() -> None:
    assert text_of("::: tip Mind <b>this</b>\n\nBeware.\n\n:::\n") == (
        "Mind this\n\nBeware."
    )


BLOCKS = (
    *(
        "<div hidden>",
        "<div style='display: none'>",
        '<section class="h">',
        "<div id=i>",
    ),
    *(
        "<dialog>",
        "<template>",
        "<div style='color:#fff'>",
        "<div style='font-size:0'>",
    ),
    *("<table hidden><tr><td>", "<div><div hidden>"),
)


@pytest.mark.parametrize("opens", BLOCKS)
def test_what_a_block_hides_is_no_text_R_A15(opens: str) -> None:
    """All that stands below it, Markdown and HTML, up to its end."""
    ends = "</div></div>" if opens.startswith("<div><div") else None
    name = opens[1:].partition(" ")[0].rstrip(">")
    closes = ends or ("</td></tr></table>" if name == "table" else f"</{name}>")
    inside = "no\n\n## no\n\n- no\n- no\n\n```\nno\n```\n\n<p>no</p>\n\n> no"
    page = f"{SHEET}Yes.\n\n{opens}\n\n{inside}\n\n{closes}\n\nThe end."
    assert text_of(page) == "Yes.\n\nThe end."


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<details><summary>More</summary>\n\nYes.\n\n</details>", "More\n\nYes."),
        ("<div>\n\nYes.\n\n</div>\n\nThe end.", "Yes.\n\nThe end."),
        ("<div style='background:#222;color:#fff'>\n\nYes.\n\n</div>", "Yes."),
        ("<del>\n\nOld.\n\n</del>\n\nNew.", "~~Old.~~\n\nNew."),
        ("Take <del>500</del> 5 mg.", "Take ~~500~~ 5 mg."),
        ("Take <s>**500** mg</s> 5 mg.", "Take ~~500 mg~~ 5 mg."),
        ("Take ~~500~~ 5 mg.", "Take ~~500~~ 5 mg."),
        ("<i style='text-decoration:line-through'>Old</i> new.", "~~Old~~ new."),
        ("<style>p{color:red}</style>\n\nYes.", "Yes."),
        ("<style>p{display:none}</style>\n\nno\n\n# Yes", "Yes"),
        (
            "Say `<span hidden>` & <package_name> or a < b.",
            "Say <span hidden> & <package_name> or a < b.",
        ),
        (
            "Use the <title> and the <select> tag.",
            "Use the <title> and the <select> tag.",
        ),
        ("A <script> tag\n\nThe end.", "A <script> tag\n\nThe end."),
        ("<title>\n\nYes.", "Yes."),
        (
            "10<sup>9</sup>, H<sub>2</sub>O, a<br>b, x<sup>*y*</sup>",
            "10⁹, H₂O, a\nb, x^y",
        ),
        ("1.5*10^9 *m* <b>x</b>", "1.5*10^9 m x"),
        ("Two  blanks <b>and  more</b>", "Two  blanks and  more"),
        ("Well-\nknown <b>x-\ny</b>", "Well-\nknown x-\ny"),
        ("[a](b){.c} <b>d</b>", "a d"),
        ("Text</div> more", "Text more"),
        ("<b>open\n\nThe end.", "open\n\nThe end."),
        ("<span>open\n\nThe end.", "open\n\nThe end."),
        ("<span hidden>open\n\nThe end.", "The end."),
    ],
)
def test_what_a_browser_shows_is_text_R_A15(page: str, text: str) -> None:
    assert text_of(page) == text


def test_the_rest_of_a_page_stays_what_it_is_R_A15() -> None:
    """Levels, lists and code around what is hidden."""
    page = (
        "# One\n\n<div hidden>\n\n# no\n\n1. no\n\n</div>\n\n2. two\n   - inner\n\n"
        "```\ncode\n```\n"
    )
    assert blocks_of(markdown.parse(page, "a.md", LIMITS)) == [
        ("heading", 1, "One"),
        ("list_item", 1, "2. two"),
        ("list_item", 2, "inner"),
        ("code", 0, "code"),
    ]


def test_sheets_of_other_files_are_told_R_A15() -> None:
    page = '<link rel="stylesheet" href="a.css">\n\nYes.'
    assert markdown.parse(page, "a.md", LIMITS).remarks == (ELSEWHERE,)
    assert not markdown.parse("Yes, <b>no</b>.", "a.md", LIMITS).remarks


def test_tags_in_markdown_nest_within_bounds_R_S2() -> None:
    with pytest.raises(DocumentError, match="nest deeper"):
        text_of("<b>" * 200 + "x")
    assert text_of("<p>" * 1_000 + "x" + "</p>" * 1_000).strip() == "x"
