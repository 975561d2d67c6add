"""Every page that we make: a template, filled, that fetches nothing.

Templates are files beside the code that fills them. Whatever is put into one loses its
control characters and is escaped, so that no text of others becomes markup. The policy
(CSP) of the page allows its own style and its own script by their hashes and nothing
else, so that a text that got through would still do nothing.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.inert import inert, many, one_line
from bot.pages.charts import Plot
from bot.reports.words import name_figure, name_reason
from engine.model.errors import EnvironmentFailed

if TYPE_CHECKING:
    from jinja2 import Environment

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "'none'"
STYLE = Path(__file__).with_name("page.css")


def render(
    template: str,
    values: Mapping[str, object],
    script: str = "",
    forms: str = NOWHERE,
) -> str:
    """Fill a template.

    Args:
        template: its file, from the root of the checkout.
        values: what the template names; one that is missing is an error.
        script: that may run on the page, and the only one.
        forms: where the page's forms may be sent.
    """
    document = {
        "policy": policy(script, forms),
        "referrer": "no-referrer" if forms == NOWHERE else "same-origin",
        "script": script,
        "style": STYLE.read_text(encoding="utf-8"),
    }
    made = _open_templates().get_template(template)
    return made.render(values, document=document) + "\n"


def policy(script: str = "", forms: str = NOWHERE) -> str:
    """Write what a page may load, run and send (CSP), by hashes."""
    runs = _digest(script) if script else NOWHERE
    style = _digest(STYLE.read_text(encoding="utf-8"))
    return (
        f"default-src 'none'; style-src {style}; "
        f"script-src {runs}; base-uri 'none'; form-action {forms}"
    )


def write_page(page: str, file: Path) -> None:
    """Write a page.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error


@cache
def _open_templates() -> "Environment":
    """Open the templates of the checkout.

    Jinja2 is imported here: that takes a tenth of a second, and few runs make a page.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(ROOT),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_make_inert,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "figure": name_figure,
        "line": one_line,
        "many": many,
        "reason": name_reason,
    }
    made.globals["plot"] = Plot
    return made


def _make_inert(value: object) -> object:
    """Make a value an inert text, unless it is markup of a template."""
    return value if hasattr(value, "__html__") else inert(str(value))


def _digest(text: str) -> str:
    made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{made}'"
