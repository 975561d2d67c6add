"""What a browser does not show of a page is no text of it."""

import pytest

from adapters.loaders import html, markdown
from adapters.loaders.limits import Limits
from adapters.loaders.styles import ELSEWHERE
from engine.documents.corpus import build_document
from engine.model.errors import DocumentError
from tests.growth import linear

LIMITS = Limits()
SEEN = "Take 5 mg a day."


def text_of(page: str) -> str:
    return html.parse(page, "a.html", LIMITS).text


# What styles write beside the text of a page, as a browser shows it.
WRITTEN = {
    "li::before{content:'Never '}": ("<ul><li>take it.</ul>", "Never take it."),
    ".no:before{content:'Do not'}": ("<p class=no>take it.</p>", "Do not take it."),
    "p::after{content:' twice' ' a day.'}": ("<p>Take it</p>", "Take it twice a day."),
    "p::before{content:'No: '}p::before{content:'\\2192'}": ("<p>Go.</p>", "Go."),
    "p::before{content:'No: ';display:none}": ("<p>Go.</p>", "Go."),
    ".a::before{content:'No: '}": ("<p>Go.</p>", "Go."),
    "i::before{content:'e'}": ("<p>Go <i></i>on.</p>", "Go on."),
    "p::before{content:counter(x)}": ("<p>Go.</p>", "Go."),
    "@media print{p::before{content:'No: '}}": ("<p>Go.</p>", "Go."),
}


@pytest.mark.parametrize("style", WRITTEN)
def test_words_that_styles_write_are_text_R_A15(style: str) -> None:
    """A "never" of a style sheet is no less there than one of the page."""
    markup, shown = WRITTEN[style]
    assert text_of(f"<style>{style}</style>{markup}") == shown


@pytest.mark.parametrize(
    "markup",
    [
        "<bdo dir=rtl>51</bdo>",
        "<bdo style='direction:rtl'><b>51</b></bdo>",
        "<span style='unicode-bidi:bidi-override;direction:rtl'>51</span>",
        "\u202e51\u202c",
        "<math><mn>5</mn></math>",
        "<select><option>5<option selected>50</select>",
    ],
)
def test_what_no_text_holds_in_its_order_is_not_quoted_R_A15(markup: str) -> None:
    """Figures that are turned round, formulas, and what a control shows."""
    page = f"<p>Take {markup} mg of it.</p><p>Rest often.</p>"
    document = build_document(html.parse(page, "a.html", LIMITS), "handbook")
    assert [s.quotable for s in document.sentences] == [False, True]


def test_what_is_forced_to_the_order_it_has_is_text_R_A15() -> None:
    assert text_of("<p>Take <bdo dir=ltr>5</bdo> mg.</p>") == "Take 5 mg."
    hidden = "<p>Take it.<select hidden><option>5</select></p>"
    assert text_of(hidden) == "Take it."


