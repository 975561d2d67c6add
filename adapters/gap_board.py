"""The gap board as a pack's owners see it in a chat: plain nouns, masked, no asker.

Slack and Discord only render these; what they say is worded where they are made.
"""

from adapters.inert import Inert, Line
from engine.documents.records import Frozen

MOST_GAPS = 10  # shown at once
MOST_PASSAGES = 10  # offered at once
NOT_OURS = "Not ours"
ATTACH = "Attach a passage"
DOCUMENT = "Ask for a document"
TITLE = "Questions without an answer"
NO_GAP = "No question is open."
CONFIRM = "It leaves the board, and nobody is told."
LOOK_FOR = "What does the passage say?"
LOOK_FOR_HINT = "Some words of it, or the question: I look through the sources."
IN_OWN_WORDS = "The question, in your own words"
OWN_WORDS_HINT = (
    "They stay with the passage: whoever may see it may be offered them. Name nobody."
)
CHOOSE_GAP = "Choose a question"
CHOOSE_PASSAGE = "Choose a passage"
NO_PASSAGE = "I found no passage that those who asked may see. Try other words."


class GapLine(Frozen):
    """One open gap: a question of it, and in small print how often and why."""

    gap: str
    pack: Line
    text: Line
    counted: Line
    why: Line = ""


class BoardPanel(Frozen):
    """The newest gaps of a person's packs; `more` is how many others are open."""

    gaps: tuple[GapLine, ...]
    more: int = 0


class GapPanel(Frozen):
    """One gap, its other questions, and the pages that came nearest."""

    line: GapLine
    asked: tuple[Line, ...]
    near: tuple[Line, ...]


class PassageLine(Frozen):
    """A passage that a question can be attached to; `passage` names it."""

    passage: str
    title: Line
    text: Inert


class PassagePanel(Frozen):
    """What was found for an owner's words, for a gap.

    What was asked is not repeated: a message stays, and the question may have to go.
    """

    gap: str
    words: Line
    found: tuple[PassageLine, ...]


Panel = BoardPanel | GapPanel | PassagePanel
