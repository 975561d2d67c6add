"""Urgency that no pattern names: a classifier over the embedder's vector (R-M6).

A logistic regression over three things: the sentence vector, hashed runs of characters
and words (typing errors, other languages), and cues: patterns of how people speak of
what happens now, of what is past, of what they only ask about. Weights and cues are
data, fitted on labelled messages by `python -m evals urgency fit`; no language model.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from engine import intent as intents
from engine.corpus_records import Frozen
from engine.errors import EmbedderFailed
from engine.patterns import Pattern, fold, legible, matches
from engine.policy import Pack
from engine.ports import Embedder, Floats
from engine.records import Finding, Question

SHORTEST, LONGEST_RUN = 3, 5  # characters of a run
WHOLE = 1_000  # characters that are heard as one; of a longer message both ends
_WORD = re.compile(r"[\w']+")
_DIGIT = re.compile(r"\d")
# Without the error's text, which may hold anything.
_FAILED = Finding(
    validator="urgency",
    code="EMBEDDER_FAILED",
    severity="note",
    message="The embedder failed, so patterns alone decided whether this is urgent.",
)
# Beside each cue, that cue together with a sign of danger, and with a pack's pattern.
SIGN = "sign"


class Urgency(Frozen):
    """What was fitted for one embedder, with where it comes from.

    `cues` are patterns, by name; those whose name begins with SIGN say of what danger
    is spoken. `features` weigh what `measure` gives, `runs` the hashed runs.
    """

    embedder: str
    cues: Mapping[str, Pattern]
    features: tuple[float, ...]
    vector: tuple[float, ...]
    runs: tuple[float, ...]
    bias: float
    threshold: float
    provenance: Mapping[str, object] = Field(default_factory=dict)

    def odds(self, text: str, vector: Floats, *, named: bool) -> float:
        """Log-odds that a message is urgent; `named` says that a pattern matched."""
        folded = fold(text)
        own = measure(folded, self.cues, named=named) @ np.array(self.features)
        place, value = hashed(folded, len(self.runs))
        runs = np.array(self.runs)[place].sum() * value
        return float(own + runs + vector @ np.array(self.vector) + self.bias)


@dataclass(frozen=True, slots=True)
class Heard:
    """Whether a message is urgent, and what kept the classifier from telling."""

    urgent: bool
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Hears emergencies: the classifier where there is one, else patterns alone."""

    embedder: Embedder
    fitted: Urgency | None

    def hear(self, question: Question, pack: Pack) -> Heard:
        """Whether a message is urgent.

        A pack without words for an emergency that no pattern names is left to its
        patterns, and so is a message that the embedder fails on (on record).
        """
        if intents.is_plain(question, pack):
            return Heard(urgent=True)
        named = intents.kind_of(question, pack) is not None
        if self.fitted is None or pack.wording.distress is None:
            return Heard(named)
        try:
            odds = max(
                self.fitted.odds(
                    part, self.embedder.encode_question(part).vector, named=named
                )
                for part in heard(question.text)
            )
        except EmbedderFailed:
            return Heard(named, (_FAILED,))
        return Heard(odds >= self.fitted.threshold)


def heard(text: str) -> tuple[str, ...]:
    """A message as the classifier hears it: whole, or both ends of a long one."""
    plain = legible(text if len(text) <= WHOLE else text[: WHOLE // 2])
    if len(text) <= WHOLE:
        return (plain,)
    return (plain, legible(text[-WHOLE // 2 :]))


def measure(folded: str, cues: Mapping[str, str], *, named: bool) -> Floats:
    """The cues of a folded text, alone and together with what it is about."""
    found = {name: matches([pattern], folded) for name, pattern in cues.items()}
    sign = named or any(hit for name, hit in found.items() if name.startswith(SIGN))
    frame = [hit for name, hit in found.items() if not name.startswith(SIGN)]
    both = [hit and sign for hit in frame] + [hit and named for hit in frame]
    row = [named, sign, *found.values(), *both, min(len(folded), 300) / 150]
    return np.array(row, dtype=np.float32)


def hashed(folded: str, size: int) -> tuple[list[int], float]:
    """The buckets of a text's runs, and the value of each: unit length together."""
    found = {zlib.crc32(run.encode()) % size for run in _runs(folded)}
    return sorted(found), len(found) ** -0.5 if found else 0.0


def _runs(folded: str) -> Iterator[str]:
    plain = _DIGIT.sub("0", folded.lower())
    padded = f" {plain} "
    for length in range(SHORTEST, LONGEST_RUN + 1):
        for start in range(len(padded) - length + 1):
            yield padded[start : start + length]
    said = ["<s>", *_WORD.findall(plain)]
    for at, word in enumerate(said):
        yield f"w:{word}"
        if at:
            yield f"w:{said[at - 1]} {word}"