# Declarations that hide an element, in every notation that a browser reads.
HIDING = (
    *("display:none", "display : none", "DISPLAY:NONE", "display:none!important"),
    *(
        "display:/**/none",
        "display:none/* x */",
        "d\\69splay:none",
        "color:red;display:none",
    ),
    *("display:block;display:none", "visibility:hidden", "visibility:collapse"),
    *("content-visibility:hidden", "opacity:0", "opacity:.01", "opacity:0%"),
    *("filter:opacity(0)", "zoom:0", "font-size:0", "font-size:0px", "font-size:.1pt"),
    *(
        "font-size:1px",
        "font-size:0.01em",
        "font-size:1%",
        "font:0/0 a",
        "font:1px serif",
    ),
    *("color:white", "color:#fff", "color:#FFFFFF", "color:#fefefe", "color:#fcfcfc"),
    *("color:rgb(255,255,255)", "color:rgb(100% 100% 100%)", "color:hsl(0 0% 100%)"),
    *(
        "color:transparent",
        "color:rgba(0,0,0,0)",
        "color:#0000",
        "color:rgb(0 0 0/.01)",
    ),
    *("color:black;background:black", "color:#123456;background-color:#123457"),
    *("background:#000;color:#010101", "color:red;-webkit-text-fill-color:transparent"),
    *(
        "position:absolute;left:-9999px",
        "position:fixed;top:-1000em",
        "position:absolute;left:-999px",
    ),
    *(
        "position:relative;left:-100vw",
        "position:absolute;right:-9999px",
        "position:absolute;left:9999px",
    ),
    *(
        "position:absolute;inset:-9999px auto auto auto",
        "text-indent:-9999px",
        "text-indent:-100em",
    ),
    *(
        "margin-left:-9999px",
        "margin:-5000px 0 0 0",
        "transform:scale(0)",
        "transform:scaleX(0)",
    ),
    *(
        "transform:translateX(-9999px)",
        "transform:translate(0,-200vw)",
        "scale:0",
        "translate:-9999px",
    ),
    *(
        "position:absolute;clip:rect(0,0,0,0)",
        "position:absolute;clip:rect(1px 1px 1px 1px)",
    ),
    *("clip-path:inset(50%)", "clip-path:inset(100%)", "clip-path:circle(0)"),
    *("mask-image:linear-gradient(transparent,transparent)", "mask:url(#none)"),
    *("mask:linear-gradient(#0000 0 0)", "-webkit-mask-image:url(x.png)"),
    *(
        "height:0;overflow:hidden",
        "width:1px;height:1px;overflow:hidden",
        "max-height:0;overflow:hidden",
    ),
    "position:absolute;width:1px;height:1px;margin:-1px;overflow:clip;white-space:nowrap",
)
# Those that do not.
SHOWING = (
    *("display:block", "display:none;display:block", "visibility:visible", "opacity:1"),
    *(
        "opacity:.5",
        "font-size:8px",
        "font-size:.8em",
        "font:12px/1.2 serif",
        "color:#777",
    ),
    *(
        "color:white;background:navy",
        "background:#222;color:#eee",
        "color:white;background:url(x.png)",
    ),
    *(
        "color:white;background:linear-gradient(red,blue)",
        "color:#ccc",
        "content:'none'",
    ),
    *(
        "position:absolute;left:50%;margin-left:-50vw",
        "left:-9999px",
        "text-indent:-1em",
    ),
    *(
        "height:0",
        "overflow:hidden",
        "width:100%;overflow:hidden",
        "transform:scale(.9)",
    ),
    *("transform:translate(-50%,-50%)", "clip:auto", "clip-path:inset(10%)", "zoom:1"),
    "color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text",
    *("color:nonsense", "display:nonesuch", "--x:none", "display:var(--gone)"),
)


@pytest.mark.parametrize("style", HIDING)
@pytest.mark.parametrize("how", ["inline", "class", "id", "inside", "important", "raw"])
def test_what_a_style_hides_is_no_text_R_A15(style: str, how: str) -> None:
    """Inline, by class, in a rule that wins, of the element or of one around it."""
    sheet, hidden = "", "<p class=h id=i>Take 500 mg.</p>"
    if how == "inline":
        hidden = f'<p style="{style}">Take 500 mg.</p>'
    elif how == "class":
        sheet = f".h {{{style}}}"
    elif how == "id":
        sheet = f"#i{{{style}}} p.h{{display:block}}".replace("p.h{display:block}", "")
    elif how == "inside":
        sheet, hidden = f".out{{{style}}}", f"<div class=out><p>{hidden}</p></div>"
    elif how == "important":
        important = ";".join(f"{each} !important" for each in style.split(";"))
        sheet = f".h{{{important}}}".replace("!important !important", "!important")
        sheet = sheet.replace("none!important !important", "none!important")
    else:
        hidden = f"<div style='{style}'>Take 500 mg.</div>"
    page = f"<style>{sheet}</style><p>{SEEN}</p>{hidden}<p>The end.</p>"
    assert text_of(page) == f"{SEEN}\n\nThe end."


