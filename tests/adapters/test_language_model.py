"""Language models over the loopback, in the formats of real providers (R-A8)."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import dspy
import pytest

from adapters.breaker import FAILURES, PAUSE_S
from adapters.language_model import (
    THINKING_TOKENS,
    Choice,
    LanguageModel,
)
from adapters.model_transport import LARGEST_REPLY
from engine.model.draft import Offered, Order, Passage, Selected, Written
from engine.model.errors import UsageError
from engine.model.prompt import Failure
from engine.prompting.modules import ModelWriter
from tests.clock import LoopClock
from tests.conftest import ROOT
from tests.loopback.model import Json, Provider, Said, provider

KEY = "sk-canary-7b1e"
OTHER = "xapp-1/canary"
GREEN = json.dumps(
    {"status": "answered", "sections": [{"sentences": [1]}], "not_found": []}
)
SAYS_GREEN = Selected(chunk=1, sentence=0)
LAMP = Order(
    signature="general",
    question="What colour is the lamp on the desk?",
    passages=(
        Passage(
            title="The desk",
            sentences=(
                Offered(number=1, selected=SAYS_GREEN, text="The lamp is green."),
            ),
        ),
    ),
    seconds=60,
    tokens=20_000,
)
# Model, path below /v1, header of the key, what stands before the key there.
PROVIDERS = [
    ("openai/gpt-4o-mini", "/chat/completions", "Authorization", "Bearer "),
    ("openai/any-server", "/chat/completions", "Authorization", "Bearer "),
    ("anthropic/claude-haiku-4-5", "/messages", "x-api-key", ""),
    (
        "gemini/gemini-2.5-flash",
        "/models/gemini-2.5-flash:generateContent",
        "x-goog-api-key",
        "",
    ),
    ("deepseek/deepseek-chat", "/chat/completions", "Authorization", "Bearer "),
    ("ollama_chat/llama3.2", "/chat/completions", "Authorization", "Bearer "),
]
PRICED = {name for name, *_ in PROVIDERS} - {
    "openai/any-server",
    "ollama_chat/llama3.2",
}


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def open_model(served: Provider, **changes: object) -> LanguageModel:
    """A model behind the loopback."""
    chosen = {"model": "openai/test", "url": served.url, "key": KEY, **changes}
    now = chosen.pop("now", time.monotonic)
    return LanguageModel(Choice(**chosen), now)  # type: ignore[arg-type]


async def draft(model: LanguageModel, seconds: float = 60.0) -> Written:
    """One draft about the lamp."""
    order = Order(**{**dict(LAMP), "seconds": seconds})
    return await ModelWriter(model, ["general"]).write(order)


@pytest.mark.parametrize(("name", "path", "header", "scheme"), PROVIDERS)
async def test_each_provider_is_spoken_to_in_its_own_format_R_A8(
    name: str, path: str, header: str, scheme: str
) -> None:
    """Address, key, answer, tokens and price; the key stands in one header alone."""
    async with provider(lambda _: Said(GREEN)) as served:
        model = open_model(served, model=name)
        written = await draft(model)
        await model.close()
    assert written.draft is not None
    assert written.draft.sections[0].claims[0].sentences == (SAYS_GREEN,)
    usage = written.prompt.usage
    assert (usage.calls, written.prompt.failure) == (1, None)
    assert usage.prompt_tokens > 100
    assert usage.answer_tokens == len(GREEN) // 4
    assert (usage.cost is not None) == (name in PRICED)
    assert served.paths == [f"/v1{path}"]
    (head,) = served.heads
    assert head.pop(header) == f"{scheme}{KEY}"
    assert KEY not in json.dumps(head) + json.dumps(served.asked) + served.paths[0]
    assert KEY not in written.model_dump_json()


async def test_configured_prices_win_R_A7() -> None:
    """For a server of one's own, or where the list is out of date."""
    async with provider(lambda _: Said(GREEN)) as served:
        usage = (await draft(open_model(served, prices=(2.0, 4.0)))).prompt.usage
    expected = (2 * usage.prompt_tokens + 4 * usage.answer_tokens) / 1e6
    assert usage.cost == pytest.approx(expected)


