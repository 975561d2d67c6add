"""The gap board as a pack's owners see it in a chat: plain nouns, masked, no asker.

Slack and Discord only render these. Whatever else can be done about a gap is done on
the administrators' page or on the command line.
"""

from adapters.inert import Line
from engine.documents.records import Frozen

MOST_GAPS = 8  # shown at once
NOT_OURS = "Not ours"
ATTACH = "Attach to this passage"
TITLE = "Questions without an answer"
NO_GAP = "No question is open."
NO_PASSAGE = "No passage came near."
CONFIRM = "It leaves the board, and nobody is told."
IN_OWN_WORDS = "The question, in your own words"
OWN_WORDS_HINT = (
    "They stay with the passage: whoever may see it may be offered them. Name nobody."
)


class NearLine(Frozen):
    """The passage that came nearest; `name` names it in a button."""

    name: str
    title: Line
    url: str | None = None


class GapLine(Frozen):
    """One open gap: a question of it, how often it was asked, and what came near."""

    gap: str
    text: Line
    counted: Line
    near: NearLine | None = None


class RestLine(Frozen):
    """Where all gaps of a pack stand: a page with its address, else a command."""

    text: Line
    url: str | None = None


class BoardPanel(Frozen):
    """The newest gaps of a person's packs; `more` is how many others are open."""

    gaps: tuple[GapLine, ...]
    more: int = 0
    rest: tuple[RestLine, ...] = ()
