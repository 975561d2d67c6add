"""What all pages of the administrators share: where they are, and how a list is shown.

`frame.html` has their navigation, `forms.html` their forms.
"""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from bot.admin.guard import FORMS, TOKEN
from bot.pages.templates import render
from engine.model.frozen import Frozen

SIZE = 50  # rows of a page
PARTS = {  # of a pack, by their place, as they are called
    "gaps": "Gaps",
    "outcomes": "What was asked",
    "sources": "Documents",
    "reports": "Reports",
}


class Told(Frozen):
    """The result of an action, to show on the next page."""

    text: str
    good: bool = True


class Here(Frozen):
    """Where somebody is: the packs there are, the one shown, its part, who looks."""

    packs: tuple[str, ...]
    pack: str | None = None
    part: str | None = None
    proof: str = ""
    told: Told | None = None


class Look(Frozen):
    """How a long list is shown: its page, its order, and words that its rows hold.

    `kept` is what the list's own links say beside that.
    """

    page: int = 1
    by: str = ""
    words: str = ""
    kept: Mapping[str, str] = {}

    @property
    def first(self) -> int:
        """The number of the first row of the page, from 0."""
        return (self.page - 1) * SIZE

    @property
    def query(self) -> Mapping[str, str]:
        """What a link to another page of the list says beside the page."""
        told = {"by": self.by, "words": self.words, **self.kept}
        return {name: value for name, value in told.items() if value}

    def holds(self, *texts: str) -> bool:
        """Tell whether texts hold all the words, in any case."""
        said = " ".join(texts).casefold()
        return all(word in said for word in self.words.casefold().split())


def render_page(here: Here, template: str, values: Mapping[str, object]) -> str:
    """Render a page of the site from its template beside this file."""
    shared = {"here": here, "parts": PARTS, "size": SIZE, "token": TOKEN}
    shared["site_path"] = site_path
    return render(f"bot/admin/{template}", {**shared, **values}, forms=FORMS)


def site_path(*parts: str, **query: object) -> str:
    """Build the path of a page of this site, with its parts quoted."""
    path = "/" + "/".join(quote(part, safe="") for part in parts)
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path
