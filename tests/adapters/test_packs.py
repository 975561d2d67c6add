"""Packs on disk: the two that ship, and every way in which one can be wrong."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from shutil import copytree
from typing import get_args

import pytest
import yaml
from pydantic import BaseModel

from adapters import pack_shown
from adapters.packs import (
    DEFAULTS,
    MUST_REFUSE,
    POLICY,
    SOURCES,
    Facts,
    Fixture,
    Fixtures,
    check,
    create_pack,
    load,
    lock,
)
from adapters.strict_yaml import read as read_yaml
from engine.model.errors import EnvironmentFailed, PolicyError, UsageError
from engine.model.ports import CorpusStatistics
from engine.parse.intent import read
from engine.policy.pack import Domain, Pack
from tests.engine.small_pack import TODAY, question

NAMES = ("oncology", "textbook")


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A pack's folder that a test may spoil."""

    def copied(name: str) -> Path:
        source = root / "config" / "packs" / name
        target = tmp_path / name
        copytree(source, target, ignore=lambda *_: ["corpus"])
        return target

    return copied


def questions_to_refuse(folder: Path) -> tuple[Fixture, ...]:
    """What a pack has to refuse."""
    return Fixtures.model_validate(read_yaml(folder / MUST_REFUSE).data).cases


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) >= 1, old
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def line_of(file: Path, start: str) -> int:
    lines = file.read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.strip().startswith(start))


def refused(folder: Path) -> str:
    with pytest.raises(PolicyError) as caught:
        load(folder)
    return str(caught.value)


# --- the packs that ship ----------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_packs_pass_R_U8(root: Path, name: str) -> None:
    """With at least five questions that they must refuse."""
    folder = root / "config" / "packs" / name
    assert check(folder).problems == ()
    assert check(folder).passed
    pack = load(folder)
    assert pack.id == name
    assert len(pack.hash) == 64
    assert len(pack.retrieval.glossary) >= 100
    assert len(questions_to_refuse(folder)) >= 5


def test_the_oncology_figures_R_G1_R_G3_R_I3_R_C6(root: Path) -> None:
    pack = load(root / "config" / "packs" / "oncology")
    guideline, two = pack.gate.openings
    assert (guideline.documents, guideline.relevance, guideline.tier) == (1, 0.7, 1)
    assert (two.documents, two.relevance, two.tier) == (2, 0.5, None)
    assert {rule.comparison for rule in pack.gate.openings} == {">"}
    assert pack.domain is Domain.MEDICAL
    assert pack.gate.best == 0.3
    assert pack.citations.minimum_sensitive == 2
    assert pack.citations.maximum_per_section == 5
    assert pack.answer.on_rejected_draft == "fallback"
    assert pack.platforms_forbidden == ("discord",)
    assert pack.rule("treatment").minimum_chunks == 2
    assert pack.rule("side_effects").minimum_chunks == 2
    assert pack.rule("symptoms").minimum_chunks == 1
    register = pack.register()
    assert {s for s, found in register.items() if found.guideline} == {
        "nci",
        "who",
        "ncg",
        "demo-nci",  # stands in for the NCI while there is no real document
    }
    assert register["nci"].url_prefixes == ("https://www.cancer.gov/",)
    assert register["demo-nci"].demo
    assert register["demo-who"].tier == 2


def test_the_textbook_figures_R_G5(root: Path) -> None:
    pack = load(root / "config" / "packs" / "textbook")
    assert pack.status == "LOCKED"
    (opening,) = pack.gate.openings
    assert (opening.documents, opening.relevance, opening.comparison) == (1, 0.7, ">=")
    assert (pack.gate.used, pack.gate.warned) == (0.7, 0.5)
    assert pack.answer.partial == "refuse"
    assert pack.answer.on_rejected_draft == "deterministic"
    assert pack.answer.attribution.startswith("According to the textbook")
    register = pack.register()
    assert register["gazebo-docs"].path_globs == ("**/gazebo/**",)
    assert register["ros2-docs"].path_globs == ("**/ros2/**",)
    assert register["course-labs"].demo


