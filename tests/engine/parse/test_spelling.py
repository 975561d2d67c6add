"""Typing errors: what is corrected, and what never is."""

import pytest

from engine.parse.spelling import correct, count_edits
from tests.growth import TRIES, cost

CORPUS = {
    "chemotherapy": 90,
    "diarrhea": 40,
    "nausea": 50,
    "fatigue": 30,
    "imatinib": 3,
    "afatinib": 2,
    "hypercalcemia": 5,
    "prednisone": 4,
    "gazebo": 70,
    "publisher": 20,
    "wire": 9,
    "three": 5,
    "hears": 3,
    "iii": 6,
    "hearts": 8,
    "with": 900,
    "which": 300,
    "have": 400,
    "post": 9,
    "extravasation": 4,
    "extra": 60,
    "extravasations": 1,
}
NAMES = ("[a-z]+(?:nib|sone|lone)", "(?:hyper|hypo)[a-z]+")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("diarhea", "diarrhea"),
        ("nausae", "nausea"),
        ("fatige", "fatigue"),
        ("gazebbo", "gazebo"),
        ("chemotherpay", "chemotherapy"),
        ("chemothrapi", "chemotherapy"),
        ("publshre", "publisher"),
        ("wich", "which"),
        ("hvae", "have"),
        ("extrav", "extravasation"),
        ("wiht", "with"),
        ("shoudl", "should"),
        ("becuase", "because"),
        ("abuot", "about"),
        ("thre", "three"),
    ],
)
def test_typing_errors_are_put_right_R_U2(typed: str, meant: str) -> None:
    """One edit, swaps included; two from eight letters."""
    assert correct([typed], CORPUS) == {typed: meant}


@pytest.mark.parametrize(
    "word",
    [
        "wife",
        "iiia",
        "gas",
        "nausea",
        "axitinib",
        "prednisolone",
        "hypocalcemia",
        "gaezbbo",
        "gazebo2",
        "gz_sim",
        "22.04",
        "ausea",
        "poss",
        "hyperc",
        "wiht2",
        "naüsea",
        "x" * 5_000,
        "",
    ],
)
def test_what_may_be_meant_as_written_stays_R_U2(word: str) -> None:
    """English words, names, identifiers, numbers, versions, and what is too far off."""
    assert correct([word], CORPUS, NAMES) == {}


def test_the_more_frequent_of_two_equally_near_wins_R_U2() -> None:
    assert correct(["hearps"], CORPUS) == {"hearps": "hearts"}
    assert correct(["heaars"], CORPUS) == {"heaars": "hears"}
    assert correct(["fzebo"], {"fzebos": 1, "fzeboe": 9}) == {"fzebo": "fzeboe"}


def test_stems_serve_where_the_corpus_gives_no_words_R_U2() -> None:
    """A known stem is a known word."""
    assert correct(["vomitting"], {"vomit": 3}) == {}


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("diarrhoea", "diarrhea"),
        ("tumours", "tumors"),
        ("leukemia", "leukaemia"),
        ("travelled", "traveled"),
        ("center", "centre"),
        ("estrogen", "oestrogen"),
        ("oestrogen", "estrogen"),
        ("analyse", "analyze"),
    ],
)
def test_british_and_american_spellings_are_one_word_R_U2(
    typed: str, stored: str
) -> None:
    """Whichever the documents have, the asker's finds it, and no other word."""
    assert correct([typed], {stored: 3, "heart": 9}) == {typed: stored}
    assert correct([typed], {typed: 1, stored: 3}) == {}
    assert correct([typed], {stored: 3}, protected=[typed]) == {}


@pytest.mark.parametrize(
    "typed", ["summarise", "organisations", "behavioural", "counselling", "oesophagus"]
)
def test_a_british_word_is_english_and_becomes_no_other_word_R_U2(typed: str) -> None:
    """ "summarise" was read as "summaries", which documents say."""
    near = {typed.replace("ise", "ies"): 9, typed[:-1]: 9, typed + "e": 9}
    near.pop(typed, None)
    assert correct([typed], near) == {}


def test_a_word_too_long_for_one_is_spelt_no_other_way_R_U2() -> None:
    """Each of its letters would be tried: what nobody typed as a word costs nothing."""
    long = "e" * 100_000
    assert correct([long], {f"a{long}": 1}) == {}
    assert correct(["e4e4e4"], {"ae4e4e4": 1}) == {}


@pytest.mark.parametrize(
    ("typed", "other"),
    [("filing", "filling"), ("hoes", "hes")],
)
def test_words_that_only_look_alike_stay_two_R_U2(typed: str, other: str) -> None:
    assert correct([typed], {other: 9}) == {}


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ("same", "same", 0),
        ("abcd", "abdc", 1),
        ("abcd", "abc", 1),
        ("abcd", "abxd", 1),
        ("abcd", "badc", 2),
        ("abcd", "wxyz", 3),
        ("", "ab", 2),
    ],
)
def test_distance_counts_edits(one: str, other: str, edits: int) -> None:
    """Anything above the limit is limit + 1."""
    assert count_edits(one, other, 2) == edits
    assert count_edits(other, one, 2) == edits


def test_many_unknown_words_are_bounded_R_U2() -> None:
    """A question of nonsense costs no more than eight words."""
    vocabulary = {f"k{n:05d}".replace("0", "o"): n for n in range(20_000)}
    vocabulary |= {f"ka{'b' * (n % 30)}": n for n in range(1_000)}
    unknown = [f"kab{'c' * n}" for n in range(2, 40)]

    def times(more: int) -> float:
        few = cost(lambda _: correct(unknown[:8], vocabulary), 0)
        return cost(lambda _: correct(unknown[: 8 + more], vocabulary), 0) / few

    assert any(times(30) < 3 for _ in range(TRIES))  # the other thirty cost nothing
