"""The administrators' pages in a real browser: silent, legible, used by keyboard.

Needs Debian's `chromium` (make test-servers); skips loudly where it is absent.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from adapters.ledger.gaps import Board, GapState
from bot.admin.frame import SIZE
from config.settings import Settings
from tests.adapters.ledger.samples import answered, document
from tests.bot.admin.boards import fill
from tests.bot.admin.visiting import visiting
from tests.bot.small import SmallApplication
from tests.browser import (
    CONTRASTS,
    READABLE,
    Browser,
    Page,
    Screen,
    open_browser,
    program,
)
from tests.fakes import FixedClock
from tests.loopback.waiting import PATIENCE

pytestmark = [
    pytest.mark.servers,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        program() is None,
        reason="CHROMIUM ABSENT: the administrators' pages were not checked in a "
        "browser (apt install chromium)",
    ),
]
LONG = 10_000
NARROW, WIDE = 375, 1280
SCREENS = [
    Screen(width=width, dark=dark) for width in (NARROW, WIDE) for dark in (False, True)
]
EVIL = (
    "<script>window.pwned=1</script><img src=https://evil.example/x.png "
    "onerror=window.pwned=1></a><form action=https://evil.example> " + "W" * 150
)
PATHS = ("", "gaps", "outcomes", "sources", "reports")
# What scrolls inside of its own box may stand beyond the edge of the screen.
INSIDE = """
[...document.querySelectorAll('main *')]
  .filter(e => !e.closest('.wide'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
  .map(e => e.className || e.tagName)
"""
TAB = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
# What a link, a button or a field with the focus is called.
FOCUSED = """
(e => e.matches('a, button, input') ? e.textContent || e.name : '')
(document.activeElement)
"""
MOST_TABS = 40


@dataclass(frozen=True)
class Site:
    """A site with a long board, and a browser."""

    browser: Browser
    board: Board
    origin: str

    async def visit(self, path: str, screen: Screen | None = None) -> Page:
        """A page of it, which asked for nothing else and said nothing."""
        address = f"{self.origin}/{path}"
        page = await self.browser.visit(address, screen or Screen())
        assert page.requests == [address]
        assert page.said == []
        assert await page.evaluate("typeof window.pwned") == "undefined"
        return page


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """Ten thousand gaps, the newest of them hostile."""
    data: Path = tmp_path_factory.mktemp("admin")
    clock = FixedClock()
    async with SmallApplication(Settings(data=data), clock=clock) as application:
        ledger = application.ledger
        evil = document(title=EVIL)
        await ledger.store_document("small", evil)
        await ledger.record(answered(evil, id="a", pack="small", text=EVIL))
        await fill(application, [f"Question {n}?" for n in range(LONG - 1)])
        await fill(application, [EVIL])
        async with visiting(application) as visitor, open_browser() as browser:
            yield Site(browser, Board(ledger), visitor.origin)


async def pressed(page: Page, key: dict[str, object]) -> None:
    """Press a key as a person does."""
    for kind in ("keyDown", "keyUp"):
        asked = {"type": kind, **key}
        await page.browser.call("Input.dispatchKeyEvent", asked, page.session)


async def typed(page: Page, text: str) -> None:
    await page.browser.call("Input.insertText", {"text": text}, page.session)


async def tabbed_to(page: Page, wanted: str) -> None:
    """Go on with the tab key until something has the focus that reads so."""
    for _ in range(MOST_TABS):
        await pressed(page, TAB)
        if wanted in str(await page.evaluate(FOCUSED)):
            return
    raise AssertionError(f"{MOST_TABS} tabs do not lead to {wanted}")


async def arrived(page: Page, sign: str) -> None:
    """Wait until the page says something."""
    check = f"document.body?.textContent.includes({sign!r}) ?? false"
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(RuntimeError):  # the page before is just going away
                if await page.evaluate(check):
                    return


@pytest.mark.parametrize("screen", SCREENS, ids=str)
async def test_every_page_is_silent_fits_and_is_legible(
    site: Site, screen: Screen
) -> None:
    """Over ten thousand gaps and hostile texts, wide and narrow, light and dark."""
    paths = [path and f"packs/small/{path}" for path in PATHS]
    first = await site.visit("packs/small/gaps", screen)
    link = "document.querySelector('td a').getAttribute('href')"
    paths.append(str(await first.evaluate(link)).lstrip("/"))
    outcomes = await site.visit("packs/small/outcomes", screen)
    paths.append(str(await outcomes.evaluate(link)).lstrip("/"))
    for path in paths:
        page = await site.visit(path, screen)
        wide = "scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(f"document.documentElement.{wide}") <= 0, path
        assert await page.evaluate(INSIDE) == [], path
        contrasts = await page.evaluate(CONTRASTS)
        assert contrasts, path
        assert {n for n, c in contrasts.items() if c < READABLE} == set(), path


async def test_ten_thousand_gaps_are_paged(site: Site) -> None:
    """A page shows fifty; the last one is one press away."""
    page = await site.visit("packs/small/gaps")
    assert await page.evaluate("document.querySelectorAll('td a').length") == SIZE
    assert await page.evaluate("document.documentElement.outerHTML.length") < 60_000
    await page.evaluate("document.querySelector('nav[aria-label=Pages] a').focus()")
    await tabbed_to(page, "Last")
    await pressed(page, ENTER)
    await arrived(page, f"Page {LONG // SIZE} of {LONG // SIZE}")
    assert await page.evaluate("document.querySelectorAll('td a').length") == SIZE
    assert page.said == []


async def test_the_keyboard_is_enough_to_dismiss_a_gap(site: Site) -> None:
    """From the list to a gap, through its form; a focus is always visible."""
    page = await site.visit("packs/small/gaps")
    await tabbed_to(page, "Question")
    ring = "getComputedStyle(document.activeElement).outlineStyle"
    assert await page.evaluate(ring) == "solid"
    await pressed(page, ENTER)
    await arrived(page, "Not ours")
    gap = str(await page.evaluate("location.pathname")).rpartition("/")[2]
    await tabbed_to(page, "why")
    await typed(page, "no matter of ours")
    await pressed(page, ENTER)
    await arrived(page, "Done.")
    assert "no matter of ours" in str(await page.evaluate("document.body.textContent"))
    assert page.said == []
    states = {each.id: each.state for each in await site.board.gaps("small")}
    assert states[gap] is GapState.DISMISSED


async def test_another_page_cannot_send_a_form(site: Site, tmp_path: Path) -> None:
    """A page elsewhere that posts to a gap is refused; nothing changes."""
    [gap, *_] = [g for g in await site.board.gaps("small") if g.state is GapState.OPEN]
    action = f"{site.origin}/packs/small/gaps/{gap.id}/dismiss"
    file = tmp_path / "evil.html"
    file.write_text(
        f"<main></main><form method=post action={action}><input name=why value=x>"
        "</form><script>document.forms[0].submit()</script>",
        encoding="utf-8",
    )
    page = await site.browser.visit(file.as_uri(), Screen())
    await arrived(page, "did not come from a form")
    [now] = [g for g in await site.board.gaps("small") if g.id == gap.id]
    assert now.state is GapState.OPEN