async def test_a_model_that_thinks_gets_room_and_its_own_temperature() -> None:
    """OpenAI's refuse any other; thinking counts as answer with every provider."""
    async with provider(lambda _: Said(GREEN)) as served:
        await draft(open_model(served, model="openai/gpt-5-mini"))
        await draft(open_model(served, model="openai/gpt-4o-mini"))
    thinking, plain = served.asked
    assert "temperature" not in thinking
    assert plain["temperature"] == 0
    room = plain["max_completion_tokens"] + THINKING_TOKENS
    assert thinking["max_completion_tokens"] == room


async def test_a_server_of_ones_own_gets_no_key_of_a_provider(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OPENAI_API_KEY goes to OpenAI, never to another address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with provider(lambda _: Said(GREEN)) as served:
        await draft(open_model(served, key=None))
    assert KEY not in json.dumps(served.heads)


@pytest.mark.parametrize("name", ["mistral/large", "bedrock/claude", "nonsense", "x/y"])
def test_an_unknown_provider_is_refused_at_start(name: str) -> None:
    """Never handed to another library; the message says what there is."""
    with pytest.raises(UsageError, match="ollama_chat") as caught:
        LanguageModel(Choice(name, key=KEY))
    assert KEY not in str(caught.value)


FAILING = {
    "429": (Said(status=429, headers={"Retry-After": "0"}), Failure.LIMITED, 2),
    "429 for long": (
        Said(status=429, headers={"Retry-After": "600"}),
        Failure.LIMITED,
        1,
    ),
    "500": (Said(status=500), Failure.SERVER, 2),
    "503": (Said(status=503), Failure.SERVER, 2),
    "401": (Said(status=401), Failure.KEY, 1),
    "403": (Said(status=403), Failure.KEY, 1),
    "402": (Said(status=402), Failure.UNPAID, 1),
    "400": (Said(status=400), Failure.REFUSED, 1),
    "timeout": (Said(after_s=30), Failure.TIMEOUT, 1),
    "empty": (Said(""), Failure.UNREADABLE, 1),
    "a page": (Said(body="<html>"), Failure.REFUSED, 1),
}


@pytest.mark.parametrize("name", [name for name, *_ in PROVIDERS])
@pytest.mark.parametrize("kind", FAILING)
async def test_a_failure_is_named_and_shows_no_key_R_A8_R_S3(
    kind: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Tried again where that may help in time; never with the key in sight."""
    caplog.set_level(logging.DEBUG)
    said, expected, tries = FAILING[kind]
    clock = LoopClock()

    def script(_: Json) -> Said:
        if kind == "timeout":
            clock.ahead += 61
        return said

    async with provider(script) as served:
        model = open_model(served, model=name)
        written = await draft(model, 60)
        await model.close()
    assert written.draft is None
    assert written.prompt.failure is expected
    assert len(served.asked) == tries
    assert KEY not in caplog.text + written.model_dump_json()
    usage = written.prompt.usage
    assert usage.calls == tries
    # A call that ran out of time was taken in, and is paid for.
    assert usage.cost == 0.0 or kind in ("empty", "timeout")
    assert (usage.prompt_tokens > 0) == (kind in ("empty", "timeout"))


async def test_a_server_that_is_not_there() -> None:
    """Said as that, within the time."""
    model = LanguageModel(Choice("openai/x", url="http://127.0.0.1:9/v1", key=KEY))
    assert (await draft(model)).prompt.failure is Failure.UNREACHABLE


async def test_no_redirect_is_followed_R_S3() -> None:
    """A key goes where it was meant to go, and nowhere else."""
    async with provider(lambda _: Said(GREEN)) as other:
        elsewhere = {"Location": f"{other.url}/chat/completions"}
        async with provider(lambda _: Said(status=307, headers=elsewhere)) as served:
            written = await draft(open_model(served))
    assert written.prompt.failure is not None
    assert other.asked == []


def test_a_key_is_in_no_representation_R_S3() -> None:
    """Neither of the choice nor of the model, nor of what DSPy keeps of it."""
    choice = Choice("openai/gpt-4o-mini", key=KEY)
    model = LanguageModel(choice)
    shown = [
        choice,
        model,
        model.parameters,
        model.lm(10),
        vars(ModelWriter(model, [])),
    ]
    assert KEY not in "".join(map(repr, shown))


@pytest.mark.parametrize("name", [name for name, *_ in PROVIDERS])
async def test_an_endless_body_is_given_up_R_S2(name: str) -> None:
    """No provider fills the memory: what is longer than any answer is cut off."""
    most = 64 * LARGEST_REPLY
    async with provider(lambda _: Said(endless=most)) as served:
        model = open_model(served, model=name)
        written = await draft(model)
        await model.close()
    assert written.prompt.failure is Failure.UNREACHABLE
    # What the sockets of both sides hold comes on top, at each of two tries.
    assert served.poured < most


@pytest.mark.parametrize("name", [name for name, *_ in PROVIDERS])
async def test_a_key_that_a_provider_echoes_is_kept_nowhere_R_S1(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither it nor another secret of ours is in the draft or in its record."""
    caplog.set_level(logging.DEBUG)
    told = GREEN.replace("[]", json.dumps([f"{KEY} and {OTHER}"]))
    async with provider(lambda _: Said(told)) as served:
        model = open_model(served, model=name, secrets=(OTHER,))
        written = await draft(model)
        await model.close()
    assert served.keys == [KEY]
    assert written.draft is not None
    shown = written.model_dump_json() + caplog.text
    assert KEY not in shown
    assert OTHER not in shown
    assert shown.count("[secret] and [secret]") == 2  # as it was read, and as it came


async def test_nothing_that_was_asked_stays_in_memory_R_S5() -> None:
    """DSPy keeps ten thousand calls by itself; ours are in the ledger alone."""
    async with provider(lambda _: Said(GREEN)) as served:
        writer = ModelWriter(open_model(served), ["general"])
        for _ in range(3):
            await writer.write(LAMP)
        calls = [len(lm.history) for lm in vars(writer)["_programs"].values()]
    assert sum(calls) == 0
    assert dspy.clients.base_lm.GLOBAL_HISTORY == []


async def test_connections_are_kept_and_closed() -> None:
    """One pool for all calls, whatever time each has."""
    async with provider(lambda _: Said(GREEN)) as served:
        model = open_model(served)
        for seconds in (60.0, 70.0, 80.0):
            await draft(model, seconds)
        pools = vars(model)["_lm"]._engine_store
        assert len(pools) == 1
        await model.close()
        assert pools == {}


# --- the circuit breaker ----------------------------------------------------------


async def test_a_provider_that_fails_is_left_alone_for_a_while_R_A8() -> None:
    """Opens after five failures, tries once after the pause, answers again."""
    clock, broken = Clock(), True

    def script(_: Json) -> Said:
        return Said(status=500) if broken else Said(GREEN)

    async with provider(script) as served:
        model = open_model(served, now=clock)
        while len(served.asked) < FAILURES:
            assert (await draft(model)).draft is None
        left = len(served.asked)
        written = await draft(model)
        assert written.prompt.failure is Failure.OPEN
        assert written.prompt.usage.calls == 0
        assert len(served.asked) == left
        clock.seconds += PAUSE_S + 1
        assert (await draft(model)).prompt.failure in (Failure.SERVER, Failure.OPEN)
        assert len(served.asked) == left + 1
        broken = False
        assert (await draft(model)).prompt.failure is Failure.OPEN
        clock.seconds += PAUSE_S + 1
        for _ in range(3):
            assert (await draft(model)).draft is not None


@pytest.mark.parametrize("said", [Said(status=401), Said("no"), Said(status=400)])
async def test_what_no_pause_mends_opens_nothing(said: Said) -> None:
    """A wrong key, a bad draft, a refused request: the next call is made."""
    async with provider(lambda _: said) as served:
        model = open_model(served)
        for _ in range(FAILURES + 2):
            await draft(model)
    assert len(served.asked) == FAILURES + 2


# --- many at once -----------------------------------------------------------------


async def test_fifty_at_once_over_a_slow_provider_R_P4() -> None:
    """All are served, as many at the same moment as are allowed and no more."""
    full = asyncio.Event()

    async def script(_: Json) -> Said:
        if served.at_once == 8:
            full.set()
        await full.wait()
        return Said(GREEN)

    async with provider(script) as served:
        model = open_model(served, at_once=8)
        written = await asyncio.gather(*(draft(model, 600.0) for _ in range(50)))
        await model.close()
    assert all(w.draft is not None for w in written)
    assert served.most_at_once == 8


async def test_who_cannot_be_served_in_time_is_told_in_time_R_A7() -> None:
    """The late ones of a queue fail at their deadlines, and open no circuit."""
    clock = LoopClock()

    def script(_: Json) -> Said:
        clock.ahead += 250
        return Said(GREEN)

    async with provider(script) as served:
        model = open_model(served, at_once=1)
        written = await asyncio.gather(*(draft(model, 600.0) for _ in range(12)))
        failures = [w.prompt.failure for w in written]
        assert failures == [None, None, *[Failure.TIMEOUT] * 10]
        assert (await draft(model, 600.0)).draft is not None
        await model.close()


async def test_a_caller_that_goes_away_leaves_no_turn_taken() -> None:
    """Neither while it waits nor while it is served."""
    slow, both = [5.0], asyncio.Event()

    def script(_: Json) -> Said:
        if len(served.asked) == 2:
            both.set()
        return Said(GREEN, after_s=slow[0])

    async with provider(script) as served:
        model = open_model(served, at_once=2)
        tasks = [asyncio.create_task(draft(model)) for _ in range(FAILURES + 5)]
        async with asyncio.timeout(60):
            await both.wait()
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        slow[0] = 0.0
        async with asyncio.timeout(60):
            again = await asyncio.gather(*(draft(model) for _ in range(4)))
        assert all(w.draft is not None for w in again)
        await model.close()


# --- nothing else is contacted ----------------------------------------------------

ALONE = """
import asyncio, json, socket, sys
seen = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        address = arguments[1] if event == "socket.connect" else arguments
        if isinstance(address, tuple):
            seen.append(str(address[0]))
sys.addaudithook(watch)
from adapters.language_model import Choice, LanguageModel
from engine.prompting.modules import ModelWriter
from engine.model.draft import Offered, Order, Passage, Selected

selected = Selected(chunk=1, sentence=0)
green = Offered(number=1, selected=selected, text="The lamp is green.")
lamp = Passage(title="Desk", sentences=(green,))
rest = {"passages": (lamp,), "seconds": 9, "tokens": 9_000}
LAMP = Order(signature="general", question="What colour?", **rest)

async def ask(url):
    for name in ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5", "openai/x"):
        model = LanguageModel(Choice(name, url=url, key="k"))
        written = await ModelWriter(model, ["general"]).write(LAMP)
        assert written.draft is not None, written.prompt.failure
        await model.close()

asyncio.run(ask(sys.argv[1]))
print(json.dumps(sorted(set(seen))))
print(json.dumps([m for m in ("litellm", "huggingface_hub") if m in sys.modules]))
"""


async def test_no_connection_leaves_for_anywhere_else_R_A8(tmp_path: Path) -> None:
    """No price list, no telemetry; and nothing is written into the home folder."""
    kept = ("PATH", "LANG", "SSL_CERT_FILE")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    async with provider(lambda _: Said(GREEN)) as served:
        run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run
        done = await asyncio.to_thread(
            run,
            [sys.executable, "-c", ALONE, served.url],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    addresses, others = map(json.loads, done.stdout.splitlines()[-2:])
    assert addresses == ["127.0.0.1"]
    assert others == []
    assert os.listdir(tmp_path) == []
    assert "k" not in done.stderr.split()
