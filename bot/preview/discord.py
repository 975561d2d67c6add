"""Components V2 to HTML: what adapters/discord/components.py makes, nothing else."""

from xml.etree.ElementTree import Element

from pydantic import JsonValue

from adapters.discord.components import COMPONENTS_V2
from adapters.mail import Payload
from bot.preview import markdown as preview_markdown
from bot.preview.elements import element, undrawable

PLATFORM = "Discord"


def draw(payload: Payload) -> Element:
    """What one call shows.

    Raises:
        Undrawable: a component, a field of one, or its Markdown is unknown.
    """
    match payload:
        case {"flags": int(flags), "components": [_, *_] as components} if (
            flags & COMPONENTS_V2
        ):
            return element("div", "components", *map(_component, components))
    raise undrawable(PLATFORM, dict(payload))


def _component(component: JsonValue) -> Element:
    match component:
        case {
            "type": 17,
            "components": list(parts),
            "accent_color": int(colour),
            **rest,
        } if not rest:
            drawn = map(_component, parts)
            return element("div", "container", *drawn, data_accent=f"{colour:06x}")
        case {"type": 17, "components": list(parts), **rest} if not rest:
            return element("div", "container", *map(_component, parts))
        case {"type": 10, "content": str(content), **rest} if not rest:
            return preview_markdown.draw(content)
        case {"type": 14, **rest} if not rest:
            return element("hr")
        case {"type": 1, "components": list(parts), **rest} if not rest:
            return element("div", "actions", *map(_pressable, parts))
    raise undrawable(PLATFORM, component)


def _pressable(part: JsonValue) -> Element:
    """A button, or a menu that is closed."""
    match part:
        case {
            "type": 2,
            "style": 2,
            "label": str(label),
            "custom_id": str(),
            **rest,
        } if not rest:
            return element("span", "button", label)
        case {
            "type": 3,
            "custom_id": str(),
            "placeholder": str(text),
            "options": [_, *_],
            **rest,
        } if not rest:
            return element("span", "button menu", text)
    raise undrawable(PLATFORM, part)
