"""Ways to make a false paraphrase of a sentence: each changes what it says.

Every alteration takes a sentence, its neighbour in the source and a random source, and
returns another sentence, or None where it finds nothing to change. They aim at what a
check that knows paraphrase may let go by: opposites, neighbours of one kind, swapped
roles, lost or moved conditions, other strength, time and scope.
"""

import re
from collections.abc import Callable, Iterable
from random import Random

from tests.engine.validate.conditions import (
    VERB,
    adjective_dropped,
    cased,
    condition_dropped,
    condition_moved,
    condition_of_neighbour,
    condition_turned,
    link,
    lowered,
    negation_moved,
    scope_dropped,
    scope_moved,
    subject_widened,
    uppered,
)
from tests.engine.validate.mutants import GRAMMAR as _GRAMMAR
from tests.engine.validate.mutants import _one, _put
from tests.engine.validate.opposites import HYPERNYMS, KINDS, OPPOSITES, SCALES

Alteration = Callable[[str, str, Random], str | None]

GRAMMAR = frozenset(_GRAMMAR.split()) | {
    "where",
    "them",
    "these",
    "when",
    "then",
    "each",
}


def _swapped(text: str, random: Random, pairs: Iterable[tuple[str, str]]) -> str | None:
    low = text.lower()
    fitting = [
        (old, new)
        for one, two in pairs
        for old, new in ((one, two), (two, one))
        if old in low and re.search(rf"(?<![\w-]){re.escape(old)}(?![\w-])", low)
    ]
    if not fitting:
        return None
    old, new = random.choice(fitting)
    match = _one(rf"(?i)(?<![\w-]){re.escape(old)}(?![\w-])", text, random)
    return _put(text, match, cased(match.group(), new)) if match else None


def _alike(one: str, two: str) -> bool:
    """Whether two words are forms of one."""
    bare = (re.sub(r"^(?:the|an?) ", "", word.lower())[:5] for word in (one, two))
    return len(set(bare)) == 1


def _exchanged(text: str, one: re.Match[str], two: re.Match[str], group: int) -> str:
    left, right = one.group(group), two.group(group)
    text = text[: two.start(group)] + left + text[two.end(group) :]
    return text[: one.start(group)] + right + text[one.end(group) :]


_ADDED = (
    "only",
    "always",
    "never",
    "not",
    "rarely",
    "often",
    "most",
    "all",
    "some",
    "safely",
    "quickly",
    "severe",
    "permanent",
    "alone",
    "every",
    "without",
    "mild",
    "new",
)


# --- words ------------------------------------------------------------------------


def opposite(text: str, near: str, random: Random) -> str | None:
    """A word's opposite."""
    return _swapped(text, random, OPPOSITES)


def cohyponym(text: str, near: str, random: Random) -> str | None:
    """Another thing of the same kind."""
    pairs = [(a, b) for row in KINDS for a in row for b in row if a != b]
    return _swapped(text, random, pairs)


def hypernym(text: str, near: str, random: Random) -> str | None:
    """A kind for a thing of it, or the other way round."""
    return _swapped(text, random, HYPERNYMS)


def scale(text: str, near: str, random: Random) -> str | None:
    """Another degree: modality, frequency, quantity, certainty."""
    pairs = [(a, b) for row in SCALES for a in row for b in row if a != b]
    return _swapped(text, random, pairs)


def added(text: str, near: str, random: Random) -> str | None:
    """A word more that narrows, widens or strengthens."""
    match = _one(r"(?<=[a-z]) (?=[a-z])", text, random)
    return _put(text, match, f" {random.choice(_ADDED)} ") if match else None


def modality(text: str, near: str, random: Random) -> str | None:
    """A plain verb made possible, due or future, or the other way round."""
    match = _one(r"\b(?:is|are)\b", text, random)
    if match and random.random() < 0.5:
        verb = random.choice(["may be", "should be", "will be", "can be", "must be"])
        return _put(text, match, verb)
    match = _one(
        r"\b(?:may|can|should|must|will|might|could) (?:not )?be\b", text, random
    )
    if match is None:
        return None
    return _put(text, match, "are not" if " not " in match.group() else "are")


