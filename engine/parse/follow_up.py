"""A question that leans on the one before it, put into words that stand alone.

Rules only. Where no rule finds the place that the new words belong to, both questions
stand together; the reader sees either.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import re2

from engine.parse.topic import action, topic
from engine.text.english import find, read_groups, whole, words
from engine.text.patterns import fold
from engine.text.words import words as content

LONGEST = 500  # characters kept of the question before
_AUXILIARY = ("be", "do", "modal", "have")
MOST_ALONE = 2  # content words of a question that says too little by itself
MOST_OF_BRIEF = 8  # words of one
LONGEST_TAIL = 4  # words of a detail that gives way to another
MOST_WORDS = 3  # content words of a thing; what has more says something of its own
MOST_EXCHANGES = 4  # ways to put a new thing in the place of another that are tried
CAPITALS = 2  # letters from which a word is written like a name


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up as it is meant.

    `added` is the thing that a fragment ("and for children?") adds to the question
    before it; of a whole question it is only whom that is about, where it says so.
    `text` is what to search for, and nothing to show.
    """

    text: str
    added: str = ""

    @property
    def things(self) -> tuple[str, ...]:
        """The content words of what was added, none where it is more than a thing."""
        empty = words("stop", "shaping", "relative")
        found = (word.strip(".,;:!?()\"'") for word in self.added.split())
        things = tuple(w for w in found if content(w) and w.lower() not in empty)
        return things if len(things) <= MOST_WORDS else ()


def resolve(text: str, previous: str | None, *, dated: bool = False) -> Resolved | None:
    """Return the question as it is meant, or None where it stands alone.

    Args:
        text: the question.
        previous: the question before it.
        dated: a date was taken out of the question; nothing else then asks the question
            before again, on that date.
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
        return _joined(read_groups(match, "rest")[0], before, asked)
    if whole("loose", asked) and not find("asks_anywhere", asked):
        return Resolved(_attached(asked, before), asked)
    if whole("bare", asked):
        return Resolved(_both(before, asked))
    pointed = _pointed(asked, before)
    return None if pointed is None else Resolved(pointed, group_of(asked))


def answers(asked: str, facts: Sequence[str]) -> bool:
    """Return whether a text may be no more than the answer to what was asked back for.

    A number, yes or no, or words of the question asked back: "outside" of "whether it
    was made in or outside Canada". What has a question of its own is none.
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


def _joined(rest: str, before: str, asked: str) -> Resolved:
    """After "and" or "what about": a whole question, a detail, or another thing."""
    if whole("bare", rest):
        return Resolved(_both(before, asked))
    case = find("case", rest)
    if case is not None and read_groups(case, "second")[0].lower() not in words(
        *_AUXILIARY
    ):
        return Resolved(_both(before, asked), rest)
    if find("asks_first", rest):
        text = _pointed(rest, before) or _sentence(f"{rest}?")
        return Resolved(text, group_of(rest))
    if find("preposition_first", rest):
        return Resolved(_attached(rest, before), rest)
    if find("one_thing", rest) and whole("a_thing", before):
        return Resolved(f"What {_is(rest)} {rest}?")
    tail = find("tail", before)
    # A side of the same thing, or a case of it.
    own = find("own_side", rest) is not None
    if own or tail is None or find("preposition_word", read_groups(tail, "tail")[0]):
        return Resolved(_both(before, asked), rest)
    head, preposition = read_groups(tail, "head", "preposition")
    return Resolved(f"{head} {preposition} {rest}?", rest)


def group_of(asked: str) -> str:
    """Whom a whole question is about, empty where it does not end with it."""
    match = find("of_group", asked)
    return "" if match is None else read_groups(match, "group")[0]


def _attached(detail: str, before: str) -> str:
    """Return the question before with a detail; one of the same kind gives way."""
    detail = detail[:1].lower() + detail[1:]
    group = find("of_group", before)
    if group is not None and whole("a_group", detail):
        return f"{read_groups(group, 'head')[0]} {detail}?"
    head, same, tail = before.rpartition(f" {detail.split()[0]} ")
    if same and len(tail.split()) <= LONGEST_TAIL:
        return f"{head} {detail}?"
    return f"{before} {detail}?"


