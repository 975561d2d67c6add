"""Summary, test results, annotations and trend say what the verdict says."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.model.errors import EnvironmentFailed
from evals import store
from evals.broken import JUNIT, PAGE, SUMMARY
from evals.compare import trend
from evals.compare.decide import decide
from evals.compare.runs import Baseline, Finished, make_baseline
from evals.compare.settle import Settled
from evals.compare.verdict import Check, Status, Verdict, Whole
from evals.forms import Result
from evals.report.files import list_annotations, write, write_junit, write_summary
from tests.evals import samples
from tests.evals.compare.scored import FACTS, QUOTES, WEIGHTS
from tests.evals.first_lines import firsts

BASELINE = make_baseline(samples.run("baseline"))
GREEN = samples.run()
RED = samples.run(
    rows=(samples.refusal("dose"), *samples.ROWS[1:]),
    failing={("dose", FACTS): Result.FAIL, ("hostile", QUOTES): Result.FAIL},
)
LINKING = MarkdownIt("commonmark").enable("table")


def alone(run: Finished, baseline: Baseline | None = BASELINE) -> Whole:
    """The verdict on a run that is released by itself."""
    return Whole({run.name: verdict(run, baseline)})


def verdict(run: Finished, baseline: Baseline | None = BASELINE) -> Verdict:
    return decide(run.scored, baseline.held if baseline else None, WEIGHTS)


# --- Markdown -----------------------------------------------------------------------


def test_the_summary_says_whether_why_and_what_changed_R_E4() -> None:
    said = write_summary(alone(RED), verdict(RED), RED, BASELINE)
    assert said.startswith(
        "## ❌ `Must not be released: run: invariant verbatim, hard failures facts"
    )
    assert "`evals/suites/made_up/basics.yaml:12`" in said
    assert "`facts: facts looked at dose`" in said
    assert "1 of 3 rows moved: `dose`." in said
    assert "| ❌ | `invariant verbatim` | 2 | 1 | 0 | 0 | 0 | 3 |" in said


def test_a_green_summary_is_short() -> None:
    run = samples.run()
    said = write_summary(alone(run), verdict(run), run, BASELINE)
    assert said.startswith("## ✅ `May be released: run: all ")
    assert "0 of 3 rows moved." in said
    assert "❌" not in said


@settings(max_examples=60)
@given(st.text(max_size=60) | st.sampled_from(["`` ` ``", "@all", "a|b", "](x)"]))
def test_no_text_of_a_case_shapes_the_summary(text: str) -> None:
    """It makes no link, picture, heading or list of its own."""
    run = samples.run(failing={("dose", FACTS): Result.FAIL})
    odd = samples.case("dose", question=f"{text}\n# x\n[a](https://evil.example)")
    cases = dict(run.cases) | {"dose": odd}
    made = Finished(**{**vars(run), "cases": cases})
    tokens = LINKING.parse(write_summary(alone(run), verdict(run), made, BASELINE))
    inline = [child.type for token in tokens for child in token.children or ()]
    assert {"link_open", "image"}.isdisjoint(inline)
    assert sum(token.type == "heading_open" for token in tokens) == 1
    assert "html_inline" not in inline


# --- JUnit --------------------------------------------------------------------------


def test_results_fail_where_the_verdict_does_R_E4() -> None:
    tree = ElementTree.fromstring(write_junit(alone(RED), verdict(RED), RED).encode())
    failed = {
        (test.get("name"), test.get("line"))
        for test in tree.iter("testcase")
        if test.find("failure") is not None
    }
    assert failed == {
        ("dose", "12"),
        ("hostile", "19"),
        ("invariant verbatim", None),
        ("hard failures facts", None),
    }
    cases, checks = tree.findall("testsuite")
    assert (cases.get("tests"), cases.get("failures")) == ("3", "2")
    assert checks.get("failures") == "2"


def test_what_is_open_is_an_error_and_never_green() -> None:
    run = samples.run()
    tree = ElementTree.fromstring(
        write_junit(alone(run, None), verdict(run, None), run).encode()
    )
    errors = [test.get("name") for test in tree.iter("testcase") if len(test)]
    assert errors == ["comparable"]


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_any_text_is_xml(text: str) -> None:
    run = samples.run(failing={("dose", FACTS): Result.FAIL})
    cases = dict(run.cases) | {"dose": samples.case("dose", question=text)}
    made = Finished(**{**vars(run), "cases": cases})
    ElementTree.fromstring(write_junit(alone(run), verdict(run), made).encode())


# --- annotations ----------------------------------------------------------------------


def test_annotations_stand_on_the_data_line_of_their_case_R_E4() -> None:
    lines = list(list_annotations(verdict(RED), RED))
    assert lines == [
        "::error file=evals/suites/made_up/basics.yaml,line=19,"
        "title=invariant verbatim hostile::verbatim: verbatim looked at "
        "hostile",
        "::error file=evals/suites/made_up/basics.yaml,line=12,"
        "title=hard failures facts dose::facts: facts looked at dose",
    ]


def test_what_is_open_is_a_warning() -> None:
    run = samples.run()
    (line,) = list_annotations(verdict(run, None), run)
    assert line.startswith("::warning title=comparable::There is no baseline")


@given(st.text(max_size=40))
def test_no_text_makes_an_annotation_of_its_own(text: str) -> None:
    """Each stays one line, with the fields that it was given."""
    run = samples.run(failing={("dose", FACTS): Result.FAIL})
    odd = samples.case("dose", file=f"a,{text}:b.yaml")
    made = Finished(**{**vars(run), "cases": dict(run.cases) | {"dose": odd}})
    (line,) = list_annotations(verdict(run), made)
    assert len(line.splitlines()) == 1
    fields = line.removeprefix("::error ").split("::")[0].split(",")
    assert [field.split("=")[0] for field in fields] == ["file", "line", "title"]


# --- trend and files ---------------------------------------------------------------


def test_a_trend_grows_by_runs_and_not_by_repetition(tmp_path: Path) -> None:
    file = tmp_path / "trend.jsonl"
    first = trend.make_point(GREEN, verdict(GREEN))
    second = trend.make_point(RED, verdict(RED))
    for each in (first, first, second, first):
        trend.append(file, each)
    assert trend.read(file) == (first, second, first)
    assert second.rates[QUOTES] == pytest.approx(2 / 3, abs=1e-4)
    assert trend.join((first,), trend.read(file)) == (first, second, first)


def test_a_damaged_trend_is_named(tmp_path: Path) -> None:
    file = tmp_path / "trend.jsonl"
    file.write_text("{}\n")
    with pytest.raises(EnvironmentFailed, match=r"trend\.jsonl"):
        trend.read(file)


def test_an_error_is_no_part_of_a_rate_that_reads_as_one() -> None:
    crashed = samples.run(failing={("dose", FACTS): Result.ERROR})
    made = trend.make_point(crashed, verdict(crashed))
    assert made.rates[FACTS] == pytest.approx(2 / 3, abs=1e-4)
    assert made.errors == 1


def test_all_reports_are_written_beside_the_run(tmp_path: Path) -> None:
    made = Settled(RED, BASELINE, verdict(RED))
    whole = alone(RED)
    assert write(tmp_path, made, whole, committed=tmp_path / "none") == tmp_path / PAGE
    again = write(tmp_path, made, whole, committed=tmp_path / "none").read_bytes()
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {PAGE, SUMMARY, JUNIT, trend.TREND}
    assert again == (tmp_path / PAGE).read_bytes()
    assert store.VERDICT not in names
    assert re.search("Must not be released", again.decode())


def test_every_report_says_first_what_all_packs_came_to_R_E2(tmp_path: Path) -> None:
    """A pack that passed every check is not called released where another failed."""
    passed = samples.run("green")
    broken = Verdict((Check(check="stored drafts", result=Status.FAIL, why="."),))
    whole = Whole({"green": verdict(passed), "other": broken})
    made = Settled(passed, BASELINE, verdict(passed))
    write(tmp_path, made, whole, committed=tmp_path / "none")
    assert firsts(tmp_path) == {"Must not be released: other: stored drafts failed."}
