"""The class of a message: an emergency, a call for support, talk, a question.

An emergency is detected by regularised least squares over three groups of features:
hashed runs of characters and words (typing errors, other languages); cues: patterns of
how people write of the present, of the past, of what they only ask about; and pairs:
each product of two numbers of the sentence vector and the cues. The kind of an
emergency, or the sort of another message, is the same over the sentence vector and the
hashed runs. Weights and cues are data, fitted on labelled messages by `python -m evals
urgency fit`; no language model.
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
WHOLE = 1_000  # characters that are classified at once; of a longer message both ends
GROWN = 2 * WHOLE  # characters of a legible part: a sign may become many letters
CUES_IN_PAIRS = 0.14  # the weight of a cue in pairs, beside the vector of length 1
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
# Feelings on which no source makes a statement that is true of one person.
UNFORESEEN = frozenset({"dying", "grief"})
_SENTENCE_END = re.compile(r"(?<=[.!?\n])\s+")
_CLAUSE = re.compile(r"[^,;:.!?\n]+[,;:.!?\n]*\s*")
CLAUSES = 8  # of a message that are classified one by one
# Added to the threshold of packs that are not medical: "section 40" is no fever. Of 874
# messages and questions of the suites of such packs none that is no emergency scores so
# high; "my mate got crushed" does.
ELSEWHERE = 0.3
# The least margin of a sort of support over the next: a misplaced text of comfort or
# advice is tactless. The least sum of all sorts of talk: by ten folds 335 of 392
# messages that are talk reach it, and 1 of 100 that ask something.
SURE, SURE_OF_TALK = 0.15, 0.7
# The least margin of the first sort of talk over a question: "Who won the match?" is a
# little like several of them, and no goodbye. It costs 2 of 101 held-out messages that
# are talk.
AHEAD_OF_QUESTION = 0.05
# The least score of a kind of emergency, and its least margin over the next. Of 643
# held-out emergencies, 10 get another kind's notice with these and 112 the general one;
# without them 49 and 17.
SURE_OF_KIND, AHEAD_OF_KIND = 0.45, 0.1
GENERAL, SELF_HARM = "other", "self_harm"


@dataclass(frozen=True, slots=True)
class Hashed:
    """Weight and rarity of each bucket of hashed runs."""

    weights: Floats
    rarity: Floats

    def odds(self, runs: set[str]) -> float:
        """Sum the weights of a text's runs; rare ones count for more, together unit
        length.
        """
        place = hash_runs(runs, len(self.weights))
        rarity = self.rarity[place]
        length = float(np.linalg.norm(rarity))
        return float(self.weights[place] @ rarity) / length if length else 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """The fitted weights: `pairs` weighs products of two numbers of vector and cues.

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
    """The model fitted for one embedder, with its provenance.

    `cues` are patterns, by name; those whose name begins with SIGN match a danger.
    `kinds` are of emergencies, `sorts` of other messages. `sha256` is of the file of
    the weights.
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
        """Return the log-odds that a message is an emergency."""
        folded, fitted = fold(text), self.weights
        own = measure_cues(folded, self.cues)
        joined = make_pair_features(vector, own)
        return (
            float(own @ fitted.own)
            + fitted.characters.odds(find_character_runs(folded))
            + fitted.words.odds(find_word_runs(folded))
            + float(joined @ fitted.pairs @ joined)
            + self.bias
        )

    def kind(self, text: str, vector: Floats) -> str:
        """Return the kind of an emergency; GENERAL where unsure, except for SELF_HARM.

        The notice of another kind misdirects people, the general one does not.
        """
        scores = make_kind_features(vector, fold(text)) @ self.weights.kinds
        second, first = np.argsort(scores)[-2:]
        found = self.kinds[int(first)]
        ahead = scores[first] - scores[second] >= AHEAD_OF_KIND
        sure = scores[first] >= SURE_OF_KIND and ahead
        return found if sure or found == SELF_HARM else GENERAL

    def sort(self, text: str, vector: Floats) -> str:
        """Return the sort of a message that is no emergency; QUESTION where unsure.

        Never a figure alone, which its form decides: "R179" is none.
        """
        scores = make_kind_features(vector, fold(text)) @ self.weights.sorts
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
    """The class of a message: whether it is urgent, its kind or sort, and failures.

    `kind` is of an emergency where it is urgent, else the sort of message. Where a
    question accompanies a feeling, `felt` is its sort, and `calm` the message without
    it.
    """

    urgent: bool
    kind: str = QUESTION
    felt: str = ""
    calm: str = ""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Classifies messages: by the classifier where there is one, else by patterns
    alone.
    """

    embedder: Embedder
    fitted: Urgency | None

    def hear(self, question: Question, pack: Pack) -> Heard:
        """Decide whether a message is urgent, and its kind or sort.

        A message that the embedder fails on is left to the patterns (on record).
        """
        named = intents.find_emergency(question, pack)
        if named is not None:
            return Heard(urgent=True, kind=named.kind)
        if _is_bare(question.text):
            return Heard(urgent=False, kind=Talk.BARE)
        if self.fitted is None:
            return Heard(urgent=False)
        try:
            parts = cut_message(question.text)
            if len(parts) > 1:  # a cry at the end counts for little in a long text
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
            kind = self._resolve_sort(question, self.fitted) or kind
        if kind in TALK or len(heard_) > 1:
            return Heard(urgent=False, kind=kind)
        felt, calm = self._separate_feeling(heard_[0][0], self.fitted)
        return Heard(
            urgent=False,
            kind=kind if kind in FEELINGS or not felt else QUESTION,
            felt=felt,
            calm=calm,
        )

    def _resolve_sort(self, question: Question, fitted: Urgency) -> str:
        """Return the sort of a follow-up with its pronoun resolved; empty for any
        other.

        "How long do they last?" is no fear of dying after a question about mouth sores.
        """
        last = next(iter(context_parts(question.previous)), "")
        clear = put_in(question.text, last) if last else None
        if clear is None:
            return ""
        return fitted.sort(clear, self.embedder.encode_question(clear).vector)

    def _separate_feeling(self, text: str, fitted: Urgency) -> tuple[str, str]:
        """Return the feeling beside a question, and the message without it."""
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
            elif clause.rstrip()[-1] in ".!?":  # the mark was removed with the clause
                calm = f"{calm.rstrip(' ,;:')}. " if calm else ""
        calm = calm.strip()
        felt = next((sort for sort in sorts if sort in FEELINGS), "")
        asks = any(sort == QUESTION for sort in sorts)
        return (felt, calm) if felt and asks else ("", "")


