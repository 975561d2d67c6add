"""The commands with a language model behind them, and without one."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.doctor.model import LAMP
from bot.models import LanguageModels
from bot.wiring import Application
from config.settings import PACKS, Settings, SettingsError, read
from engine.model.errors import UsageError
from engine.pipeline.drafting import Models
from engine.prompting.modules import ModelWriter
from tests.bot.command import Command, command
from tests.conftest import ROOT
from tests.demo import Demo
from tests.engine.pipeline.test_drafting import first_sentences
from tests.engine.small_pack import small_pack
from tests.loopback.model import Provider, Said, provider, provider_aside

WINDUP = "What is integral windup?"
ASK = ("ask", WINDUP, "--pack", "textbook")
KEY = "sk-canary-2f9d"
MODEL = "openai/test"


@pytest.fixture
def bot(
    demo: Demo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line over the demo texts."""
    return command(demo.data, monkeypatch, capsys)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider, and the settings that lead to it."""
    with provider_aside(lambda body: Said(first_sentences(body))) as running:
        monkeypatch.setenv("GROUNDRULE_MODEL", MODEL)
        monkeypatch.setenv("GROUNDRULE_MODEL_URL", running.url)
        monkeypatch.setenv("GROUNDRULE_MODEL_KEY", KEY)
        yield running


# --- without one ------------------------------------------------------------------

LOADED = """
import sys
from bot.__main__ import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
optional = ("dspy", "litellm", "weaviate", "openai", "opentelemetry", "onnx")
print([name for name in optional if name in sys.modules])
"""


@pytest.mark.parametrize("extra", [(), ("GROUNDRULE_JUDGE=same",)])
def test_without_a_model_nothing_of_it_is_imported(
    demo: Demo, extra: tuple[str, ...]
) -> None:
    """Whoever asks for none does not wait for it, and needs no package of it."""
    environment = {n: v for n, v in os.environ.items() if "GROUNDRULE" not in n}
    environment |= dict(each.split("=") for each in extra)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "--data", str(demo.data), *ASK],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Sentences chosen by" not in done.stdout


def test_a_model_without_its_packages_is_exit_4(
    bot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence that says what to run."""
    monkeypatch.setenv("GROUNDRULE_MODEL", MODEL)
    for name in ("adapters.language_model", "engine.prompting.modules"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "dspy", None)
    asked = bot(*ASK)
    assert (asked.code, asked.out) == (4, "")
    assert "the package dspy is not installed: run `make model`" in asked.err


# --- with one ---------------------------------------------------------------------


def test_an_answer_says_who_selected_it_R_A8(bot: Command, served: Provider) -> None:
    """Below the answer and in "why"; the record holds the call, and no key."""
    asked = bot(*ASK, "--why")
    assert asked.code == 0
    assert asked.out.count(f"Sentences chosen by {MODEL}, shown word for word") == 2
    assert len(served.asked) == 1
    assert set(served.keys) == {KEY}
    record = bot(*ASK, "--json")
    (prompt,) = json.loads(record.out)["prompts"]
    assert prompt["model"] == MODEL
    assert WINDUP.rstrip("?") in prompt["messages"][-1]["content"]
    assert KEY not in asked.out + asked.err + record.out + record.err


def test_the_sources_own_words_ask_no_model_R_A13(
    bot: Command, served: Provider
) -> None:
    """`--verbatim` for one question; a batch has no such way."""
    asked = bot(*ASK, "--verbatim")
    assert asked.code == 0
    assert "Sentences chosen by" not in asked.out
    assert served.asked == []
    assert bot("ask", "--verbatim", "--batch", "x").code == 2


def test_a_conversation_asks_again_in_the_sources_words_R_A13(
    demo: Demo, served: Provider
) -> None:
    """`/again` repeats the last question; before one there is nothing to repeat."""
    chat = ("chat", "--pack", "textbook")
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--data", str(demo.data), *chat],
        cwd=ROOT,
        input=f"/again\n{WINDUP}\n/again\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Ask something first." in done.stderr
    assert done.stdout.count("To check this answer later:") == 2
    assert done.stdout.count("Sentences chosen by") == 1
    assert len(served.asked) == 1


