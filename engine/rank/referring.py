"""A section named with what it is about: "s. 34 security".

Its number says which one is meant, and the words beside it only where to begin. Whether
it speaks of them is all that is left to find out: a passage that does not say "34" is
no worse for it.
"""

from collections.abc import Iterable, Sequence, Set

from engine.model.passage import TOPIC, Chunk, Pick
from engine.rank.view import Word, spaced
from engine.text.english import words as listed
from engine.text.quotable import text_of
from engine.text.words import stems

HALF = 0.5  # share of the words beside a name, by weight, beyond which its thing speaks
HEADED = 1 / 3  # the share that does where it stands in its heading
NEARLY_ALL = 0.8  # share where a question is asked that another thing may answer
BESIDE = 0.25  # the most that another thing is worth: it may be offered, no more
FIRST = 10  # what a word of the topic counts for against all else that is measured
ROOT = 5  # letters from which two words may be forms of one: "member", "membership"

_OF_OTHERS = ("person", "pronoun", "modal", "reason")
_MANNERS = frozenset({"how", "when", "where", "who", "whom", "whose"})
_VERBS = ("be", "do", "have")


def refers(said: Sequence[str], asking: Set[str]) -> bool:
    """Return whether words beside a name only say what the thing is about.

    "What does s. 36 say about theft" does; "can I appeal under s. 36" asks for more,
    which may stand elsewhere.

    Args:
        said: the words without those of the name, in lower case.
        asking: words that ask for the text of a thing ("say").
    """
    used = set(said)
    if used & (listed(*_OF_OTHERS) | _MANNERS):
        return False
    opens = bool(said) and said[0] in listed(*_VERBS)
    return not opens or bool(used & asking)


def speaking(
    chunks: Iterable[Chunk], asked: Sequence[Word], names: Set[str], *, referred: bool
) -> frozenset[str]:
    """Return the documents that speak of what is asked about, those that speak most of
    it.

    Args:
        chunks: of the documents that are named.
        asked: the content words of the question.
        names: the words that name the documents; they say nothing of the topic.
        referred: no question is asked that another thing may answer.
    """
    topic = _topic(asked, names)
    headings: dict[str, list[str]] = {}
    texts: dict[str, list[str]] = {}
    for chunk in chunks:
        headings.setdefault(chunk.document, []).extend(stems(" ".join(chunk.section)))
        texts.setdefault(chunk.document, []).extend(stems(chunk.text))
    shares = {}
    for document, text in texts.items():
        headed = _share(headings[document], topic)
        share = _share([*headings[document], *text], topic)
        enough = share > HALF or headed >= HEADED if referred else share >= NEARLY_ALL
        if enough:
            shares[document] = share
    return frozenset(d for d, share in shares.items() if share == max(shares.values()))


def _share(said: Sequence[str], topic: Sequence[Word]) -> float:
    """Return how much of a topic stands in a text, by weight."""
    total = sum(word.weight for word in topic)
    return sum(w.weight for w in topic if _says(said, w)) / total if total else 0.0


def _topic(asked: Sequence[Word], names: Set[str]) -> list[Word]:
    """Return the content words beside the names; a figure is more often a part of
    these.
    """
    return [
        word
        for word in asked
        if not (word.subject or word.text.isdigit() or word.text.casefold() in names)
    ]


def _says(said: Sequence[str], word: Word) -> bool:
    """Return whether a text holds a word, another form of it, or what it may be
    called.
    """
    text = spaced(list(said))
    if any(form in text for form in word.forms):
        return True
    own = word.forms[0].split()
    return len(own) == 1 and any(_alike(own[0], other) for other in {*said})


def _alike(one: str, other: str) -> bool:
    """Return whether one stem begins another; a long one without its last letter."""
    length = min(len(one), len(other))
    if length < ROOT:
        return False
    length -= length > ROOT + 1
    return one[:length] == other[:length]


def about_topic(
    chunk: Chunk, asked: Sequence[Word], names: Set[str], *, whole: bool
) -> Chunk:
    """Return the passage as an answer; as the `whole` text of a thing from the best
    place on.

    That is the sentence that holds most of the topic.
    """
    topic = _topic(asked, names)

    def picked(pick: Pick) -> Pick:
        said = stems(text_of(chunk, chunk.sentences[pick.sentence]))
        holds = sum(word.weight for word in topic if _says(said, word))
        score = pick.score + FIRST * holds
        return pick.model_copy(update={"relevance": 1.0, "score": score})

    picks = tuple(sorted(map(picked, chunk.picks), key=lambda p: -p.score))
    parts = {**chunk.parts, TOPIC: 1.0 if whole else NEARLY_ALL}
    update = {"relevance": 1.0, "parts": parts, "picks": picks}
    return chunk.model_copy(update=update)
