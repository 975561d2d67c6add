"""Parts that all pages of the administrators share: navigation, forms, paging."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.admin.guard import FORMS, TOKEN
from bot.pages.document import document, themes
from bot.pages.elements import element
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

    def holds(self, *texts: str) -> bool:
        """Tell whether texts hold all the words, in any case."""
        said = " ".join(texts).casefold()
        return all(word in said for word in self.words.casefold().split())

    def render_pager(self, place: str, of: int) -> Element:
        """Render the current page of the list and the links to others."""
        told = {"by": self.by, "words": self.words, **self.kept}
        return render_pager(
            place, self.page, of, **{k: v for k, v in told.items() if v}
        )


def render_search(place: str, look: Look, orders: Mapping[str, str]) -> Element:
    """Render a form that searches a list for words, and orders it."""
    box = element(
        "input", "", type="search", name="words", value=look.words, maxlength="200"
    )
    chosen = []
    for name, text in orders.items():
        given = {"selected": "selected"} if name == look.by else {}
        chosen.append(element("option", "", text, value=name, **given))
    hidden = [
        element("input", "", type="hidden", name=name, value=value)
        for name, value in look.kept.items()
    ]
    return element(
        "form",
        "filters",
        *hidden,
        element("label", "", "With the words", box),
        element("label", "", "Ordered by", element("select", "", *chosen, name="by")),
        element("button", "", "Show"),
        method="get",
        action=place,
        role="search",
    )


def render_page(here: Here, title: str, about: str, *sections: Element) -> str:
    """Render a page of the site."""
    said: list[Element] = []
    if here.told is not None:
        kind = "told" if here.told.good else "told missed"
        said = [element("p", kind, inert(here.told.text), role="status")]
    top = element(
        "header",
        "",
        *_render_navigation(here),
        element("h1", "", one_line(title)),
        element("p", "about", inert(about)),
        themes(),
    )
    body = element("main", "", top, *said, *sections)
    return document(f"{one_line(title)} - Groundrule", body, forms=FORMS)


def site_path(*parts: str, **query: object) -> str:
    """Build the path of a page of this site, with its parts quoted."""
    path = "/" + "/".join(quote(part, safe="") for part in parts)
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def link_to(place: str, text: str, *, current: bool = False) -> Element:
    """Render a link inside this site."""
    marked = {"aria_current": "page"} if current else {}
    return element("a", "", one_line(text), href=place, **marked)


def render_form(
    here: Here,
    place: str,
    button: str,
    *fields: tuple[str, str, bool],
    value: str = "",
    **hidden: str,
) -> Element:
    """Render a form that does something.

    Args:
        here: where the page is.
        place: where the form is sent.
        button: the text of its button.
        fields: of each its name, its label, and whether it must be filled in.
        value: the content of the first field.
        hidden: fields that are sent and not shown.
    """
    inputs = [
        element("input", "", type="hidden", name=name, value=told)
        for name, told in hidden.items()
    ]
    for at, (name, label, must) in enumerate(fields):
        given = {"required": "required"} if must else {}
        if value and not at:
            given["value"] = inert(value)
        box = element(
            "input", "", name=name, maxlength="2000", autocomplete="off", **given
        )
        inputs.append(element("label", "", label, box))
    proof = element("input", "", type="hidden", name=TOKEN, value=here.proof)
    return element(
        "form",
        "act",
        proof,
        *inputs,
        element("button", "", button),
        method="post",
        action=place,
    )


def render_pager(place: str, page: int, of: int, **query: object) -> Element:
    """Render the current page of a long list and the links to others."""
    last = max(1, -(-of // SIZE))
    links = []
    for name, number in (
        ("First", 1),
        ("Previous", page - 1),
        ("Next", page + 1),
        ("Last", last),
    ):
        if 1 <= number <= last and number != page:
            where = f"{place}?{urlencode({**query, 'page': number})}"
            links.append(element("li", "", link_to(where, name)))
    told = element("li", "", f"Page {page} of {last}, {of} in all")
    listed = element("ul", "", told, *links)
    return element("nav", "", listed, aria_label="Pages")


def _render_navigation(here: Here) -> Sequence[Element]:
    packs = [("Overview", site_path(), here.pack is None)]
    packs += [
        (name, site_path("packs", name, here.part or "gaps"), name == here.pack)
        for name in here.packs
    ]
    made = [_render_links("Packs", packs)]
    if here.pack is not None:
        parts = [
            (name, site_path("packs", here.pack, part), part == here.part)
            for part, name in PARTS.items()
        ]
        made.append(_render_links("Parts", parts))
    return made


def _render_links(label: str, places: Sequence[tuple[str, str, bool]]) -> Element:
    links = [
        element("li", "", link_to(place, name, current=current))
        for name, place, current in places
    ]
    return element("nav", "", element("ul", "", *links), aria_label=label)
