"""Texts of others in Discord's Markdown: all of it read, none of it working (R-V7)."""

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord import markdown
from adapters.reply import Piece, Quotation, compose, inert
from tests.adapters.outcomes import TODAY, WORDING, listing
from tests.platforms.discord_reach import links

SIGNS = "\\*_~|`<>[]()#-+.:/@!1a \n\t\u200b\u202e"
HOSTILE = st.text(st.sampled_from(SIGNS)) | st.text()
WORDS = st.sampled_from(
    [
        "https://evil.example/x",
        "discord.gg/abc",
        "<@123>",
        "<@&1>",
        "@everyone",
        "[a](https://evil.example)",
        "<https://evil.example>",
        "```",
        ":tada:",
        "> q",
        ">>> q",
        "# h",
        "-# s",
        "- l",
        "1. n",
        "||s||",
        "**b**",
        "<t:1:R>",
        "</ask:1>",
        "\\",
    ]
)
TEXTS = st.lists(WORDS | HOSTILE, max_size=8).map("".join)


def seen(shown: str) -> str:
    """What a reader sees of text that does nothing: escapes show their sign."""
    read: str = re2.sub(r"\\([^0-9A-Za-z\s])", r"\1", shown)
    return read


@given(TEXTS)
def test_every_character_is_read_R_I7(text: str) -> None:
    """Only backslashes are added, and only where they are not seen."""
    assert seen(markdown.plain(text)) == text


@given(TEXTS)
def test_nothing_can_be_followed_R_V7(text: str) -> None:
    """No address, whatever it is made of."""
    assert links({"content": markdown.plain(text)}) == set()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# heading", r"\# heading"),
        ("-# small", r"\-# small"),
        ("  - item", r"  \- item"),
        ("3. third", r"3\. third"),
        ("> quoted", r"\> quoted"),
        ("a_b and *c*", r"a\_b and \*c\*"),
        ("p < 0.05 > 0.01", r"p \< 0.05 > 0.01"),
        ("at 10:30", "at 10:30"),
        ("nice :tada:", r"nice \:tada\:"),
        ("https://evil.example", r"https\://evil.example"),
        ("https://evil.example:80:", r"https\://evil.example\:80\:"),
        ("[x](https:/", r"\[x\](https\:/"),
        ("discord.gg/abc", r"discord\.gg/abc"),
        ("@everyone, @here", r"\@everyone, \@here"),
        ("<@123> </ask:1> <t:1:R>", r"\<@123> \</ask:1> \<t\:1\:R>"),
        ("[x](https://evil.example)", r"\[x\](https\://evil.example)"),
    ],
)
def test_signs_are_made_plain_R_V7(text: str, shown: str) -> None:
    """Where they would do something, and nowhere else."""
    assert markdown.plain(text) == shown


def test_a_line_of_a_list_leads_to_a_page_R_M5() -> None:
    """With a bullet that is no Markdown, so that it can be small, too."""
    shown = markdown.list_item("The *Institute*", "https://www.cancer.gov/a_b")
    assert shown == r"• [The \*Institute\*](https://www.cancer.gov/a_b)"
    assert markdown.list_item("Institute", None) == "• Institute"


@pytest.mark.parametrize(
    ("text", "nothing"),
    [("", True), (" \n\t", True), ("\u200b\u2060", True), ("a", False), ("—", False)],
)
def test_what_cannot_be_seen_is_nothing(text: str, nothing: bool) -> None:
    """White space, and characters without a shape."""
    assert markdown.is_blank(text) is nothing


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "https://", "x", "https://[", "https://ex\u0430mple.org"],
)
def test_what_is_no_web_address_is_no_link_R_V7(url: str) -> None:
    """The title stays."""
    assert markdown.link("A title", url) == "A title"


def test_an_address_cannot_break_out_of_its_link_R_V7() -> None:
    """Nor its title."""
    shown = markdown.link("a](https://evil.example)", "https://ok.example/a(b)<c>")
    assert links({"content": shown}) == {"https://ok.example/a%28b%29%3Cc%3E"}
    assert markdown.link("A title", "https://ok.example/a b") == "A title"


def pieces(form: str) -> st.SearchStrategy[Piece]:
    return st.builds(Piece, form=st.just(form), text=TEXTS)


@given(
    st.lists(
        st.sampled_from(["prose", "item", "code", "row", "heading"]).flatmap(pieces),
        min_size=1,
        max_size=4,
    )
)
def test_a_quotation_stays_in_its_block_R_I7(shown: list[Piece]) -> None:
    """Every line of it is quoted, and every character that can be seen is there."""
    block = Quotation(pieces=tuple(shown), numbers=(1,))
    text = markdown.quote_block(block)
    assert all(line.startswith("> ") for line in text.split("\n"))
    left = iter(markdown.read(text))
    for piece in shown:
        for character in "".join(inert(piece.text).split()):
            assert character in left  # in order: the iterator only goes on


def test_code_keeps_its_blanks_and_cannot_end_its_fence_R_I7() -> None:
    """Code that holds a fence is shown as text."""
    code = Piece(form="code", text="if x:\n    y = '*'")
    block = Quotation(pieces=(code,), numbers=(2,))
    assert markdown.quote_block(block) == (
        "> ```\n> if x:\n>     y = '*'\n> ```\n> `[2]`"
    )
    fence = Piece(form="code", text="a\n```\n@everyone https://evil.example")
    text = markdown.quote_block(Quotation(pieces=(fence,), numbers=()))
    assert text == "> a\n> \\`\\`\\`\n> \\@everyone https\\://evil.example"


@given(TEXTS)
def test_what_we_set_can_be_read_again(text: str) -> None:
    """A message of ours that somebody chooses to ask about."""
    quoted = " ".join(inert(text).split())
    block = Quotation(pieces=(Piece(form="prose", text=quoted),), numbers=())
    assert quoted in markdown.read(markdown.quote_block(block))


def test_what_a_quotation_leaves_out_is_marked_R_A14() -> None:
    """On a line of its own, inside the quotation."""
    (_, block) = compose(listing(), WORDING, TODAY).body
    assert isinstance(block, Quotation)
    shown = markdown.read(markdown.quote_block(block))
    assert shown == "Do this:\n[…]\n• Take water. `[1]`"