# --- roles ------------------------------------------------------------------------


def arguments(text: str, near: str, random: Random) -> str | None:
    """Who does it and to whom change places around a verb."""
    match = re.match(
        rf"(?s)([^,;:]{{3,60}}?) ({VERB}(?: not)?) ([^,;:]{{3,}}?)([.:]?)$", text
    )
    if match is None:
        return None
    one, verb, two, end = match.groups()
    if one.split()[-1] == "it":
        return None
    if verb in ("is", "are", "was", "were") and two.split()[0].endswith("ed"):
        return None
    identity = verb in ("is", "are") and "the" in two.lower().split()[:1]
    if (
        one.lower() in ("it", "they", "this", "that", "there", "these", "you")
        or identity
    ):
        return None
    if verb in ("is", "are", "was", "were") and one.lower().startswith("the "):
        return None
    return f"{uppered(two)} {verb} {lowered(one)}{end}"


def passive_kept(text: str, near: str, random: Random) -> str | None:
    """A passive of which doer and done to have changed places."""
    match = re.match(
        r"(?s)(.{3,}?) ((?:is|are|was|were|be|been) \w+(?:ed|en)) by "
        r"(.{3,}?)([.:,].*)?$",
        text,
    )
    if match is None:
        return None
    one, verb, two, end = match.groups()
    return f"{uppered(two)} {verb} by {lowered(one)}{end or '.'}"


def possessed(text: str, near: str, random: Random) -> str | None:
    """ "The A of B" as "the B of A", and so with other prepositions."""
    match = _one(
        r"\b([A-Za-z-]{4,}) (of|in|with|for|on|from|to|at|by|into|over) "
        r"((?:the |a |an )?)([A-Za-z-]{4,})\b",
        text,
        random,
    )
    if match is None:
        return None
    one, tie, article, two = match.groups()
    if _alike(one, two) or not GRAMMAR.isdisjoint((one.lower(), two.lower())):
        return None
    return _put(text, match, f"{cased(one, two)} {tie} {article}{lowered(one)}")


def phrases(text: str, near: str, random: Random) -> str | None:
    """What two prepositions tie changes places."""
    ties = (
        r"\b(?:of|in|with|for|on|from|to|at|by|into|before|after|during|without|than)"
    )
    found = list(re.finditer(rf"({ties}) ((?:the |a |an )?[A-Za-z-]{{4,}})\b", text))
    if len(found) < 2:
        return None
    one, two = sorted(random.sample(found, 2), key=lambda m: m.start())
    listed = re.search(r"\b(?:and|or|,)", text[one.end() : two.start()])
    kept = {one.group(2).lower(), two.group(2).lower()} == {"keep", "kept"}
    same = (
        kept
        or _alike(one.group(2), two.group(2))
        or (listed is not None and one.group(1) == two.group(1))
    )
    same = same or not GRAMMAR.isdisjoint((one.group(2), two.group(2)))
    return None if same or one.end() > two.start() else _exchanged(text, one, two, 2)


def modifiers(text: str, near: str, random: Random) -> str | None:
    """The word before one noun changes places with the word before another."""
    found = list(
        re.finditer(
            r"\b(\w{4,}(?:al|ic|ed|ive|ous|ary|ful|low|old|new|red|ld|rt|ng|ry|gh|nt)) "
            r"([a-z]{4,})\b",
            text,
        )
    )
    if len(found) < 2:
        return None
    one, two = sorted(random.sample(found, 2), key=lambda m: m.start())
    if one.group(1)[:5].lower() == two.group(1)[:5].lower() or one.end() > two.start():
        return None
    return _exchanged(text, one, two, 1)


