"""Question packs on disk: problems by line and field, a schema for editors."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from adapters.question_packs import SCHEMA, load, make_schema
from engine.model.errors import PolicyError, UsageError

PACK = """\
id: small
title: A small pack
version: 1.0.0
questions:
  - id: evals
    question: Does it call eval?
    preflights:
      - id: calls
        kind: references
        name: eval
    rule:
      - when: {absent: calls}
        is: PASS
      - is: FAIL
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "pack.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_hash_is_of_what_it_says_R_P1(tmp_path: Path) -> None:
    """Not of layout and comments."""
    first = load(written(tmp_path, PACK))
    again = load(written(tmp_path, "# why\n" + PACK.replace("{absent", "{ absent")))
    other = load(written(tmp_path, PACK.replace("eval?", "exec?")))
    assert first.hash == again.hash != other.hash


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("name: eval", "nome: eval", ":10: questions[0].preflights[0].nome: unknown"),
        ("name: eval", "name: '('", ":10: questions[0].preflights[0].name: not a patt"),
        ("        name: eval\n", "", ":8: questions[0].preflights[0].name: Field requ"),
        ("references", "greps", ":8: questions[0].preflights[0]: Input tag 'greps'"),
        ("absent: calls", "absent: all", ":5: questions[0]: rule: there is no prefl"),
        ("absent: calls", "missing: a", ":12: questions[0].rule[0].when.missing: unk"),
        (
            "      - is: FAIL\n",
            "",
            ":5: questions[0]: rule: its last case has no `when`",
        ),
        ("is: PASS", "is: NO", ":13: questions[0].rule[0].is: YAML reads YES, NO, ON"),
        ("version: 1.0.0", "version: one", ":3: version: String should match"),
        ("id: small", "id: small\nid: b", ":2: key id stands twice"),
    ],
)
def test_a_problem_names_line_and_field_R_P1(
    tmp_path: Path, old: str, new: str, wanted: str
) -> None:
    file = written(tmp_path, PACK.replace(old, new))
    with pytest.raises(PolicyError) as caught:
        load(file)
    assert f"{file}{wanted}" in str(caught.value)
    assert "Tuple should" not in str(caught.value)


def test_more_retries_than_the_floor_are_refused_R_I9(tmp_path: Path) -> None:
    text = PACK.replace("    rule:", "    schema_retry_attempts: 4\n    rule:")
    with pytest.raises(PolicyError, match=r"schema_retry_attempts: .* equal to 3"):
        load(written(tmp_path, text))


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such question pack"):
        load(tmp_path / "none.yaml")


def test_the_schema_for_editors_is_up_to_date_R_P1() -> None:
    """And takes what the model takes."""
    said = SCHEMA.read_text(encoding="utf-8")
    assert said == make_schema(), "run: python -m adapters.question_packs"
    held = json.loads(said)
    jsonschema.validate(yaml.safe_load(PACK), held)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(PACK.replace("name:", "nome:")), held)
