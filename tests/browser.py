"""A real browser through its DevTools protocol: what a page asks for, says and shows.

Debian's `chromium`, without a window and without a network: names resolve to nothing,
so that what a page would fetch is seen and not fetched. Only 127.0.0.1 is reached.
"""

import asyncio
import itertools
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
)
STARTING_S, ANSWERING_S, ENDING_S = 60.0, 30.0, 10.0
LARGEST = 1 << 27  # bytes of one message: a picture of a long page

Json = dict[str, Any]

READABLE = 4.5  # contrast that WCAG 2.2 asks of small text (1.4.3, AA)
# The elements whose text stands out beyond the right edge of the screen.
BEYOND = """
[...document.querySelectorAll('main *')]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
  .map(e => e.className || e.tagName)
"""
# The contrast of each text with what is behind it, by class; colours come opaque or
# with a share of what is behind them.
CONTRASTS = """
(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const behind = e => e ? [...behind(e.parentElement),
                           getComputedStyle(e).backgroundColor] : ['white'];
  const seen = colours => {
    for (canvas.fillStyle of colours) canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const walker = document.createTreeWalker(document.querySelector('main'), 4);
  const found = {};
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    const ground = behind(e);
    const two = [seen(ground), seen([...ground, getComputedStyle(e).color])].map(light);
    const ratio = (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
    const name = (e.closest('.window')?.className ?? '') + ' ' +
      e.tagName.toLowerCase() + '.' + e.className;
    found[name] = Math.min(found[name] ?? 99, ratio);
  }
  return found;
})()
"""


def program() -> str | None:
    """The browser that is installed; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@dataclass(frozen=True, slots=True)
class Screen:
    """What a page is shown on; `scale` is pixels of the device for one of the page."""

    width: int = 1280
    height: int = 900
    scale: float = 1.0
    dark: bool = False


@dataclass
class Page:
    """One page that was visited.

    Attributes:
        said: what the console said: errors, warnings, violations of its policy.
    """

    browser: "Browser"
    session: str
    said: list[str] = field(default_factory=list)
    _asked: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> list[str]:
        """Every address that it asked for and its policy let pass, its own first."""
        return list(self._asked.values())

    async def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        told = await self.browser.call("Runtime.evaluate", asked, self.session)
        if "exceptionDetails" in told:
            raise RuntimeError(f"the page cannot tell: {told['exceptionDetails']}")
        return told["result"].get("value")

    def note(self, method: str, told: Json) -> None:
        """Keep what an event tells."""
        match method:
            case "Network.requestWillBeSent":
                self._asked[told["requestId"]] = told["request"]["url"]
            case "Network.loadingFailed" if told.get("blockedReason") == "csp":
                self._asked.pop(told["requestId"], None)
            case "Runtime.consoleAPICalled":
                self.said.append(json.dumps(told["args"]))
            case "Runtime.exceptionThrown":
                self.said.append(told["exceptionDetails"]["text"])
            case "Log.entryAdded":
                self.said.append(told["entry"]["text"])


class Browser:
    """The protocol over one websocket: calls with their results, and events."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[Json]] = {}
        self._pages: dict[str, Page] = {}
        self._loaded: dict[str, asyncio.Event] = {}

    async def call(
        self,
        method: str,
        asked: Mapping[str, Any] | None = None,
        session: str | None = None,
    ) -> Json:
        """The result of a call.

        Raises:
            RuntimeError: the browser refused it.
            TimeoutError: it did not answer.
        """
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._calls[number] = answer
        sent = {"id": number, "method": method, "params": dict(asked or {})}
        await self._socket.send_json(sent | ({"sessionId": session} if session else {}))
        async with asyncio.timeout(ANSWERING_S):
            told: Json = await answer
        if "error" in told:
            raise RuntimeError(f"{method}: {told['error']}")
        return dict(told["result"])

    async def visit(self, url: str, screen: Screen) -> Page:
        """Load a page, all of it."""
        target = await self.call("Target.createTarget", {"url": "about:blank"})
        asked = {"targetId": target["targetId"], "flatten": True}
        session = (await self.call("Target.attachToTarget", asked))["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.call(f"{domain}.enable", session=session)
        metrics = {
            "width": screen.width,
            "height": screen.height,
            "deviceScaleFactor": screen.scale,
            "mobile": False,
        }
        await self.call("Emulation.setDeviceMetricsOverride", metrics, session)
        scheme = {
            "name": "prefers-color-scheme",
            "value": "dark" if screen.dark else "light",
        }
        media = {"features": [scheme]}
        await self.call("Emulation.setEmulatedMedia", media, session)
        page = self._pages[session] = Page(self, session)
        loaded = self._loaded[session] = asyncio.Event()
        await self.call("Page.navigate", {"url": url}, session)
        async with asyncio.timeout(ANSWERING_S):
            await loaded.wait()
        await page.evaluate("document.fonts.ready.then(() => true)")
        return page

    async def listen(self) -> None:
        """Take what the browser tells, until it goes away."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                answer = self._calls.pop(told["id"])
                if not answer.done():
                    answer.set_result(told)
                continue
            session = told.get("sessionId", "")
            if page := self._pages.get(session):
                page.note(told["method"], told["params"])
            if told["method"] == "Page.loadEventFired" and session in self._loaded:
                self._loaded[session].set()


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """The browser, with a profile of its own that is thrown away.

    Raises:
        FileNotFoundError: none is installed.
        TimeoutError: it does not start.
    """
    installed = program()
    if installed is None:
        raise FileNotFoundError("no chromium: install it, as in apt install chromium")
    async with AsyncExitStack() as opened:
        folder = opened.enter_context(
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        )
        process = await asyncio.create_subprocess_exec(
            installed,
            *FLAGS,
            f"--user-data-dir={folder}",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        opened.push_async_callback(_ended, process)
        async with asyncio.timeout(STARTING_S):
            address = await _address(process)
        reading = asyncio.create_task(_drained(process))
        opened.callback(reading.cancel)
        session = await opened.enter_async_context(aiohttp.ClientSession())
        socket = await opened.enter_async_context(
            session.ws_connect(address, max_msg_size=LARGEST)
        )
        browser = Browser(socket)
        listening = asyncio.create_task(browser.listen())
        opened.callback(listening.cancel)
        yield browser


async def _address(process: asyncio.subprocess.Process) -> str:
    """Where the browser listens, as it says when it starts."""
    if process.stderr is None:
        raise RuntimeError("the browser's standard error is not read")
    async for line in process.stderr:
        _, found, address = line.decode(errors="replace").partition("listening on ")
        if found:
            return address.strip()
    raise RuntimeError("the browser ended before it listened")


async def _drained(process: asyncio.subprocess.Process) -> None:
    while process.stderr is not None and await process.stderr.read(65_536):
        pass


async def _ended(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    try:
        async with asyncio.timeout(ENDING_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
