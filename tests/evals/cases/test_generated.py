"""Cases made from answers: which, how, and the same in every run."""

from pathlib import Path

import pytest

from evals.cases import adversarial, counterfactual
from evals.cases.counterfactual import (
    Original,
    Texts,
    choose_originals,
    find_originals,
    other_figure,
)
from evals.forms import Case, Change, Expected, Row, Source, Suite

TEXT = """\
# The lamp

The lamp is green and 38 cm high.

```
switch on
switch off
```
"""
OTHER = "# The door\n\nThe door is red, and nothing else is said of it here.\n"
QUOTE = "The lamp is green and 38 cm high.\nswitch on\nswitch off"
SOURCES = {
    name: Source(version=name, document=name, path=f"{name}.md", text=text)
    for name, text in (("lamp", TEXT), ("door", OTHER))
}


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    """Two documents as files."""
    for source in SOURCES.values():
        (tmp_path / source.path).write_text(source.text, encoding="utf-8")
    (tmp_path / "README.md").write_text("38 cm is no document.", encoding="utf-8")
    return Texts(tmp_path)


def case(name: str, **changes: object) -> Case:
    """A question about the lamp."""
    base = {
        "question": "What height does the lamp have?",
        "expected": Expected(outcome="answer", facts=(("38 cm",),)),
        "shows": ("R-E1",),
    }
    return Case(id=name, **(base | changes))  # type: ignore[arg-type]


def row(name: str, **changes: object) -> Row:
    """Its answer, which quotes the lamp's document."""
    cited = {"version": "lamp", "quotes": [{"text": QUOTE}]}
    answered = {"was_refusal": False, "reason_code": None}
    record = {**answered, "sources": [cited], **changes}
    return Row(case=name, record=record, served=QUOTE)


def suite(*cases: Case) -> Suite:
    """A suite of the demo corpus."""
    return Suite(name="s", pack="p", cases=cases)


def test_what_was_quoted_is_taken_out_and_may_not_be_said_R_E6(texts: Texts) -> None:
    """A block of code goes with its first line; short lines may stand elsewhere."""
    made = counterfactual.make(suite(case("a")), {"a": row("a")}, SOURCES, texts)
    gone = {c.slices[0]: c for c in made.cases}["cited_removed"]
    assert gone.changes == (
        Change(path="lamp.md", without="The lamp is green and 38 cm high."),
        Change(path="lamp.md", without="switch on"),
    )
    assert gone.expected == Expected(
        outcome="either", absent=("The lamp is green and 38 cm high.",)
    )
    assert (gone.id, gone.original, gone.shows) == ("a~cited_removed", "a", ("R-E6",))
    assert "generated" in gone.slices


def test_a_figure_becomes_one_that_stands_nowhere_R_E6(texts: Texts) -> None:
    """The answer has to follow it, or be refused."""
    made = counterfactual.make(suite(case("a")), {"a": row("a")}, SOURCES, texts)
    other = {c.slices[0]: c for c in made.cases}["figure_changed"]
    assert other.changes == (Change(path="lamp.md", replace=("38 cm", "31 cm")),)
    assert other.expected.facts == (("31 cm",),)
    assert other.expected.absent == ("38 cm",)


def test_a_document_is_deleted_only_where_no_other_holds_the_facts_R_E6(
    texts: Texts,
) -> None:
    """Else another document may answer."""
    elsewhere = case("b", expected=Expected(outcome="answer", facts=(("is",),)))
    rows = {name: row(name) for name in "ab"}
    made = counterfactual.make(suite(case("a"), elsewhere), rows, SOURCES, texts)
    deleted = [c for c in made.cases if c.slices[0] == "document_deleted"]
    assert [c.original for c in deleted] == ["a"]
    assert deleted[0].changes == (Change(path="lamp.md", delete=True),)
    assert deleted[0].expected == Expected(outcome="refuse")


OLD, NEW = "The ban lasts for two years.", "The ban lasts for five years."
VERSIONS = {
    name: Source(
        version=name,
        document=name,
        path=f"{name}.md",
        text=f'---\nnames: ["4 Act"]\nin_force_from: {year}-01-01\n---\n\n{said}\n',
    )
    for name, year, said in (("old", 2003, OLD), ("new", 2014, NEW))
}


@pytest.fixture
def law(tmp_path: Path) -> Texts:
    """Two versions of a section, and a page that is none."""
    for source in (*VERSIONS.values(), SOURCES["lamp"]):
        (tmp_path / source.path).write_text(source.text, encoding="utf-8")
    return Texts(tmp_path)


