"""A question pack asked of an index: the same lines, and only what all may see."""

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


def test_an_empty_index_and_two_places_are_usage_errors_R_P2(runs: Runs) -> None:
    """With what to do."""
    runs.ask(questions=[DEFINED])
    file = runs.out.parent / "pack.yaml"
    empty = runs.bot("run-pack", file, "--index", "code_audit", "--out", runs.out)
    assert (empty.code, "ingest DIR --pack code_audit" in empty.err) == (2, True)
    both = runs.bot("run-pack", file, "--index", "code_audit", "--repo", runs.root)
    assert (both.code, "do not go together" in both.err) == (2, True)
