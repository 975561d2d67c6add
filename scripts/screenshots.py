"""Renew the pictures of the README from the stored replies of `preview`.

    python -m scripts.screenshots
    python -m scripts.admin_screenshots    those of docs/operations.md

Written to docs/images/. It needs Debian's `chromium` and `pngquant`, and for the looks
its fonts-lato, fonts-noto-core and fonts-noto-color-emoji.
"""

import asyncio
import subprocess
import tempfile
from pathlib import Path

from bot.preview.boards import board_scenes
from bot.preview.page import page, samples, scenes
from scripts.browser import Browser, Screen, open_browser

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
LARGEST = 150_000  # bytes: a README is read on slow lines, too
# name of the picture, id of the window on the page, dark
PICTURES = (
    ("slack-answer", "health-answer-answer-slack", False),
    ("slack-refusal", "health-refusal-answer-slack", False),
    ("discord-answer", "answer-answer-discord", True),
    ("discord-refusal", "refusal-answer-discord", True),
    ("slack-trial", "trial-answer-answer-slack", False),
    ("discord-trial", "trial-answer-answer-discord", True),
    ("slack-choices", "choices-answer-slack", False),
    ("discord-choices", "long-choices-answer-discord", True),
    ("slack-gaps", "gaps-board-slack", False),
    ("slack-gap-passages", "gap-passages-board-slack", False),
    ("discord-gaps", "gaps-board-discord", True),
    ("discord-gap", "gap-board-discord", True),
    ("discord-gap-passages", "gap-passages-board-discord", True),
    ("slack-law", "law-answer-answer-slack", False),
    ("discord-law", "law-fee-answer-discord", True),
)
PAGE = "main"  # all of a page, with its background
WIDTH, SCALE, COLOURS = 660, 1.5, "64"


async def renew(images: Path) -> int:
    """Take every picture; 0 where none is too large."""
    largest = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "preview.html"
        file.write_text(page((*scenes(samples()), *board_scenes())), encoding="utf-8")
        async with open_browser() as browser:
            for name, window, dark in PICTURES:
                screen = Screen(width=WIDTH, scale=SCALE, dark=dark)
                taken = await picture(browser, file.as_uri(), f"#{window}", screen)
                (images / f"{name}.png").write_bytes(taken)
                largest = max(largest, len(taken))
    return 0 if largest <= LARGEST else 1


async def picture(browser: Browser, url: str, selector: str, screen: Screen) -> bytes:
    """One element of a page as a small PNG."""
    visited = await browser.visit(url, screen)
    taken = await visited.picture(selector, clear=selector != PAGE)
    small = ("pngquant", "--speed", "1", "--strip", COLOURS, "-")
    made = await asyncio.to_thread(
        subprocess.run, small, input=taken, capture_output=True, check=True
    )
    return made.stdout


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    raise SystemExit(asyncio.run(renew(IMAGES)))
