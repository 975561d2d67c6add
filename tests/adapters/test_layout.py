"""What of a reply goes into which message, and what gives way first (R-C3, R-C4)."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from adapters.layout import (
    Paper,
    Rank,
    Unit,
    clipped,
    item,
    marks,
    paged,
    prose,
)
from adapters.message import ranked
from adapters.reply import Block, Heading, Paragraph, Piece, Quotation, compose
from tests.adapters.outcomes import TODAY, WORDING, answered, chunk, refused

ROOM = 10


def units(*sizes: tuple[Rank, int]) -> list[Unit[str]]:
    """Units of so many characters; each one's letter says which it is."""
    return [Unit(rank, chr(65 + n) * size) for n, (rank, size) in enumerate(sizes)]


def fits(page: Sequence[Unit[str]]) -> bool:
    """Whether they fit a message of ROOM characters."""
    return sum(len(unit.shown) for unit in page) <= ROOM


def shown(given: Sequence[Unit[str]], pages: int) -> list[str]:
    """What each message says; a note is a dot."""
    paper = Paper(pages=pages, fits=fits, note=lambda _: ".")
    return ["".join(u.shown for u in page) for page in paged(given, paper)]


def test_units_are_never_divided_R_C4() -> None:
    """A message ends where the next unit does not fit any more."""
    given = units((Rank.EVIDENCE, 6), (Rank.EVIDENCE, 4), (Rank.EVIDENCE, 7))
    assert shown(given, 5) == ["AAAAAABBBB", "CCCCCCC"]


def test_what_leads_stays_with_what_follows_R_C4() -> None:
    """Unless both together fit no message."""
    given = units((Rank.EVIDENCE, 6), (Rank.HEADING, 2), (Rank.EVIDENCE, 5))
    assert shown(given, 5) == ["AAAAAA", "BBCCCCC"]
    large = units((Rank.HEADING, 2), (Rank.EVIDENCE, 9))
    assert shown(large, 5) == ["AA", "BBBBBBBBB"]


def test_what_gives_way_gives_way_in_order_R_C3() -> None:
    """Not found, introduction, the later quotation, its heading; sources stay."""
    given = units(
        (Rank.INTRODUCTION, 1),
        (Rank.EVIDENCE, 3),
        (Rank.HEADING, 1),
        (Rank.EVIDENCE, 4),
        (Rank.NOT_FOUND, 1),
        (Rank.SOURCE, 3),
    )
    assert shown(given, 2) == ["ABBBCDDDDE", "FFF"]
    assert shown(given, 1) == ["BBB.FFF"]
    smaller = [*given[:5], Unit(Rank.SOURCE, "F")]
    assert shown(smaller, 1) == ["ABBBCDDDDF"]
    smallest = [*given[:4], Unit(Rank.SOURCE, "FF")]
    assert shown(smallest, 1) == ["BBBCDDDDFF"]


def test_what_fits_nowhere_is_left_out_whole_R_C4() -> None:
    """Even where there are many messages."""
    given = units((Rank.EVIDENCE, 11), (Rank.EVIDENCE, 3))
    assert shown(given, 9) == ["BBB."]


@given(
    st.lists(st.tuples(st.sampled_from(Rank), st.integers(1, 12)), max_size=12),
    st.integers(1, 3),
)
def test_messages_fit_and_keep_the_order_R_C4(
    sizes: list[tuple[Rank, int]], pages: int
) -> None:
    """Whatever is given, what must stay stays and what is shown was given."""
    sizes = [(rank, 1 if rank is Rank.FIXED else size) for rank, size in sizes]
    given = units(*sizes)
    fixed = "".join(u.shown for u in given if u.rank is Rank.FIXED)
    made = shown(given, pages)
    said = "".join(made).replace(".", "")
    if len(fixed) + 2 <= ROOM:
        assert len(made) <= pages
        assert all(len(page) <= ROOM for page in made)
    assert set(fixed) <= set(said)
    whole = {u.shown[0]: len(u.shown) for u in given}
    assert sorted(said) == list(said)
    assert all(said.count(letter) == whole[letter] for letter in set(said))


def kinds(*body: Block, answer: bool = True) -> list[Rank]:
    """What the blocks of a body are."""
    outcome = answered(chunk("Rinse.")) if answer else refused()
    reply = compose(outcome, WORDING, TODAY).model_copy(update={"body": body})
    return [rank for rank, _ in ranked(reply.body, answered=reply.answered)]


def test_blocks_are_known_by_what_they_do() -> None:
    """Words that cite nothing introduce what follows, or end the body."""
    quote = Quotation(pieces=(Piece(form="prose", text="x"),), numbers=(1,))
    ours, claim = Paragraph(text="x"), Paragraph(text="x", numbers=(1,))
    assert kinds(Heading(text="H"), ours, quote, claim, ours, ours) == [
        Rank.HEADING,
        Rank.INTRODUCTION,
        Rank.EVIDENCE,
        Rank.EVIDENCE,
        Rank.WORDS,
        Rank.NOT_FOUND,
    ]
    assert kinds(ours, answer=False) == [Rank.WORDS]


@given(st.text(st.sampled_from('ab. \n\u201c\u201d"!?'), max_size=200))
def test_words_are_cut_without_loss_R_C4(text: str) -> None:
    """Every piece fits, and only blanks are lost between two of them."""
    pieces = prose(text, lambda piece: len(piece) <= 20)
    assert all(len(piece) <= 20 for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_words_are_cut_at_sentences_outside_quotes_R_C4() -> None:
    """Between words only where a sentence is too long, inside one only then."""
    assert prose("It is so. It is not.", lambda p: len(p) <= 12) == [
        "It is so.",
        "It is not.",
    ]
    quoted = "He said \u201cYes. No.\u201d twice. Then he left."
    assert prose(quoted, lambda p: len(p) <= 25) == [
        "He said \u201cYes. No.\u201d twice.",
        "Then he left.",
    ]
    assert prose("abcdefgh", lambda p: len(p) <= 3) == ["abc", "def", "gh"]


def test_small_forms() -> None:
    """Marks of sources, bullets, and what is cut says so."""
    assert (marks((1, 2)), marks(())) == ("[1, 2]", "")
    assert (item("first"), item("1. first"), item("a) x")) == (
        "• first",
        "1. first",
        "a) x",
    )
    assert (clipped("one two", 7), clipped("one two", 6)) == ("one two", "one…")