@pytest.mark.parametrize("name", NAMES)
def test_first_use_says_that_all_is_word_for_word_R_U6(root: Path, name: str) -> None:
    """Also where a language model may choose: it words nothing that is shown."""
    said = load(root / "config" / "packs" / name).wording.first_use
    assert "word for word, also where a language model chooses" in " ".join(
        said.split()
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_names_its_requirement(root: Path, name: str) -> None:
    """A number in a pack without a requirement is nobody's decision."""
    text = (root / "config" / "packs" / name / "pack.yaml").read_text(encoding="utf-8")
    for line in text.splitlines():
        value = line.split("#")[0].split(": ")[-1].strip()
        if value.replace(".", "", 1).isdigit() and "version" not in line:
            in_budget = line.startswith("  ") and text.index(line) > text.index(
                "budget:"
            )
            assert "# R-" in line or in_budget, line


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_of_the_question_itself_are_seen_by_the_rules_R_G5(
    root: Path, name: str
) -> None:
    """Those that need no search to be refused as out of scope."""
    folder = root / "config" / "packs" / name
    pack = load(folder)
    known = CorpusStatistics(0, 0, {})
    sure = [
        c for c in questions_to_refuse(folder) if c.refusal and "qwzx" not in c.question
    ]
    for case in sure:
        found = read(question(case.question), pack, known, TODAY)
        assert not found.in_scope or found.language not in pack.languages, case.id


# --- floors and slips, with file and line -----------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "field", "floor"),
    [
        (
            "minimum_sensitive: 2",
            "minimum_sensitive: 1",
            "citations.minimum_sensitive",
            "at least 2",
        ),
        ("best: 0.3", "best: 0.2", "gate.best", "at least 0.3"),
        ("used: 0.5", "used: 0.4", "gate.used", "at least 0.5"),
        (
            "anchors_per_item: 3",
            "anchors_per_item: 1",
            "anchors_per_item",
            "at least 3",
        ),
        (
            "strict_quotes: true",
            "strict_quotes: false",
            "answer.strict_quotes",
            "always true",
        ),
        ("seconds: 30", "seconds: .inf", "budget.seconds", "finite"),
    ],
)
def test_a_floor_is_told_with_file_line_and_field_R_I9(
    copy: Callable[[str], Path], old: str, new: str, field: str, floor: str
) -> None:
    folder = copy("oncology")
    file = folder / "pack.yaml"
    edit(file, old, new)
    line = line_of(file, new)
    message = refused(folder)
    assert f"{file}:{line}: {field}: " in message
    assert floor in message
    with pytest.raises(PolicyError) as caught:
        load(folder)
    assert caught.value.floor
    assert [p.field for p in check(folder).problems] == [field]


def test_an_unknown_field_is_named_R_I9(copy: Callable[[str], Path]) -> None:
    """In either file."""
    folder = copy("oncology")
    edit(folder / "pack.yaml", "answerability: 0.5", "answerabilty: 0.5")
    line = line_of(folder / "pack.yaml", "answerabilty")
    message = refused(folder)
    assert f"pack.yaml:{line}: gate.answerabilty: unknown field" in message
    folder = copy("textbook")
    edit(folder / "sources.yaml", "trusted: true", "trusted: true\n    truste: true")
    line = line_of(folder / "sources.yaml", "truste:")
    assert f"sources.yaml:{line}: sources[0].truste: unknown" in refused(folder)


def test_a_missing_field_points_to_its_table(copy: Callable[[str], Path]) -> None:
    folder = copy("oncology")
    edit(folder / "pack.yaml", "      documents: ", "      document: ")
    assert "gate.openings[0].documents: Field required" in refused(folder)


def test_the_register_is_no_part_of_the_policy(copy: Callable[[str], Path]) -> None:
    """Each file holds its own."""
    folder = copy("oncology")
    with (folder / "pack.yaml").open("a", encoding="utf-8") as file:
        file.write("sources: []\n")
    assert "sources: does not belong here" in refused(folder)
    folder = copy("textbook")
    with (folder / "sources.yaml").open("a", encoding="utf-8") as file:
        file.write("status: draft\n")
    assert "status: unknown field" in refused(folder)


# --- hostile files ----------------------------------------------------------------

BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (BOMB, "anchors (&name) are not allowed"),
        ("a: *b\n", "aliases (*name) are not allowed"),
        ("a: !!python/object/apply:os.system [x]\n", "tags (!name) are not allowed"),
        ("a: 1\na: 2\n", "key a stands twice"),
        ("a:\n  b: 1\n  b: 2\n", "key b stands twice"),
        ("no: 1\n", "key no needs quotes"),
        ("<<: {a: 1}\n", "key << needs quotes"),
        ("a: [\n", "is no YAML"),
        ("a: 2026-13-45\n", "is no YAML"),
        ("- a\n", "must hold fields"),
        ("", "must hold fields"),
        ("a: " + "[" * 40 + "]" * 40, "nested more than"),
        ("[" * 200_000, "nested more than"),
        ("a: [" + "1," * 60_000 + "]", "values"),
        ("a: " + "x" * 600_000, "larger than 512 KiB"),
        ("a: \x00\n", "is no YAML"),
    ],
    ids=range(16),
)
def test_hostile_yaml_is_refused_with_its_file_R_S3(
    copy: Callable[[str], Path], content: str, problem: str
) -> None:
    folder = copy("oncology")
    for name in ("pack.yaml", "sources.yaml"):
        kept = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(content, encoding="utf-8")
        message = refused(folder)
        assert str(folder / name) in message
        assert problem in message
        (folder / name).write_text(kept, encoding="utf-8")


