"""The licence audit: what it lets through, and that it fails on all else (R-S4)."""

from pathlib import Path

import pytest

from scripts import licences
from scripts.licences import LookedUp, Package


def test_every_locked_package_has_an_allowed_licence_R_S4(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The committed lock files pass, and the count is printed."""
    assert licences.report() == 0
    count = len(licences.list_locked())
    assert count > 50
    assert f"licences of {count} packages audited" in capsys.readouterr().out


def test_no_lock_file_fails_R_S4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An audit of nothing is a failure, not a success."""
    assert licences.report(tmp_path) == 1
    assert "licences of 0 packages audited" in capsys.readouterr().out


def test_a_locked_package_that_is_nowhere_fails_R_S4(tmp_path: Path) -> None:
    """What is neither installed nor looked up is named, whoever should have it."""
    (tmp_path / "some.lock").write_text(
        "# a comment\n"
        "no-such-package==1.0 \\\n"
        "    --hash=sha256:00\n"
        "no-such-other==2.0 ; sys_platform == 'nowhere' \\\n"
    )
    first, second = licences.audit(licences.list_locked(tmp_path))
    assert "is not for this machine" in first.problem
    assert "is not installed" in second.problem


def test_another_version_has_to_be_looked_up_again_R_S4() -> None:
    """A licence that was looked up holds for its version alone."""
    known = {"gone==1.0": LookedUp("MIT", "its wheel")}
    old, new = (Package("gone", version, needed=False) for version in ("1.0", "1.1"))
    assert not licences.audit([old], known)[0].problem
    assert licences.audit([new], known)[0].problem


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("MIT AND MPL-2.0", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR ISC) AND ISC", False),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_only_listed_licences_are_allowed_R_S4(expression: str, expected: bool) -> None:
    """Unknown names and expressions that are not understood are not allowed."""
    assert licences.is_allowed(expression) is expected


def test_problems_are_told_by_line_R_P3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As evidence of a question pack: file, line and what to do."""
    folder = tmp_path / "requirements"
    folder.mkdir()
    lock = "# made\nnowhere-to-be-found==1.0 \\\n    --hash=sha256:00\n"
    (folder / "run.lock").write_text(lock, encoding="utf-8")
    assert licences.report_by_line(folder) == 1
    said = capsys.readouterr().out
    assert said.startswith("requirements/run.lock:2: nowhere-to-be-found==1.0: is not")
    assert licences.report_by_line() == 0
