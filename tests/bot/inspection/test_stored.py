"""A question pack asked of an index: the same lines, and only what all may see."""

import pytest

from tests.adapters.preflight.repositories import made
from tests.bot.inspection.conftest import ABSENT, Json, Runs

DEFINED: Json = {
    "id": "defined",
    "question": "Is there a function run?",
    "preflights": [
        {"kind": "definitions", "id": "calls", "name": "run"},
        {"kind": "files", "id": "looked"},
    ],
    "rule": ABSENT,
}
SECRET: Json = {
    **DEFINED,
    "id": "secret",
    "preflights": [{"kind": "search", "id": "calls", "pattern": "plan"}],
}


def test_an_index_is_asked_by_the_lines_of_its_files_R_P1(runs: Runs) -> None:
    """Path and line are those of the folder; what has access tags is left out."""
    own = runs.root.parent / "own"
    own.mkdir()
    (own / "hidden.py").write_text("plan = 1\n", encoding="utf-8")
    given = ("--pack", "code_audit", "--source", "repository")
    assert runs.bot("ingest", runs.root, *given).code == 0
    assert runs.bot("ingest", own, *given, "--tags", "staff").code == 0
    runs.ask(questions=[DEFINED])
    wanted = runs.summary()["questions"][0]["citations"]
    assert wanted == ["src/app.py:4-5"]
    asked = {"id": "small", "title": "Small", "version": "1.0.0"}
    file = runs.out.parent / "index.yaml"
    file.write_text(str({**asked, "questions": [DEFINED, SECRET]}), encoding="utf-8")
    told = runs.bot("run-pack", file, "--index", "code_audit", "--out", runs.out)
    assert told.code == 0
    assert "not everybody may see them: 1 document" in told.err
    defined, secret = runs.summary()["questions"]
    assert defined["citations"] == wanted
    assert secret["verdict"] == "NOT FOUND"


def test_an_empty_index_is_a_usage_error_R_P2(runs: Runs) -> None:
    """With what to do."""
    runs.ask(questions=[DEFINED])
    file = runs.out.parent / "pack.yaml"
    empty = runs.bot("run-pack", file, "--index", "code_audit", "--out", runs.out)
    assert (empty.code, "ingest DIR --pack code_audit" in empty.err) == (2, True)


STORE = (
    "class Store:\n"
    '    """Readings of gauges on disk."""\n\n'
    "    def delete(self, day):\n"
    '        """Delete every reading that is older than a day.\n\n'
    "        Deleted readings cannot be restored.\n"
    '        """\n'
)
RETRIEVED: Json = {
    "id": "restored",
    "question": "Does it say whether deleted readings can be restored?",
    "preflights": [
        {
            "kind": "retrieval",
            "id": "found",
            "query": "Can deleted readings be restored?",
        }
    ],
    "rule": [{"when": {"present": "found"}, "is": "YES"}, {"is": "NO"}],
    "expect": ["YES"],
}


@pytest.fixture
def indexed(runs: Runs) -> Runs:
    """A repository that the index of code_audit has taken in, as everybody sees it."""
    made(runs.root, {"src/store.py": STORE})
    given = ("--pack", "code_audit", "--source", "repository")
    assert runs.bot("ingest", runs.root, *given).code == 0
    return runs


def over(runs: Runs, question: Json, *places: object) -> Json:
    """The only question's row of the summary, and the command's exit code."""
    held = {"id": "small", "title": "Small", "version": "1.0.0"}
    file = runs.out.parent / "index.yaml"
    file.write_text(str({**held, "questions": [question]}), encoding="utf-8")
    told = runs.bot("run-pack", file, "--out", runs.out, *places)
    return {**runs.summary()["questions"][0], "code": told.code, "err": told.err}


def test_an_index_adds_evidence_by_line_R_P8(indexed: Runs) -> None:
    """Over the index alone, and beside the folder; the lines are the file's."""
    alone = over(indexed, RETRIEVED, "--index", "code_audit")
    beside = over(indexed, RETRIEVED, "--index", "code_audit", "--repo", indexed.root)
    for told in (alone, beside):
        assert (told["code"], told["verdict"]) == (0, "YES")
        assert told["citations"][0] == "src/store.py:7"
    answer = indexed.read("questions/restored/answer.txt")
    assert "     7 |         Deleted readings cannot be restored." in answer


def test_what_an_index_holds_and_a_file_does_not_is_no_evidence_R_P8(
    indexed: Runs,
) -> None:
    """A passage that moved since, or whose file is gone, is unread, and said to be."""
    both = ("--index", "code_audit", "--repo", indexed.root)
    made(indexed.root, {"src/store.py": f"# moved\n{STORE}"})
    assert over(indexed, RETRIEVED, *both)["verdict"] == "NOT FOUND"
    evidence = indexed.read("questions/restored/evidence.json")
    assert "is another in the index: take it in again" in evidence
    (indexed.root / "src" / "store.py").unlink()
    told = over(indexed, {**RETRIEVED, "must_find": True}, *both)
    assert (told["code"], told["diagnosis"].partition(":")[0]) == (1, "unread")


def test_the_gate_of_the_policy_pack_decides_what_an_index_gives_R_P8_R_G10(
    indexed: Runs,
) -> None:
    """What the pack would refuse to answer brings no evidence; the strict gate ends."""
    step = {**RETRIEVED["preflights"][0], "query": "Who pays for the tide gauges?"}
    asked = {**RETRIEVED, "preflights": [step]}
    told = over(indexed, asked, "--index", "code_audit")
    assert (told["verdict"], told["citations"]) == ("NOT FOUND", [])
    strict = over(indexed, asked, "--index", "code_audit", "--strict-evidence")
    assert (strict["code"], strict["status"]) == (1, "failed")


def test_what_a_search_by_meaning_does_not_find_is_not_absent_R_P8(
    indexed: Runs,
) -> None:
    """A rule that hopes for absence cannot be decided by it."""
    step = {**RETRIEVED["preflights"][0], "query": "Who pays for the tide gauges?"}
    looked = {"kind": "files", "id": "looked"}
    asked = {
        **RETRIEVED,
        "preflights": [looked, step],
        "rule": [{"when": {"absent": "found"}, "is": "NO"}, {"is": "YES"}],
    }
    told = over(indexed, asked, "--index", "code_audit")
    assert (told["verdict"], told["code"]) == ("INSUFFICIENT EVIDENCE", 3)
    assert "a search by meaning does not tell what is absent" in told["why"]


def test_hidden_documents_are_not_retrieved_R_P8_R_C5(runs: Runs) -> None:
    """Nobody holds a tag in a run of a question pack."""
    made(runs.root, {"src/store.py": STORE})
    given = ("--pack", "code_audit", "--source", "repository")
    own = made(runs.root.parent / "own", {"open.py": "x = 1\n"})
    assert runs.bot("ingest", runs.root, *given, "--tags", "staff").code == 0
    assert runs.bot("ingest", own, *given).code == 0
    both = ("--index", "code_audit", "--repo", runs.root)
    assert over(runs, RETRIEVED, *both)["verdict"] == "NOT FOUND"


def test_a_question_that_retrieves_needs_an_index_R_P2(runs: Runs) -> None:
    told = runs.ask(questions=[RETRIEVED])
    assert (told.code, "with --index PACK" in told.err) == (2, True)