def _pointed(asked: str, before: str) -> str | None:
    """Return a pronoun, or a noun left out, that nothing in its own question
    explains.
    """
    for at, each in enumerate(_questions(before)):
        if at and not whole("anywhere", asked):
            break  # "that" points at what was said last
        clear = _explained(asked, each)
        if clear is not None:
            return _sentence(f"{clear}?")
    return _both(before, asked) if leans(asked) else None


def _questions(before: str) -> Sequence[str]:
    """Return the questions of a text that are one behind the other, the last one
    first.
    """
    return [each for each in reversed(before.split("? ")) if each]


def put_in(asked: str, before: str) -> str | None:
    """Return a question with what its pronoun stands for in the place of it.

    "Can I swim with it?" after "How often is a port flushed?" asks "Can I swim with a
    port?". None where no question before says clearly what that is.
    """
    plain, earlier = fold(asked).rstrip("?!. "), fold(before)[:LONGEST].rstrip("?!. ")
    match = whole("anywhere", plain)
    for each in _questions(earlier):
        clear = _explained(plain, each)
        if clear is None and match is not None and not find("expletive", plain):
            clear = _put(match, topic(each))
        if clear is not None:
            return _sentence(f"{clear}?")
    return None


def together(asked: str, before: str) -> Resolved | None:
    """Return a question with what went before, where it may lean on that; else None.

    Where no rule finds its place, but it is joined to it by a word, points at somebody
    or something, or says too little by itself. What it does say has to be answered.
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
    return Resolved(f"{earlier}{link}{_sentence(rest)}?", " ".join(own))


def exchanges(asked: str, before: str) -> tuple[Resolved, ...]:
    """Return the question before with what is named now in the place of each thing in
    it.

    "And NCCN?" after "what does ESMO say about ctDNA?" may mean another publisher or
    another subject; which one, the documents tell. What is written alike comes first,
    then the last thing. None for a detail, a side of the same thing or a whole
    question.
    """
    rest, said = _thing(asked), fold(before)[:LONGEST].strip(" ?!.").split()
    if not (rest and said):
        return ()
    places = sorted(
        _places(said, rest.split()),
        key=lambda at: (
            at.rank,
            _capital(" ".join(said[at.start : at.end])) != _capital(rest),
        ),
    )
    new = (" ".join((*said[: at.start], rest, *said[at.end :])) for at in places)
    before_several = re.compile(rf"\ban? ((?:[^ ]+ ){{0,2}}{re.escape(rest)})$")
    if rest.endswith("s"):  # of "a ROS 2 service" becomes "ROS 2 actions"
        new = (before_several.sub(r"\1", text) for text in new)
    if _is(rest) == "are":
        one = re.compile(rf"^(?P<what>[Ww]hat) is (?={re.escape(rest)}$)")
        new = (one.sub(r"\g<what> are ", text) for text in new)
    kept = dict.fromkeys(text for text in new if text != rest)
    return tuple(Resolved(f"{text}?", rest) for text in list(kept)[:MOST_EXCHANGES])


def _thing(asked: str) -> str:
    """Return what a fragment names ("and a work permit?"), empty for all that is
    none.
    """
    plain = fold(asked).strip(" ?!.")
    joined = find("about", plain) or find("and_also", plain)
    rest = read_groups(joined, "rest")[0] if joined else plain
    forms = ("asks_anywhere", "preposition_first", "own_side", "pointing")
    brief = len(rest.split()) <= LONGEST_TAIL and Resolved("", rest).things
    return "" if not brief or any(find(form, rest) for form in forms) else rest


class _Place(NamedTuple):
    """Words [start, end) of a question that may give way; the lowest rank first."""

    rank: int
    start: int
    end: int


def _places(said: Sequence[str], new: Sequence[str]) -> Iterator[_Place]:
    """Yield where things stand in a question, the last one first.

    Runs of words that say something, then parts of them: of the size of the new thing,
    and single words. What has an article takes the place of what has one, and of no
    more words than that: behind "a study permit" stands "cost".
    """
    articles = words("article")
    article = new[0].lower() in articles
    size = len(new) - article
    for start, end in reversed(list(_runs(said))):
        if not article:
            yield _Place(0, start, end)
            for rank, length in enumerate(sorted({size, 1}, reverse=True), start=1):
                if end - start > length:
                    yield _Place(rank, end - length, end)
                    yield _Place(rank, start, start + length)
        elif start and said[start - 1].lower() in articles:
            for length in range(1, end - start + 1):
                yield _Place(abs(length - size), start - 1, start + length)


def _runs(said: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the runs of words that say something of a subject."""
    empty = words("stop", "shaping", "preposition", "far_preposition", "bare_verb")
    own = [bool(content(w)) and w.lower().strip(",;:") not in empty for w in said]
    start = 0
    for is_own, run in groupby(own):
        end = start + len(list(run))
        if is_own:
            yield start, end
        start = end