@pytest.mark.parametrize("style", SHOWING)
def test_what_a_style_shows_is_text_R_A15(style: str) -> None:
    for page in (
        f'<p style="{style}">{SEEN}</p>',
        f"<style>.a{{{style}}}</style><p class=a>{SEEN}</p>",
    ):
        assert text_of(page) == SEEN


SELECTORS = (
    *(".h", "p.h", "P.h", "#i", "[hidden-x]", "[data-a='b c']", "div > .h", "div .h"),
    *("p + p", "p ~ .h", ":not(.a)", "p:not(#n)", "p:nth-child(2)", "p:last-of-type"),
    *(
        ":is(.x, .h)",
        ":where(#i)",
        ".x, .h",
        "div:has(em) .h",
        "*",
        "body *",
        ".h:not(:hover)",
    ),
    *(
        ".h:not(:target)",
        "p.h:not(:focus-within)",
        "[class~=h]",
        "[id^=i]",
        "::before, .h",
    ),
)


@pytest.mark.parametrize("selector", SELECTORS)
def test_selectors_are_those_of_a_browser_R_A15(selector: str) -> None:
    """Of one that takes a touch, what holds before anybody touched the page."""
    body = (
        f"<div><p class=a id=n>{SEEN}</p><p class=h id=i hidden-x data-a='b c'>Take "
        "<em>500</em> mg.</p></div>"
    )
    said = text_of(f"<style>{selector}{{display:none}}</style>{body}")
    assert "500" not in said
    assert SEEN in said or selector in ("*", "body *", ":not(.a)")


@pytest.mark.parametrize(
    "sheet",
    [
        "@media screen{.h{display:none}}",
        "@media (min-width:600px){.h{display:none}}",
        "@media screen and (min-width:40em){.h{display:none}}",
        "@media print{.h{display:block}} .h{display:none}",
        "@supports (display:grid){.h{display:none}}",
        "@layer a{.h{display:none}}",
        ".out{.h{display:none}}",
        ".out{& > .h{display:none}}",
        ".out{color:red;@media screen{.h{display:none}}}",
        ":root{--d:none} .h{display:var(--d)}",
        ".h{display:var(--gone,none)}",
        ".h{display:block} .h{display:none}",
        "#i{display:none} .h{display:block}",
        ".h{display:none!important} #i{display:block}",
        "p{display:none} p{display:block} .h{display:none}",
        "@import url(more.css); .h{display:none}",
        "<!-- .h{display:none} -->",
        ".h{display:none",
        "@charset 'x'; .a{} .h{;;display:none;;}",
    ],
)
def test_sheets_are_read_as_a_browser_reads_them_R_A15(sheet: str) -> None:
    page = f"<div class=out><p>{SEEN}</p><p class=h id=i>Take 500 mg.</p></div>"
    assert text_of(f"<style>{sheet}</style>{page}") == SEEN
    assert text_of(f"{page}<style>{sheet}</style>") == SEEN


