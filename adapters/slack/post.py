"""Replies as Slack messages: each function gives the parts that the outbox keeps.

A part's payload holds the arguments of its call but for the place: the poster adds
`channel`, `thread_ts` (POST, WHISPER, RESPOND), `user` (WHISPER) and `ts` (UPDATE,
DELETE: `Part.message`). `first` is how many parts of the same event stand before these,
so that their nonces differ.
"""

from collections.abc import Collection, Iterable, Sequence

from adapters.layout import Rank, Unit
from adapters.mail import Incoming, Method, Part, nonce
from adapters.reply import Reply, inert, untold
from adapters.slack import blocks, units
from adapters.slack.blocks import Block
from adapters.slack.names import RESPONSE_URL
from adapters.slack.pages import Page, Said, pages

METADATA = "groundrule_part"  # event_type of the metadata that holds a part's nonce

ARCHIVES = "https://slack.com/archives"

_DIRECTLY = "Please write to them directly."
_IN_THREAD = "Please answer in its thread, where they will see it."
_QUIET = {"parse": "none", "link_names": False}
_UNFURLED = {"unfurl_links": False, "unfurl_media": False}


def answer(
    reply: Reply, incoming: Incoming, first: int = 0, *, people: bool = True
) -> tuple[Part, ...]:
    """An outcome, answered or refused, where the question was asked.

    Args:
        reply: the outcome in words.
        incoming: the question.
        first: see the module.
        people: whether the channel has people to ask.
    """
    return _parts(incoming, _method(incoming), _whole(reply, incoming, people), first)


def edited(
    reply: Reply, incoming: Incoming, posted: Sequence[str], *, people: bool = True
) -> tuple[Part, ...]:
    """An outcome in place of the messages of the earlier one (R-U4).

    Args:
        reply: the outcome of the question as it is now.
        incoming: the edit.
        posted: ids of the messages to replace, oldest first; surplus ones are deleted,
            missing ones are posted. Where only the asker is to see the reply, all are
            deleted: what one person sees cannot be changed, what all see has to go.
        people: whether the channel has people to ask.
    """
    way = _method(incoming)
    if way is not Method.POST:
        alone = _parts(incoming, way, _whole(reply, incoming, people), 0)
        return (*alone, *deleted(incoming, posted, len(alone)))
    shown = _pages(_whole(reply, incoming, people))
    made = []
    for number, page in enumerate(shown):
        old = posted[number] if number < len(posted) else None
        method = Method.UPDATE if old else Method.POST
        made.append(_part(incoming, number, method, page, old))
    return (*made, *deleted(incoming, posted[len(shown) :], len(shown)))


def deleted(
    incoming: Incoming, posted: Sequence[str], first: int = 0
) -> tuple[Part, ...]:
    """Take the messages of a question away that was taken away (R-U4)."""
    return tuple(
        Part(
            nonce=nonce(incoming, number),
            method=Method.DELETE,
            payload={},
            message=message,
        )
        for number, message in enumerate(posted, first)
    )


