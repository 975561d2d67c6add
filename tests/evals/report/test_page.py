"""The page shows a run whole, marks quotes at their places, and no text works in it."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.inert import inert
from evals.compare.decide import decide
from evals.compare.runs import Finished, find_moved_cases, make_baseline
from evals.compare.trend import Point
from evals.compare.verdict import Verdict, Whole
from evals.forms import Json, Result, Row
from evals.report.page import Sides, draw_page, find_spans
from tests.bot.pages import read
from tests.evals import samples
from tests.evals.compare.scored import FACTS, QUOTES, WEIGHTS

BASELINE = samples.run("baseline")
POINTS = (
    Point("aaa", "release", {FACTS: 1.0, QUOTES: 1.0}, 0),
    Point("bbb", "regression", {FACTS: 0.5}, 1),
)
RED = samples.run(
    "red",
    rows=(samples.refusal("dose"), *samples.ROWS[1:]),
    failing={("dose", FACTS): Result.FAIL},
)


def verdict(run: Finished) -> Verdict:
    return decide(run.scored, make_baseline(BASELINE).held, WEIGHTS)


def alone(run: Finished) -> Whole:
    """The verdict on a run that is released by itself."""
    return Whole({run.name: verdict(run)})


def shown(run: Finished = RED, by_ragas: Json | None = None) -> str:
    sides = Sides(run, BASELINE, find_moved_cases(run, make_baseline(BASELINE)))
    return draw_page(alone(run), verdict(run), sides, POINTS, by_ragas)


def drawn(sides: Sides, name: str = "dose") -> Element:
    """One case of the page."""
    page = draw_page(alone(sides.run), verdict(sides.run), sides)
    cases = page[page.index('<div class="cases">') : page.index("</section>\n</main>")]
    found = ElementTree.fromstring(cases).find(f"details[@id='case-{name}']")
    assert found is not None
    return found


def test_the_same_run_gives_the_same_page() -> None:
    assert shown() == shown()


def test_the_verdict_stands_on_top_and_failed_checks_lead_to_their_cases() -> None:
    made = shown()
    assert "Must not be released" in made
    assert "hard failures facts: fail" in made
    found = read(made)
    assert "#case-dose" in found.links
    assert ("details", "id", "case-dose") in found.attributes


def test_failed_cases_come_first() -> None:
    run = samples.run(failing={("unknown", FACTS): Result.FAIL})
    ids = re.findall(r'<details class="case"[^>]* id="case-([a-z]+)"', shown(run))
    assert ids == ["unknown", "dose", "hostile"]


def test_nothing_is_fetched_and_only_our_own_script_runs_R_E4() -> None:
    """No element fetches; the policy names our style and script by their hashes."""
    made = shown()
    found = read(made)
    assert found.tags["script"] == found.tags["style"] == 1
    assert not {"img", "link", "iframe", "object", "base"} & found.tags.keys()
    assert not {name for _, name, _ in found.attributes if name.startswith("on")}
    assert all(link.startswith("#case-") for link in found.links)
    policy = next(
        value for tag, name, value in found.attributes if "default-src" in value
    )
    assert "default-src 'none'" in policy
    assert policy.count("'sha256-") == 2
    assert "unsafe" not in policy


def test_hostile_text_is_shown_as_text() -> None:
    """Of questions, answers, titles and documents alike."""
    made = shown()
    assert samples.EVIL not in made
    assert made.count("&lt;img src=x onerror=") >= 4


@settings(max_examples=40)
@given(st.text(max_size=80))
def test_any_text_stays_text(text: str) -> None:
    """The page has the same elements whatever a case says."""
    odd = samples.case("dose", question=text, slices=(text or "x",))
    row = Row(case="dose", key="1", record=samples.ROWS[0].record, served=text)
    run = replace(
        BASELINE,
        cases=dict(BASELINE.cases) | {"dose": odd},
        rows=dict(BASELINE.rows) | {"dose": (row,)},
    )
    found = read(draw_page(alone(BASELINE), verdict(BASELINE), Sides(run, None)))
    assert found.tags["script"] == 1
    assert found.tags["details"] >= 3


def test_quotes_are_marked_at_their_offsets_in_the_source() -> None:
    made = "".join(drawn(Sides(BASELINE, None)).itertext())
    assert "ask the nurse instead" in made  # what stands around the passage
    tree = drawn(Sides(BASELINE, None))
    marks = ["".join(mark.itertext()) for mark in tree.iter("mark")]
    assert marks == [samples.DOSE]
    start = samples.TEXT.index(samples.DOSE)
    titles = [mark.get("title") for mark in tree.iter("mark")]
    assert titles == [f"characters {start} to {start + len(samples.DOSE)}"]


def test_a_quote_that_does_not_stand_there_is_marked_as_wrong() -> None:
    row = samples.ROWS[0]
    assert row.record is not None
    cited = {**row.record["sources"][0]}
    cited["quotes"] = [{**cited["quotes"][0], "text": "Take three tablets"}]
    wrong = replace(row, record={**row.record, "sources": [cited]})
    run = samples.run(rows=(wrong, *samples.ROWS[1:]))
    tree = drawn(Sides(run, None))
    assert [mark.get("class") for mark in tree.iter("mark")] == ["wrong"]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=8),
    st.text(max_size=25),
)
def test_spans_never_overlap_or_leave_the_text(
    places: list[tuple[int, int]], text: str
) -> None:
    quotes = [{"start": a, "end": b, "text": text[a:b]} for a, b in places]
    found = find_spans(quotes, text)
    at = 0
    for span in found:
        assert at <= span.start < span.end <= len(text)
        assert span.true
        at = span.end


def test_two_runs_stand_side_by_side_with_what_changed_marked() -> None:
    changed = samples.answer("dose", text="Take the tablets twice a day")
    run = samples.run("now", rows=(changed, *samples.ROWS[1:]))
    tree = drawn(Sides(run, BASELINE))
    sides = [each for each in tree.iter("section") if each.get("class") == "side"]
    assert ["".join(side[0].itertext())[:8] for side in sides] == [
        "Against:",
        "This run",
    ]
    gone = "".join("".join(each.itertext()) for each in sides[0].iter("del"))
    new = "".join("".join(each.itertext()) for each in sides[1].iter("ins"))
    assert (gone, new) == ("day, 12 hours apart.”", "day”")
    assert tree.get("data-changed") == "yes"


def test_what_moved_since_the_baseline_is_named_R_E3() -> None:
    """A run alone is marked as changed by its rows, without the texts of before."""
    found = find_moved_cases(RED, make_baseline(BASELINE))
    tree = drawn(Sides(RED, None, found))
    said = ["".join(item.itertext()) for item in tree.iter("li")]
    assert "outcome answer refusal" in said
    assert "reason  NO_RESULTS" in said
    assert tree.get("data-changed") == "yes"
    same = drawn(Sides(RED, None, found), "hostile")
    assert same.get("data-changed") == "no"


def test_filters_know_every_suite_slice_metric_and_result() -> None:
    found = read(shown())
    options = {value for tag, name, value in found.attributes if tag == "option"}
    assert {"basics", "plain", "near_miss", *WEIGHTS, *Result} <= options
    data = next(v for _, n, v in found.attributes if n == "data-scores" and "fail" in v)
    assert [FACTS, "fail"] in json.loads(data)


def test_a_case_that_could_not_run_is_drawn() -> None:
    crashed = Row(case="dose", error="model: out of reach")
    run = samples.run(rows=(crashed, *samples.ROWS[1:]))
    assert "could not run: model: out of reach" in shown(run)


def test_the_trend_is_drawn_with_its_figures() -> None:
    made = shown()
    assert made.count("<polyline") == 2
    assert "facts 50.0 %" in made
    assert "No run is on record yet" in draw_page(
        alone(RED), verdict(RED), Sides(RED, None)
    )


@pytest.mark.parametrize("text", ["a\x00b", "\u202egnp.exe", "x\u2028y"])
def test_control_characters_do_nothing(text: str) -> None:
    run = samples.run(rows=(replace(samples.ROWS[0], served=text), *samples.ROWS[1:]))
    made = shown(run)
    assert "\x00" not in made
    assert "\u202e" not in made
    assert inert(text)[-1] in made
