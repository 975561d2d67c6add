"""What the engine really says, on Slack: every demo question and every refusal."""

from adapters.reply import compose
from adapters.slack.writer import SLACK as post
from engine import Outcome
from tests.adapters.outcomes import TODAY
from tests.adapters.slack import replies, seen
from tests.adapters.slack.test_limits import addresses, judged
from tests.demo import Room, quotes


def test_real_outcomes_are_taken_and_quoted_whole_R_C4(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """Slack takes them, no foreign link is in them, and every quote is shown."""
    for outcome in asked:
        wording = room.packs[outcome.question.pack].wording
        reply = compose(outcome, wording, TODAY, whole=True)
        parts = post.answer(reply, replies.asked())
        for made in (
            parts,
            *(w(reply, replies.asked()) for w in (post.why, post.sources)),
        ):
            judged(made, addresses(reply))
        shown = _letters("".join(seen.lines(parts)))
        assert all(_letters(quote.text) in shown for quote in quotes(outcome))


def _letters(text: str) -> str:
    """The text without blanks and bullets."""
    return "".join(text.replace("•", "").split())
