"""A question that leans on the one before it, put into words that stand alone (R-A11).

Rules only. Where no rule finds the place that the new words belong to, both questions
stand together; the reader sees either.
"""

from dataclasses import dataclass

import re2

from engine.lexicon import STOPWORDS, words
from engine.patterns import compiled, fold
from engine.question.topic import action, topic
from engine.retrieve.view import QUESTION_WORDS

LONGEST = 500  # characters kept of the question before
MOST_WORDS = 3  # content words of a thing; what has more says something of its own

_ASKS = (
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|"
    r"could|should|would|will|may|must|has|have)"
)
_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|should|would|will|may|must|has|have)"
)
_PREPOSITION = (
    r"(?:about|after|at|before|between|by|during|for|from|in|of|on|to|under|with|"
    r"without)"
)
_PREPOSITION_WORD = rf"\b{_PREPOSITION}\b"
_ABOUT = r"^(?:(?:and|but|so|ok|okay|also|then),? )*(?:what|how) about (?P<rest>.+)$"
_AND = r"^(?:and|but|also),? (?P<rest>.+)$"
_LOOSE = rf"^{_PREPOSITION}(?: [^ ]+){{1,5}}$"
_BARE = (
    r"^(?:why(?: not)?|how(?: often| long| much| many| so| soon)?|when|where|who|which"
    r"(?: ones?)?|since when|until when|for how long|how come)$"
)
_TAIL = (
    rf"^(?P<head>.+?) (?P<preposition>{_PREPOSITION}) (?P<tail>[^ ]+(?: [^ ]+){{0,3}})$"
)
_DEFINED = (
    r"^what(?:'s| is| are| was| were) (?:an? |the )?(?P<thing>[^ ]+(?: [^ ]+){0,3})$"
)

