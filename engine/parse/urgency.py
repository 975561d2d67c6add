"""What a message is: an emergency, a call for support, talk, a question.

Whether it is an emergency is regularised least squares over three things: hashed runs
of characters and words (typing errors, other languages); cues: patterns of how people
speak of what happens now, of what is past, of what they only ask about; and pairs: each
product of two numbers of the sentence vector and the cues. Of which kind it is, or of
which sort where it is none, is the same over the sentence vector and the hashed runs.
Weights and cues are data, fitted on labelled messages by `python -m evals urgency fit`;
no language model.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import ConfigDict, Field

from engine.model.answer import Finding
from engine.model.codes import FEELINGS
from engine.model.errors import EmbedderFailed
from engine.model.frozen import Frozen
from engine.model.ports import Embedder, Floats
from engine.model.question import Intent, Question
from engine.parse import intent as intents
from engine.parse.context import parts as context_parts
from engine.parse.follow_up import put_in
from engine.policy.pack import Domain, Pack
from engine.text.english import find
from engine.text.legible import legible
from engine.text.patterns import Pattern, fold, matches
from engine.text.talk import QUESTION, TALK, Talk

SHORTEST, LONGEST_RUN = 3, 5  # characters of a run
WHOLE = 1_000  # characters that are heard as one; of a longer message both ends
GROWN = 2 * WHOLE  # characters of a part as it is read: a sign may be many letters
CUES_IN_PAIRS = 0.14  # how much a cue counts in pairs, beside the vector of length 1
# Of kinds and sorts: the buckets of hashed runs, and their length beside the vector's.
RUNS, RUNS_LENGTH = 2_048, 0.5
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
# Sorts that tell how somebody feels: comforted beside a question, and not searched.
# Of these no source says anything that holds for one person.
UNFORESEEN = frozenset({"dying", "grief"})
_SENTENCE_END = re.compile(r"(?<=[.!?\n])\s+")
_CLAUSE = re.compile(r"[^,;:.!?\n]+[,;:.!?\n]*\s*")
CLAUSES = 8  # of a message that are heard one by one
# By how much more a message has to say where nobody asks about illness: "section 40" is
# no fever. Of 874 messages and questions of the suites of such packs none that is no
# emergency comes so far; "my mate got crushed" does.
ELSEWHERE = 0.3
# By how much a sort of support has to come before the next: a text of comfort or advice
# that is beside the point is tactless. What all sorts of talk have to say together: by
# ten folds 335 of 392 messages that are talk do, and 1 of 100 that ask something.
SURE, SURE_OF_TALK = 0.15, 0.7
# By how much the first sort of talk has to come before a question: "Who won the match?"
# is a little like several of them, and no goodbye. Of 101 messages held back that were
# heard as talk and are, 2 are no more.
AHEAD_OF_QUESTION = 0.05
# What a kind of emergency has to say, and by how much more than the next. Of 643
# messages held back that ring, 10 get another kind's notice with these and 112 the
# general one; without them 49 and 17.
SURE_OF_KIND, AHEAD_OF_KIND = 0.45, 0.1
GENERAL, SELF_HARM = "other", "self_harm"


@dataclass(frozen=True, slots=True)
class Hashed:
    """Weight and rarity of each bucket of hashed runs."""

    weights: Floats
    rarity: Floats

    def odds(self, runs: set[str]) -> float:
        """Return what a text's runs add: rare ones count for more, together unit
        length.
        """
        place = buckets(runs, len(self.weights))
        rarity = self.rarity[place]
        length = float(np.linalg.norm(rarity))
        return float(self.weights[place] @ rarity) / length if length else 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """What was fitted: `pairs` weighs products of two numbers of vector and cues.

    `kinds` and `sorts` have a column for each name, and a row for each dimension of the
    sentence vector, for each bucket of hashed runs, and one more.
    """

    own: Floats
    characters: Hashed
    words: Hashed
    pairs: Floats
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
        """Return how urgent a message is."""
        folded, fitted = fold(text), self.weights
        own = measure(folded, self.cues)
        joined = paired(vector, own)
        return (
            float(own @ fitted.own)
            + fitted.characters.odds(character_runs(folded))
            + fitted.words.odds(word_runs(folded))
            + float(joined @ fitted.pairs @ joined)
            + self.bias
        )

    def kind(self, text: str, vector: Floats) -> str:
        """Of which kind an emergency is; GENERAL where unsure, but for SELF_HARM.

        The notice of another kind sends people the wrong way, the general one does not.
        """
        scores = headed(vector, fold(text)) @ self.weights.kinds
        second, first = np.argsort(scores)[-2:]
        found = self.kinds[int(first)]
        ahead = scores[first] - scores[second] >= AHEAD_OF_KIND
        sure = scores[first] >= SURE_OF_KIND and ahead
        return found if sure or found == SELF_HARM else GENERAL

    def sort(self, text: str, vector: Floats) -> str:
        """Of which sort a message is that is no emergency; QUESTION where unsure.

        Never a figure alone, which is told by its form: "R179" is none.
        """
        scores = headed(vector, fold(text)) @ self.weights.sorts
        talk = [at for at, sort in enumerate(self.sorts) if sort in TALK]
        said = max(talk, key=lambda at: scores[at])
        ahead = scores[said] - scores[self.sorts.index(QUESTION)] >= AHEAD_OF_QUESTION
        if ahead and float(scores[talk].sum()) >= SURE_OF_TALK:
            found = self.sorts[said]
            return QUESTION if found == Talk.BARE else found
        second, first = np.argsort(scores)[-2:]
        found = self.sorts[int(first)]
        sure = scores[first] - scores[second] >= SURE and found not in TALK
        return found if sure else QUESTION


@dataclass(frozen=True, slots=True)
class Heard:
    """Whether a message is urgent, its kind or sort, and what failed.

    `kind` is of an emergency where it is urgent, else the sort of message. Where a
    question stands beside what somebody feels, `felt` is that sort, and `calm` the
    message without it.
    """

    urgent: bool
    kind: str = QUESTION
    felt: str = ""
    calm: str = ""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Hears emergencies: the classifier where there is one, else patterns alone."""

    embedder: Embedder
    fitted: Urgency | None

    def hear(self, question: Question, pack: Pack) -> Heard:
        """Return whether a message is urgent, and of which kind or sort it is.

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
            parts = heard(question.text)
            if len(parts) > 1:  # a cry at the end, of which a long text makes little
                parts += (_SENTENCE_END.split(parts[-1].strip())[-1],)
            heard_ = [
                (part, self.embedder.encode_question(part).vector) for part in parts
            ]
        except EmbedderFailed:
            return Heard(urgent=False, findings=(_FAILED,))
        odds = [self.fitted.odds(part, vector) for part, vector in heard_]
        loudest = heard_[int(np.argmax(odds))]
        margin = 0.0 if pack.domain is Domain.MEDICAL else ELSEWHERE
        if max(odds) >= self.fitted.threshold + margin:
            return Heard(urgent=True, kind=self.fitted.kind(*loudest))
        kind = self.fitted.sort(*heard_[0])
        if kind in FEELINGS:
            kind = self._meant(question, self.fitted) or kind
        if kind in TALK or len(heard_) > 1:
            return Heard(urgent=False, kind=kind)
        felt, calm = self._felt(heard_[0][0], self.fitted)
        return Heard(
            urgent=False,
            kind=kind if kind in FEELINGS or not felt else QUESTION,
            felt=felt,
            calm=calm,
        )

    def _meant(self, question: Question, fitted: Urgency) -> str:
        """Return the sort of a follow-up once "they" is a thing; empty where it is
        none.

        "How long do they last?" is no fear of dying after a question about mouth sores.
        """
        last = next(iter(context_parts(question.previous)), "")
        clear = put_in(question.text, last) if last else None
        if clear is None:
            return ""
        return fitted.sort(clear, self.embedder.encode_question(clear).vector)

    def _felt(self, text: str, fitted: Urgency) -> tuple[str, str]:
        """Return what somebody feels beside a question, and the message without it."""
        clauses = _CLAUSE.findall(text)
        if not 1 < len(clauses) <= CLAUSES:
            return "", ""
        sorts = [
            fitted.sort(c, self.embedder.encode_question(c).vector) for c in clauses
        ]
        pairs = list(zip(clauses, sorts, strict=True))
        calm = ""
        for clause, sort in pairs:
            if sort not in FEELINGS:
                calm += clause
            elif clause.rstrip()[-1] in ".!?":  # the end of the sentence goes with it
                calm = f"{calm.rstrip(' ,;:')}. " if calm else ""
        calm = calm.strip()
        felt = next((sort for sort in sorts if sort in FEELINGS), "")
        asks = any(sort == QUESTION for sort in sorts)
        return (felt, calm) if felt and asks else ("", "")


def comforts(question: Question, intent: Intent, pack: Pack) -> bool:
    """Return whether a feeling is all that was said, so that nothing is looked up.

    A passage about appointments is no answer to "is my tumor going to kill me".
    """
    chosen = question.selection is not None or question.evidence is not None
    felt = intent.kind in FEELINGS and intent.kind in pack.wording.fixed
    if intent.urgent or chosen or not felt:
        return False
    asks = find("asks_first", question.text) or find("mark", question.text)
    return intent.kind in UNFORESEEN or not asks


def bare(text: str) -> bool:
    """Return whether a text is a figure alone, with at most a unit, or a single
    letter.
    """
    return _BARE.fullmatch(fold(text)) is not None


def headed(vector: Floats, folded: str) -> Floats:
    """Return what kinds and sorts are told by: vector, hashed runs, and one for the
    bias.
    """
    runs = np.zeros(RUNS, dtype=np.float32)
    places = buckets(character_runs(folded) | word_runs(folded), RUNS)
    runs[places] = RUNS_LENGTH / np.sqrt(max(1, len(places)))
    return np.concatenate([vector, runs, np.ones(1, dtype=np.float32)])


def paired(vectors: Floats, own: Floats) -> Floats:
    """Vector and cues side by side, as their pairs are weighed."""
    return np.concatenate([vectors, CUES_IN_PAIRS * own], axis=-1)


def heard(text: str) -> tuple[str, ...]:
    """Return a message as the classifier hears it: whole, or both ends of a long
    one.
    """
    plain = legible(text if len(text) <= WHOLE else text[: WHOLE // 2])[:GROWN]
    if len(text) <= WHOLE:
        return (plain,)
    return (plain, legible(text[-WHOLE // 2 :])[:GROWN])


def measure(folded: str, cues: Mapping[str, str]) -> Floats:
    """Return the cues of a folded text, alone and together with a sign of danger."""
    found = {name: matches([pattern], folded) for name, pattern in cues.items()}
    sign = any(hit for name, hit in found.items() if name.startswith(SIGN))
    frame = [hit for name, hit in found.items() if not name.startswith(SIGN)]
    both = [hit and sign for hit in frame]
    row = [sign, *found.values(), *both, min(len(folded), 300) / 150]
    return np.array(row, dtype=np.float32)


def buckets(runs: set[str], size: int) -> list[int]:
    """Return where a text's runs stand in a table of so many."""
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
