"""What a question names, among things with names of their own (R-R2)."""

import pytest
from pydantic import ValidationError

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.documents.corpus import build_document
from engine.model.document import Attribute, Thing
from engine.model.passage import Chunk
from engine.policy.names import add_titled_thing, find_names, plain_names
from engine.policy.things import ThingRule
from engine.rank.naming import find_name_terms, find_naming, judge_by_name
from tests.engine.small_pack import chunk

RULE = ThingRule.model_validate(
    {
        "kind": "trial",
        "words": ["trial", "study"],
        "patterns": [
            r"\bNCT\d{8}\b",
            {"pattern": r"\bN (?P<n>\d{8})\b", "name": "NCT{n}"},
            r"(?-i:\b[A-Z]{4,})(?:-\w+)? (?:trial|study)\b",
        ],
        "asking": ["overview", "compare", "what"],
        "fields": [
            {"label": "Design", "attributes": ["design"]},
            {"label": "Enrollment", "attributes": ["enrollment"], "words": ["many"]},
        ],
    }
)
NAMES = {
    "dynamic": ("DYNAMIC", "DYNAMIC-II", "ACTRN12600000000001"),
    "dynamic-3": ("DYNAMIC-III",),
    "galaxy": ("GALAXY", "UMIN000000001"),
    "us": ("CIRCULATE-US", "NCT00000001"),
    "prodige": ("CIRCULATE PRODIGE 70",),
    "altair": ("ALTAIR",),
}


def about(document: str, *names: str, kind: str = "trial") -> Chunk:
    """A passage about one thing."""
    said = (Attribute(name="design", start=0, end=3),)
    thing = Thing(start=0, end=9, kind=kind, names=names, attributes=said)
    return chunk(0.2, document).model_copy(update={"things": (thing,)})


CHUNKS = [about(document, *names) for document, names in NAMES.items()]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("What is DYNAMIC?", "dynamic"),
        ("What is DYNAMIC-II?", "dynamic"),
        ("What is DYNAMIC-III?", "dynamic-3"),
        ("what is dynamic iii", "dynamic-3"),
        ("Compare GALAXY with the dynamic trial", "galaxy dynamic"),
        ("the study galaxy", "galaxy"),
        ("What is DYNAMIC IV?", ""),
        ("What is DYNAMIC-Rectal?", ""),
        ("Is ctDNA dynamic in a galaxy of patients?", ""),
        ("what did altair show", "altair"),
        ("Tell me about CIRCULATE", "prodige us"),
        ("Tell me about CIRCULATE-US", "us"),
        ("circulate prodige 70 enrollment", "prodige"),
        ("What is actrn12600000000001?", "dynamic"),
        ("What is umin000000001?", "galaxy"),
        ("Which trials circulate?", "prodige us"),
        ("What is N 00000001?", "us"),
        ("GALAXY 24-month DFS", "galaxy"),
        ("DYNAMIC 3-yr RFS", "dynamic"),
        ("GALAXY 95% confidence interval", "galaxy"),
        ("DYNAMIC 3 RFS", ""),
    ],
)
def test_a_thing_is_named_as_people_write_it_R_R2(text: str, documents: str) -> None:
    """In any case, with blanks for hyphens; another one's name is not its name."""
    assert " ".join(find_naming(text, CHUNKS, [RULE]).documents) == documents


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("What is NCT99999999?", ("NCT99999999",)),
        ("GALAXY or NCT99999999?", ("NCT99999999",)),
        ("What is NCT00000001?", ()),
        ("What did the ZEPHYR trial show?", ("ZEPHYR trial",)),
        ("What did the DYNAMIC-IV trial show?", ("DYNAMIC-IV trial",)),
        ("What did the dynamic trial show?", ()),
    ],
)
def test_names_that_no_document_has_are_told_R_A2(
    text: str, unknown: tuple[str, ...]
) -> None:
    assert find_naming(text, CHUNKS, [RULE]).unknown == unknown


def test_a_name_that_a_passage_speaks_of_is_known() -> None:
    """Another document may tell of what has no record of its own."""
    said = chunk(0.2, "page").model_copy(update={"text": "As nct99999999 showed."})
    assert find_naming("What is NCT99999999?", [*CHUNKS, said], [RULE]).unknown == ()


