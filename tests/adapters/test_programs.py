"""Prompt programs on disk: what is written is what is read, and nothing else is."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import programs
from adapters.packs import check, load, lock
from engine.errors import UsageError
from engine.policy.programs import Demonstration, Origin, Part, Program
from tests.adapters.test_packs import copy, refused
from tests.engine.small_program import program

__all__ = ["copy"]

SIGNATURE = "support"  # of several intents of the oncology pack

# --- what is written is what is read ----------------------------------------------

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40
)  # surrogates are no text
DATES = st.none() | st.dates(date(2000, 1, 1), date(2100, 1, 1))
PARTS = st.builds(
    Part,
    heading=TEXTS,
    sentences=st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
)
DEMONSTRATIONS = st.builds(
    Demonstration,
    question=TEXTS,
    passages=TEXTS.map(lambda text: f"A\n[1] {text}\n[2] B\n[3] C"),
    headings=st.lists(TEXTS, max_size=3).map(tuple),
    fixed_texts=st.lists(TEXTS, max_size=2).map(tuple),
    feedback=st.just(()),
    sections=st.lists(PARTS, max_size=3).map(tuple),
    texts=st.lists(TEXTS, max_size=2).map(tuple),
    not_found=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    status=st.sampled_from(["answered", "insufficient", "not_found"]),
    reviewed=DATES,
)
PROGRAMS = st.builds(
    Program,
    signature=st.just(SIGNATURE),
    instructions=TEXTS,
    demonstrations=st.lists(DEMONSTRATIONS, min_size=1, max_size=4).map(tuple),
    reviewed=DATES,
    by=TEXTS,
    origin=st.builds(
        Origin,
        optimiser=TEXTS,
        model=TEXTS,
        training=st.just(("a",)),
        compared=st.just(()),
        against=TEXTS,
        figures=st.just({}),
    ),
)
FIGURES = st.dictionaries(TEXTS, TEXTS, max_size=3)
COMPARED = st.builds(
    Program.compared_on, PROGRAMS, st.just("oncology"), st.just(("b",)), FIGURES
)


@given(COMPARED)
def test_what_is_written_is_what_is_read_R_E8(
    tmp_path_factory: pytest.TempPathFactory, made: Program
) -> None:
    """Whatever characters it holds; nothing is left beside it."""
    pack = tmp_path_factory.mktemp("pack")
    file = programs.write(made, pack / programs.FOLDER)
    assert programs.read(pack, "oncology").valid == {SIGNATURE: made}
    assert list(file.parent.iterdir()) == [file]


# --- a pack and its programs ------------------------------------------------------


def put(pack: Path, **changes: Any) -> Path:
    """A program in a pack's folder, changed as JSON."""
    file = programs.write(program(SIGNATURE), pack / programs.FOLDER)
    content = json.loads(file.read_text(encoding="utf-8")) | changes
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_a_pack_takes_its_programs_along_R_E8(copy: Callable[[str], Path]) -> None:
    """Its hash covers what they say, and not how it is laid out."""
    folder = copy("oncology")
    bare = load(folder)
    file = put(folder)
    held = load(folder)
    assert held.programs == {SIGNATURE: program(SIGNATURE)}
    assert held.hash != bare.hash
    file.write_text(json.dumps(json.loads(file.read_text()), indent=7))
    assert load(folder).hash == held.hash
    put(folder, by="somebody else")
    assert load(folder).hash != held.hash
    file.unlink()
    assert load(folder).hash == bare.hash


def test_a_locked_pack_keeps_its_hash_and_takes_no_program_R_I12(
    copy: Callable[[str], Path],
) -> None:
    """Without programs it is what was locked; with one it is another version."""
    folder = copy("textbook")
    assert lock(folder) == load(folder)
    programs.write(program("concept", "textbook"), folder / programs.FOLDER)
    assert "is locked in" in refused(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"instructions": ""}, "instructions: "),
        ({"instructions": "x" * 4001}, "instructions: "),
        ({"prompt": "x"}, "prompt: unknown field"),
        ({"demonstrations": []}, "demonstrations: "),
        ({"demonstrations": [{}]}, "demonstrations[0].question: "),
        ({"signature": "general"}, "signature: is 'general', and the file is"),
        ({"reviewed": "last week"}, "reviewed: "),
        ({"origin": {}}, "origin.optimiser: "),
    ],
)
def test_a_broken_program_names_file_and_field_R_E8(
    copy: Callable[[str], Path], changes: dict[str, Any], said: str
) -> None:
    """As `pack check` prints it; the pack does not load."""
    folder = copy("oncology")
    file = put(folder, **changes)
    assert f"{file}: {said}" in refused(folder)
    assert not check(folder).passed


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"not_found": []}, "program: demonstrations: none has something in not_found"),
        (
            {"sections": [{"sentences": [2]}]},
            "demonstrations[0]: selects [2], which is no sentence of it",
        ),
        (
            {"sections": [{"sentences": [1], "claims": ["x"]}]},
            "demonstrations[0].sections[0].claims: unknown field",
        ),
        ({"status": "perhaps"}, "demonstrations[0].status: "),
    ],
)
def test_a_demonstration_fits_the_fields_of_signatures_R_E8_R_A1(
    copy: Callable[[str], Path], changes: dict[str, Any], said: str
) -> None:
    """One shows how to say that data are missing; none selects what is not there."""
    folder = copy("oncology")
    one = program().demonstrations[0].model_dump(mode="json") | changes
    file = put(folder, demonstrations=[one])
    assert f"{file}: {said}" in refused(folder)


