"""The asker's words in the documents' words."""

import pytest

from engine.model.ports import CorpusStatistics
from engine.parse.vocabulary import translate
from engine.policy.pack import RetrievalRules
from engine.text.words import stem, words

TEXT = """Fluorouracil and chemotherapy can cause vomiting and fatigue. The esophagus is
    sore. People vomit. Use the command line of gazebo. Take loperamide."""
FREQUENCY = dict.fromkeys(words(TEXT), 3)
KNOWN = CorpusStatistics(
    documents=1,
    chunks=9,
    chunk_frequency={stem(word): 3 for word in FREQUENCY},
    word_frequency=FREQUENCY,
)
RULES = RetrievalRules(
    glossary={
        "chemo": ("chemotherapy",),
        "5fu": ("5-fu", "fluorouracil"),
        "5-fu": ("fluorouracil",),
        "throw up": ("vomit",),
        "gullet": ("esophagus",),
        "womb": ("uterus",),
        "fatigue": ("tiredness",),
        "cmd line": ("command line",),
        "imodium": ("loperamide",),
    },
    protected=("[a-z]+nib",),
)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("chemo and 5FU?", "chemo (chemotherapy) and 5FU (fluorouracil)?"),
        ("5-FU", "5-FU (fluorouracil)"),
        ("I throw up.", "I throw up (vomit)."),
        ("my gullet hurts", "my gullet (esophagus) hurts"),
        ("max dose Imodium", "max dose Imodium (loperamide)"),
        ("the cmd line", "the cmd line (command line)"),
        ("womb", "womb"),
        ("fatigue", "fatigue"),
        ("Fatige from cheemo", "fatigue from chemo (chemotherapy)"),
        ("what of Fatige", "what of Fatige"),
        ("nothing to change", "nothing to change"),
        ("", ""),
    ],
)
def test_everyday_words_find_those_of_the_documents_R_U2(asked: str, read: str) -> None:
    """Known words stay, and so does what no document calls anything."""
    assert translate(asked, RULES, KNOWN).text == read


def test_a_typing_error_becomes_a_word_not_a_stem_R_U2() -> None:
    """Another form of a known word is none."""
    known = CorpusStatistics(1, 9, {"temperatur": 3}, {"temperature": 3})
    assert translate("high temprature", RULES, known).text == "high temperature"
    assert translate("high temperatures", RULES, known).changes == ()


def test_every_change_is_told_R_U2() -> None:
    """As (written, read), each once."""
    found = translate("chemo, 5FU, chemo, diarhea?", RULES, KNOWN)
    assert found.changes == (("chemo", "chemotherapy"), ("5FU", "fluorouracil"))


def test_stems_serve_where_words_are_not_counted_R_U2() -> None:
    """An index that gives only stems still has its typing errors put right."""
    stems = CorpusStatistics(1, 9, {stem("esophagus"): 3})
    assert translate("esophaguss", RULES, stems).text.startswith("esophagus")


def test_letters_joined_by_an_ampersand_are_one_name_R_U2() -> None:
    """Even where the documents know each letter, as the label of a list does."""
    rules = RetrievalRules(glossary={"h&c": ("humanitarian and compassionate",)})
    stems = ("h", "c", "humanitarian", "compassionate", "ground")
    known = CorpusStatistics(1, 9, {stem(word): 3 for word in stems})
    read = translate("H&C grounds", rules, known).text
    assert read == "H&C (humanitarian and compassionate) grounds"
