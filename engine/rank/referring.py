"""A section named with its subject: "s. 34 security".

Its number identifies it, and the words beside it only say where to begin. It remains to
find whether it is about them: a passage without "34" is no worse for it.
"""

from collections.abc import Iterable, Sequence, Set

from engine.model.passage import TOPIC, Chunk, Pick
from engine.rank.view import Word, join_stems
from engine.text.english import words as listed
from engine.text.quotable import text_of
from engine.text.words import stems

HALF = 0.5  # weight of the words beside a name, beyond which its section is about them
HEADED = 1 / 3  # the share that suffices in its heading
NEARLY_ALL = 0.8  # the share where another section may answer the question
BESIDE = 0.25  # the most that another section is worth: it may be offered, no more
FIRST = 10  # the weight of a word of the topic against all features
ROOT = 5  # letters from which two words may be forms of one: "member", "membership"

_OF_OTHERS = ("person", "pronoun", "modal", "reason")
_MANNERS = frozenset({"how", "when", "where", "who", "whom", "whose"})
_VERBS = ("be", "do", "have")


def is_reference(said: Sequence[str], asking: Set[str]) -> bool:
    """Return whether words beside a name only describe its subject.

    "What does s. 36 say about theft" has only these; "can I appeal under s. 36" asks
    for more, which may be elsewhere.

    Args:
        said: the words without those of the name, in lower case.
        asking: words that ask for the text of an entity ("say").
    """
    used = set(said)
    if used & (listed(*_OF_OTHERS) | _MANNERS):
        return False
    opens = bool(said) and said[0] in listed(*_VERBS)
    return not opens or bool(used & asking)


def find_speaking(
    chunks: Iterable[Chunk], asked: Sequence[Word], names: Set[str], *, referred: bool
) -> frozenset[str]:
    """Return the named documents that cover the topic, those that cover most of it.

    Args:
        chunks: of the documents that are named.
        asked: the content words of the question.
        names: the words that name the documents; they say nothing of the topic.
        referred: no question is asked that another section may answer.
    """
    topic = _select_topic(asked, names)
    headings: dict[str, list[str]] = {}
    texts: dict[str, list[str]] = {}
    for chunk in chunks:
        headings.setdefault(chunk.document, []).extend(stems(" ".join(chunk.section)))
        texts.setdefault(chunk.document, []).extend(stems(chunk.text))
    shares = {}
    for document, text in texts.items():
        headed = _measure_share(headings[document], topic)
        share = _measure_share([*headings[document], *text], topic)
        enough = share > HALF or headed >= HEADED if referred else share >= NEARLY_ALL
        if enough:
            shares[document] = share
    return frozenset(d for d, share in shares.items() if share == max(shares.values()))


def _measure_share(said: Sequence[str], topic: Sequence[Word]) -> float:
    """Return the share of a topic in a text, by weight."""
    total = sum(word.weight for word in topic)
    return sum(w.weight for w in topic if _holds(said, w)) / total if total else 0.0


def _select_topic(asked: Sequence[Word], names: Set[str]) -> list[Word]:
    """Return the content words that are not of a name; figures usually are."""
    return [
        word
        for word in asked
        if not (word.subject or word.text.isdigit() or word.text.casefold() in names)
    ]


def _holds(said: Sequence[str], word: Word) -> bool:
    """Return whether a text holds a word, another form of it, or a meaning."""
    text = join_stems(list(said))
    if any(form in text for form in word.forms):
        return True
    own = word.forms[0].split()
    return len(own) == 1 and any(_are_alike(own[0], other) for other in {*said})


def _are_alike(one: str, other: str) -> bool:
    """Return whether one stem begins another; a long one without its last letter."""
    length = min(len(one), len(other))
    if length < ROOT:
        return False
    length -= length > ROOT + 1
    return one[:length] == other[:length]


def rank_by_topic(
    chunk: Chunk, asked: Sequence[Word], names: Set[str], *, whole: bool
) -> Chunk:
    """Mark a passage as an answer, its sentences ordered by the topic.

    Of a `whole` section all text follows from the best sentence on.
    """
    topic = _select_topic(asked, names)

    def picked(pick: Pick) -> Pick:
        said = stems(text_of(chunk, chunk.sentences[pick.sentence]))
        holds = sum(word.weight for word in topic if _holds(said, word))
        score = pick.score + FIRST * holds
        return pick.model_copy(update={"relevance": 1.0, "score": score})

    picks = tuple(sorted(map(picked, chunk.picks), key=lambda p: -p.score))
    parts = {**chunk.parts, TOPIC: 1.0 if whole else NEARLY_ALL}
    update = {"relevance": 1.0, "parts": parts, "picks": picks}
    return chunk.model_copy(update=update)
