"""Every answer in the baseline of code_audit cites the line of its fact (R-G10).

What a person is shown is read from `evals/baselines/code_audit`, which a release
compares with the answers of today; lines are read as bytes from the demo package.
"""

from collections.abc import Iterator
from functools import cache

import pytest

from config.settings import PACKS
from engine.inspection.places import Place, place
from evals import store
from evals.deciding.baseline import BASELINES
from evals.forms import Case, Json, Row

PACK = "code_audit"
CORPUS = PACKS / PACK / "corpus"
LEAST = 40  # answers with a fact; fewer show nothing


@cache
def held() -> store.Recorded:
    return store.recorded(BASELINES / PACK)


def answered() -> Iterator[tuple[Case, Row]]:
    """The answers over the package as it ships."""
    recorded = held()
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
        token = place(str(source["section"]).partition(" ")[0])
        assert token is not None, source["section"]
        found.append((token, source))
    return found


def lines(path: str) -> list[str]:
    return (CORPUS / path).read_bytes().decode("utf-8").split("\n")


def holds(token: Place, wording: str) -> bool:
    """Whether the lines of a place hold a text, however its white space runs."""
    said = " ".join(" ".join(lines(token.path)[token.first - 1 : token.last]).split())
    return " ".join(wording.split()).casefold() in said.casefold()


def test_every_place_is_that_of_its_quotations_R_G10() -> None:
    """The first line that is quoted of it to the last, and no other."""
    seen = 0
    for case, row in answered():
        for token, source in cited(row):
            text = held().sources[source["version"]].text
            assert text == "\n".join(lines(token.path)), case.id
            first = text.count("\n", 0, source["start"]) + 1
            last = text.count("\n", 0, source["end"]) + 1
            assert (token.first, token.last) == (first, last), case.id
            seen += 1
    assert seen > LEAST


@pytest.mark.parametrize("suite", ["must_answer", "must_cite"])
def test_a_fact_stands_in_the_lines_that_are_cited_for_it_R_I3(suite: str) -> None:
    """Where it was said: the place holds the fact's own line."""
    told = [(c, r) for c, r in answered() if c.suite == suite]
    assert told
    for case, row in told:
        for fact in case.expected.facts:
            if any(" ".join(w.split()) in " ".join(row.served.split()) for w in fact):
                assert any(
                    holds(token, wording) for token, _ in cited(row) for wording in fact
                ), case.id
