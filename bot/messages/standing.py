"""Where a message of the bot stands, whether it can be changed, and taking it away."""

from collections.abc import Sequence

import re2

from adapters.ledger.mail_records import Claimed, Letter, PostedReply
from adapters.mail import Method, Part, Place, Platform, nonce

TIMESTAMP = re2.compile(r"\d+\.\d+")  # what Slack names a message by
MOST_TAKEN = 1_000  # replies that "forget me" takes away, the newest
BESIDE = 100  # number of the first of them; those below are the confirmation's


def place_of(post: PostedReply) -> Place:
    """Where a visible message stands."""
    return Place(
        platform=post.platform,
        tenant=post.tenant,
        channel=post.channel,
        thread=post.thread,
        private=post.private,
    )


def beside(post: PostedReply) -> Place:
    """Where something is said later about what a message answers.

    Below the question; below the message where a command asked it.
    """
    place = place_of(post)
    known = post.message if stands(place, post.message) else None
    known = None if known is not None and "/" in known else known
    about = post.question or known
    changed = {"message": about}
    if post.platform is Platform.SLACK:
        changed["thread"] = post.thread or about
    return place.model_copy(update=changed)


def within_reach(place: Place) -> bool:
    """Whether something can be said there without being asked.

    Not where one person alone sees a reply in a channel: that goes by itself.
    """
    return not place.private or place.direct


def stands(place: Place, message: str) -> bool:
    """Whether it is a message that can be changed or taken away."""
    named = place.platform is not Platform.SLACK or TIMESTAMP.fullmatch(message)
    return within_reach(place) and bool(named)


def taken_away(claimed: Claimed, posted: Sequence[PostedReply]) -> tuple[Letter, ...]:
    """A letter for each message: one that stands no more must not keep the others."""
    places = [(place_of(post), post.message) for post in posted]
    standing = [(p, message) for p, message in places if stands(p, message)]
    return tuple(
        Letter(
            place=place,
            parts=(
                Part(
                    nonce=nonce(claimed.incoming, number),
                    method=Method.DELETE,
                    payload={},
                    message=message,
                ),
            ),
        )
        for number, (place, message) in enumerate(standing, BESIDE)
    )
