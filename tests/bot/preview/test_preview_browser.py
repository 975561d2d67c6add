"""The preview in a real browser: it is silent, fetches nothing, fits, is legible.

Needs Debian's `chromium` (make test-servers); skips loudly where it is absent.
"""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.preview.page import Exchange, page, samples, scenes
from scripts.browser import Browser, Page, Screen, open_browser, program
from scripts.screenshots import LARGEST, PICTURES, renew
from tests.adapters.slack.replies import HOSTILE, answer, reply, source

pytestmark = [
    pytest.mark.servers,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        program() is None,
        reason="CHROMIUM ABSENT: the preview was not checked in a browser "
        "(apt install chromium)",
    ),
]
NARROW, WIDE = 360, 1280
SCREENS = [
    Screen(width=width, dark=dark) for width in (NARROW, WIDE) for dark in (False, True)
]
READABLE = 4.5  # contrast that WCAG 2.2 asks of small text (1.4.3, AA)
EXECUTED = "pwned"

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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One browser for all tests; each visits pages of its own."""
    async with open_browser() as opened:
        yield opened


def written(folder: Path, *exchanges: Exchange) -> str:
    """The address of a page with these exchanges."""
    file = folder / "preview.html"
    file.write_text(page(scenes(exchanges)), encoding="utf-8")
    return file.as_uri()


def hostile() -> Exchange:
    """Texts that would run, fetch, overflow or hide something if they could."""
    script = f"<script>window.{EXECUTED}=1</script>"
    image = f"<img src=https://evil.example/x.png onerror=window.{EXECUTED}=1>"
    style = "</style><style>@import 'https://evil.example/x.css'</style>"
    long = "W" * 400
    evil = " ".join([script, image, style, long, *HOSTILE])
    first = answer()
    return Exchange(
        name="hostile",
        title=evil,
        pack=evil,
        pack_title=evil,
        question=evil,
        reply=reply(
            *first.body,
            banners=tuple(b.model_copy(update={"text": evil}) for b in first.banners),
            sources=(source(1, title=evil), source(2, section=evil)),
            demo_label=evil,
        ),
        views=("answer", "sources", "why"),
    )


@pytest.mark.parametrize("screen", SCREENS, ids=str)
async def test_the_page_loads_in_silence_and_fits(
    browser: Browser, tmp_path: Path, screen: Screen
) -> None:
    """No request but its own, no word in the console, nothing beyond the edge."""
    address = written(tmp_path, *samples())
    visited = await browser.visit(address, screen)
    assert visited.requests == [address]
    assert visited.said == []
    assert await fits(visited)


@pytest.mark.parametrize("width", [NARROW, WIDE])
async def test_hostile_text_does_nothing_in_a_browser_R_V7(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """It does not run, fetch or push anything off the screen."""
    address = written(tmp_path, hostile())
    visited = await browser.visit(address, Screen(width=width))
    assert visited.requests == [address]
    assert visited.said == []
    assert await visited.evaluate(f"typeof window.{EXECUTED}") == "undefined"
    assert await fits(visited)


async def test_scripts_and_pictures_would_be_refused(
    browser: Browser, tmp_path: Path
) -> None:
    """The policy holds even if an element should slip through."""
    file = tmp_path / "preview.html"
    slipped = (
        f"<script>window.{EXECUTED}=1</script><img src=https://evil.example/x.png>"
    )
    written_ = page(scenes(samples())).replace("<main", f"{slipped}<main", 1)
    file.write_text(written_, encoding="utf-8")
    visited = await browser.visit(file.as_uri(), Screen())
    assert visited.requests == [file.as_uri()]
    assert await visited.evaluate(f"typeof window.{EXECUTED}") == "undefined"
    assert len(visited.said) == 2  # that both were refused


@pytest.mark.parametrize("dark", [False, True])
async def test_every_text_is_legible(
    browser: Browser, tmp_path: Path, dark: bool
) -> None:
    """Light and dark, each text stands out from what is behind it."""
    visited = await browser.visit(written(tmp_path, *samples()), Screen(dark=dark))
    contrasts = await visited.evaluate(CONTRASTS)
    assert len(contrasts) > 20
    assert {name: c for name, c in contrasts.items() if c < READABLE} == {}


async def test_colours_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    """Without a script: a choice of the page wins over that of the system."""
    visited = await browser.visit(written(tmp_path, *samples()), Screen(dark=True))
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = await visited.evaluate(ground)
    await visited.evaluate("document.getElementById('light').click()")
    light = await visited.evaluate(ground)
    await visited.evaluate("document.getElementById('dark').click()")
    assert light != dark == await visited.evaluate(ground)


@pytest.mark.skipif(
    shutil.which("pngquant") is None,
    reason="PNGQUANT ABSENT: the pictures were not renewed (apt install pngquant)",
)
async def test_pictures_of_the_readme_can_be_renewed(tmp_path: Path) -> None:
    """All of them, none too large."""
    assert await renew(tmp_path) == 0
    for name, _, _ in PICTURES:
        assert 1_000 < len((tmp_path / f"{name}.png").read_bytes()) <= LARGEST


async def fits(visited: Page) -> bool:
    """Whether nothing is wider than the screen; says what is."""
    beyond = await visited.evaluate(BEYOND)
    assert beyond == []
    scroll = await visited.evaluate("document.documentElement.scrollWidth - innerWidth")
    return bool(scroll <= 0)
