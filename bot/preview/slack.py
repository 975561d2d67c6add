"""Block Kit to HTML: the blocks that adapters/slack/blocks.py makes, and no others."""

from xml.etree.ElementTree import Element

from pydantic import JsonValue

from adapters.mail import Payload
from bot.preview.elements import element, icon, link, undrawable

PLATFORM = "Slack"
EMOJI = {"rotating_light": "\N{POLICE CARS REVOLVING LIGHT}", "warning": "\u26a0\ufe0f"}
_STYLES = {"bold": "b", "italic": "i", "strike": "s", "code": "code"}
_THUMB = (
    "M7 11v9H4v-9h3l4-8c1.6 0 2.4 1 2.3 2.4L13 9h6"
    "a2 2 0 0 1 2 2.3l-1.2 7a2 2 0 0 1-2 1.7H7"
)


def draw(payload: Payload) -> Element:
    """What one call shows.

    Raises:
        Undrawable: a block, or a field of one, is unknown.
    """
    match payload.get("blocks"):
        case [_, *_] as blocks:
            return element("div", "blocks", *map(_block, blocks))
        case unknown:
            raise undrawable(PLATFORM, {"blocks": unknown})


def _block(block: JsonValue) -> Element:
    match block:
        case {"type": "rich_text", "elements": list(parts), **rest} if not rest:
            return element("div", "rich", *map(_rich, parts))
        case {"type": "header", "text": text, **rest} if not rest:
            return element("h4", "header", _plain(text))
        case {"type": "context", "elements": list(parts), **rest} if not rest:
            shown = (element("span", "", _plain(part)) for part in parts)
            return element("div", "context", *shown)
        case {"type": "actions", "elements": list(parts), **rest} if not rest:
            return element("div", "actions", *map(_pressable, parts))
        case {"type": "context_actions", "elements": list(parts), **rest} if not rest:
            return element(
                "div", "thumbs", *(t for part in parts for t in _thumbs(part))
            )
        case {"type": "divider", **rest} if not rest:
            return element("hr")
    raise undrawable(PLATFORM, block)


def _plain(text: JsonValue) -> str:
    match text:
        case {"type": "plain_text", "text": str(shown), "emoji": False, **rest} if (
            not rest
        ):
            return shown
    raise undrawable(PLATFORM, text)


# --- rich text --------------------------------------------------------------------


def _rich(part: JsonValue) -> Element:
    match part:
        case {"type": "rich_text_section", "elements": list(runs), **rest} if not rest:
            return element("div", "line", *map(_run, runs))
        case {"type": "rich_text_quote", "elements": list(runs), **rest} if not rest:
            return element("blockquote", "", *map(_run, runs))
        case {
            "type": "rich_text_preformatted",
            "elements": list(runs),
            "border": 1,
            **rest,
        } if not rest:
            return element("div", "barred", element("pre", "", *map(_run, runs)))
        case {
            "type": "rich_text_list",
            "style": "bullet",
            "elements": list(lines),
            **rest,
        } if not rest:
            return element(
                "ul", "", *(element("li", "", _rich(each)) for each in lines)
            )
    raise undrawable(PLATFORM, part)


def _run(run: JsonValue) -> Element | str:
    match run:
        case {"type": "text", "text": str(text), "style": dict(style), **rest} if (
            not rest
        ):
            return _styled(text, style)
        case {"type": "text", "text": str(text), **rest} if not rest:
            return text
        case {
            "type": "link",
            "url": str(url),
            "text": str(text),
            "style": dict(style),
            **rest,
        } if not rest:
            return link(url, _styled(text, style))
        case {"type": "link", "url": str(url), "text": str(text), **rest} if not rest:
            return link(url, text)
        case {"type": "emoji", "name": str(name), **rest} if name in EMOJI and not rest:
            return element("span", "emoji", EMOJI[name], title=f":{name}:")
        case {"type": "user", "user_id": str(user), **rest} if not rest:
            return element("span", "mention", f"@{user}")
        case {"type": "channel", "channel_id": str(channel), **rest} if not rest:
            return element("span", "mention", f"#{channel}")
    raise undrawable(PLATFORM, run)


def _styled(text: str, style: dict[str, JsonValue]) -> Element | str:
    shown: Element | str = text
    for name, on in style.items():
        if name not in _STYLES or on is not True:
            raise undrawable(PLATFORM, {"style": style})
        shown = element(_STYLES[name], "", shown)
    return shown


# --- what can be pressed ----------------------------------------------------------


def _pressable(part: JsonValue) -> Element:
    """A button, whatever is asked before it counts, or a menu that is closed."""
    match part:
        case {
            "type": "button",
            "action_id": str(),
            "text": text,
            "value": str(),
            **rest,
        } if rest.keys() <= {"confirm"}:
            return element("span", "button", _plain(text))
        case {
            "type": "static_select",
            "action_id": str(),
            "placeholder": text,
            "options": [_, *_],
            **rest,
        } if not rest:
            return element("span", "button menu", _plain(text))
    raise undrawable(PLATFORM, part)


def _thumbs(buttons: JsonValue) -> tuple[Element, Element]:
    match buttons:
        case {
            "type": "feedback_buttons",
            "action_id": str(),
            "positive_button": {"text": helpful, "value": str()},
            "negative_button": {"text": not_helpful, "value": str()},
            **rest,
        } if not rest:
            up, down = icon("up", _THUMB), icon("down", _THUMB)
            return (
                element("span", "thumb", up, element("span", "", _plain(helpful))),
                element(
                    "span", "thumb", down, element("span", "", _plain(not_helpful))
                ),
            )
    raise undrawable(PLATFORM, buttons)