@pytest.mark.parametrize(
    ("text", "lookup"),
    [
        ("What is DYNAMIC?", True),
        ("How many are in the GALAXY trial?", True),
        ("Compare the design of DYNAMIC and GALAXY", True),
        ("Which dose was given in DYNAMIC?", False),
        ("What is the design of a trial?", False),
        ("Why is the enrollment of DYNAMIC what it is?", False),
    ],
)
def test_a_lookup_asks_for_fields_and_nothing_else(text: str, lookup: bool) -> None:
    """Then the record answers, whatever its words are near to; else relevance does."""
    found = find_naming(text, CHUNKS, [RULE])
    assert found.lookup is lookup
    judged = judge_by_name(CHUNKS, CHUNKS, found)
    by_document = {c.document: c.relevance for c in judged}
    raised = {name for name, relevance in by_document.items() if relevance == 1.0}
    assert raised == (set(found.documents) if lookup else set())


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("NCT00000007", ("NCT00000007",)),
        ("N 00000007", ("NCT00000007",)),
        ("What NCT00000007 has shown", ()),
        ("A page", ()),
    ],
)
def test_a_title_that_is_a_name_names_the_document_R_R2(
    title: str, names: tuple[str, ...]
) -> None:
    """Every passage of it is then found by that name; none is quoted as its record."""
    page = build_document(markdown.parse(f"# {title}\n\nText.", "p.md", Limits()), "s")
    named = add_titled_thing(page, [RULE])
    assert tuple(n for thing in named.things for n in thing.names) == names
    assert not any(thing.attributes for thing in named.things)
    assert add_titled_thing(named, [RULE]) == named


def test_what_is_about_another_thing_is_no_answer_where_they_stand_apart_R_V4() -> None:
    """A passage that describes nothing by name, a review say, is judged as ever."""
    page = chunk(0.2, "review")
    for apart, rest in ((True, 0.0), (False, 0.2)):
        rule = RULE.model_copy(update={"apart": apart})
        found = find_naming("Which dose was given in DYNAMIC?", CHUNKS, [rule])
        judged = judge_by_name([*CHUNKS, page], (), found)
        held = {c.document: c.relevance for c in judged}
        assert held["dynamic"] == held["review"] == 0.2
        assert held["dynamic-3"] == held["galaxy"] == rest
    nothing = find_naming("Which dose is given?", CHUNKS, [rule])
    assert judge_by_name(CHUNKS, (), nothing) == CHUNKS


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("What is MERMAID-1's primary outcome?", "What is MERMAID-1 primary outcome?"),
        ("DYNAMIC-III\u2019s endpoint", "DYNAMIC-III endpoint"),
        ("NCCN's position and ESMO's", "NCCN position and ESMO"),
        ("mermaid-1's arms", "mermaid-1 arms"),
        ("IMvigor011`s result", "IMvigor011 result"),
        # no names
        (
            "What's my mum's dose, and it's when?",
            "What's my mum's dose, and it's when?",
        ),
        ("WHAT'S THE DOSE?", "WHAT'S THE DOSE?"),
        ("the patient's 2's", "the patient's 2"),
        ("two o'clock, rock'n'roll, O'Shea", "two o'clock, rock'n'roll, O'Shea"),
    ],
)
def test_a_possessive_is_read_as_the_plain_name_R_R2(text: str, plain: str) -> None:
    """What is written like a name, and nothing else."""
    assert plain_names(text) == plain


@pytest.mark.parametrize(
    "text", ["GALAXY's enrollment", "the galaxy trial\u2019s enrollment"]
)
def test_a_possessive_is_no_word_of_a_look_up_R_R2(text: str) -> None:
    found = find_naming(text, CHUNKS, [RULE])
    assert found.documents == ("galaxy",)
    assert found.lookup


def test_what_may_be_a_name_is_searched_for_by_itself() -> None:
    assert find_name_terms("how many are in the galaxy trial?", [RULE]) == ("galaxy",)
    assert find_name_terms("What is NCT00000001?", [RULE]) == ("nct00000001",)
    assert find_name_terms("what is a good design?", [RULE]) == ()
    assert find_name_terms("What is NCT00000001?", []) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"patterns": [{"pattern": r"\bN (?P<n>\d+)", "name": "NCT{m}"}]},
        {"patterns": ["("]},
        {"absent": "not stated"},
        {"most": 6},
    ],
)
def test_a_rule_that_cannot_work_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ThingRule.model_validate({"kind": "trial", **changes})


SECTION = ThingRule.model_validate(
    {
        "kind": "section",
        "patterns": [
            {"pattern": r"(?i)\bA ?(?P<n>\d{1,3})\b", "name": "{n} Act"},
            {"pattern": r"(?i)\b(?:section|s)\.? ?(?P<n>\d{1,3})", "name": "{n} Act"},
        ],
    }
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what does a34 say", "34 Act"),
        ("section 36", "36 Act"),
        ("s.25, please", "25 Act"),
        ("is it a 2 year or 5 year ban", ""),
        ("is it a 5-year ban", ""),
        ("a 3 day limit", ""),
        ("a 10% share", ""),
        ("it's 5 years, isn't it", ""),
        ("that's 2", ""),
        ("that\u2019s 2", ""),
    ],
)
def test_a_figure_that_counts_is_no_label_R_R2(text: str, names: str) -> None:
    """What follows a number, or what its letter belongs to, tells."""
    assert " ".join(one.name for one in find_names(text, SECTION)) == names
