"""What people say near the bot, classified by its form: a question, or not one for it.

Rules only, and no engine: every surface calls `classify_talk` before anything is
stored. The classifier covers what the rules miss (engine/parse/urgency.py), once it is
asked. In a thread of the bot's, most messages are for other people; in doubt the bot
keeps quiet, because a mention always reaches it.
"""

from enum import StrEnum

from engine.text.english import find, phrases, whole

LONGEST = 600  # characters that are looked at, from the beginning
_STRAIGHT = str.maketrans("\N{LEFT SINGLE QUOTATION MARK}\u2019\u02bc", "'''")
QUESTION = "question"  # the sort of a message that is neither talk nor needs support
_THEMES = ("hello", "about", "never_mind", "bye")


class Talk(StrEnum):
    """A message that asks nothing of the sources."""

    HELLO = "hello"
    ABOUT = "about"  # who the bot is, and what it can do
    THANKS = "thanks"
    NEVER_MIND = "never_mind"
    BYE = "bye"
    SMALL = "small"  # "ok", "lol", smileys alone, nothing at all
    FILE = "file"  # a picture or another file, and no words
    BARE = "bare"  # a number or a letter alone, where nothing was offered
    CALCULATE = "calculate"
    TRANSLATE = "translate"
    RETELL = "retell"  # for a child, as a poem, in other words
    DO_WORK = "do_work"  # an essay, a letter, a lab report


TALK = frozenset(Talk)
# What is asked for and never done; what can be had instead is said.
UNDONE = (Talk.CALCULATE, Talk.TRANSLATE, Talk.RETELL, Talk.DO_WORK)


def classify_talk(text: str, *, files: bool = False) -> Talk | None:
    """Return the kind of talk that all of a text is; None where it may ask something.

    Args:
        text: what was said to the bot.
        files: whether a picture or another file came with it.
    """
    said = _strip_marks(_straighten(text)) if len(text) <= LONGEST else text
    if not said:
        return Talk.FILE if files else Talk.SMALL
    theme = next((theme for theme in _THEMES if said in phrases(theme)), None)
    if theme is not None:
        return Talk(theme)
    if whole("thanks", said):
        return Talk.THANKS
    return Talk.SMALL if said in phrases("small") else None


def reads_as_question(text: str) -> bool:
    """Return whether a text that was not addressed to the bot reads as a question to
    it.

    A question mark, a question word at the start, or a detail that repeats the last
    question ("and for children"); and no other person is named or called. Thanks, "ok"
    and small talk are none.
    """
    said = _straighten(text)
    quiet = classify_talk(text) not in (None, Talk.ABOUT, Talk.HELLO)
    if quiet or _addresses_somebody(said):
        return False
    if find("mark", said):
        return True
    if said.endswith("!") or find("talk_tells", said):
        return False
    return bool(find("talk_asks", said) or find("talk_detail", said.rstrip(".")))


def _addresses_somebody(said: str) -> bool:
    if find("mention", said):
        return True
    called = find("called", said)
    return called is not None and called.group(1).lower() not in phrases("no_name")


def _straighten(text: str) -> str:
    return " ".join(text[:LONGEST].translate(_STRAIGHT).split())


def _strip_marks(said: str) -> str:
    """Strip the marks around a text and its smileys, and lower its case."""
    kept = "".join(c for c in said.lower() if c.isalnum() or c in " '/")
    return " ".join(kept.split())