# Words that may stand before a pronoun without being what it means.
_BEFORE = (
    rf"(?:{_ASKS}|{_PREPOSITION}|i|we|you|one|people|patients|long|often|much|many|soon|"
    r"far|bad|late|early|take|use|treat|stop|get|prevent|avoid|help|make|give|manage|"
    r"start|run|install|set|change|call|find|need|know|tell|me|not|also|and|be|fix|keep)"
)
_POINTS = (
    r"(?:it|they|them|(?:this|that|these|those)(?: (?:one|ones|drug|medicine|treatment|"
    r"side effect|symptom|test|command|node|package|plugin|tool|setting)s?)?)"
)
_PRONOUN = rf"^(?P<head>(?:{_BEFORE} ){{0,6}}){_POINTS}(?P<tail>| .+|'s .+)$"
# What is asked for, or what is done, stands before the pronoun and is not it.
_ASKED_OF_IT = (
    rf"^(?P<head>(?:(?:which|what|how many|how much) (?:[^ ]+ ){{1,3}}{_AUXILIARY}|"
    rf"(?:how|when|where|why) {_AUXILIARY} (?:i|we|you|one) [^ ]+) )"
    r"(?:it|they|them)(?P<tail>| .+)$"
)
_POSSESSIVE = r"^(?P<head>(?:[^ ]+ ){1,6})(?:its|their) (?P<tail>.+)$"
_DOES_IT = r"^(?P<head>(?:[^ ]+ ){0,4})do (?:it|that|this|so)(?P<tail>| .+)$"
# "how many does RT-2 have" leaves out what is counted.
_COUNTS = rf"^how (?:many|much) (?P<noun>[^ ]+(?: [^ ]+){{0,2}}?) {_AUXILIARY} "
_UNCOUNTED = rf"^(?P<head>how (?:many|much)) (?P<tail>{_AUXILIARY} .+)$"
EXPLETIVE = (
    r"\bit(?:'s)? (?:really |ever |still |usually )?(?:safe|ok|okay|normal|possible|"
    r"common|true|dangerous|bad|good|necessary|important|better|worth|likely|usual|"
    r"recommended|allowed|advisable|harmful|rare|hard|easy|best|typical|take|help)"
    r"(?: [^ ]+){0,2} (?:to|that|if|when)\b|\bthat (?:the|a|an|i|my|we|you|people)\b|"
    r"\b(?:this|these|those|that) (?:year|month|week|course|book|textbook|days?)\b"
)
# "in adults" gives way to "for children": both say whom the question is about.
_GROUP = (
    r"(?:in|for) (?:(?:the|older|younger|young|pregnant|other) ){0,2}(?:adults?|"
    r"child(?:ren)?|kids?|babies|infants|toddlers|teens|teenagers|adolescents|women|"
    r"men|people|patients|elderly|seniors)"
)
_OF_GROUP = rf"^(?P<head>.+) (?P<group>{_GROUP})$"
_NOTHING = r"^(?:(?:and|but|so|also|then)\b,? ?)*(?:(?:what|how) about)?$"
# Whom a follow-up is about in the asker's life; no passage speaks of them.
_ANYBODY = """
    anybody anyone aunt brother case cases dad everybody everyone family father friend
    friends general grandfather grandma grandmother grandpa husband mom mother mum
    parent parents partner patient patients people person relative relatives sister
    situation somebody someone spouse uncle wife
"""
_NO_THINGS = STOPWORDS | QUESTION_WORDS | frozenset(_ANYBODY.split())


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up as it is meant.

    `added` is the thing that a fragment ("and for children?") adds to the question
    before it; of a whole question it is only whom that is about, where it says so.
    """

    text: str
    added: str = ""

    @property
    def things(self) -> tuple[str, ...]:
        """The content words of what was added, none where it is more than a thing."""
        found = (word.strip(".,;:!?()\"'") for word in self.added.split())
        content = tuple(w for w in found if words(w) and w.lower() not in _NO_THINGS)
        return content if len(content) <= MOST_WORDS else ()


def resolve(text: str, previous: str | None, *, dated: bool = False) -> Resolved | None:
    """The question as it is meant, or None where it stands alone.

    Args:
        text: the question.
        previous: the question before it.
        dated: a date was taken out of the question; nothing else then asks the
            question before again, on that date.
    """
    before = fold(previous or "")[:LONGEST].rstrip("?!. ")
    asked = fold(text).rstrip("?!. ")
    if before and dated and _is(_NOTHING, asked):
        return Resolved(f"{before}?")
    if not before or not asked:
        return None
    for pattern in (_ABOUT, _AND):
        match = compiled(pattern).match(asked)
        if match is not None:
            return _joined(str(match.group("rest")), before, asked)
    if _is(_LOOSE, asked) and not _contains(rf"\b{_ASKS}\b", asked):
        return Resolved(_attached(asked, before), asked)
    if _is(_BARE, asked):
        return Resolved(_both(before, asked))
    pointed = _pointed(asked, before)
    return None if pointed is None else Resolved(pointed, group_of(asked))


def _joined(rest: str, before: str, asked: str) -> Resolved:
    """After "and" or "what about": a whole question, a detail, or another thing."""
    if _is(_BARE, rest):
        return Resolved(_both(before, asked))
    if _contains(rf"^{_ASKS}\b", rest):
        text = _pointed(rest, before) or _sentence(f"{rest}?")
        return Resolved(text, group_of(rest))
    if _contains(rf"^{_PREPOSITION}\b", rest):
        return Resolved(_attached(rest, before), rest)
    if _contains(r"^an? ", rest) and _is(_DEFINED, before):
        return Resolved(f"What is {rest}?")
    tail = compiled(_TAIL).match(before)
    # A side of the same thing, or a case of it.
    own = _contains(r"^(?:the|its|their|any|other|if|when|while)\b", rest)
    if own or tail is None or _contains(_PREPOSITION_WORD, str(tail.group("tail"))):
        return Resolved(_both(before, asked), rest)
    return Resolved(f"{tail.group('head')} {tail.group('preposition')} {rest}?", rest)


def group_of(asked: str) -> str:
    """Whom a whole question is about, empty where it does not end with it."""
    match = compiled(_OF_GROUP).match(asked)
    return "" if match is None else str(match.group("group"))


def _attached(detail: str, before: str) -> str:
    """The question before with a detail; one of the same kind gives way."""
    detail = detail[:1].lower() + detail[1:]
    group = compiled(_OF_GROUP).match(before)
    if group is not None and _is(_GROUP, detail):
        return f"{group.group('head')} {detail}?"
    tail = compiled(_TAIL).match(before)
    preposition = detail.split()[0].lower()
    if tail is not None and str(tail.group("preposition")).lower() == preposition:
        return f"{tail.group('head')} {detail}?"
    return f"{before} {detail}?"


def _pointed(asked: str, before: str) -> str | None:
    """A pronoun, or a noun left out, that nothing in its own question explains."""
    clear = explained(asked, before)
    if clear is not None:
        return _sentence(f"{clear}?")
    return _both(before, asked) if leans(asked) else None


def leans(asked: str) -> bool:
    """Whether a whole question points at something that it does not name."""
    if _is(_DOES_IT, asked) or _is(_UNCOUNTED, asked):
        return True
    pointing = any(_is(p, asked) for p in (_PRONOUN, _ASKED_OF_IT, _POSSESSIVE))
    return pointing and not _contains(EXPLETIVE, asked)


def explained(asked: str, before: str) -> str | None:
    """A question that leans on the one before it, with what it points at put in.

    None where it does not lean, or where no rule tells what it points at.

    Args:
        asked: the question, folded, without the marks at its end.
        before: the one before it, likewise.
    """
    doing = compiled(_DOES_IT).fullmatch(asked)
    if doing is not None:
        return _put(doing, action(before))
    uncounted = compiled(_UNCOUNTED).fullmatch(asked)
    if uncounted is not None:
        counted = compiled(_COUNTS).match(before)
        noun = None if counted is None else str(counted.group("noun"))
        return _put(uncounted, noun, " ")
    thing = topic(before)
    if not leans(asked) or thing is None:
        return None
    for pattern in (_PRONOUN, _ASKED_OF_IT):
        match = compiled(pattern).fullmatch(asked)
        if match is not None:
            return _put(match, thing)
    return _put(compiled(_POSSESSIVE).fullmatch(asked), thing, "'s ")


def _put(match: re2._Match | None, thing: str | None, link: str = "") -> str | None:
    """What stands before and behind a pointer with the thing between them."""
    if match is None or thing is None:
        return None
    head, tail = str(match.group("head")), str(match.group("tail"))
    space = "" if head.endswith(" ") or not head else " "
    return f"{head}{space}{thing}{link}{tail}"


def _both(before: str, asked: str) -> str:
    return f"{before}? {_sentence(asked)}?"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is(pattern: str, text: str) -> bool:
    return compiled(pattern).fullmatch(text) is not None


def _contains(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None
