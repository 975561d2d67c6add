"""Every answer of code_audit cites the line of its fact (R-G10).

The suites that want answers are asked over the demo package, whose lines are read as
bytes.
"""

import asyncio
from collections.abc import Iterator

import pytest

from config.settings import PACKS, Settings
from engine.model.places import Place, parse_place
from evals import store
from evals.cases.suites import Library
from evals.forms import Case, Json, Row
from evals.record.recorder import Plan, Tools, record

PACK = "code_audit"
CORPUS = PACKS / PACK / "corpus"
SUITES = ("must_answer", "must_cite")
LEAST = 40  # answers with a fact; fewer show nothing


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> store.Recorded:
    """What is answered today."""
    folder = tmp_path_factory.mktemp("code_audit")
    settings = Settings.model_validate({"data": folder / "untouched"})
    plan = Plan(
        pack=PACK,
        out=folder / "run",
        only=SUITES,
        generated=False,
        cache=folder / "cache",
    )
    asyncio.run(record(plan, settings, Library(), Tools()))
    return store.recorded(folder / "run")


def answered(recorded: store.Recorded) -> Iterator[tuple[Case, Row]]:
    """The answers over the package as it ships."""
    rows = {row.case: row for row in recorded.rows}
    for case in recorded.cases.values():
        row = rows[case.id]
        if row.answered and not case.changes and not case.selection:
            yield case, row


def cited(row: Row) -> list[tuple[Place, Json]]:
    """The places that an answer names, each with its source in the record."""
    assert row.record is not None
    found = []
    for source in row.record["sources"]:
        token = parse_place(str(source["section"]).partition(" ")[0])
        assert token is not None, source["section"]
        found.append((token, source))
    return found


def lines(path: str) -> list[str]:
    return (CORPUS / path).read_bytes().decode("utf-8").split("\n")


def holds(token: Place, wording: str) -> bool:
    """Whether the lines of a place hold a text, however its white space runs."""
    said = " ".join(" ".join(lines(token.path)[token.first - 1 : token.last]).split())
    return " ".join(wording.split()).casefold() in said.casefold()


def test_every_place_is_that_of_its_quotations_R_G10(recorded: store.Recorded) -> None:
    """The first line that is quoted of it to the last, and no other."""
    seen = 0
    for case, row in answered(recorded):
        for token, source in cited(row):
            text = recorded.sources[source["version"]].text
            assert text == "\n".join(lines(token.path)), case.id
            first = text.count("\n", 0, source["start"]) + 1
            last = text.count("\n", 0, source["end"]) + 1
            assert (token.first, token.last) == (first, last), case.id
            seen += 1
    assert seen > LEAST


def test_a_fact_stands_in_the_lines_that_are_cited_for_it_R_I3(
    recorded: store.Recorded,
) -> None:
    """Where it was said: the place holds the fact's own line."""
    told = [(c, r) for c, r in answered(recorded) if c.suite in SUITES]
    assert len(told) > LEAST
    for case, row in told:
        for fact in case.expected.facts:
            if any(" ".join(w.split()) in " ".join(row.served.split()) for w in fact):
                assert any(
                    holds(token, wording) for token, _ in cited(row) for wording in fact
                ), case.id
