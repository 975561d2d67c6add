"""What all pages of the administrators have in common: where to go, forms, paging."""

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


class Look(Frozen):
    """How a long list is looked at: its page, its order, and words that rows hold.

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
        """Whether all words stand in texts, in any letters."""
        said = " ".join(texts).casefold()
        return all(word in said for word in self.words.casefold().split())

    def pager(self, place: str, of: int) -> Element:
        """Where one is in the list, and the way on."""
        told = {"by": self.by, "words": self.words, **self.kept}
        return pager(place, self.page, of, **{k: v for k, v in told.items() if v})


def searching(place: str, look: Look, orders: Mapping[str, str]) -> Element:
    """A form that looks for words in a list, and puts it in another order."""
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


def act(
    here: Here,
    place: str,
    button: str,
    *fields: tuple[str, str, bool],
    value: str = "",
    **hidden: str,
) -> Element:
    """A form that does something; a field has a name, a label, and whether it must.

    `value` stands in the first field, `hidden` goes with it unseen.
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
    packs = [("Overview", address(), here.pack is None)]
    packs += [
        (name, address("packs", name, here.part or "gaps"), name == here.pack)
        for name in here.packs
    ]
    made = [_row("Packs", packs)]
    if here.pack is not None:
        parts = [
            (name, address("packs", here.pack, part), part == here.part)
            for part, name in PARTS.items()
        ]
        made.append(_row("Parts", parts))
    return made


def _row(label: str, places: Sequence[tuple[str, str, bool]]) -> Element:
    links = [
        element("li", "", to(place, name, current=current))
        for name, place, current in places
    ]
    return element("nav", "", element("ul", "", *links), aria_label=label)
