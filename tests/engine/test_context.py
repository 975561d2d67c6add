"""What a run of sentences needs to say something by itself."""

import pytest

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.context import lead_of, led_from, may_quote, states, text_of
from engine.corpus import build_document, make_chunks
from engine.corpus_records import BlockKind
from tests.engine.retrieve.chunks import chunk_of

PLAIN, HEADING, ITEM = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST_ITEM
ASKED = "Is grapefruit juice allowed with ibrutinib?"


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("Ibrutinib must not be taken with grapefruit juice.", PLAIN, True),
        ("Grapefruit juice is allowed with ibrutinib.", PLAIN, True),
        ("ibrutinib --no-juice?", BlockKind.CODE, True),
        (ASKED, HEADING, False),
        ("Grapefruit juice may cause harm.", HEADING, False),
        (ASKED, PLAIN, False),
        ("Is grapefruit juice allowed with ibrutinib", PLAIN, False),
        ("IS GRAPEFRUIT JUICE ALLOWED WITH IBRUTINIB", PLAIN, False),
        ("\u201cWhat may I drink?\u201d", PLAIN, False),
        ("Living with ibrutinib", PLAIN, False),
        ("**Food and drink**", PLAIN, False),
        ("Do not drink these:", PLAIN, False),
    ],
)
def test_a_heading_a_title_and_a_question_state_nothing_R_I3(
    text: str, kind: BlockKind, says: bool
) -> None:
    """Not the question restated either, however it is written; code does."""
    places = {"title": "Living with ibrutinib", "section": ("Food and drink",)}
    chunk = chunk_of([(text, kind)], 70, **places)
    assert states(chunk, chunk.start, chunk.end, ASKED) is says


def test_one_statement_is_enough_R_I3() -> None:
    """A heading with the text under it states what the text does."""
    chunk = chunk_of([(ASKED, HEADING), ("It is not.", PLAIN), ("Why?", PLAIN)])
    heading, answer, _ = chunk.sentences
    assert states(chunk, heading.start, answer.end, ASKED)
    assert not states(chunk, heading.start, heading.end, ASKED)
    assert not states(chunk, answer.end + 1, chunk.end, ASKED)


# A page of an institute as it is stored: the levels of its list are lost.
FLAT = """# Prevention

## Key Points

- Avoiding risk factors may help prevent cancer.
- The following risk factors increase the risk of colorectal cancer:
- Age
- Alcohol
- The following protective factors decrease the risk of colorectal cancer:
- Physical activity
- Aspirin

## Medicines

- Vincristine
- Take it with food.
"""


def leads(page: str) -> dict[str, str]:
    """What every sentence of a page is led by, from the text of one to the other."""
    parsed = markdown.parse(page, "page.md", Limits())
    chunks = make_chunks(build_document(parsed, "one"))
    found = {}
    for chunk in chunks:
        for at, sentence in enumerate(chunk.sentences):
            lead = lead_of(chunk, at)
            text = "" if lead is None else text_of(chunk, chunk.sentences[lead])
            found[text_of(chunk, sentence)] = text
    return found


def test_an_item_of_a_flat_list_is_led_by_the_one_with_a_colon_R_A14() -> None:
    """What protects is not read among the risks, nor a medicine without its heading."""
    found = leads(FLAT)
    risk = "The following risk factors increase the risk of colorectal cancer:"
    guards = "The following protective factors decrease the risk of colorectal cancer:"
    assert found[risk] == risk
    assert found["Age"] == found["Alcohol"] == risk
    assert found["Physical activity"] == found["Aspirin"] == guards
    assert found["Vincristine"] == "Medicines"
    assert found["Take it with food."] == "Take it with food."


def test_a_run_begins_where_its_items_are_introduced_R_A14() -> None:
    """Nested ones too; where the list was cut there is no such place."""
    lines = [("Two kinds:", PLAIN), ("fast:", ITEM), ("gamma", ITEM), ("slow", ITEM)]
    chunk = chunk_of(lines)
    outer, inner, leaf, last = chunk.sentences
    nested = leaf.model_copy(update={"lead_in": inner})
    chunk = chunk.model_copy(update={"sentences": (outer, inner, nested, last)})
    assert [led_from(chunk, at, at) for at in range(4)] == [0, 0, 0, 0]
    assert led_from(chunk, 2, 3, told=inner.start) == 0
    assert led_from(chunk, 2, 3, told=outer.start) == 2
    cut = chunk.model_copy(update={"sentences": (nested, last)})
    assert led_from(cut, 0, 0) is None
    assert led_from(cut, 1, 1) is None


def test_a_heading_is_quoted_only_above_its_own_list_R_A14() -> None:
    """Elsewhere one that states nothing stays out of a quotation."""
    lines = [("Medicines", HEADING), ("Vincristine", ITEM), ("Rest.", PLAIN)]
    chunk = chunk_of(lines)
    heading, item, rest = (
        s.model_copy(update={"lead_in": None, "quotable": s.kind is not HEADING})
        for s in chunk.sentences
    )
    listed = chunk.model_copy(update={"sentences": (heading, item, rest)})
    assert may_quote(listed, 0, 1)
    assert not may_quote(listed, 0, 0)
    plain = chunk.model_copy(update={"sentences": (heading, rest)})
    assert not may_quote(plain, 0, 1)