@pytest.mark.parametrize(
    "sheet",
    [
        "@media print{.h{display:none}}",
        "@media (max-width:600px){.h{display:none}}",
        "@media not screen{.h{display:none}}",
        ".h:hover{display:none}",
        ".h::before{display:none}",
        ".h:before{display:none}",
        ".H2{display:none}",
        "section .h{display:none}",
        ".h{display:none} .h{display:block}",
        ".h{display:none} #i{display:block}",
        ".h{display:none} .h{display:block!important}",
        "/* .h{display:none} */",
        ".h{display:none}".replace("none", "no ne"),
        ".h[data-x]{display:none}",
        ".no-js .h{display:none}",
    ],
)
def test_rules_that_do_not_hold_hide_nothing_R_A15(sheet: str) -> None:
    page = f"<p class=h id=i>{SEEN}</p>"
    assert text_of(f"<style>{sheet}</style>{page}") == SEEN
    other = f"<style media=print>.h{{display:none}}</style>{page}"
    assert text_of(other) == SEEN


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p hidden>no</p><p>yes", "yes"),
        ("<style>.a{display:block}</style><p class=a hidden>yes", "yes"),
        ("<dialog>no</dialog><dialog open>yes</dialog>", "yes"),
        ("<p popover>no<p>yes", "yes"),
        ("<details><summary>more</summary>yes</details>", "more\n\nyes"),
        ("<p aria-hidden=true>yes", "yes"),
        ("<p style='visibility:hidden'>no<b style='visibility:visible'>yes</b>", "yes"),
        ("<p style='font-size:0'>no<b style='font-size:16px'>yes</b>", "yes"),
        ("<p style='opacity:0'>no<b style='opacity:1'>no</b><p>yes", "yes"),
        ("<div style='display:none'><p style='display:block'>no</div><p>yes", "yes"),
        ("<div style='background:#333'><p style='color:white'>yes</div>", "yes"),
        ("<body bgcolor=black text=white><p>yes", "yes"),
        ("<body bgcolor=white><font color=white>no</font><p>yes", "yes"),
        ("<font color='#FFFFFF'>no</font><p>yes", "yes"),
        ("<table bgcolor=navy><tr><td><font color=white>yes</table>", "yes"),
        ("<table><tr><td>yes<td style='display:none'>no</table>", "yes"),
        ("<ul><li>yes<li hidden>no</ul>", "yes"),
        ("<p>y<span hidden>no</span>es", "yes"),
        ("<p>yes<template>no</template><noscript>no</noscript>", "yes"),
        ("<progress>no</progress><meter>no</meter><noembed>no</noembed><p>yes", "yes"),
        ("<!-- <p>no --><p>yes", "yes"),
        ("<p>yes<script>no</script><style>no</style><textarea>no</textarea>", "yes"),
    ],
)
def test_what_is_hidden_without_a_style_is_no_text_either_R_A15(
    page: str, text: str
) -> None:
    assert text_of(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>Take <s>500</s> 5 mg.", "Take ~~500~~ 5 mg."),
        ("<p>Take <del>500 <b>mg</b></del> 5 mg.", "Take ~~500 mg~~ 5 mg."),
        ("<p>Take <strike> 500 </strike>5 mg.", "Take ~~500~~ 5 mg."),
        (
            "<p>Take <i style='text-decoration:line-through'>500</i> 5.",
            "Take ~~500~~ 5.",
        ),
        (
            "<p>Take <i style='text-decoration-line:underline line-through'>5</i>",
            "Take ~~5~~",
        ),
        (
            "<style>.o{text-decoration:red wavy line-through}</style><p class=o>Old",
            "~~Old~~",
        ),
        ("<p style='text-decoration:line-through'>Old.</p><p>New.", "~~Old.~~\n\nNew."),
        (
            "<del><p>Old.</p><p>Older.</p></del><p>New.",
            "~~Old.~~\n\n~~Older.~~\n\nNew.",
        ),
        ("<s><ul><li>a<li>b</ul></s>", "~~a~~\n~~b~~"),
        ("<table><tr><td><s>500</s><td>5</table>", "~~500~~ | 5"),
        ("<p>10<s><sup>9</sup></s>, 10<sup><s>9</s></sup>", "10~~⁹~~, 10~~⁹~~"),
        ("<p><s></s>New <s> </s>text", "New text"),
        ("<p><u style='text-decoration:underline'>New</u>", "New"),
        ("<h2><s>Old</s> New</h2>", "~~Old~~ New"),
    ],
)
def test_what_is_struck_out_says_so_R_A15(page: str, text: str) -> None:
    """By element, style or class, over blocks, cells and raised figures."""
    assert text_of(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ruby>5<rt>500</ruby> mg", "5(500) mg"),
        ("<ruby>5<rp>(</rp><rt>500</rt><rp>)</rp></ruby> mg", "5(500) mg"),
        ("<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>", "漢(kan)字(ji)"),
        ("<ruby>5<rt hidden>500</rt></ruby> mg", "5 mg"),
    ],
)
def test_what_stands_above_a_word_is_in_brackets_R_A15(page: str, text: str) -> None:
    assert text_of(f"<p>{page}") == text
    assert markdown.parse(f"{page}\n", "a.md", LIMITS).text == text


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("<link rel=stylesheet href=a.css>", True),
        ("<link rel='StyleSheet preload' href=a.css media=screen>", True),
        ("<style>@import 'a.css';</style>", True),
        ("<style>@import url(a.css) screen;</style>", True),
        ("<link rel=stylesheet href=a.css media=print>", False),
        ("<link rel='alternate stylesheet' href=a.css>", False),
        ("<link rel=icon href=a.png><style>p{}</style>", False),
    ],
)
def test_sheets_in_other_files_are_told_not_to_be_looked_at_R_A15(
    head: str, told: bool
) -> None:
    parsed = html.parse(f"{head}<p>{SEEN}", "a.html", LIMITS)
    assert parsed.remarks == ((ELSEWHERE,) if told else ())


