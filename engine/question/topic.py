"""What a question is about, so that another one can say "it" (R-A11): rules only.

A topic is read where the form of a question leaves no doubt which words are its
subject, or its object where the subject is a person. Where a detail narrows the
subject ("colitis on a checkpoint inhibitor"), nothing shorter stands for it.
"""

from engine.patterns import compiled

MOST_WORDS = 4  # of a topic


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DETERMINER = r"(?:an?|the|my|his|her|its|our|their|your|this|that|these|those)"
_PREPOSITIONS = _words(
    "about after against around as at before behind between by during for from in "
    "inside into like near of off on onto over per since than through to toward "
    "under until up with within without and or but if when while because"
)
_DETERMINERS = _words(
    "a an the my his her its our their your this that these those each every any "
    "some all"
)
_PEOPLE = _words("i you we one people someone somebody patients he she they")
_BE = _words("is are was were")
# What a passive ends with; "capecitabine taken" is about capecitabine.
_PARTICIPLES = _words(
    "taken given made done used kept known seen written built run sold held put "
    "set sent found called drawn shown"
)
_PARTICLES = _words("again away back down out")
# Verbs that need no object, so that what follows them is a detail of what they say.
_VERBS = _words(
    "begin come do end fall feel go grow happen help last look matter mean return "
    "start stop work"
)
_DEFINED = (
    rf"^what(?:'s| is| are| was| were) (?P<thing>{_DETERMINER} [^ ]+(?: [^ ]+){{0,3}}|"
    r"[^ ]+(?: [^ ]+){0,2})$"
)
_BETWEEN = (
    r"\bdifferences? between "
    r"(?P<thing>[^ ]+(?: [^ ]+){0,2} and [^ ]+(?: [^ ]+){0,2})$"
)
_INVERTED = (
    r"^(?:[^ ]+ ){0,5}?(?P<auxiliary>is|are|was|were|do|does|did|can|could|should|"
    r"would|will|may|must|might) (?P<rest>.+)$"
)
_ASKS_OF_IT = r"^(?:what|which|how (?:many|much)) "
_POINTING = _words("it they them this that these those he she him her there")


def topic(question: str) -> str | None:
    """The words that "it" stands for after a question, None where that is not clear.

    Args:
        question: folded, without the marks at its end.
    """
    between = compiled(_BETWEEN).search(question)
    if between is not None:
        return _clear(str(between.group("thing")).split())
    defined = compiled(_DEFINED).match(question)
    if defined is not None:
        return _defined(str(defined.group("thing")).split())
    match = compiled(_INVERTED).match(question)
    if match is None:
        return None
    auxiliary = str(match.group("auxiliary")).lower()
    words = str(match.group("rest")).split()
    if words[0].lower() in _PEOPLE:
        return _object(words[1:])
    asks = compiled(_ASKS_OF_IT).match(question) is not None
    return _subject(words, passive=auxiliary in _BE, asks_of_it=asks)


def action(question: str) -> str | None:
    """What "do that" stands for: of "How do I write a node?" it is "write a node"."""
    match = compiled(_INVERTED).match(question)
    words = str(match.group("rest")).split() if match is not None else []
    if len(words) < 3 or words[0].lower() not in _PEOPLE:
        return None
    thing = _object(words[1:])
    return None if thing is None else f"{words[1]} {thing}"


def _defined(words: list[str]) -> str | None:
    """The thing of "What is ...?", without what is said of it behind a participle."""
    for at, word in enumerate(words):
        if at and word.lower() in _PARTICIPLES:
            return _clear(words[:at])
    return None if _PREPOSITIONS & {w.lower() for w in words} else _clear(words)


def _object(words: list[str]) -> str | None:
    """The thing after a verb: "a bag" of "record a bag with ros2 bag"."""
    phrase, after = _phrase(words[1:])
    return None if after in _DETERMINERS else _clear(phrase)


def _subject(words: list[str], *, passive: bool, asks_of_it: bool) -> str | None:
    """The thing that a question asks of, without the verb behind it.

    Without a verb that is told as one a detail may belong to the thing: "How does
    colitis on a checkpoint inhibitor look?", "Is pain in the shoulder normal?".
    `asks_of_it`: the question asks for the verb's object, so that the verb comes last.
    """
    phrase, after = _phrase(words)
    while phrase and phrase[-1].lower() in _PARTICLES:
        phrase = phrase[:-1]
    last = phrase[-1].lower() if phrase else ""
    if passive:
        verb = last in _PARTICIPLES or last.endswith("ed")
    else:
        verb = last in _VERBS or (asks_of_it and not after)
    if verb and len(phrase) > 1:
        return _clear(phrase[:-1])
    return _clear(phrase) if passive and after not in _PREPOSITIONS else None


def _phrase(words: list[str]) -> tuple[list[str], str]:
    """The words up to a preposition or a new thing, and the word that ends them."""
    for at, word in enumerate(words):
        lower = word.lower().strip(",;:")
        if lower in _PREPOSITIONS or (at and lower in _DETERMINERS):
            return words[:at], lower
        if word.endswith((",", ";", ":")):
            return [*words[:at], word.strip(",;:")], ""
    return words, ""


def _clear(words: list[str]) -> str | None:
    """The words as a topic, None where they are none: a pronoun, or too many."""
    plain = [word for word in words if word.lower() not in _DETERMINERS]
    pointing = any(word.lower() in _POINTING for word in words)
    if not plain or pointing or len(plain) > MOST_WORDS + 3 * ("and" in plain):
        return None
    named = words[0].lower() in ("a", "an", "the")
    return " ".join(words if named or words == plain else plain)
