"""What all pages of the administrators have in common: where to go, forms, paging."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.admin.guard import FORMS, TOKEN
from bot.pages.document import document, themes
from bot.pages.elements import element
from engine.model.frozen import Frozen

SIZE = 50  # rows of a page
PARTS = ("gaps", "outcomes", "sources", "reports")


class Told(Frozen):
    """What came of something that was done."""

    text: str
    good: bool = True


class Here(Frozen):
    """Where somebody is: the packs there are, the one shown, its part, who looks."""

    packs: tuple[str, ...]
    pack: str | None = None
    part: str | None = None
    proof: str = ""
    told: Told | None = None


def framed(here: Here, title: str, about: str, *sections: Element) -> str:
    """A page of the site."""
    said: list[Element] = []
    if here.told is not None:
        kind = "told" if here.told.good else "told missed"
        said = [element("p", kind, inert(here.told.text), role="status")]
    top = element(
        "header",
        "",
        *_places(here),
        element("h1", "", one_line(title)),
        element("p", "about", inert(about)),
        themes(),
    )
    body = element("main", "", top, *said, *sections)
    return document(f"{one_line(title)} - Groundrule", body, forms=FORMS)


def address(*parts: str, **query: object) -> str:
    """A place of this site; what stands in it is quoted."""
    path = "/" + "/".join(quote(part, safe="") for part in parts)
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def to(place: str, text: str, *, current: bool = False) -> Element:
    """A link inside of this site."""
    marked = {"aria_current": "page"} if current else {}
    return element("a", "", one_line(text), href=place, **marked)


def act(here: Here, place: str, button: str, *fields: tuple[str, str, bool]) -> Element:
    """A form that does something; a field has a name, a label, and whether it must."""
    inputs = []
    for name, label, must in fields:
        given = {"required": "required"} if must else {}
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


def pager(place: str, page: int, of: int, **query: object) -> Element:
    """Where one is in a long list, and the way on."""
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
            links.append(element("li", "", to(where, name)))
    told = element("li", "", f"Page {page} of {last}, {of} in all")
    listed = element("ul", "", told, *links)
    return element("nav", "", listed, aria_label="Pages")


def _places(here: Here) -> Sequence[Element]:
    packs = [("Health", address(), here.pack is None)]
    packs += [
        (name, address("packs", name, here.part or "gaps"), name == here.pack)
        for name in here.packs
    ]
    made = [_row("Packs", packs)]
    if here.pack is not None:
        parts = [
            (part.capitalize(), address("packs", here.pack, part), part == here.part)
            for part in PARTS
        ]
        made.append(_row("Parts", parts))
    return made


def _row(label: str, places: Sequence[tuple[str, str, bool]]) -> Element:
    links = [
        element("li", "", to(place, name, current=current))
        for name, place, current in places
    ]
    return element("nav", "", element("ul", "", *links), aria_label=label)