@pytest.mark.parametrize(
    "sheet",
    [
        ".a" * 50_000,
        "{" * 50_000,
        "@media x{" * 50_000,
        "a{}" * 50_000,
        ".b{.b" * 50_000,
        ":not(" * 5_000,
        "a,",
        ".h{color:" + "var(--x)" * 1_000,
        "\\",
        "@",
        "[",
        "/*",
    ],
)
def test_a_hostile_sheet_costs_no_page_R_S2(sheet: str) -> None:
    """Its text stays, or the page is refused by name; nothing crashes."""
    try:
        assert SEEN in text_of(f"<style>{sheet}</style><p>{SEEN}</p>")
    except DocumentError as refused:
        assert "a.html: its styles nest too deeply" in str(refused)


def test_cells_and_notes_show_what_a_browser_shows_of_them_R_A15() -> None:
    """A hidden note is none: what refers to it stays as it is written."""
    table = (
        "<table><tr><th>A<th>B<th>C<tr><td>1<td style='visibility:hidden'>2<td>3"
        "<tr><td><s>4<br>5</s><td><ruby>55<rt>00</rt></ruby><td><img alt=yes></table>"
    )
    assert text_of(table) == "A | B | C\n1 | – | 3\n~~4~~ ~~5~~ | 55(00) | yes"
    link = '<p>{0}.<sup><a href="#n{1}">{1}</a></sup></p>'
    notes = (
        "<div hidden><p id=n1>1 Secret</p></div>"
        "<p id=n2>2 <s>All</s> members <span hidden>no</span> only</p>"
    )
    assert text_of(link.format("Stay", 1) + link.format("Park", 2) + notes) == (
        "Stay.¹\n\nPark.[note 1]\n\n[note 1] ~~All~~ members only"
    )


def test_styles_take_linear_time_R_S2() -> None:
    rules = "".join(f".c{n}{{color:red}}" for n in range(200))
    assert linear(
        lambda size: text_of(
            f"<style>{rules}</style>" + f"<p class=c1>{SEEN}</p>" * size
        ),
        800,
    )


def test_a_mask_that_fades_leaves_its_text_R_A15() -> None:
    style = "mask-image:linear-gradient(black,transparent)"
    assert text_of(f"<p style='{style}'>Take it.</p>") == "Take it."
    assert text_of("<p style='mask:none'>Take it.</p>") == "Take it."


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("<col><col class=x><col>", "a | c"),
        ("<colgroup class=x><col></colgroup><col>", "b | c"),
        ("<colgroup span=2 class=x></colgroup>", "c"),
        ("<col span=2><col class=x>", "a | b"),
        ("<col><col><col>", "a | b | c"),
    ],
)
def test_a_column_that_is_collapsed_is_no_text_R_A15(columns: str, row: str) -> None:
    """A browser draws none of its cells; they were quoted."""
    page = (
        "<style>.x{visibility:collapse}</style><table>"
        f"{columns}<tr><td>a<td>b<td>c</tr></table>"
    )
    assert text_of(page) == row