def test_a_model_that_fails_is_said_in_why_R_A8(
    bot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources are quoted, and "why" says why."""
    with provider_aside(lambda _: Said(status=401)) as running:
        monkeypatch.setenv("GROUNDRULE_MODEL", MODEL)
        monkeypatch.setenv("GROUNDRULE_MODEL_URL", running.url)
        asked = bot(*ASK, "--why")
    assert asked.code == 0
    assert "model: the model failed, so the sources are quoted" in asked.out
    assert "model calls that failed: key_refused 1" in asked.out


async def test_connections_end_with_the_application(tmp_path: Path) -> None:
    """Those that were opened; what was never asked opens none."""
    async with provider(lambda _: Said("")) as running:
        settings = Settings(data=tmp_path, model=MODEL, model_url=running.url)
        async with Application(settings) as application:
            model = application.models.writer
            await ModelWriter(model, []).write(LAMP)
            pools = vars(model)["_lm"]._engine_store
            assert pools
        assert not pools


# --- doctor -----------------------------------------------------------------------


def about_the_model(out: str) -> str:
    """The lines of a report that are about the model."""
    return "\n".join(line for line in out.splitlines() if " model: " in line)


def test_doctor_asks_the_model_where_it_is_told_to(
    bot: Command, served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call; seconds, tokens, cost, or that no price is known."""
    quiet = about_the_model(bot("doctor").out)
    every = sorted(PACKS.glob("*/pack.yaml"))
    packs = [f.parent.name for f in every if "\n  mode: llm" in f.read_text("utf-8")]
    assert f"{MODEL} drafts for {', '.join(packs)}; `doctor --model`" in quiet
    assert served.asked == []
    told = about_the_model(bot("doctor", "--model").out)
    assert len(served.asked) == 1
    assert "tokens sent" in told
    assert "no price known" in told
    monkeypatch.setenv("GROUNDRULE_MODEL_PRICES", "1/2")
    monkeypatch.setenv("GROUNDRULE_JUDGE", "openai/other")
    done = bot("doctor", "--model")
    assert "judged by openai/other" in about_the_model(done.out)
    assert "answered, $0.00" in about_the_model(done.out)
    assert KEY not in done.out + done.err


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (Said(status=401), "the key is missing or refused"),
        (Said(status=404), "GROUNDRULE_MODEL"),
        (Said(body="<html>"), "the path of GROUNDRULE_MODEL_URL"),
        (Said(status=402), "no credit"),
        (Said(status=500), "fails at present"),
        (Said("Certainly!"), "names no sentence"),
    ],
    ids=lambda value: value.status if isinstance(value, Said) else "",
)
def test_doctor_says_what_is_wrong_with_a_model(
    bot: Command, monkeypatch: pytest.MonkeyPatch, said: Said, word: str
) -> None:
    """Key, name, address, account: in words, with the setting to look at."""
    with provider_aside(lambda _: said) as running:
        monkeypatch.setenv("GROUNDRULE_MODEL", MODEL)
        monkeypatch.setenv("GROUNDRULE_MODEL_URL", running.url)
        monkeypatch.setenv("GROUNDRULE_MODEL_KEY", KEY)
        done = bot("doctor", "--model")
    assert word in about_the_model(done.out)
    assert done.code == (0 if said.text else 4)
    assert KEY not in done.out + done.err


def test_doctor_says_which_address_is_wrong(
    bot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody there; a provider that is not known; no model at all."""
    assert "none to ask" in about_the_model(bot("doctor", "--model").out)
    monkeypatch.setenv("GROUNDRULE_MODEL", MODEL)
    monkeypatch.setenv("GROUNDRULE_MODEL_URL", "http://127.0.0.1:9/v1")
    done = bot("doctor", "--model")
    assert done.code == 4
    assert "host and port of GROUNDRULE_MODEL_URL" in about_the_model(done.out)
    monkeypatch.setenv("GROUNDRULE_MODEL", "mistral/large")
    done = bot("doctor")
    assert done.code == 2
    assert "this provider is not known" in about_the_model(done.out)


def test_an_unknown_judge_is_named_by_its_own_variable(
    bot: Command, served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by that of the model that drafts."""
    monkeypatch.setenv("GROUNDRULE_JUDGE", "mistral/large")
    done = bot(*ASK)
    assert done.code == 2
    assert "GROUNDRULE_JUDGE=mistral/large: this provider is not known" in done.err


# --- settings ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MODEL_URL", "localhost:8000"),
        ("MODEL_URL", "http://me:secret@host/v1"),
        ("MODEL_URL", "https://host/v1?key=secret"),
        ("MODEL_URL", "http://["),
        ("MODEL_URL", "http://localhost:99999/v1"),
        ("MODEL_KEY", "secret key"),
        ("MODEL_KEY", "secret\u00e9"),
        ("MODEL_KEY", "secret\nsecret"),
        ("MODEL_PRICES", "1"),
        ("MODEL_PRICES", "1/x"),
        ("MODEL_PRICES", "1/-2"),
        ("MODEL_PRICES", "nan/1"),
        ("MODEL_AT_ONCE", "0"),
    ],
)
def test_a_wrong_setting_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """It may be a secret in the wrong place."""
    monkeypatch.setenv(f"GROUNDRULE_{variable}", value)
    with pytest.raises(SettingsError, match=f"GROUNDRULE_{variable}") as caught:
        read()
    assert "secret" not in str(caught.value)


def test_a_judge_of_another_provider_has_its_own_key(tmp_path: Path) -> None:
    """The key and the address of one provider are never shown to another."""
    settings = Settings(
        model="openai/a", model_key=KEY, judge="anthropic/b", model_prices=(1.0, 2.0)
    )
    models = LanguageModels(settings)
    assert models.judge is not None
    assert KEY not in repr(vars(models.judge)["_lm"].kwargs)
    assert KEY in repr(vars(models.writer)["_lm"].kwargs)
    same = LanguageModels(settings.model_copy(update={"judge": "same"}))
    assert same.judge is same.writer


def test_a_pack_may_forbid_models_R_A3() -> None:
    """`deterministic` in a pack wins; a signature that is not there is named."""
    models = LanguageModels(Settings(model="openai/a", model_key=KEY))
    pack = small_pack()
    assert models.of(pack) == Models()
    answer = pack.answer.model_copy(update={"mode": "llm"})
    rule = pack.intents[0].model_copy(update={"signature": "poetry"})
    allowed = pack.model_copy(update={"answer": answer, "intents": (rule,)})
    with pytest.raises(UsageError, match="'poetry', which does not exist"):
        models.of(allowed)
