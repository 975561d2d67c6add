"""The report in a real browser: silent, filtered, used by keyboard, fits, legible.

Needs Debian's `chromium` (make test-servers); skips loudly where it is absent.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.browser import (
    BEYOND,
    CONTRASTS,
    READABLE,
    Browser,
    Page,
    Screen,
    open_browser,
    program,
)
from tests.evals.report.test_page import shown

pytestmark = [
    pytest.mark.servers,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        program() is None,
        reason="CHROMIUM ABSENT: the report was not checked in a browser "
        "(apt install chromium)",
    ),
]
NARROW, WIDE = 375, 1280
SCREENS = [
    Screen(width=width, dark=dark) for width in (NARROW, WIDE) for dark in (False, True)
]
OPENED = "document.querySelectorAll('details').forEach(each => each.open = true)"
VISIBLE = (
    "[...document.querySelectorAll('.case')].filter(e => !e.hidden).map(e => e.id)"
)
FOCUSED = "document.activeElement.closest('.case')?.id ?? document.activeElement.id"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One browser for all tests; each visits pages of its own."""
    async with open_browser() as opened:
        yield opened


async def visited(
    browser: Browser, folder: Path, screen: Screen | None = None, at: str = ""
) -> Page:
    """The page of a red run with a hostile document, opened."""
    file = folder / "report.html"
    file.write_text(shown(), encoding="utf-8")
    page = await browser.visit(file.as_uri() + at, screen or Screen())
    assert page.said == []
    assert [asked.partition("#")[0] for asked in page.requests] == [file.as_uri()]
    assert await page.evaluate("typeof window.pwned") == "undefined"
    return page


async def pressed(page: Page, key: str) -> str:
    """Press a key as a person does; where the focus is then."""
    for kind in ("keyDown", "keyUp"):
        asked = {"type": kind, "key": key, "text": key if kind == "keyDown" else ""}
        await page.browser.call("Input.dispatchKeyEvent", asked, page.session)
    return str(await page.evaluate(FOCUSED))


async def choose(page: Page, field: str, value: str) -> list[str]:
    """Set a filter as a person does; the ids of the cases that are left."""
    await page.evaluate(
        f"(f => {{ f.value = {value!r}; "
        "f.dispatchEvent(new Event('input', {bubbles: true})); })"
        f"(document.getElementById({field!r}))"
    )
    return list(await page.evaluate(VISIBLE))


@pytest.mark.parametrize("screen", SCREENS, ids=str)
async def test_the_report_is_silent_fits_and_is_legible_R_E4(
    browser: Browser, tmp_path: Path, screen: Screen
) -> None:
    """With every case open, wide and narrow, light and dark."""
    page = await visited(browser, tmp_path, screen)
    await page.evaluate(OPENED)
    wide = "scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(f"document.documentElement.{wide}") <= 0
    beyond = await page.evaluate(BEYOND)
    assert [each for each in beyond if str(each).upper() not in {"TABLE"}] == []
    contrasts = await page.evaluate(CONTRASTS)
    assert len(contrasts) > 20
    faint = {name: c for name, c in contrasts.items() if c < READABLE}
    assert {name for name in faint if not name.startswith(" title.")} == set()


async def test_filters_leave_what_was_asked_for(
    browser: Browser, tmp_path: Path
) -> None:
    page = await visited(browser, tmp_path)
    assert await page.evaluate(VISIBLE) == ["case-dose", "case-hostile", "case-unknown"]
    assert await choose(page, "slice", "near_miss") == ["case-unknown"]
    assert await choose(page, "slice", "") != ["case-unknown"]
    assert await choose(page, "result", "fail") == ["case-dose"]
    assert await choose(page, "metric", "verbatim") == []
    assert await page.evaluate("count.textContent") == "0 of 3 cases"
    await choose(page, "metric", "")
    await choose(page, "result", "")
    assert await choose(page, "text", "onerror") == ["case-hostile"]
    assert await page.evaluate("location.hash") == "#text=onerror"


async def test_an_address_brings_its_filters_or_its_case(
    browser: Browser, tmp_path: Path
) -> None:
    page = await visited(browser, tmp_path, at="#slice=near_miss")
    assert await page.evaluate(VISIBLE) == ["case-unknown"]
    page = await visited(browser, tmp_path, at="#case-dose")
    assert await page.evaluate("document.getElementById('case-dose').open")
    await visited(browser, tmp_path, at="#text=%E0%A4%A")  # no address breaks it


async def test_the_keyboard_is_enough(browser: Browser, tmp_path: Path) -> None:
    page = await visited(browser, tmp_path)
    assert await pressed(page, "j") == "case-dose"
    assert await pressed(page, "j") == "case-hostile"
    assert await pressed(page, "k") == "case-dose"
    assert await pressed(page, "/") == "text"
    await pressed(page, "j")
    assert await page.evaluate("document.getElementById('text').value") == "j"


async def test_a_script_that_slipped_through_would_be_refused(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    slipped = "<script>window.pwned=1</script><img src=https://evil.example/x.png>"
    file.write_text(shown().replace("<main", f"{slipped}<main", 1), encoding="utf-8")
    page = await browser.visit(file.as_uri(), Screen())
    assert page.requests == [file.as_uri()]
    assert await page.evaluate("typeof window.pwned") == "undefined"
    assert len(page.said) == 2