def subject_of_neighbour(text: str, near: str, random: Random) -> str | None:
    """The neighbouring sentence's subject with what is said of this one's."""
    one = re.match(rf"(.{{3,60}}?) ({VERB} .*)$", text)
    two = re.match(rf"(.{{3,60}}?) {VERB} ", near)
    if one is None or two is None or re.match("(?:As|For) ", f"{near}"):
        return None
    own = one.group(1).lower()
    bare = own.removeprefix("the ")
    same = {own, f"{own} also", bare, f"the {bare}"}
    whose = r"^your |s$"
    if re.sub(whose, "", own) == re.sub(whose, "", two.group(1).lower()):
        return None
    if two.group(1).lower() in same or text.lower().startswith(two.group(1).lower()):
        return None
    pronouns = {"it", "they", "this", "these", "that", "there", "those"}
    subjects = one.group(1).lower(), two.group(1).lower()
    if any(not pronouns.isdisjoint(subject.split()) for subject in subjects):
        return None
    return f"{two.group(1)} {one.group(2)}"


def predicate_of_clause(text: str, near: str, random: Random) -> str | None:
    """The first clause's subject with the last clause's predicate."""
    match = re.match(
        rf"([^,;]{{3,60}}?) ({VERB}) [^;]*?(?:,|;) (?:and|but|so|because|which|while) "
        rf"([^,;]{{3,60}}?) ({VERB} [^,;]*)$",
        text,
    )
    if match is None:
        return None
    pronouns = {"it", "they", "this", "these", "that", "which", "who", "also", "then"}
    second = match.group(3).lower()
    if not pronouns.isdisjoint(second.split()) or second == match.group(1).lower():
        return None
    return f"{match.group(1)} {match.group(4)}"


def pronoun(text: str, near: str, random: Random) -> str | None:
    """A name for an "it" that means something else."""
    match = re.match(r"(?:It|They) (.*)$", text)
    nouns = re.findall(r"\b(?:of|with|in|by|for) ((?:the )?[a-z-]{5,})\b", near)
    nouns = [noun for noun in nouns if noun not in GRAMMAR]
    return (
        f"{uppered(random.choice(nouns))} {match.group(1)}" if match and nouns else None
    )


# --- sentences --------------------------------------------------------------------


def crossed(text: str, near: str, random: Random) -> str | None:
    """The beginning of one sentence up to its verb's phrase, the end of the other."""
    one = re.match(
        r"(?s)(.{8,}?) (of|in|with|for|on|from|to|before|after|by) (.+)$", text
    )
    two = re.match(
        r"(?s)(.{8,}?) (of|in|with|for|on|from|to|before|after|by) (.+)$", near
    )
    if one is None or two is None or one.group(3) == two.group(3):
        return None
    if re.match(r"(?:It|They|This|These)\b", near):
        return None  # it may be true
    return f"{one.group(1)} {one.group(2)} {two.group(3)}"


def joined(text: str, near: str, random: Random) -> str | None:
    """Two sentences as condition and consequence, or as what one does to the other."""
    if re.search('["\u201c]', text):
        return None
    if re.match(
        r"(?i)(?:it|they|this|these|that|so|for|however|then|therefore)\b", near
    ):
        return None
    word = random.choice(["because", "if", "when", "unless", "so", "although", "until"])
    return f"{text.rstrip('.')}, {word} {lowered(near)}"


def told_as(text: str, near: str, random: Random) -> str | None:
    """What stands beside something named as one of it."""
    match = re.match(rf"(.{{3,40}}?) {VERB} (.{{4,60}}?)[.,;]", text)
    other = re.match(rf"(.{{3,40}}?) {VERB} ", near)
    if match is None or other is None:
        return None
    form = random.choice(
        ["{b} is one of {a}.", "{a} include {b}.", "An example of {a} is {b}."]
    )
    return uppered(form.format(a=lowered(match.group(2)), b=lowered(other.group(1))))


ALTERATIONS: dict[str, Alteration] = {
    alteration.__name__: alteration
    for alteration in (
        opposite,
        cohyponym,
        hypernym,
        scale,
        added,
        modality,
        arguments,
        passive_kept,
        possessed,
        phrases,
        modifiers,
        subject_of_neighbour,
        predicate_of_clause,
        pronoun,
        condition_dropped,
        condition_of_neighbour,
        condition_moved,
        condition_turned,
        link,
        scope_moved,
        scope_dropped,
        negation_moved,
        subject_widened,
        adjective_dropped,
        crossed,
        joined,
        told_as,
    )
}