def test_other_encodings_and_missing_files_are_told(tmp_path: Path) -> None:
    assert "is missing" in refused(tmp_path)
    (tmp_path / "pack.yaml").write_bytes(b"a: \xff\n")
    assert "is not UTF-8" in refused(tmp_path)


# --- hash and lock ----------------------------------------------------------------


def test_a_pack_holds_no_prompt_program_R_E8(copy: Callable[[str], Path]) -> None:
    """Whatever it says: a model is told what stands in the code, and reviewed there."""
    folder = copy("oncology")
    (folder / "programs").mkdir()
    (folder / "programs" / "general.json").write_text("{}")
    (problem,) = check(folder).problems
    assert str(problem).startswith(f"{folder / 'programs'}: programs: is no part of")
    with pytest.raises(PolicyError, match="programs"):
        load(folder)


def test_the_hash_covers_content_not_layout_R_I12(copy: Callable[[str], Path]) -> None:
    folder = copy("oncology")
    before = load(folder).hash
    edit(folder / "pack.yaml", "id: oncology", "# A comment.\n\nid:   oncology")
    assert load(folder).hash == before
    edit(folder / "sources.yaml", "window_days: 730", "window_days: 700")
    assert load(folder).hash != before


def test_a_locked_pack_changes_only_with_its_version_R_I12(
    copy: Callable[[str], Path],
) -> None:
    """Neither a figure nor the status; a new version is locked beside the old one."""
    folder = copy("textbook")
    file = folder / "pack.yaml"
    edit(file, "quotes: 4", "quotes: 5")
    assert "1.4.9 is locked" in refused(folder)
    assert not check(folder).passed
    with pytest.raises(PolicyError):
        lock(folder)
    edit(file, "status: LOCKED", "status: active")
    assert "1.4.9 is locked" in refused(folder)
    edit(file, "status: active", "status: LOCKED")
    edit(file, "version: 1.4.9", "version: 9.0.0")
    edit(file, "  - version: 1.4.9", "  - version: 9.0.0")
    assert "pack.lock has no line for 9.0.0" in refused(folder)
    locked = lock(folder)
    assert load(folder) == locked
    assert lock(folder) == locked
    lines = (folder / "pack.lock").read_text().splitlines()
    assert lines[-1:] == [f"9.0.0 {locked.hash}"]


def test_only_a_locked_pack_that_is_right_is_locked_R_I12(
    copy: Callable[[str], Path],
) -> None:
    """What is still changed, and what fails its check, gets no line."""
    folder = copy("oncology")
    with pytest.raises(PolicyError, match=r"status: is active.*`status: LOCKED`"):
        lock(folder)
    edit(folder / "pack.yaml", "status: active", "status: LOCKED")
    (folder / "fixtures" / "must_refuse.yaml").rename(folder / "kept.yaml")
    with pytest.raises(PolicyError, match="R-U8"):
        lock(folder)
    assert not (folder / "pack.lock").exists()


def test_a_lock_that_cannot_be_written_is_told(copy: Callable[[str], Path]) -> None:
    """The file is named, and the old lock stays."""
    folder = copy("textbook")
    before = (folder / "pack.lock").read_text()
    (folder / "pack.lock.new").mkdir()
    with pytest.raises(EnvironmentFailed, match=r"pack\.lock"):
        lock(folder)
    assert (folder / "pack.lock").read_text() == before


def test_a_damaged_lock_is_told(copy: Callable[[str], Path]) -> None:
    folder = copy("textbook")
    (folder / "pack.lock").write_text("1.0.0 abc\n")
    assert "pack.lock:1" in refused(folder)


# --- fixtures and scaffold --------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "every pack has questions that it must refuse"),
        ("cases: []\n", "cases"),
        ("cases:\n  - id: a\n", "cases[0].question"),
        ("cases:\n  - {id: a, question: b, refusal: [nope]}\n", "cases[0].refusal[0]"),
    ],
)
def test_every_pack_has_questions_it_must_refuse_R_U8(
    copy: Callable[[str], Path], content: str | None, problem: str
) -> None:
    folder = copy("oncology")
    file = folder / "fixtures" / "must_refuse.yaml"
    file.unlink()
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert problem in "\n".join(str(found) for found in check(folder).problems)


FACTS = Facts(
    title='The "Heart" house',
    owner="Heart: house #1",
    contact="heart@example.org",
    day=date(2026, 11, 27),
    homepage="https://example.org/",
    source={"folder": "/srv/heart", "base_url": "https://example.org/files/"},
)


