"""What a message is: an emergency, a call for support, talk, a question (R-M6, R-M8).

Whether it is an emergency is regularised least squares over three things: hashed runs
of characters and words (typing errors, other languages); cues: patterns of how people
speak of what happens now, of what is past, of what they only ask about; and how near
the sentence vector and the cues together come to those of labelled messages. Of which
kind it is, or of which sort where it is none, is the same over the sentence vector.
Weights and cues are data, fitted on labelled messages by `python -m evals urgency fit`;
no language model.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import ConfigDict, Field

from engine.documents.records import Frozen
from engine.errors import EmbedderFailed
from engine.legible import legible
from engine.patterns import Pattern, fold, matches
from engine.policy.pack import Domain, Pack
from engine.ports import Embedder, Floats
from engine.question import intent as intents
from engine.question.talk import QUESTION, Talk
from engine.records import Finding, Question

SHORTEST, LONGEST_RUN = 3, 5  # characters of a run
WHOLE = 1_000  # characters that are heard as one; of a longer message both ends
GROWN = 2 * WHOLE  # characters of a part as it is read: a sign may be many letters
# How fast a labelled message counts for less, by its vector's and its cues' distance.
VECTOR_FALL, CUES_FALL = 1.0, 0.05
_WORD = re.compile(r"[\w']+")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"(\d+)([.,]\d)?")
# Without the error's text, which may hold anything.
_FAILED = Finding(
    validator="urgency",
    code="EMBEDDER_FAILED",
    severity="note",
    message="The embedder failed, so patterns alone decided whether this is urgent.",
)
SIGN = "sign"  # beside each cue, that cue together with a sign of danger
# A figure with at most a unit, or a single letter: nothing that could be urgent.
_BARE = re.compile(r"\W*\d[\d\W]*[^\W\d]{0,3}\W*|\W*[^\W\d]?\W*")
BY_FORM = frozenset({Talk.BARE, Talk.HELLO, Talk.ABOUT})  # that rules alone tell
_TALK = frozenset(Talk)
# By how much more a message has to say where nobody asks about illness: "section 40" is
# no fever. Of 874 messages and questions of the suites of such packs none that is no
# emergency comes so far; "my mate got crushed" does.
ELSEWHERE = 0.3
# By how much a sort has to come before the next. Of 231 messages that have one (in
# urgency_kinds_held.jsonl) 174 get theirs at 0.1 and 22 messages a wrong one; at 0.2 it
# is 155 and 8. A text of comfort or advice that is beside the point is tactless; talk
# that is not heard costs a refusal, and talk that is heard wrongly no more.
SURE, SURE_OF_TALK = 0.2, 0.12


@dataclass(frozen=True, slots=True)
class Hashed:
    """Weight and rarity of each bucket of hashed runs."""

    weights: Floats
    rarity: Floats

    def odds(self, runs: set[str]) -> float:
        """What a text's runs add: rare ones count for more, together unit length."""
        place = buckets(runs, len(self.weights))
        rarity = self.rarity[place]
        length = float(np.linalg.norm(rarity))
        return float(self.weights[place] @ rarity) / length if length else 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """What was fitted: `near` weighs nearness to `vectors` and `features`, by row.

    `kinds` and `sorts` have a column for each name, and a row for each dimension of the
    sentence vector and one more.
    """

    own: Floats
    characters: Hashed
    words: Hashed
    near: Floats
    vectors: Floats
    features: Floats
    kinds: Floats
    sorts: Floats


