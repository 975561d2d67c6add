"""Replies as Discord messages: each function gives the parts that the outbox keeps.

A part's payload is a message of Components V2 that any call can carry; the poster adds
nonce and reference. The answer to an interaction is one RESPOND, shortened until it
fits; one to a message is as many POSTs as it takes. Where a first notice is due, put it
into the reply (`layout.with_notice`). `first` is how many parts of the same event stand
before these, so that nonces differ.
"""

from collections.abc import Collection, Sequence
from functools import partial

from adapters.discord import components, units
from adapters.discord.components import Component
from adapters.discord.names import PRIVATE, YES
from adapters.discord.units import Said
from adapters.layout import Paper, Rank, Unit, paged
from adapters.mail import (
    Action,
    Incoming,
    Method,
    Part,
    Payload,
    Place,
    nonce,
    numbered,
)
from adapters.reply import NONE_OF_THESE, Reply, untold

PAGES = 5  # messages of one reply: as many as Discord takes at once in a channel

NOTHING = "There is nothing to show."

_EMERGENCY, _ANSWERED, _REFUSED = 0xC62828, 0x2E7D32, 0x757575
_GAP = {"above": "\n\n", "below": "\n"}


def answer(
    reply: Reply, incoming: Incoming, first: int = 0, *, people: bool = True
) -> tuple[Part, ...]:
    """An outcome, answered or refused, where the question was asked.

    Args:
        reply: the outcome in words.
        incoming: what is answered.
        first: see the module.
        people: whether to offer to ask a person.
    """
    payloads = _replied(reply, incoming, people)
    return _parts(payloads, incoming, _method(incoming), first)


def edited(
    reply: Reply,
    incoming: Incoming,
    posted: Sequence[str],
    *,
    people: bool = True,
) -> tuple[Part, ...]:
    """An outcome in place of the messages of the earlier one (R-U4).

    Args:
        reply: the outcome of the question as it is now.
        incoming: the edit.
        posted: ids of the messages to replace, oldest first; surplus ones are deleted,
            missing ones are posted. Where only the asker is to see the reply, what all
            see is deleted.
        people: whether to offer to ask a person.
    """
    payloads = _replied(reply, incoming, people)
    return _replacing(payloads, incoming, posted)


def deleted(
    incoming: Incoming, posted: Sequence[str], first: int = 0
) -> tuple[Part, ...]:
    """Take the messages of a question away that was taken away (R-U4)."""
    return _replacing((), incoming, posted, first)


