"""A question that depends on the one before it, rewritten to be complete.

Rules only. Where no rule finds the place of the new words, both questions are joined;
the reader model sees either.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import re2

from engine.parse.topic import find_action, find_topic
from engine.text.english import find, read_groups, whole, words
from engine.text.patterns import fold
from engine.text.words import words as content

LONGEST = 500  # characters kept of the question before
_AUXILIARY = ("be", "do", "modal", "have")
MOST_ALONE = 2  # content words of a question that is incomplete by itself
MOST_OF_BRIEF = 8  # words of one
LONGEST_TAIL = 4  # words of a detail that another one replaces
MOST_WORDS = 3  # content words of a subject; a longer fragment is more than one
MOST_EXCHANGES = 4  # tried replacements of an old subject by a new one
# A name with a number before another word: "tf2 broadcaster", "ROS 2 topic".
_NUMBERED = re.compile(r"\b((?:[A-Z][A-Za-z]* |[A-Za-z]+)\d+) (?=[a-z])")
CAPITALS = 2  # letters from which a word is written like a name


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up as it is meant.

    `added` is the subject that a fragment ("and for children?") adds to the question
    before it; of a whole question only its population, if it names one. `text` is
    searched for, and never shown.
    """

    text: str
    added: str = ""

    @property
    def things(self) -> tuple[str, ...]:
        """The content words that were added; none if more than a subject."""
        empty = words("stop", "shaping", "relative")
        found = (word.strip(".,;:!?()\"'") for word in self.added.split())
        things = tuple(w for w in found if content(w) and w.lower() not in empty)
        return things if len(things) <= MOST_WORDS else ()


def resolve(text: str, previous: str | None, *, dated: bool = False) -> Resolved | None:
    """Resolve a follow-up; None where the question is complete alone.

    Args:
        text: the question.
        previous: the question before it.
        dated: a date was removed from the question; an empty rest then repeats the
            question before, on that date.
    """
    before = fold(previous or "")[:LONGEST].rstrip("?!. ")
    asked = fold(text).rstrip("?!. ")
    if before and dated and whole("nothing", asked):
        return Resolved(f"{before}?")
    if not before or not asked:
        return None
    if whole("of_today", asked):
        return Resolved(f"{before}?")
    match = find("about", asked) or find("and_also", asked)
    if match is not None:
        return _resolve_joined(read_groups(match, "rest")[0], before, asked)
    if whole("loose", asked) and not find("asks_anywhere", asked):
        return Resolved(_attach(asked, before), asked)
    if whole("bare", asked):
        return Resolved(_join_questions(before, asked))
    pointed = _resolve_pointer(asked, before)
    return None if pointed is None else Resolved(pointed, find_group(asked))


def answers(asked: str, facts: Sequence[str]) -> bool:
    """Return whether a text may be only the answer to a request for missing facts.

    A number, yes or no, or words of the request: "outside" of "whether it was made in
    or outside Canada". A text with a question is none.
    """
    plain = fold(asked).strip(" ?!.,")
    if not plain or find("asks_first", plain):
        return False
    said = [word.strip(",.;").lower() for word in plain.split()]
    offered = {
        word for fact in facts for word in fact.lower().replace(",", " ").split()
    }
    own = [w for w in said if w not in words("stop", "shaping", "person", "be")]
    agreed = bool(whole("yes_or_no", plain.lower()))
    return agreed or all(w.isdigit() or w.strip("()") in offered for w in own or said)


def _resolve_joined(rest: str, before: str, asked: str) -> Resolved:
    """Resolve the words behind "and" or "what about": a question, a detail, or a
    subject.
    """
    if whole("bare", rest):
        return Resolved(_join_questions(before, asked))
    case = find("case", rest)
    if case is not None and read_groups(case, "second")[0].lower() not in words(
        *_AUXILIARY
    ):
        return Resolved(_join_questions(before, asked), rest)
    if find("asks_first", rest):
        text = _resolve_pointer(rest, before) or _capitalise(f"{rest}?")
        return Resolved(text, find_group(rest))
    if find("preposition_first", rest):
        return Resolved(_attach(rest, before), rest)
    if find("one_thing", rest) and whole("a_thing", before):
        thing = _qualified(rest, before)
        return Resolved(f"What {choose_verb(thing)} {thing}?")
    tail = find("tail", before)
    # An aspect of the same subject, or a case of it.
    own = find("own_side", rest) is not None
    if own or tail is None or find("preposition_word", read_groups(tail, "tail")[0]):
        return Resolved(_join_questions(before, asked), rest)
    head, preposition = read_groups(tail, "head", "preposition")
    return Resolved(f"{head} {preposition} {rest}?", rest)


def _qualified(thing: str, before: str) -> str:
    """Return a thing with the name that stood before the last one: after "a tf2
    broadcaster" "a listener" is "a tf2 listener".
    """
    names = _NUMBERED.findall(before)
    article, _, noun = thing.partition(" ")
    if len(names) != 1 or names[0] in thing or article.lower() not in words("article"):
        return thing
    first = "an" if names[0][0].lower() in "aeiou" else "a"
    return f"{first if article in ('a', 'an') else article} {names[0]} {noun}"