def _capital(text: str) -> bool:
    """Return whether a text is written like a name ("NCCN", "ctDNA")."""
    return sum(map(str.isupper, text)) >= CAPITALS


def leans(asked: str) -> bool:
    """Return whether a whole question points at something that it does not name."""
    unsaid = whole("does_it", asked) or whole("unsaid", asked)
    if unsaid or _counts_nothing(asked):
        return True
    pointing = whole("pronoun", asked) or whole("asked_of_it", asked)
    return bool(pointing or _possessive(asked)) and not find("expletive", asked)


def _counts_nothing(asked: str) -> bool:
    """Return whether it asks how many or how much without saying of what.

    "How much does a wig cost?" has a subject of its own, "how much should I take?" not.
    """
    match = whole("uncounted", asked)
    if match is None:
        return False
    tail, of = read_groups(match, "tail", "of")
    said = [word for word in content(tail) if word not in words("stop", "shaping")]
    leaning = of.lower() in words("person", "pronoun", "group", "participle")
    alone = leaning or of.endswith("ed") or tail.endswith(f" {of}")
    return alone and len(said) <= MOST_WORDS


def _counted(uncounted: re2._Match, before: str) -> str | None:
    """Return the noun that a question leaves out, where it asks the same of another
    thing.
    """
    counted = find("counts", before)
    if counted is None or read_groups(counted, "how") != read_groups(uncounted, "how"):
        return None
    said = set(read_groups(uncounted, "tail")[0].lower().split())
    same = said & set(before[counted.end() :].lower().split())
    empty = words("be", "do", "modal", "person", "determiner", "preposition")
    return read_groups(counted, "noun")[0] if same - empty else None


def _possessive(asked: str) -> re2._Match | None:
    """Return where "its" or "their" means nothing that the question itself names."""
    match = whole("possessive", asked)
    if match is None:
        return None
    head, pointer = read_groups(match, "head", "pointer")
    people = words("group") | {"who"}
    own = pointer.lower() == "their" and people & set(head.lower().split())
    return None if own else match


def _explained(asked: str, before: str) -> str | None:
    """Return a question that leans on the one before it, with what it points at put in.

    None where it does not lean, or where no rule tells what it points at.
    """
    doing = whole("does_it", asked)
    if doing is not None:
        return _put(doing, action(before))
    uncounted = whole("uncounted", asked)
    counted = None if uncounted is None else _counted(uncounted, before)
    if counted is not None:
        return _put(uncounted, counted, " ")
    thing = topic(before)
    if not leans(asked) or thing is None:
        return None
    match = whole("pronoun", asked) or whole("asked_of_it", asked)
    if match is not None:
        return _put(match, thing)
    return _put(_possessive(asked), thing, "'s ")


def _put(match: re2._Match | None, thing: str | None, link: str = "") -> str | None:
    """Return what stands before and behind a pointer with the thing between them."""
    if match is None or thing is None:
        return None
    head, tail = read_groups(match, "head", "tail")
    space = "" if head.endswith(" ") or not head else " "
    return f"{head}{space}{thing}{link}{tail}"


def _both(before: str, asked: str) -> str:
    """Return what began the conversation, the question before, and this one."""
    said = _questions(before)
    told = dict.fromkeys((said[-1], said[0]))
    return f"{'? '.join(told)}? {_sentence(asked)}?"


def _is(thing: str) -> str:
    """ "are" for several ("actions"), else "is"."""
    several = thing.endswith("s") and not thing.endswith(("ss", "us", "is"))
    return "are" if several and thing.islower() else "is"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