def test_a_new_pack_passes_its_check_R_U8(tmp_path: Path) -> None:
    folder = create_pack(tmp_path, "cardiology", FACTS)
    report = check(folder)
    assert report.passed
    assert report.pack is not None
    assert (report.pack.id, report.pack.status) == ("cardiology", "draft")
    assert all("cardiology" in case.id for case in questions_to_refuse(folder))


def test_a_new_pack_is_short_and_general_and_names_no_requirement_R_U13(
    tmp_path: Path,
) -> None:
    """At most 25 lines each; whatever was told is written so that YAML keeps it."""
    folder = create_pack(tmp_path, "cardiology", FACTS)
    for name in (POLICY, SOURCES):
        text = (folder / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 25
        assert not re.search(r"\bR-[A-Z]\d", text)
    pack = load(folder)
    assert pack.domain is Domain.GENERAL
    assert (pack.title, pack.owner) == (FACTS.title, FACTS.owner)
    [only] = pack.sources
    assert (only.folder, only.homepage) == ("/srv/heart", "https://example.org/")


def test_a_pack_says_what_it_wants_otherwise_than_the_defaults_R_U13(
    tmp_path: Path,
) -> None:
    """Field by field, at any depth; a pack below a floor is refused as ever."""
    folder = create_pack(tmp_path, "cardiology", FACTS)
    usual = load(folder)
    with (folder / POLICY).open("a", encoding="utf-8") as file:
        file.write('  lacks: "Not here."\ngate:\n  best: 0.4\n')
    changed = load(folder)
    assert (changed.wording.lacks, changed.gate.best) == ("Not here.", 0.4)
    assert changed.wording.reasons == usual.wording.reasons
    assert changed.gate.openings == usual.gate.openings
    assert changed.hash != usual.hash
    edit(folder / POLICY, "domain: general", "domain: medical")
    fields = {problem.field for problem in check(folder).problems}
    assert {"gate.openings[0]", "citations.minimum_sensitive"} <= fields


def test_the_defaults_are_of_fields_that_packs_may_leave_out_R_U13(root: Path) -> None:
    """No default moves a pack that says everything itself."""
    for name in (*NAMES, "mrd", "immigration", "code_audit"):
        own = read_yaml(root / "config/packs" / name / POLICY).data
        assert not set(read_yaml(DEFAULTS).data) - set(own)


def test_every_setting_of_a_pack_is_shown_with_its_meaning_R_U13(
    tmp_path: Path,
) -> None:
    """As YAML, with what pack.yaml says marked; no requirement id among it."""
    folder = create_pack(tmp_path, "cardiology", FACTS)
    pack = load(folder)
    lines = list(pack_shown.list_settings(folder, pack))
    read_back = yaml.safe_load("\n".join(lines))
    meanings = read_yaml(pack_shown.MEANINGS).data
    for name in type(pack).model_fields:
        assert name in meanings
        value = getattr(pack, name)
        if isinstance(value, BaseModel):
            below = {f"{name}.{field}" for field in type(value).model_fields}
            assert below <= set(meanings)
    assert read_back["gate"]["best"] == pack.gate.best
    assert read_back["wording"]["lacks"] == pack.wording.lacks
    assert f"# {meanings['domain']}{pack_shown.OWN}" in lines
    assert f"  # {meanings['gate.best']}" in lines
    assert not re.search(r"\bR-[A-Z]\d", "\n".join(lines))
    own = yaml.safe_load("\n".join(pack_shown.list_settings(folder, pack, own=True)))
    assert own["wording"] == {
        "turn_to": "Please ask Heart: house #1 (heart@example.org)."
    }
    assert "gate" not in own


def test_a_meaning_is_of_a_setting_that_there_is_R_U13() -> None:
    for name in read_yaml(pack_shown.MEANINGS).data:
        model: type[BaseModel] | None = Pack
        for part in name.split("."):
            assert model is not None and part in model.model_fields, name
            model = model_of(model.model_fields[part].annotation)


def model_of(annotation: object) -> type[BaseModel] | None:
    """The table that a field holds."""
    for each in (annotation, *get_args(annotation)):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None


@pytest.mark.parametrize("name", ["../evil", "A", "", "a b", "x/y", "_t"])
def test_a_pack_id_is_no_path_R_U8(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        create_pack(tmp_path, name, FACTS)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_left_alone_R_U8(tmp_path: Path) -> None:
    create_pack(tmp_path, "cardiology", FACTS)
    with pytest.raises(UsageError, match="exists already"):
        create_pack(tmp_path, "cardiology", FACTS)