def is_feeling_alone(question: Question, intent: Intent, pack: Pack) -> bool:
    """Return whether a message expresses only a feeling, so that nothing is searched.

    A passage about appointments is no answer to "is my tumor going to kill me".
    """
    chosen = question.selection is not None or question.evidence is not None
    felt = intent.kind in FEELINGS and intent.kind in pack.wording.fixed
    if intent.urgent or chosen or not felt:
        return False
    asks = find("asks_first", question.text) or find("mark", question.text)
    return intent.kind in UNFORESEEN or not asks


def _is_bare(text: str) -> bool:
    """Return whether a text is a figure alone, with at most a unit, or one letter."""
    return _BARE.fullmatch(fold(text)) is not None


def make_kind_features(vector: Floats, folded: str) -> Floats:
    """Return the features of kinds and sorts: vector, hashed runs, and one for the
    bias.
    """
    runs = np.zeros(RUNS, dtype=np.float32)
    places = hash_runs(find_character_runs(folded) | find_word_runs(folded), RUNS)
    runs[places] = RUNS_LENGTH / np.sqrt(max(1, len(places)))
    return np.concatenate([vector, runs, np.ones(1, dtype=np.float32)])


def make_pair_features(vectors: Floats, own: Floats) -> Floats:
    """Concatenate vector and cues to the features of pairs."""
    return np.concatenate([vectors, CUES_IN_PAIRS * own], axis=-1)


def cut_message(text: str) -> tuple[str, ...]:
    """Cut a message to the text to classify: whole, or both ends of a long one."""
    plain = legible(text if len(text) <= WHOLE else text[: WHOLE // 2])[:GROWN]
    if len(text) <= WHOLE:
        return (plain,)
    return (plain, legible(text[-WHOLE // 2 :])[:GROWN])


def measure_cues(folded: str, cues: Mapping[str, str]) -> Floats:
    """Return the cues of a folded text, alone and together with a sign of danger."""
    found = {name: matches([pattern], folded) for name, pattern in cues.items()}
    sign = any(hit for name, hit in found.items() if name.startswith(SIGN))
    frame = [hit for name, hit in found.items() if not name.startswith(SIGN)]
    both = [hit and sign for hit in frame]
    row = [sign, *found.values(), *both, min(len(folded), 300) / 150]
    return np.array(row, dtype=np.float32)


def hash_runs(runs: set[str], size: int) -> list[int]:
    """Hash a text's runs to buckets of a table."""
    return sorted({zlib.crc32(run.encode()) % size for run in runs})


def find_character_runs(folded: str) -> set[str]:
    """Return the runs of characters of a folded text; all digits are the same."""
    padded = f" {_DIGIT.sub('0', folded.lower())} "
    return {
        padded[start : start + length]
        for length in range(SHORTEST, LONGEST_RUN + 1)
        for start in range(len(padded) - length + 1)
    }


def find_word_runs(folded: str) -> set[str]:
    """Return runs of up to three words, some without the middle one; numbers are
    rounded.
    """
    return set(_join_words(_WORD.findall(_DIGIT.sub("0", folded.lower())))) | {
        f"n:{whole}{'.' if part else ''}" for whole, part in _NUMBER.findall(folded)
    }


def _join_words(words: list[str]) -> Iterator[str]:
    words = ["<s>", *words]
    for at, word in enumerate(words):
        yield word
        if at:
            yield f"{words[at - 1]} {word}"
        if at > 1:
            yield f"{words[at - 2]} {words[at - 1]} {word}"
            yield f"{words[at - 2]} * {word}"