def more(reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
    """The rest of an answer (R-A3), only for who asked for it."""
    rest = reply.model_copy(update={"body": reply.more})
    payloads = _payloads([*units.body(rest), *units.small_print(reply)], PAGES)
    return _parts(payloads, incoming, Method.WHISPER)


def sources(reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
    """The numbered sources with their places, only for who asked for them."""
    shown = [*units.placed(reply)] or [*units.words("This reply cites no sources.")]
    title = Unit(Rank.FIXED, Said("### Sources"))
    payloads = _payloads([title, *shown, *units.small_print(reply)], 1)
    return _parts(payloads, incoming, Method.WHISPER)


def why(reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
    """How the decision came about (R-D5), only for who asked."""
    payloads = _payloads([*units.why(reply), *units.small_print(reply)], 1)
    return _parts(payloads, incoming, Method.WHISPER)


def notice(text: str, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
    """A fixed text (busy, thanks, paused), where the person asked."""
    return _parts(_fixed(text), incoming, _method(incoming), first)


def told(text: str, incoming: Incoming) -> tuple[Part, ...]:
    """What somebody asked to be told later: as a reply that notifies who asked."""
    notified = {"allowed_mentions": {**components.nobody(), "replied_user": True}}
    return tuple(
        part.model_copy(update={"payload": {**part.payload, **notified}})
        for part in notice(text, incoming)
    )


def whisper(
    text: str, incoming: Incoming, first: int = 0, people: Collection[str] = ()
) -> tuple[Part, ...]:
    """A fixed text that only the person sees, naming `people`."""
    return _parts(_fixed(text, people), incoming, Method.WHISPER, first)


def handover(
    reply: Reply, incoming: Incoming, question: str, first: int = 0
) -> tuple[Part, ...]:
    """A question with its evidence for one person of a channel, in a direct message.

    Args:
        reply: what the bot said.
        incoming: the press of "Ask a person"; its `reason` is the asker's note.
        question: as it was asked.
        first: see the module; letters to several people need numbers that differ.
    """
    channel = incoming.place.thread or incoming.place.channel
    remark = incoming.reason or ""
    top = units.handed_over(incoming.person, channel, question, remark)
    said = [*top, *_body(reply), *units.listed(reply), *units.small_print(reply)]
    return _parts(_payloads(said, PAGES), incoming, Method.WHISPER, first)


# --- parts ------------------------------------------------------------------------


def _method(incoming: Incoming) -> Method:
    """How a place shows a reply.

    Where a place became private after the interaction was acknowledged for everybody to
    see, its answer goes another way.
    """
    place: Place = incoming.place
    if incoming.callback:
        private = incoming.callback.get(PRIVATE) == YES
        return Method.WHISPER if place.private and not private else Method.RESPOND
    if place.private and not place.direct:
        return Method.WHISPER
    return Method.POST


def _most(incoming: Incoming) -> int:
    """How many messages a reply may have: an interaction has one answer."""
    return 1 if incoming.callback else PAGES


def _parts(
    payloads: Sequence[Payload], incoming: Incoming, method: Method, first: int = 0
) -> tuple[Part, ...]:
    return tuple(
        Part(nonce=nonce(incoming, number), method=method, payload=payload)
        for number, payload in enumerate(payloads, first)
    )


def _replacing(
    payloads: Sequence[Payload],
    incoming: Incoming,
    posted: Sequence[str],
    first: int = 0,
) -> tuple[Part, ...]:
    parts = list(_parts(payloads, incoming, _method(incoming), first))
    for number, message in enumerate(posted):
        if number < len(payloads) and _stays(parts[number].method, message):
            update = {"method": Method.UPDATE, "message": message}
            parts[number] = parts[number].model_copy(update=update)
        else:
            key = nonce(incoming, first + len(payloads) + number)
            gone = Part(nonce=key, method=Method.DELETE, payload={}, message=message)
            parts.append(gone)
    return tuple(parts)


def _stays(method: Method, message: str) -> bool:
    """Whether a message may hold what is delivered so: a direct one, or any."""
    return method is not Method.WHISPER or "/" in message


# --- messages ---------------------------------------------------------------------


def _replied(reply: Reply, incoming: Incoming, people: bool) -> list[Payload]:
    """The messages of an outcome; details of sources give way before a quotation."""
    if incoming.place.private and not incoming.place.direct:
        reply = untold(reply)
    colour = _ANSWERED if reply.answered else _REFUSED
    if any(banner.kind == "emergency" for banner in reply.banners):
        colour = _EMERGENCY
    most = _most(incoming)
    unseen = incoming.callback and incoming.action is Action.ASK
    top = [*units.question(incoming.text)] if unseen else []
    said = [*top, *_body(reply), *units.choices(reply)]
    last = list(units.small_print(reply))
    pages = _pages([*said, *units.listed(reply), *last], most)
    if _evidence(pages) < _evidence([said]):
        pages = _pages([*said, *units.listed(reply, brief=True), *last], most)
    below = [*_choices(reply), *_buttons(reply, people)]
    return [
        _message(page, below if page is pages[-1] else (), colour) for page in pages
    ]


def _body(reply: Reply) -> list[Unit[Said]]:
    return [*units.banners(reply), *units.body(reply)]


def _evidence(pages: Sequence[Sequence[Unit[Said]]]) -> int:
    return sum(unit.rank is Rank.EVIDENCE for page in pages for unit in page)


def _fixed(text: str, people: Collection[str] = ()) -> list[Payload]:
    form = partial(units.fixed, people=people)
    return _payloads([*units.words(text, form=form)], 1)


def _payloads(said: Sequence[Unit[Said]], most: int) -> list[Payload]:
    return [_message(page) for page in _pages(said, most)]


def _pages(said: Sequence[Unit[Said]], most: int) -> list[list[Unit[Said]]]:
    """The messages of some units: one at least, because nobody is left without."""
    paper = Paper(pages=most, fits=_fits, note=units.note)
    return paged(said, paper) or [[Unit(Rank.FIXED, Said(NOTHING))]]


def _fits(page: Sequence[Unit[Said]]) -> bool:
    gap = len(_GAP["above"])
    return sum(len(unit.shown.text) + gap for unit in page) <= components.TEXT


def _message(
    page: Sequence[Unit[Said]],
    below: Sequence[Component] = (),
    colour: int | None = None,
) -> Payload:
    shown: list[Component] = []
    for part, texts in _sections(page):
        shown += [components.separator()] if shown else []
        shown.append(components.text(_GAP[part].join(texts)))
    return components.message(shown, below, colour)


def _sections(page: Sequence[Unit[Said]]) -> list[tuple[str, list[str]]]:
    """The texts above and below the line, in order."""
    found: list[tuple[str, list[str]]] = []
    for unit in page:
        part = unit.shown.part or (found[-1][0] if found else "above")
        if not found or found[-1][0] != part:
            found.append((part, []))
        found[-1][1].append(unit.shown.text)
    return found


def _choices(reply: Reply) -> list[Component]:
    """A row of what may be asked instead, and of saying that it is none of it."""
    known = units.audit_id(reply)
    if known is None or not reply.choices:
        return []
    short = units.fit(reply.choices)
    made = [
        components.button(
            f"{numbered(Action.CHOOSE, each.number)}:{known}",
            (short and each.label) or str(each.number),
        )
        for each in reply.choices
    ]
    none = components.button(f"{Action.NONE_OF_THESE}:{known}", NONE_OF_THESE)
    return list(components.rows([*made, none]))


def _buttons(reply: Reply, people: bool) -> list[Component]:
    known = units.audit_id(reply)
    if known is None:
        return []
    labels: dict[str, str] = {button.action: button.label for button in reply.buttons}
    labels |= {Action.ASK: "Ask a follow-up"}
    labels |= {Action.HELPFUL: "Helpful", Action.NOT_HELPFUL: "Not helpful"}
    if people:
        labels[Action.ASK_PERSON] = "Ask a person"
    made = [
        components.button(f"{action}:{known}", label or action)
        for action, label in labels.items()
    ]
    return list(components.rows(made))
