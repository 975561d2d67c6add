"""Slack's escapes and angle brackets, in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.text import escape, names_user, plain


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt; stays an escape", "&lt; stays an escape"),
        ("ask <@U2> or <@U3|ann>", "ask @U2 or @ann"),
        ("in <#C1|general> or <#C2>", "in #general or #C2"),
        ("see <https://example.org/a?b=1&amp;c|the page>", "see the page"),
        ("see <https://example.org/a?b=1&amp;c>", "see https://example.org/a?b=1&c"),
        ("write <mailto:a@example.org|a@example.org>", "write a@example.org"),
        ("<!here> and <!channel>", "@here and @channel"),
        ("<!subteam^S1|@nurses> know", "@nurses know"),
        ("on <!date^1392734382^{date}|18 Feb 2014>", "on 18 Feb 2014"),
        ("<@UBOT1> What helps?", "What helps?"),
        ("<@UBOT1|groundrule>: What helps?", "What helps?"),
        ("Hey <@UBOT1>, what helps?", "Hey what helps?"),
        ("What helps, <@UBOT1>", "What helps,"),
        ("turned \u202eround\u202c and \ud800 broken", "turned round and ? broken"),
        ("", ""),
    ],
)
def test_what_slack_sends_becomes_what_the_person_saw_R_C1(
    sent: str, read: str
) -> None:
    """Entities, links, mentions and dates are plain text; the bot's name is gone."""
    assert plain(sent, "UBOT1") == read


def test_ids_can_be_asked_for() -> None:
    """Whom an administrator names is told by id, not by a name that may change."""
    assert plain("oncology <@U3|ann>", ids=True) == "oncology @U3"


def test_a_mention_is_of_one_person_only() -> None:
    """An id that begins alike, or stands in typed text, names nobody."""
    assert names_user("hey <@U1|me>", "U1")
    assert not names_user("hey <@U12> &lt;@U1&gt; @U1", "U1")


@given(st.text())
def test_what_is_escaped_reads_back_and_means_nothing_R_V7(text: str) -> None:
    """No bracket of ours is Slack's."""
    sent = escape(text)
    assert "<" not in sent
    assert plain(sent) == plain(escape(plain(sent)))
