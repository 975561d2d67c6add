"""Suites as data: what is read, what is refused, and where the refusal points."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from engine.model.errors import UsageError
from evals.cases import suites
from evals.cases.suites import KNOWN, Library, load, read
from evals.forms import AtMost, Change

PACKS = ("oncology", "textbook")
GOOD = """\
title: Small
today: 2026-03-01
cases:
  - id: one
    question: How is it taken?
    expected:
      outcome: answer
      facts: [[twice a day, two times a day]]
      tiers: {"1": 2}
    shows: [R-E1]
    as_of: 2025-01-01
  - id: two
    question: And without that page?
    expected: {outcome: either}
    changes: [{path: a.md, replace: [twice, once]}]
    original: one
"""


def _capped(caps: str) -> tuple[str, str, int]:
    """Caps beside the least numbers of GOOD: what is replaced, by what, in which line.

    They stand in the line of `tiers`, after which there is nothing of the outcome.
    """
    return 'tiers: {"1": 2}', f'tiers: {{"1": 2}}\n      at_most: {caps}', 10


def suite_file(tmp_path: Path, text: str, name: str = "small") -> Path:
    """A file at its place among the suites of a pack."""
    folder = tmp_path / "suites" / "demo_pack"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def library(tmp_path: Path) -> Library:
    """A pack whose fixtures hold a question each."""
    fixtures = tmp_path / "packs" / "demo_pack" / "fixtures"
    fixtures.mkdir(parents=True)
    for name in ("must_answer", "must_refuse"):
        text = f"cases:\n  - id: {name}-1\n    question: Of {name}?\n"
        (fixtures / f"{name}.yaml").write_text(text, encoding="utf-8")
    return Library(tmp_path / "suites", tmp_path / "packs")


def test_a_suite_is_named_by_its_file_and_knows_its_lines_R_E1(tmp_path: Path) -> None:
    """Name, pack, file and line come from where a case stands."""
    suite = read(suite_file(tmp_path, GOOD))
    one, two = suite.cases
    assert (suite.name, suite.pack, suite.title) == ("small", "demo_pack", "Small")
    assert (one.suite, one.pack, one.file) == ("small", "demo_pack", "small.yaml")
    assert (one.line, two.line) == (4, 12)
    assert one.expected.tiers == {1: 2}
    assert str(one.as_of) == "2025-01-01"
    assert str(suite.today) == "2026-03-01"
    assert two.changes == (Change(path="a.md", replace=("twice", "once")),)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("outcome: answer", "outcome: maybe", 7, "cases[0].expected.outcome"),
        ("shows: [R-E1]", "shows: [R-E99]", 10, "R-E99 is no requirement id"),
        ("shows: [R-E1]", "show: [R-E1]", 10, "unknown field"),
        ("shows: [R-E1]", "line: 3", 10, "set by the loader"),
        ("title: Small", "title: yes", 1, "title"),
        ("id: one", "id: 7", 4, "cases[0].id"),
        ("How is it taken?", '" "', 5, "question: is empty"),
        ("[[twice a day, two times a day]]", "[[]]", 8, "without a wording"),
        ("replace: [twice, once]", "delete: false", 15, "does 0 things"),
        ("path: a.md,", "path: a.md, delete: true,", 15, "does 2 things"),
        ("path: a.md", "path: ../a.md", 15, "no path in the corpus folder"),
        ("{outcome: either}", "{outcome: refuse, reasons: [tired]}", 14, "no reason"),
        ("{outcome: either}", "{outcome: refuse, facts: [[a]]}", 14, "of an answer"),
        ("{outcome: either}", "{outcome: either, states: [ILL]}", 14, "state ILL"),
        ("title: Small", "name: other", 1, "by the file's path"),
        (*_capped("{citation: 2}"), "unknown field"),
        (*_capped("{section: five}"), "at_most.section: Input should be"),
        (*_capped("{section: 0}"), "is 0, and at least 1 are needed"),
        (*_capped('{tiers: {"1": 1}}'), "tiers.1: is 1, and at least 2 are needed"),
        (*_capped("{types: {law: -1}}"), "is -1, and at least 0 are needed"),
        (
            "{outcome: either}",
            "{outcome: refuse, at_most: {citations: 3}}",
            14,
            "at_most: is of an answer",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line_R_E1(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    """A typing error in a suite never becomes a case that silently passes."""
    file = suite_file(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UsageError) as raised:
        read(file)
    assert f"{file}:{line}: " in str(raised.value)
    assert said in str(raised.value)


def test_a_missing_file_and_an_empty_suite_are_refused(tmp_path: Path) -> None:
    """Nothing to ask is an error, never a suite that passes."""
    with pytest.raises(UsageError, match="is missing"):
        read(tmp_path / "none.yaml")
    with pytest.raises(UsageError, match="cases: is empty"):
        read(suite_file(tmp_path, "cases: []\n"))
    with pytest.raises(UsageError, match="cases: Field required"):
        read(suite_file(tmp_path, "title: Nothing\n"))
    with pytest.raises(UsageError, match="no case to ask"):
        suites.index_cases([])


def test_an_id_stands_once_among_all_suites(tmp_path: Path) -> None:
    """Two cases of one id would be one in every figure."""
    places = library(tmp_path)
    suite_file(tmp_path, GOOD)
    assert len(load("demo_pack", places)) == 3
    suite_file(tmp_path, GOOD.replace("id: two", "id: must_answer-1"), "other")
    with pytest.raises(UsageError, match=r"small\.yaml:4.* is in other\.yaml:4"):
        load("demo_pack", places)


@pytest.mark.parametrize(
    ("caps", "says"),
    [
        ("{types: {law: 3}}", "has the type law; there are: leaflet, page"),
        ('{tiers: {"3": 3}}', "has the tier 3; there are: 1, 2"),
    ],
)
def test_a_cap_on_what_no_source_is_is_refused_R_R3(
    tmp_path: Path, caps: str, says: str
) -> None:
    """It would hold whatever is cited; a typing error never passes silently."""
    places = library(tmp_path)
    old, new, _ = _capped(caps)
    suite_file(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UsageError, match=r"sources\.yaml: is missing"):
        load("demo_pack", places)
    register = "sources:\n  - {type: page, tier: 1}\n  - {type: leaflet, tier: 2}\n"
    file = places.packs / "demo_pack" / "sources.yaml"
    file.write_text(register, encoding="utf-8")
    with pytest.raises(UsageError, match=says) as raised:
        load("demo_pack", places)
    assert str(raised.value).startswith("small.yaml:4: expected.at_most.")


def test_caps_are_read_with_what_the_register_has_R_R3(tmp_path: Path) -> None:
    """None of a type is a cap, too."""
    places = library(tmp_path)
    caps = '{citations: 6, section: 5, tiers: {"1": 4}, types: {leaflet: 0}}'
    old, new, _ = _capped(caps)
    suite_file(tmp_path, GOOD.replace(old, new))
    register = "sources: [{type: leaflet, tier: 1}]\n"
    file = places.packs / "demo_pack" / "sources.yaml"
    file.write_text(register, encoding="utf-8")
    one, two = load("demo_pack", places)[0].cases
    wanted = AtMost(citations=6, section=5, tiers={1: 4}, types={"leaflet": 0})
    assert one.expected.at_most == wanted
    assert two.expected.at_most == AtMost()


def test_a_changed_case_names_one_that_exists(tmp_path: Path) -> None:
    """What a case is held against is there."""
    suite_file(tmp_path, GOOD.replace("original: one", "original: zero"))
    with pytest.raises(UsageError, match="no case has the id zero"):
        load("demo_pack", library(tmp_path))


def test_a_pack_without_fixtures_is_refused_R_E1(tmp_path: Path) -> None:
    """Every pack has questions that it must answer and must refuse."""
    places = library(tmp_path)
    (places.packs / "demo_pack" / "fixtures" / "must_refuse.yaml").unlink()
    with pytest.raises(UsageError, match=r"must_refuse\.yaml: is missing"):
        load("demo_pack", places)


@pytest.mark.parametrize("pack", PACKS)
def test_fixtures_of_the_packs_are_suites_R_E1_R_U8(pack: str) -> None:
    """Must-answer fixtures want their quotes, must-refuse ones their reasons."""
    answer, refuse = suites.read_fixtures(suites.PACKS / pack)
    assert all(
        c.expected.outcome == "answer" and c.expected.facts for c in answer.cases
    )
    assert all(c.expected.outcome == "refuse" for c in refuse.cases)
    assert all("R-E1" in c.shows for c in (*answer.cases, *refuse.cases))
    assert refuse.cases[0].file == f"config/packs/{pack}/fixtures/must_refuse.yaml"


def test_committed_suites_are_read_and_share_no_id_R_E1() -> None:
    """Every suite in the checkout loads, and no id stands in two packs."""
    every = [suite for pack in PACKS for suite in load(pack)]
    suites.index_cases(every)
    for suite in every:
        assert suites.Library().corpus(suite).is_dir()


def test_the_committed_schema_is_that_of_the_forms() -> None:
    """`evals/suites/schema.json` is what the loader checks."""
    assert suites.SCHEMA.read_text(encoding="utf-8") == suites.write_schema(), (
        "run: python -c 'from evals.cases import suites; "
        "suites.SCHEMA.write_text(suites.write_schema())'"
    )


def test_the_schema_takes_what_the_loader_takes(tmp_path: Path) -> None:
    """An editor that checks the schema and the loader agree."""
    schema = json.loads(suites.write_schema())
    validator = jsonschema.Draft202012Validator(schema)
    good = json.loads(json.dumps(yaml.safe_load(GOOD), default=str))
    assert list(validator.iter_errors(good)) == []
    wrong = good | {"cases": [good["cases"][0] | {"line": 3}]}
    assert list(validator.iter_errors(wrong))


def test_a_corpus_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A suite over documents that do not exist cannot be asked."""
    suite = read(suite_file(tmp_path, f"corpus: old_laws\n{GOOD}"))
    places = Library(tmp_path / "suites", tmp_path / "packs")
    with pytest.raises(UsageError, match="there is no folder"):
        places.corpus(suite)
    folder = tmp_path / "suites" / "demo_pack" / "corpora" / "old_laws"
    folder.mkdir(parents=True)
    assert places.corpus(suite) == folder


def test_requirement_ids_are_those_of_the_specification(shared_data: Path) -> None:
    """The list in the code is the list that was agreed."""
    text = (shared_data.parent / "spec" / "REQUIREMENTS.md").read_text("utf-8")
    first = (line.split("|")[1].strip() for line in text.splitlines() if "|" in line)
    assert {each for each in first if each.startswith("R-")} == KNOWN
