"""What people say near the bot, told apart by its form: a question, or not one for it.

Rules only, and no engine: the inbox asks before anything is written down. In a thread
of the bot's, most of what is said is said to other people; whoever is not sure whether
the bot was meant lets it be, because a mention always reaches it.
"""

import re2

LONGEST = 600  # characters that are looked at, from the beginning
MOST_DETAIL = 5  # words of a detail that asks the question before again

_LEAD = r"(?:(?:and|but|so|also|or|then|ok|okay|thanks|thank you|great|cool)[,.!]? )*"
_SUBJECT = (
    r"(?:i|we|you|one|it|they|he|she|there|this|that|these|those|the|my|our|an?|people|"
    r"patients)\b"
)
_FORMS = (
    # A question word; with a subject right after it, it begins a clause.
    r"(?:what|which|who|whom|whose|when|where|why|how)(?:'s)?\b",
    rf"(?:is|are|was|were|can|could|should|would|will|do|did|must) {_SUBJECT}",
    r"does\b",
    # A detail that asks the question before once more.
    r"(?:since|until) when\b|for how long\b",
)
_DETAIL = (
    r"(?:and|but|also|or),? (?:about|after|at|before|between|by|during|for|from|in|of|"
    r"on|to|under|with|without)((?: [^ ]+)+)"
)
_CLAUSE = (
    r"(?:(?:what|which|when|where|why|how) (?:i|we|you|he|she|they)\b|what an? |"
    r"(?:what|which) (?:is|was) (?:nice|good|great|fine|ok|okay)\b|who cares\b|"
    r"how (?:nice|cool|funny|sad|odd|great)\b)"
)
_ASKS = re2.compile(rf"(?i)^{_LEAD}(?:{'|'.join(_FORMS)})")
_ASKS_ON = re2.compile(rf"(?i)^{_DETAIL}$")
_TELLS = re2.compile(rf"(?i)^{_LEAD}{_CLAUSE}")
_MARK = re2.compile(r"\?[?!]*[\"')\]*_]*(?:\s|$)")
# Somebody named as the platforms write it, or called by a name before a comma.
_NAMED = re2.compile(r"(?:^|[\s(,;:])@\w|<[@#!][^>\s]*>")
_CALLED = re2.compile(
    r"(?i)^(?:(?:hi|hey|hello|thanks|thank you),? )?([\w.'-]+)[,:] "
    r"(?:(?:can|could|would|will|do|did|are|were|have) you|what do you|when do you|"
    r"how (?:do|are) you|your?)\b"
)
_NO_NAMES = """
    also, and, anyway, but, finally, hello, hey, hi, next, no, now, ok, okay, or,
    please, so, sorry, thanks, then, wait, well, yes
"""
_SMALL = """
    agreed, all right, alright, and you, any ideas, any questions, any thoughts,
    anybody, anyone, are you ok, are you ready, awesome, cheers, coffee, cool, does
    that make sense, done, fine, good, got it, great, hm, hmm, how are you, how is
    it going, how's it going, huh, i see, isn't it, k, lol, lunch, makes sense,
    nice, no, nope, ok, okay, perfect, ready, really, right, see, seriously, shall
    we, super, sure, thank you, thank you very much, thanks, thanks a lot, thoughts,
    thx, ty, what, what do you all think, what do you think, what's up, whats up,
    who else, who knows, wow, yeah, yep, yes, you know, you ok, you see, you there
"""
_GREETINGS = """
    /ask, /help, good afternoon, good evening, good morning, hello, hello bot, hello
    there, help, help me, help please, hey, hey there, hi, hi bot, hi there, how do
    i use this, how do i use you, how do you work, how does this work, ping, please
    help, start, test, usage, what are you, what can i ask, what can i ask you, what
    can you do, what do you do, who are you
"""


def _phrases(listed: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in listed.split(","))


_NAMELESS, _NOTHING, _HELLOS = map(_phrases, (_NO_NAMES, _SMALL, _GREETINGS))


def asks(text: str) -> bool:
    """Whether what nobody addressed to the bot reads as a question to it.

    A question mark, a question word at the start, or a detail that asks the question
    before again ("and for children"); and nobody else is named or called. Thanks, "ok"
    and small talk are none.
    """
    said = _plain(text)
    if _bare(said) in _NOTHING or _for_somebody(said):
        return False
    if _MARK.search(said):
        return True
    if said.endswith("!") or _TELLS.match(said):
        return False
    return _ASKS.match(said) is not None or _detail(said)


def greets(text: str) -> bool:
    """Whether a text says no more than hello, or asks for help with the bot itself."""
    said = _bare(_plain(text))
    return not said or said in _HELLOS


def _for_somebody(said: str) -> bool:
    if _NAMED.search(said):
        return True
    called = _CALLED.match(said)
    return called is not None and called.group(1).lower() not in _NAMELESS


def _detail(said: str) -> bool:
    detail = _ASKS_ON.match(said.rstrip("."))
    return detail is not None and len(detail.group(1).split()) <= MOST_DETAIL


def _plain(text: str) -> str:
    straight = text[:LONGEST].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return " ".join(straight.split())


def _bare(said: str) -> str:
    """A text without the marks around it and without its smileys, in lower case."""
    kept = "".join(c for c in said.lower() if c.isalnum() or c in " '/")
    return " ".join(kept.split())
