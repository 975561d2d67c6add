"""Templates escape what they show, miss nothing, and are opened only for a page."""

import subprocess
import sys

import pytest
from jinja2 import UndefinedError

from bot.pages.templates import ROOT, _open_templates, render
from bot.replay.report import Change, Findings, render_page
from tests.bot.pages import read

EVIL = "</td><script>window.pwned=1</script><img src=x onerror='alert(1)'>\x00\u202e\""
PAGE = "bot/pages/page.html"
TEMPLATES = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("bot", "evals")
    for path in (ROOT / room).rglob("*")
    if path.suffix in (".html", ".svg")
)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_can_be_read_and_lets_no_markup_through(name: str) -> None:
    """The frame of all pages alone puts in markup: our own style and script."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert _open_templates().get_template(name)
    assert "autoescape" not in text and "Markup" not in text
    assert text.count("safe") == (2 if name == PAGE else 0)


def test_hostile_text_is_shown_as_text_wherever_it_is_put() -> None:
    """In titles, cells and attributes; characters with an effect are taken out."""
    said = {name: EVIL for name in ("audit_id", "asked", "question", "before", "now")}
    found = Findings(
        pack=EVIL,
        version=EVIL,
        counts={"same": 1},
        seconds=1.0,
        changes=(Change(why=(EVIL, EVIL), **said),),
    )
    page = render_page(found)
    assert not {"script", "img"} & read(page).tags.keys()
    assert "\x00" not in page and "\u202e" not in page
    assert page.count("&lt;img src=x onerror=&#39;alert(1)&#39;&gt;") == 11


def test_a_value_that_is_missing_is_an_error() -> None:
    """Rather than an empty place on a page."""
    with pytest.raises(UndefinedError, match="'title' is undefined"):
        render(PAGE, {"about": ""})


def test_what_makes_no_page_loads_no_templates() -> None:
    """Neither a command nor the demo pays for them."""
    modules = "bot.__main__, bot.commands.ask, bot.commands.report, scripts.demo"
    told = f"import sys, {modules}; print('jinja2' in sys.modules)"
    ran = [sys.executable, "-c", told]
    done = subprocess.run(ran, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
