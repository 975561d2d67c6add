"""Where a message of the bot is, whether it can be changed, and its deletion."""

from collections.abc import Sequence

import re2

from adapters.ledger.mail_records import Claimed, Letter, PostedReply
from adapters.mail import Method, Part, Place, Platform, nonce

TIMESTAMP = re2.compile(r"\d+\.\d+")  # what Slack names a message by
MOST_TAKEN = 1_000  # replies that "forget me" takes away, the newest
BESIDE = 100  # number of the first of them; those below are the confirmation's


def place_of(post: PostedReply) -> Place:
    """Return the place of a visible message."""
    return Place(
        platform=post.platform,
        tenant=post.tenant,
        channel=post.channel,
        thread=post.thread,
        private=post.private,
    )


def find_reply_place(post: PostedReply) -> Place:
    """Return the place for a later word about what a message answers.

    Below the question; below the message where a command asked it.
    """
    place = place_of(post)
    known = post.message if is_changeable(place, post.message) else None
    known = None if known is not None and "/" in known else known
    about = post.question or known
    changed = {"message": about}
    if post.platform is Platform.SLACK:
        changed["thread"] = post.thread or about
    return place.model_copy(update=changed)


def within_reach(place: Place) -> bool:
    """Tell whether something can be said there without being asked.

    Not where one person alone sees a reply in a channel: that goes by itself.
    """
    return not place.private or place.direct


def is_changeable(place: Place, message: str) -> bool:
    """Tell whether a message can be changed or deleted."""
    named = place.platform is not Platform.SLACK or TIMESTAMP.fullmatch(message)
    return within_reach(place) and bool(named)


def make_deletions(
    claimed: Claimed, posted: Sequence[PostedReply]
) -> tuple[Letter, ...]:
    """Make a letter for each message: one that is gone keeps no other."""
    places = [(place_of(post), post.message) for post in posted]
    standing = [(p, message) for p, message in places if is_changeable(p, message)]
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