class Urgency(Frozen):
    """What was fitted for one embedder, with where it comes from.

    `cues` are patterns, by name; those whose name begins with SIGN say of what danger
    is spoken. `kinds` are of emergencies, `sorts` of other messages. `sha256` is of the
    file of the weights.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    embedder: str
    cues: Mapping[str, Pattern]
    bias: float
    threshold: float
    kinds: tuple[str, ...]
    sorts: tuple[str, ...]
    sha256: str
    weights: Weights = Field(exclude=True, repr=False)
    provenance: Mapping[str, object] = Field(default_factory=dict)

    def odds(self, text: str, vector: Floats) -> float:
        """How urgent a message is."""
        folded, fitted = fold(text), self.weights
        own = measure(folded, self.cues)
        near = (
            nearness(vector[None], own[None], fitted.vectors, fitted.features)
            @ fitted.near
        )
        return (
            float(own @ fitted.own)
            + fitted.characters.odds(character_runs(folded))
            + fitted.words.odds(word_runs(folded))
            + float(near[0])
            + self.bias
        )

    def kind(self, vector: Floats) -> str:
        """Of which kind an emergency is most likely."""
        return self.kinds[int((extended(vector) @ self.weights.kinds).argmax())]

    def sort(self, vector: Floats) -> str:
        """Of which sort a message is that is no emergency; QUESTION where unsure.

        Never what is told by its form: "R179" is no figure alone, and "Vavilov" no
        greeting.
        """
        scores = extended(vector) @ self.weights.sorts
        second, first = np.argsort(scores)[-2:]
        found = self.sorts[int(first)]
        least = SURE_OF_TALK if found in _TALK else SURE
        sure = scores[first] - scores[second] >= least
        return found if sure and found not in BY_FORM else QUESTION


@dataclass(frozen=True, slots=True)
class Heard:
    """Whether a message is urgent, its kind or sort, and what failed.

    `kind` is of an emergency where it is urgent, else the sort of message.
    """

    urgent: bool
    kind: str = QUESTION
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Hears emergencies: the classifier where there is one, else patterns alone."""

    embedder: Embedder
    fitted: Urgency | None

    def hear(self, question: Question, pack: Pack) -> Heard:
        """Whether a message is urgent, and of which kind or sort it is.

        A message that the embedder fails on is left to the patterns (on record).
        """
        named = intents.kind_of(question, pack)
        if named is not None:
            return Heard(urgent=True, kind=named.kind)
        if bare(question.text):
            return Heard(urgent=False, kind=Talk.BARE)
        if self.fitted is None:
            return Heard(urgent=False)
        try:
            heard_ = [
                (part, self.embedder.encode_question(part).vector)
                for part in heard(question.text)
            ]
        except EmbedderFailed:
            return Heard(urgent=False, findings=(_FAILED,))
        odds = [self.fitted.odds(part, vector) for part, vector in heard_]
        loudest = heard_[int(np.argmax(odds))][1]
        margin = 0.0 if pack.domain is Domain.MEDICAL else ELSEWHERE
        if max(odds) >= self.fitted.threshold + margin:
            return Heard(urgent=True, kind=self.fitted.kind(loudest))
        return Heard(urgent=False, kind=self.fitted.sort(heard_[0][1]))


def bare(text: str) -> bool:
    """Whether a text is a figure alone, with at most a unit, or a single letter."""
    return _BARE.fullmatch(fold(text)) is not None


def extended(vectors: Floats) -> Floats:
    """Vectors with the one that a bias is multiplied with."""
    one = np.ones((*vectors.shape[:-1], 1), dtype=np.float32)
    return np.concatenate([vectors, one], axis=-1)


def heard(text: str) -> tuple[str, ...]:
    """A message as the classifier hears it: whole, or both ends of a long one."""
    plain = legible(text if len(text) <= WHOLE else text[: WHOLE // 2])[:GROWN]
    if len(text) <= WHOLE:
        return (plain,)
    return (plain, legible(text[-WHOLE // 2 :])[:GROWN])


def measure(folded: str, cues: Mapping[str, str]) -> Floats:
    """The cues of a folded text, alone and together with a sign of danger."""
    found = {name: matches([pattern], folded) for name, pattern in cues.items()}
    sign = any(hit for name, hit in found.items() if name.startswith(SIGN))
    frame = [hit for name, hit in found.items() if not name.startswith(SIGN)]
    both = [hit and sign for hit in frame]
    row = [sign, *found.values(), *both, min(len(folded), 300) / 150]
    return np.array(row, dtype=np.float32)


def nearness(
    vectors: Floats, features: Floats, to_vectors: Floats, to_features: Floats
) -> Floats:
    """How near messages are to others in vector and cues: 1 where both are the same.

    Vectors are of unit length.
    """
    squares = (features**2).sum(axis=1)[:, None] + (to_features**2).sum(axis=1)[None]
    far = VECTOR_FALL * (2 - 2 * vectors @ to_vectors.T)
    far += CUES_FALL * (squares - 2 * features @ to_features.T)
    return np.asarray(np.exp(-far), dtype=np.float32)


def buckets(runs: set[str], size: int) -> list[int]:
    """Where a text's runs stand in a table of so many."""
    return sorted({zlib.crc32(run.encode()) % size for run in runs})


def character_runs(folded: str) -> set[str]:
    """Runs of characters of a folded text, any digit as good as another."""
    padded = f" {_DIGIT.sub('0', folded.lower())} "
    return {
        padded[start : start + length]
        for length in range(SHORTEST, LONGEST_RUN + 1)
        for start in range(len(padded) - length + 1)
    }


def word_runs(folded: str) -> set[str]:
    """Words, two and three in a row, one between two left out; numbers, rounded."""
    return set(_said(_WORD.findall(_DIGIT.sub("0", folded.lower())))) | {
        f"n:{whole}{'.' if part else ''}" for whole, part in _NUMBER.findall(folded)
    }


def _said(words: list[str]) -> Iterator[str]:
    words = ["<s>", *words]
    for at, word in enumerate(words):
        yield word
        if at:
            yield f"{words[at - 1]} {word}"
        if at > 1:
            yield f"{words[at - 2]} {words[at - 1]} {word}"
            yield f"{words[at - 2]} * {word}"