def test_only_json_is_read_R_E8(copy: Callable[[str], Path]) -> None:
    """No pickle, no second value of a field, no link, nothing that is too large."""
    folder = copy("oncology")
    file = put(folder)
    whole = file.read_text(encoding="utf-8")
    for text in (whole[:-3], whole[:-1] + ',"by":"x"}', "[" * 10**6, '{"by":NaN}'):
        file.write_text(text, encoding="utf-8")
        assert f"{file}: file: " in refused(folder)
    file.rename(file.with_suffix(".pkl"))
    assert "is no .json file: a program is JSON and nothing else" in refused(folder)


def test_a_program_that_nobody_asks_for_is_refused_R_E8(
    copy: Callable[[str], Path],
) -> None:
    """The file is named, and what the intents do name."""
    folder = copy("oncology")
    file = programs.write(program("comparison"), folder / programs.FOLDER)
    said = refused(folder)
    assert f"{file}: signature: no intent of the pack names comparison" in said
    assert "there are general, side_effects, support" in said


# --- a program and its comparison -------------------------------------------------


def inside(file: Path, *place: str | int, value: Any) -> None:
    """Another value at a place of a program's file, as an editor would put it."""
    content = json.loads(file.read_text(encoding="utf-8"))
    at = content
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = value
    file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("instructions",), "Say what the passages say, at length."),
        (("demonstrations", 0, "question"), "What colour is the lamp?"),
        (("demonstrations", 0, "sections", 0, "sentences"), [1, 1]),
        (("demonstrations", 0, "not_found"), ["the price"]),
        (("origin", "digest"), "0" * 64),
        (("origin", "digest"), ""),
    ],
)
def test_a_program_changed_after_its_comparison_is_refused_R_E10(
    copy: Callable[[str], Path], place: tuple[str | int, ...], value: Any
) -> None:
    """With file, field and what to do."""
    folder = copy("oncology")
    file = put(folder)
    inside(file, *place, value=value)
    said = refused(folder)
    assert (
        f"{file}: origin.digest: is not that of pack, signature, instructions" in said
    )
    assert "Put them back as they were, or move the file out of the pack" in said
    assert not check(folder).passed


def test_a_program_of_another_pack_is_refused_R_E10(
    copy: Callable[[str], Path],
) -> None:
    """Its comparison was over other documents; a copied file brings none."""
    folder = copy("oncology")
    file = programs.write(program(SIGNATURE, "textbook"), folder / programs.FOLDER)
    said = refused(folder)
    assert f"{file}: origin.digest: is not that of pack, signature" in said
    assert "it was compared for another pack" in said


def test_a_program_that_was_compared_with_nothing_is_refused_R_E10(
    copy: Callable[[str], Path],
) -> None:
    """However it came into the folder."""
    folder = copy("oncology")
    file = put(folder)
    inside(file, "origin", "compared", value=[])
    said = refused(folder)
    assert f"{file}: origin.compared: names no case" in said
    assert "python -m evals optimise --pack PACK --program FILE" in said


def test_a_review_and_who_answers_for_it_change_no_comparison_R_E10(
    copy: Callable[[str], Path],
) -> None:
    """They are entered after it, and no model is told of them."""
    folder = copy("oncology")
    file = put(folder, reviewed="2026-09-01", by="M. Curie")
    inside(file, "demonstrations", 0, "reviewed", value=None)
    held = load(folder).programs[SIGNATURE]
    assert held.demonstrations[0].reviewed is None
    told = held.digest_for("oncology")
    assert told == program(SIGNATURE).digest_for("oncology")
    assert told != program("general").digest_for("oncology")


def test_a_draft_is_read_without_a_comparison_R_E10(tmp_path: Path) -> None:
    """That is what it is read for; what is no program is a sentence."""
    file = programs.write(program(SIGNATURE), tmp_path)
    inside(file, "instructions", value="Other lines.")
    assert programs.draft(file).instructions == "Other lines."
    inside(file, "status", value="x")
    with pytest.raises(UsageError, match=r"support\.json: status: unknown field"):
        programs.draft(file)
