"""Renew the pictures of what a command shows in a terminal.

    python -m scripts.terminal_screenshots

The real command runs on a terminal of its own over one demo text, somebody types, and
rich draws what stood there. Written to docs/images/, as scripts/screenshots.py does.
"""

import asyncio
import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from config.settings import PACKS
from scripts.browser import Screen, open_browser
from scripts.screenshots import IMAGES, LARGEST, SCALE, picture

COLUMNS = 100
PACK, PAGE, DOCUMENT = "textbook", "pid-control.md", "demo/pid-control"
REVIEW = ("questions", "review", PACK, "--by", "Dr Ada Lovelace")
SECTION = "What is integral windup?"
WAITING = (
    "What is integral windup and why is it bad?",
    "What does integral windup mean?",
)
# What is waited for, and what is typed then.
TYPED = (
    ("[q]uit: ", "k"),
    ("[q]uit: ", "e"),
    ("question: ", "How does windup of the integral happen?"),
)
_FONTS = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def reviewed(folder: Path) -> str:
    """What a review shows on a terminal, with what is typed."""
    texts = folder / "course"
    texts.mkdir()
    shutil.copy(PACKS / PACK / "corpus" / PAGE, texts)
    data = folder / "data"
    _quietly(data, "ingest", str(texts), "--pack", PACK)
    for question in WAITING:
        place = ("--document", DOCUMENT, "--section", SECTION)
        _quietly(data, "questions", "add", PACK, question, *place)
    return typed(_command(data, *REVIEW), TYPED)


def typed(command: Sequence[str], lines: Sequence[tuple[str, str]]) -> str:
    """All that a terminal shows of a command whose prompts somebody answers.

    Raises:
        RuntimeError: it ended before it asked.
    """
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, {**os.environ, "COLUMNS": str(COLUMNS)})
    shown, seen = "", 0
    for awaited, line in lines:
        while awaited not in shown[seen:]:
            more = _read(terminal)
            if not more:
                raise RuntimeError(f"{' '.join(command)}: no {awaited!r} in {shown}")
            shown += more
        seen = len(shown)
        os.write(terminal, f"{line}\n".encode())
    while more := _read(terminal):
        shown += more
    os.waitpid(child, 0)
    return shown.replace("\r\n", "\n")


def window(asked: str, shown: str) -> str:
    """A page with a terminal's window, its command line first."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text(f"$ {asked}", style="bold"))
    console.print(Text.from_ansi(shown.rstrip() + "\n"))
    drawn = _FONTS.sub("", console.export_svg(title="groundrule"))
    return f'<!doctype html><meta charset="utf-8"><body style="margin:0">{drawn}'


async def renew(images: Path) -> int:
    """Take the picture; 0 where it is not too large."""
    with tempfile.TemporaryDirectory() as folder:
        asked = f'python -m bot {" ".join(REVIEW[:-1])} "{REVIEW[-1]}"'
        shown = await asyncio.to_thread(reviewed, Path(folder))
        file = Path(folder) / "window.html"
        file.write_text(window(asked, shown), encoding="utf-8")
        async with open_browser() as browser:
            screen = Screen(width=1000, scale=SCALE)
            taken = await picture(browser, file.as_uri(), "svg", screen)
    (images / "questions-review.png").write_bytes(taken)
    return 0 if len(taken) <= LARGEST else 1


def _command(data: Path, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "bot", "--data", str(data), *words)


def _quietly(data: Path, *words: str) -> None:
    subprocess.run(_command(data, *words), check=True, capture_output=True)


def _read(terminal: int) -> str:
    """What a terminal shows next; "" once its command has ended."""
    try:
        return os.read(terminal, 65_536).decode(errors="replace")
    except OSError:  # Linux says so of a terminal that nobody holds
        return ""


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    raise SystemExit(asyncio.run(renew(IMAGES)))
