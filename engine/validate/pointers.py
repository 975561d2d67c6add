"""What the prose of a model points to: sentences of the passages that it cites.

A model is asked for numbers of sentences. Where a weaker one writes prose, none of it
is shown: each of its sentences is only a pointer to at most three sentences of the
cited passages that hold its words (R-V2). It is no judgement: a wrong pointer shows a
true sentence of a source, and whether that answers is asked of it like of any other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.documents.closure import selectable
from engine.lexicon import STOPWORDS, stem, words
from engine.records import Chunk, Selected

MOST_POINTED = 3  # sentences for one sentence of prose (R-V2)
# Of the weight of a sentence's words, what the first sentence that it points to holds
# at least, and what each further one adds. Chosen on drafts in three wordings, near the
# text, lightly and freely changed: of 172 freely worded sentences 0.3 and 0.2 leave 19
# pointing nowhere and these four, and .95 of what they point to is meant either way.
# With 0.1 none is left, and what is no draft of these passages points, too.
FIRST, FURTHER = 0.17, 0.15
SAME = 0.5  # of that weight: what another cited document holds of it at least
HELD = 0.6  # of a sentence's own words: it is meant, whatever else is said beside it
FIGURE = 2.0  # what a word with a digit weighs beside others
LONGER = 0.03  # less for each word that nobody asked for, so that the shorter wins
LISTED = 4.0  # times that for each word of a list that its lead-in would bring along


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence that may be shown, with the stems that it and its context hold.

    `adds` are those that what it leans on does not hold: where prose has none of them,
    the lead-in is meant and not one item of its list. `length` is what a reader has to
    read of it, the list that it announces included.
    """

    selected: Selected
    own: frozenset[str]
    adds: frozenset[str]
    held: frozenset[str]
    length: float


class Pointers:
    """Points into the evidence of one question; each passage is read once.

    Args:
        chunks: the evidence, numbered from 1.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._places: dict[int, tuple[_Place, ...]] = {}

    def of(self, text: str, numbers: Sequence[int]) -> tuple[Selected, ...]:
        """The sentences that a sentence of prose points to, in their order.

        Empty where no sentence of the passages `numbers` holds enough of its words.
        """
        left = _weighed(text)
        total = sum(left.values())
        read = [place for n in dict.fromkeys(numbers) for place in self._read(n)]
        places = [place for place in read if not place.adds.isdisjoint(left)]
        chosen: list[_Place] = []
        while total and places and len(chosen) < MOST_POINTED:
            best = max(places, key=lambda place: _gain(place, left))
            gain = sum(left.get(stem, 0.0) for stem in best.held)
            meant = chosen or gain >= FIRST * total or _is_held(best, left)
            if not meant or gain < (FURTHER if chosen else 0.0) * total or not gain:
                break
            chosen.append(best)
            places.remove(best)
            left = {word: w for word, w in left.items() if word not in best.held}
        chosen += self._elsewhere(_weighed(text), numbers, chosen)
        return tuple(sorted((place.selected for place in chosen), key=_order))

    def _elsewhere(
        self,
        text: Mapping[str, float],
        numbers: Sequence[int],
        chosen: Sequence[_Place],
    ) -> list[_Place]:
        """What the other documents that are cited say of the same, each once."""
        found: list[_Place] = []
        documents = {self._document(place.selected.chunk) for place in chosen}
        for number in numbers if chosen else ():
            if self._document(number) in documents or not self._read(number):
                continue
            best = max(self._read(number), key=lambda place: _gain(place, text))
            gain = sum(text.get(stem, 0.0) for stem in best.held)
            if gain >= SAME * sum(text.values()):
                documents.add(self._document(number))
                found.append(best)
        return found[: MOST_POINTED - len(chosen)]

    def _document(self, number: int) -> str:
        return self._chunks[number - 1].document

    def _read(self, number: int) -> tuple[_Place, ...]:
        if number not in self._places:
            self._places[number] = tuple(_places(self._chunks[number - 1], number))
        return self._places[number]


def _places(chunk: Chunk, number: int) -> Iterator[_Place]:
    above = _stems(" ".join((chunk.title, *chunk.section)))
    for at, sentence in enumerate(chunk.sentences):
        if selectable(sentence):
            own = _stems(text_at(chunk, sentence.start, sentence.end))
            told = sentence.announces
            listed = (
                _stems(text_at(chunk, told.start, told.end)) if told else frozenset()
            )
            leans = (_stems(text_at(chunk, s.start, s.end)) for s in sentence.leans_on)
            around = frozenset().union(*leans)
            length = len(own) + LISTED * len(listed - own)
            selected = Selected(chunk=number, sentence=at)
            held = own | around | listed | above
            yield _Place(selected, own, own - around, held, length)


def text_at(chunk: Chunk, start: int, end: int) -> str:
    """What stands at [start, end) of a chunk's document: in it, or in its context.

    Raises:
        KeyError: the chunk does not hold it.
    """
    if chunk.start <= start and end <= chunk.end:
        return chunk.text[start - chunk.start : end - chunk.start]
    for excerpt in chunk.context:
        if (excerpt.start, excerpt.end) == (start, end):
            return excerpt.text
    raise KeyError(f"{start} to {end} is not of chunk {chunk.id}")


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


def _weighed(text: str) -> dict[str, float]:
    return {s: FIGURE if any(c.isdigit() for c in s) else 1.0 for s in _stems(text)}


def _gain(place: _Place, left: Mapping[str, float]) -> float:
    new = sum(left.get(stem, 0.0) for stem in place.held)
    own = sum(left.get(stem, 0.0) for stem in place.own)
    return new + 0.5 * own - LONGER * place.length


def _is_held(place: _Place, left: dict[str, float]) -> bool:
    own = place.own
    return bool(own) and sum(stem in left for stem in own) >= HELD * len(own)


def _order(selected: Selected) -> tuple[int, int]:
    return selected.chunk, selected.sentence
