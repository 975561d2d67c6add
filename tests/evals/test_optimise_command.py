"""`python -m evals optimise`: taped once, played without a provider, wrong usage."""

from functools import partial
from pathlib import Path

import pytest

from adapters import programs
from tests.bot.command import Command
from tests.evals.library import PACK, Small
from tests.evals.optimising import school
from tests.loopback.model import provider_aside

KEY = "canary-key-that-is-never-written"


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """The school's pack."""
    return school.make(tmp_path)


@pytest.fixture
def optimise(small: Small, evals: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The verb over it, which keeps nothing outside of a test."""
    monkeypatch.setenv("GROUNDRULE_PACKS", str(small.library.packs))
    monkeypatch.setenv("GROUNDRULE_DATA", str(small.folder / "untouched"))
    monkeypatch.setattr("evals.commands.optimise.Library", lambda packs: small.library)
    kept = ("--cache", small.folder / "cache", "--work", small.folder / "work")
    return partial(evals, "optimise", "--pack", PACK, *kept)


def test_a_taped_run_is_played_to_the_same_program_R_E8_R_E5(
    optimise: Command, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a provider or a key; it says what to do next, and what is on no tape."""
    tape, first, second = (small.folder / name for name in ("tape.jsonl", "a", "b"))
    with provider_aside(school.script(school.learning)) as served:
        with monkeypatch.context() as patch:
            patch.setenv("GROUNDRULE_MODEL", "openai/test")
            patch.setenv("GROUNDRULE_MODEL_URL", served.url)
            patch.setenv("GROUNDRULE_MODEL_KEY", KEY)
            live = optimise("--tape", tape, "--out", first)
        calls = len(served.asked)
        assert KEY not in tape.read_text(encoding="utf-8")
        assert live.code == 0, live
        assert f"written to {first / school.SIGNATURE}.json" in live.out
        assert "abstention: " in live.out
        for said in ("Read instructions and demonstrations", "Set `reviewed`"):
            assert said in live.err
        assert "baseline renew build/evals/oncology" in live.err
        assert "no document is on both sides" in live.err

        played = optimise("--play", tape, "--out", second, "--by", "M. Curie")
        assert played.code == 0, played
        assert len(served.asked) == calls
    name = f"{school.SIGNATURE}.json"
    again = (second / name).read_text(encoding="utf-8")
    assert again.replace("M. Curie", "python -m evals optimise") == (
        first / name
    ).read_text(encoding="utf-8")
    assert not (small.library.packs / PACK / programs.FOLDER).exists()

    gone = optimise("--play", tape, "--program", small.folder / name)
    assert gone.code == 2
    assert f"{name}: file: is no .json file" in gone.err

    lines = tape.read_text(encoding="utf-8").splitlines()
    tape.write_text(lines[0] + "\n", encoding="utf-8")
    missed = optimise("--play", tape, "--out", small.folder / "c")
    assert missed.code == 2
    assert "tape it anew" in missed.err
    assert not (small.folder / "c").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no model is configured: set GROUNDRULE_MODEL, or give --play"),
        (("--play", "a", "--tape", "b"), "give one of them"),
        (("--play", "none.jsonl"), "there is no such cassette"),
        (("--with", "miprov2"), "'miprov2' is not one of"),
        (("--program", "a", "--signature", "b"), "give one of them"),
        (("--concurrency", 0), "--concurrency"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2_R_P2(
    optimise: Command, options: tuple[object, ...], said: str
) -> None:
    """Nothing is asked, and nothing written."""
    result = optimise(*options)
    assert result.code == 2, result
    assert said in result.err
    assert "Traceback" not in result.err


def test_help_shows_examples_and_every_optimiser_R_P2(optimise: Command) -> None:
    """Those that run with what is installed."""
    shown = optimise("--help").out
    for said in ("--max-usd 5", "bootstrap", "random-search", "copro", "gepa"):
        assert said in shown
    assert "0 written, 1 refused" in shown