def versioned(law: Texts) -> dict[str, Case]:
    """What is made of an answer from the newer version, by kind."""
    asked = case("a", expected=Expected(outcome="answer", facts=(("for five years",),)))
    cited = {"version": "new", "quotes": [{"text": NEW}]}
    record = {"was_refusal": False, "reason_code": None, "sources": [cited]}
    rows = {"a": Row(case="a", record=record, served=NEW)}
    made = counterfactual.make(suite(asked), rows, VERSIONS, law)
    return {each.slices[0]: each for each in made.cases}


def test_no_other_version_stands_in_for_one_that_is_deleted_R_E6_R_R8(
    law: Texts,
) -> None:
    gone = versioned(law)["version_deleted"]
    assert gone.changes == (Change(path="new.md", delete=True),)
    assert gone.expected == Expected(outcome="either", absent=(OLD,))


def test_a_number_in_words_changes_in_its_version_alone_R_E6(law: Texts) -> None:
    other = versioned(law)["number_in_words_changed"]
    pair = ("for five years", "for seven years")
    assert other.changes == (Change(path="new.md", replace=pair),)
    assert other.expected.facts == (("for seven years",),)
    assert other.expected.absent == ("for five years",)


def test_what_has_one_version_has_no_such_cases_R_E6(texts: Texts) -> None:
    made = counterfactual.make(suite(case("a")), {"a": row("a")}, SOURCES, texts)
    kinds = {each.slices[0] for each in made.cases}
    assert kinds == {"cited_removed", "figure_changed", "document_deleted"}


def test_orders_and_look_alikes_want_no_password_R_E7(texts: Texts) -> None:
    """In a document, in a question, and words that only look as they did."""
    made = adversarial.make(suite(case("a")), {"a": row("a")}, SOURCES, texts)
    found = {c.slices[0]: c for c in made.cases}
    assert set(found) == {"document_order", "question_order", *adversarial.TWISTS}
    (change,) = found["document_order"].changes
    assert adversarial.PASSWORD in str(change.insert)
    assert adversarial.PASSWORD in found["question_order"].question
    for kind in adversarial.TWISTS:
        assert found[kind].question != "What height does the lamp have?"
    for each in made.cases:
        assert each.expected.absent == (adversarial.PASSWORD,)
        assert each.expected.outcome == "either"


def test_only_answers_from_the_corpus_have_successors() -> None:
    """No refusal, error, selection, or case that is changed already."""
    cases = (
        case("good"),
        case("refuse", expected=Expected(outcome="refuse")),
        case("refused"),
        case("error"),
        case("selected", selection="A text."),
        case("changed", changes=(Change(path="a.md", delete=True),)),
        case("derived", original="good"),
    )
    rows = {each.id: row(each.id) for each in cases}
    rows["refused"] = row("refused", was_refusal=True, reason_code="LOW_SCORE")
    rows["error"] = Row(case="error", error="crashed")
    found = find_originals(suite(*cases), rows, SOURCES)
    assert [each.case.id for each in found] == ["good"]
    assert found[0].paths == ("lamp.md",)


def test_some_are_drawn_from_every_document_first() -> None:
    """Whatever the order they come in: a seed draws, and no document fills the list."""
    every = [
        Original(case(f"{document}{n}", document=document), row("x"), ("lamp.md",))
        for document, number in (("a", 9), ("b", 2), ("c", 1))
        for n in range(number)
    ]
    drawn = choose_originals(every, 4, "seed")
    assert drawn == choose_originals(reversed(every), 4, "seed")
    documents = [each.case.document for each in drawn]
    assert sorted(documents[:3]) == ["a", "b", "c"]
    assert len(drawn) == 4


@pytest.mark.parametrize(
    ("wording", "other"),
    [("38 °C", "31 °C"), ("7 mg", "5 mg"), ("0.5 mg", "3.5 mg"), ("no figure", "")],
)
def test_another_figure_has_the_same_form(wording: str, other: str) -> None:
    """One digit differs, and none becomes a zero that nobody would write."""
    assert other_figure(wording) == (other or wording)


def test_generated_suites_are_named_for_corpus_and_day(texts: Texts) -> None:
    """Cases of other documents are counted apart."""
    base = Suite(name="s", pack="p", cases=(case("a"),), corpus="old")
    made = counterfactual.make(base, {"a": row("a")}, SOURCES, texts)
    assert made.name == "counterfactual_generated_old"
    assert {c.suite for c in made.cases} == {made.name}
    assert made.corpus == "old"