def find_group(asked: str) -> str:
    """Return the population at the end of a whole question, or ""."""
    match = find("of_group", asked)
    return "" if match is None else read_groups(match, "group")[0]


def _attach(detail: str, before: str) -> str:
    """Add a detail to the question before; it replaces one of the same kind."""
    detail = detail[:1].lower() + detail[1:]
    group = find("of_group", before)
    if group is not None and whole("a_group", detail):
        return f"{read_groups(group, 'head')[0]} {detail}?"
    head, same, tail = before.rpartition(f" {detail.split()[0]} ")
    if same and len(tail.split()) <= LONGEST_TAIL:
        return f"{head} {detail}?"
    return f"{before} {detail}?"


def _resolve_pointer(asked: str, before: str) -> str | None:
    """Resolve a pronoun, or a missing noun, that its own question does not explain."""
    for at, each in enumerate(_split_questions(before)):
        if at and not whole("anywhere", asked):
            break  # "that" refers to the last question
        clear = _explain(asked, each)
        if clear is not None:
            return _capitalise(f"{clear}?")
    return _join_questions(before, asked) if is_incomplete(asked) else None


def _split_questions(before: str) -> Sequence[str]:
    """Split a text into its questions, the last one first."""
    return [each for each in reversed(before.split("? ")) if each]


def put_in(asked: str, before: str) -> str | None:
    """Replace the pronoun of a question by its meaning.

    "Can I swim with it?" after "How often is a port flushed?" asks "Can I swim with a
    port?". None where no question before makes the meaning clear.
    """
    plain, earlier = fold(asked).rstrip("?!. "), fold(before)[:LONGEST].rstrip("?!. ")
    match = whole("anywhere", plain)
    for each in _split_questions(earlier):
        clear = _explain(plain, each)
        if clear is None and match is not None and not find("expletive", plain):
            clear = _insert(match, find_topic(each))
        if clear is not None:
            return _capitalise(f"{clear}?")
    return None


def together(asked: str, before: str) -> Resolved | None:
    """Join a question to the one before, where it may depend on that; else None.

    For questions that no rule resolves, but that are joined by a word, refer to
    somebody or something, or are incomplete. The content words it has must be in the
    answer.
    """
    plain, earlier = fold(asked).strip(" ?!."), fold(before)[:LONGEST].strip(" ?!.")
    joined = find("about", plain) or find("and_also", plain)
    rest = read_groups(joined, "rest")[0] if joined else plain
    said = rest.lower().split()
    empty = words("stop", "shaping", "pronoun", "determiner")
    own = [word for word in content(rest) if word not in empty]
    pointing = words("pronoun", "relative") | {"one", "ones", "same", "its", "their"}
    brief = len(own) <= MOST_ALONE and len(said) <= MOST_OF_BRIEF
    if not own or not earlier or not (joined or brief or pointing & {*said}):
        return None
    link = "? " if find("asks_first", earlier) else ": "
    return Resolved(f"{earlier}{link}{_capitalise(rest)}?", " ".join(own))


def exchanges(asked: str, before: str) -> tuple[Resolved, ...]:
    """Replace each subject of the question before by the new one.

    "And NCCN?" after "what does ESMO say about ctDNA?" may mean another publisher or
    another subject; the documents decide. Subjects that are written alike come first,
    then the last one. Empty for a detail, an aspect or a whole question.
    """
    rest, said = _find_subject(asked), fold(before)[:LONGEST].strip(" ?!.").split()
    if not (rest and said):
        return ()
    places = sorted(
        _find_subjects(said, rest.split()),
        key=lambda at: (
            at.rank,
            _is_name(" ".join(said[at.start : at.end])) != _is_name(rest),
        ),
    )
    new = (" ".join((*said[: at.start], rest, *said[at.end :])) for at in places)
    before_several = re.compile(rf"\ban? ((?:[^ ]+ ){{0,2}}{re.escape(rest)})$")
    if rest.endswith("s"):  # of "a ROS 2 service" becomes "ROS 2 actions"
        new = (before_several.sub(r"\1", text) for text in new)
    if choose_verb(rest) == "are":
        one = re.compile(rf"^(?P<what>[Ww]hat) is (?={re.escape(rest)}$)")
        new = (one.sub(r"\g<what> are ", text) for text in new)
    kept = dict.fromkeys(text for text in new if text != rest)
    return tuple(Resolved(f"{text}?", rest) for text in list(kept)[:MOST_EXCHANGES])


def _find_subject(asked: str) -> str:
    """Return the subject of a fragment ("and a work permit?"), empty for any other
    text.
    """
    plain = fold(asked).strip(" ?!.")
    joined = find("about", plain) or find("and_also", plain)
    rest = read_groups(joined, "rest")[0] if joined else plain
    forms = ("asks_anywhere", "preposition_first", "own_side", "pointing")
    brief = len(rest.split()) <= LONGEST_TAIL and Resolved("", rest).things
    return "" if not brief or any(find(form, rest) for form in forms) else rest


