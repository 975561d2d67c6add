"""Every rendered reply is one that Slack shows, quietly, with no foreign link.

`tests/platforms` judges, which knows nothing of the code that renders.
"""

import json
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.mail import Incoming, Method, Part
from adapters.reply import Reply
from adapters.slack.writer import SLACK as post
from tests.adapters.slack.replies import (
    answer,
    asked,
    emergency,
    long_answer,
    refusal,
    replies,
    texts,
)
from tests.loopback.slack_web import METHODS, REPLY
from tests.platforms.slack_limits import check_message
from tests.platforms.slack_reach import links, pings

BLOCKS_JSON = 15_561  # the longest that is known to be taken (slackapi/bolt-js#2867)

# What the poster adds, and where it sends it.
CALLS = {
    Method.POST: ("chat.postMessage", {"channel": "C1", "thread_ts": "1.1"}),
    Method.UPDATE: ("chat.update", {"channel": "C1", "ts": "1.2"}),
    Method.WHISPER: ("chat.postEphemeral", {"channel": "C1", "user": "U1"}),
    Method.RESPOND: ("response_url", {"thread_ts": "1.1"}),
}
Render = Callable[[Reply, Incoming], Sequence[Part]]
RENDERED: Mapping[str, Render] = {
    "answer": post.answer,
    "edited": lambda reply, incoming: post.edited(reply, incoming, ["1.2", "1.3"]),
    "sources": post.sources,
    "why": post.why,
    "handover": lambda reply, incoming: post.handover(reply, incoming, "How?"),
}
private = asked().place.model_copy(update={"private": True, "message": None})
SEEN: Mapping[str, Incoming] = {
    "in public": asked(),
    "privately": asked(place=private),
    "after a command": asked(
        place=private, callback={"response_url": "https://hooks.example.org/1"}
    ),
}
every_way = pytest.mark.parametrize("way", RENDERED)
everywhere = pytest.mark.parametrize("where", SEEN)


def addresses(reply: Reply) -> set[str]:
    """The registered addresses that a reply brings along."""
    shown = (*reply.links, *reply.sources, *reply.why.nearest)
    named = [each.url for each in shown]
    return {url for url in named if url}


def judged(parts: Sequence[Part], allowed: set[str]) -> None:
    """Fail for the first part that Slack refuses, or that disturbs or misleads."""
    assert len({part.nonce for part in parts}) == len(parts) > 0
    for part in parts:
        if part.method is Method.DELETE:
            assert part.message
            continue
        name, place = CALLS[part.method]
        call = {**part.payload, **place}
        assert check_message(call) == []
        assert pings(call, {"U1"}, name) == []
        assert links(call) <= allowed
        assert len(json.dumps(call["blocks"], ensure_ascii=False)) <= BLOCKS_JSON
        known = METHODS.get(name)
        taken = f"{known.required} {known.optional}" if known else REPLY
        assert set(call) <= set(taken.split())


@every_way
@everywhere
@pytest.mark.parametrize("make", [answer, refusal, emergency, long_answer])
def test_made_by_hand_all_are_taken_R_C4(
    make: Callable[[], Reply], way: str, where: str
) -> None:
    """The replies of the other tests."""
    reply = make()
    judged(RENDERED[way](reply, SEEN[where]), addresses(reply))


NORMALLY = settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@every_way
@NORMALLY
@given(reply=replies, where=st.sampled_from(list(SEEN)))
def test_whatever_a_reply_holds_it_is_quiet_R_C4_R_V7(
    way: str, reply: Reply, where: str
) -> None:
    """Very long, thousands of sources, mentions, links, markup, fences, bidi."""
    judged(RENDERED[way](reply, SEEN[where]), addresses(reply))


@pytest.mark.prove
@settings(NORMALLY, max_examples=2_000, derandomize=False)
@given(reply=replies, where=st.sampled_from(list(SEEN)))
def test_two_thousand_hostile_replies_are_quiet_R_C4_R_V7(
    reply: Reply, where: str
) -> None:
    """The same, at length, and each reply in every way."""
    for render in RENDERED.values():
        judged(render(reply, SEEN[where]), addresses(reply))


@given(text=texts, where=st.sampled_from(list(SEEN)))
def test_whatever_a_notice_holds_it_is_quiet_R_V7(text: str, where: str) -> None:
    """Fixed texts may name what a person wrote."""
    for made in (post.notice, post.whisper):
        judged(made(text, SEEN[where]), set())


@given(question=texts, note=texts)
def test_whatever_a_question_holds_it_is_quiet_R_V7(question: str, note: str) -> None:
    """What is handed to a person, and what is repeated to the asker."""
    incoming = SEEN["after a command"].model_copy(
        update={"text": question, "reason": note}
    )
    judged(post.handover(refusal(), incoming, question), addresses(refusal()))
    judged(post.answer(refusal(), incoming), addresses(refusal()))