def more(reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
    """The rest of an answer (R-A3), only for who asked for it."""
    rest = reply.model_copy(update={"body": reply.more})
    shown = [*units.body(rest), *units.small_print(reply, buttons=False)]
    return _parts(incoming, _whispering(incoming), shown)


def sources(reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
    """The numbered sources with their places, only for who asked for them."""
    listed = [*units.placed(reply)] or [*units.said("This reply cites no sources.")]
    shown = [*listed, *units.small_print(reply, buttons=False)]
    return _parts(incoming, _whispering(incoming), shown)


def why(reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
    """How the decision came about (R-D5), only for who asked."""
    shown = [*units.why(reply), *units.small_print(reply, buttons=False)]
    return _parts(incoming, _whispering(incoming), shown)


def notice(text: str, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
    """A fixed text (busy, paused, first use) where the person asked."""
    return _parts(incoming, _method(incoming), units.said(inert(text)), first)


def told(text: str, incoming: Incoming) -> tuple[Part, ...]:
    """What somebody asked to be told later, in its thread, which notifies them."""
    return notice(text, incoming)


def whisper(
    text: str, incoming: Incoming, first: int = 0, people: Collection[str] = ()
) -> tuple[Part, ...]:
    """A fixed text (thanks, my data) that only the person sees, naming `people`."""
    shown = units.fixed(inert(text), people)
    return _parts(incoming, _whispering(incoming), shown, first)


def handover(
    reply: Reply, incoming: Incoming, question: str, first: int = 0
) -> tuple[Part, ...]:
    """A question with its evidence as posts, for the people of a channel.

    Args:
        reply: what the bot said.
        incoming: the press of "Ask a person"; its `reason` is the asker's note.
        question: as it was asked.
        first: see the module; posts to several people need numbers that differ.

    The letter says where it was asked, with a link, and where an answer is seen.
    """
    shown = [
        *units.handed_over(incoming.person, question, incoming.reason or ""),
        _asked_at(incoming),
        units.heading("What the bot said"),
        *units.banners(reply),
        *units.body(reply),
        *units.listed(reply),
        *units.small_print(reply, buttons=False),
    ]
    return _parts(incoming, Method.POST, shown, first)


def _asked_at(incoming: Incoming) -> Unit[Said]:
    """Where a question was asked, and how to answer it.

    A link of this form leads into the workspace of whoever follows it.
    """
    place, message = incoming.place, incoming.about
    channel = {"type": "channel", "channel_id": place.channel}
    if place.direct:
        runs = [blocks.run(f"Asked in a conversation with me. {_DIRECTLY}")]
    elif not message:
        runs = [blocks.run("Asked privately in "), channel]
        runs.append(blocks.run(f". {_DIRECTLY}"))
    else:
        address = f"{ARCHIVES}/{place.channel}/p{message.replace('.', '')}"
        if place.thread is not None:
            address += f"?thread_ts={place.thread}&cid={place.channel}"
        runs = [blocks.run("Asked in "), channel, blocks.run(": ")]
        runs += [blocks.link(address, "the message"), blocks.run(f". {_IN_THREAD}")]
    told = "".join(run.get("text", "a channel") for run in runs)
    return Unit(Rank.FIXED, Said(told, (blocks.rich(blocks.line(*runs)),)))


def _whole(reply: Reply, incoming: Incoming, people: bool) -> list[Unit[Said]]:
    unseen = incoming.place.message is None  # a command or a selection
    if incoming.place.private and not incoming.place.direct:
        reply = untold(reply)
    return [
        *units.banners(reply),
        *(units.question(incoming.text) if unseen else ()),
        *units.body(reply),
        *units.choices(reply),
        *units.listed(reply),
        *units.small_print(reply, buttons=True, people=people),
    ]


# --- how it is delivered ----------------------------------------------------------


def _method(incoming: Incoming) -> Method:
    return _whispering(incoming) if incoming.place.private else Method.POST


def _whispering(incoming: Incoming) -> Method:
    """The way that reaches the person alone; a response URL works in any channel."""
    if RESPONSE_URL in incoming.callback:
        return Method.RESPOND
    return Method.POST if incoming.place.direct else Method.WHISPER


def _parts(
    incoming: Incoming, method: Method, shown: Iterable[Unit[Said]], first: int = 0
) -> tuple[Part, ...]:
    return tuple(
        _part(incoming, number, method, page)
        for number, page in enumerate(_pages(shown), first)
    )


def _pages(shown: Iterable[Unit[Said]]) -> list[Page]:
    return pages([*shown]) or pages([*units.said("There is nothing to show.")])


def _part(
    incoming: Incoming,
    number: int,
    method: Method,
    page: Page,
    message: str | None = None,
) -> Part:
    name = nonce(incoming, number)
    payload: Block = {"text": page.text, "blocks": page.blocks, **_QUIET}
    if method in (Method.POST, Method.UPDATE):
        payload["metadata"] = {
            "event_type": METADATA,
            "event_payload": {"nonce": name},
        }
    if method in (Method.POST, Method.RESPOND):
        payload |= _UNFURLED
    if method is Method.RESPOND:
        payload |= {"response_type": "ephemeral", "replace_original": False}
    return Part(nonce=name, method=method, payload=payload, message=message)