class _Place(NamedTuple):
    """Words [start, end) of a question that may be replaced; the lowest rank first."""

    rank: int
    start: int
    end: int


def _find_subjects(said: Sequence[str], new: Sequence[str]) -> Iterator[_Place]:
    """Yield the places of subjects in a question, the last one first.

    Runs of content words, then parts of them: of the size of the new subject, and
    single words. A subject with an article replaces one with an article, and no words
    behind it: behind "a study permit" comes "cost".
    """
    articles = words("article")
    article = new[0].lower() in articles
    size = len(new) - article
    for start, end in reversed(list(_find_runs(said))):
        if not article:
            yield _Place(0, start, end)
            for rank, length in enumerate(sorted({size, 1}, reverse=True), start=1):
                if end - start > length:
                    yield _Place(rank, end - length, end)
                    yield _Place(rank, start, start + length)
        elif start and said[start - 1].lower() in articles:
            for length in range(1, end - start + 1):
                yield _Place(abs(length - size), start - 1, start + length)


def _find_runs(said: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the runs of content words."""
    empty = words("stop", "shaping", "preposition", "far_preposition", "bare_verb")
    own = [bool(content(w)) and w.lower().strip(",;:") not in empty for w in said]
    start = 0
    for is_own, run in groupby(own):
        end = start + len(list(run))
        if is_own:
            yield start, end
        start = end


def _is_name(text: str) -> bool:
    """Return whether a text is written like a name ("NCCN", "ctDNA")."""
    return sum(map(str.isupper, text)) >= CAPITALS


def is_incomplete(asked: str) -> bool:
    """Return whether a whole question refers to something that it does not name."""
    unsaid = whole("does_it", asked) or whole("unsaid", asked)
    if unsaid or _lacks_counted(asked):
        return True
    pointing = whole("pronoun", asked) or whole("asked_of_it", asked)
    return bool(pointing or _match_possessive(asked)) and not find("expletive", asked)


def _lacks_counted(asked: str) -> bool:
    """Return whether it asks how many or how much without naming of what.

    "How much does a wig cost?" has a subject, "how much should I take?" has none.
    """
    match = whole("uncounted", asked)
    if match is None:
        return False
    tail, of = read_groups(match, "tail", "of")
    said = [word for word in content(tail) if word not in words("stop", "shaping")]
    leaning = of.lower() in words("person", "pronoun", "group", "participle")
    alone = leaning or of.endswith("ed") or tail.endswith(f" {of}")
    return alone and len(said) <= MOST_WORDS


def _find_counted(uncounted: re2._Match, before: str) -> str | None:
    """Return the noun that a question leaves out, where it repeats a count of the one
    before.
    """
    counted = find("counts", before)
    if counted is None or read_groups(counted, "how") != read_groups(uncounted, "how"):
        return None
    said = set(read_groups(uncounted, "tail")[0].lower().split())
    same = said & set(before[counted.end() :].lower().split())
    empty = words("be", "do", "modal", "person", "determiner", "preposition")
    return read_groups(counted, "noun")[0] if same - empty else None


def _match_possessive(asked: str) -> re2._Match | None:
    """Match "its" or "their" where the question names no owner."""
    match = whole("possessive", asked)
    if match is None:
        return None
    head, pointer = read_groups(match, "head", "pointer")
    people = words("group") | {"who"}
    own = pointer.lower() == "their" and people & set(head.lower().split())
    return None if own else match


def _explain(asked: str, before: str) -> str | None:
    """Return a question with its reference to the one before resolved.

    None where it has no reference, or no rule resolves it.
    """
    doing = whole("does_it", asked)
    if doing is not None:
        return _insert(doing, find_action(before))
    uncounted = whole("uncounted", asked)
    counted = None if uncounted is None else _find_counted(uncounted, before)
    if counted is not None:
        return _insert(uncounted, counted, " ")
    thing = find_topic(before)
    if not is_incomplete(asked) or thing is None:
        return None
    match = whole("pronoun", asked) or whole("asked_of_it", asked)
    if match is not None:
        return _insert(match, thing)
    return _insert(_match_possessive(asked), thing, "'s ")


def _insert(match: re2._Match | None, thing: str | None, link: str = "") -> str | None:
    """Put a subject in the place of a pronoun."""
    if match is None or thing is None:
        return None
    head, tail = read_groups(match, "head", "tail")
    space = "" if head.endswith(" ") or not head else " "
    return f"{head}{space}{thing}{link}{tail}"


def _join_questions(before: str, asked: str) -> str:
    """Join the first question of the conversation, the one before, and this one."""
    said = _split_questions(before)
    told = dict.fromkeys((said[-1], said[0]))
    return f"{'? '.join(told)}? {_capitalise(asked)}?"


def choose_verb(thing: str) -> str:
    """Return "are" for a plural ("actions"), else "is"."""
    several = thing.endswith("s") and not thing.endswith(("ss", "us", "is"))
    return "are" if several and thing.islower() else "is"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
