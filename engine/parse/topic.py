"""The topic of a question, so that another one can say "it": rules only.

A topic is read where the form of a question leaves no doubt which words are its
subject, or its object where the subject is a person. Where a detail narrows the subject
("colitis on a checkpoint inhibitor"), it is never shortened.
"""

from engine.text.english import find, read_groups, words

MOST_WORDS = 4  # of a topic
_ENDS = ("preposition", "far_preposition", "conjunction")
_DETERMINERS = ("determiner", "quantity")


def find_topic(question: str) -> str | None:
    """Return the words that "it" means after a question, or None where that is unclear.

    Args:
        question: folded, without the marks at its end.
    """
    between = find("difference", question)
    if between is not None:
        return _accept_topic(read_groups(between, "thing")[0].split())
    defined = find("defined", question)
    if defined is not None:
        return _find_defined(read_groups(defined, "thing")[0].split())
    match = find("inverted", question)
    if match is None:
        verbed = find("verbed", question)
        return (
            None
            if verbed is None
            else _find_defined(read_groups(verbed, "thing")[0].split())
        )
    auxiliary, rest = read_groups(match, "auxiliary", "rest")
    said = rest.split()
    if said[0].lower() in words("person"):
        return _find_object(said[1:])
    asks = find("asks_of_it", question) is not None
    return _find_subject(
        said, passive=auxiliary.lower() in words("be"), asks_of_it=asks
    )


def find_action(question: str) -> str | None:
    """Return the meaning of "do that": "write a node" of "How do I write a node?"."""
    match = find("inverted", question)
    said = read_groups(match, "rest")[0].split() if match is not None else []
    if len(said) < 3 or said[0].lower() not in words("person"):
        return None
    thing = _find_object(said[1:])
    return None if thing is None else f"{said[1]} {thing}"


def _find_defined(said: list[str]) -> str | None:
    """Return the subject of "What is ...?", without a participle phrase behind it."""
    lower = [word.lower() for word in said]
    for at, word in enumerate(lower):
        if at and word in words("participle"):
            return _accept_topic(said[:at])
    return None if words(*_ENDS) & set(lower) else _accept_topic(said)


def _find_object(said: list[str]) -> str | None:
    """Return the object behind a verb: "a bag" of "record a bag with ros2 bag"."""
    phrase, after = _cut_phrase(said[1:])
    return None if after in words(*_DETERMINERS) else _accept_topic(phrase)


def _find_subject(said: list[str], *, passive: bool, asks_of_it: bool) -> str | None:
    """Return the subject of a question, without the verb behind it.

    Without a known verb a detail may belong to the subject: "How does colitis on a
    checkpoint inhibitor look?", "Is pain in the shoulder normal?". `asks_of_it`: the
    question asks for the verb's object, so that the verb comes last.
    """
    phrase, after = _cut_phrase(said)
    lower = [word.lower() for word in phrase]
    if not passive and "be" in lower[1:]:  # "may the hall be used", "must it be kept"
        return _accept_topic(phrase[: lower.index("be")])
    while phrase and phrase[-1].lower() in words("particle"):
        phrase = phrase[:-1]
    last = phrase[-1].lower() if phrase else ""
    if passive:
        verb = last in words("participle") or last.endswith("ed")
    else:
        verb = last in words("bare_verb") or (asks_of_it and not after)
    if verb and len(phrase) > 1:
        return _accept_topic(phrase[:-1])
    return _accept_topic(phrase) if passive and after not in words(*_ENDS) else None


def _cut_phrase(said: list[str]) -> tuple[list[str], str]:
    """Return the words up to a preposition or a determiner, and the word that ends
    them.
    """
    for at, word in enumerate(said):
        lower = word.lower().strip(",;:")
        if lower in words(*_ENDS) or (at and lower in words(*_DETERMINERS)):
            return said[:at], lower
        if word.endswith((",", ";", ":")):
            return [*said[:at], word.strip(",;:")], ""
    return said, ""


def _accept_topic(said: list[str]) -> str | None:
    """Return the words as a topic; None for a pronoun, or too many words."""
    plain = [word for word in said if word.lower() not in words("determiner")]
    empty = words("pronoun") | {"which", "what", "who", "whom", "whose", "how"}
    pointing = any(word.lower() in empty for word in said)
    if not plain or pointing or len(plain) > MOST_WORDS + 3 * ("and" in plain):
        return None
    named_so = said[0].lower() in words("article")
    return " ".join(said if named_so or said == plain else plain)
