"""Fit the classifier of emergencies: regularised least squares, in its dual.

There are far more weights than messages. One inverse gives for each fold the result of
a fit that had not seen it.

The threshold is the strictest of ALLOWED false alarms at which ENOUGH emergencies are
found, by fits that had not seen any message of the same writer, because people who ask
are no writers of labels. It is no probability: a miss may cost a life, a false alarm
puts a notice above the same answer.
"""

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from engine.model.ports import Embedder, Floats
from engine.model.question import Question
from engine.parse.intent import find_emergency
from engine.parse.urgency import (
    Hashed,
    Urgency,
    Weights,
    cut_message,
    find_character_runs,
    find_word_runs,
    hash_runs,
    make_kind_features,
    make_pair_features,
    measure_cues,
)
from engine.policy.pack import Pack
from engine.text.patterns import fold
from engine.text.talk import QUESTION
from evals.urgency.labels import Message

Doubles = NDArray[np.float64]

BUCKETS = 32_768
# The weight of each part, by cross-validation on the messages fitted on.
CHARACTERS, WORDS, OWN, BIAS, RIDGE = 20.0, 10.0, 0.2, 10.0, 3.0
PAIRS = 20.0
LEVELS = 127  # steps of a weight, so that the file stays small
FOLDS = 10
ENOUGH = 0.91
ALLOWED = (0.015, 0.02, 0.03, 0.04, 0.05, 0.055, 0.06, 0.065)
SHARES = (0.01, 0.02, 0.03, 0.05, 0.08)
# Of kinds and sorts: the ridge, how much rare ones are lifted, and how much a message
# counts that was written for them.
SPREAD, LIFT, MEANT = 0.33, 0.8, 3.0
UNSORTED = "unsorted"
# Kinds of emergency that have one notice.
TOGETHER = {k: "collapse" for k in ("chest_pain", "seizure", "unconscious")}
# Sorts of messages that ask something, as older labels have them.
_ASKING = frozenset(
    [
        "figure_of_speech",
        "history",
        "negation",
        "ordinary",
        "question_about",
        "technical",
        "unsorted",
    ]
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The features of some messages; `plain` ones raise the notice by patterns."""

    vectors: Floats
    headed: Floats
    characters: Floats
    words: Floats
    own: Floats
    plain: NDArray[np.bool_]
    urgent: NDArray[np.bool_]
    rarity: tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Measure:
    """The tools that measure a message."""

    embedder: Embedder
    pack: Pack
    cues: Mapping[str, str]

    def rows(self, messages: Sequence[Message]) -> Rows:
        """Measure messages; of a long one its first part."""
        texts = [cut_message(message.text)[0] for message in messages]
        folded = [fold(text) for text in texts]
        asked_ = [make_question(message.text, self.pack) for message in messages]
        own = [measure_cues(text, self.cues) for text in folded]
        characters, rarity = _make_table([find_character_runs(text) for text in folded])
        words, word_rarity = _make_table([find_word_runs(text) for text in folded])
        vectors = [self.embedder.encode_question(text).vector for text in texts]
        return Rows(
            vectors=np.stack(vectors),
            headed=np.stack(
                [make_kind_features(*row) for row in zip(vectors, folded, strict=True)]
            ),
            characters=characters,
            words=words,
            own=np.stack(own),
            plain=np.array([find_emergency(q, self.pack) is not None for q in asked_]),
            urgent=np.array([message.urgent for message in messages]),
            rarity=(rarity, word_rarity),
        )


def make_question(text: str, pack: Pack) -> Question:
    """Put a message into the form that the engine gets."""
    return Question(id="m", session="s", text=text, pack=pack.id)


def fit(
    measure_: Measure,
    writers: Sequence[Sequence[Message]],
    more: Sequence[Message],
    today: date,
) -> tuple[Urgency, bytes]:
    """Fit on the messages of all writers and on `more`, with the file of the weights.

    The threshold and the figures come from the writers' messages alone.
    """
    judged = [message for messages in writers for message in messages]
    messages = [*judged, *more]
    rows = measure_.rows(messages)
    joined = make_pair_features(rows.vectors, rows.own)
    kernel = (
        CHARACTERS * (rows.characters @ rows.characters.T)
        + WORDS * (rows.words @ rows.words.T)
        + OWN * (rows.own @ rows.own.T)
        + PAIRS * (joined @ joined.T) ** 2
    )
    by = np.repeat(np.arange(len(writers)), [len(messages) for messages in writers])
    dual, odds, apart = solve(
        np.asarray(kernel), rows.urgent, (assign_folds(judged), by)
    )
    urgent, plain = rows.urgent[: len(judged)], rows.plain[: len(judged)]
    threshold = choose_threshold(apart, urgent, plain)
    kinds, sorts = (fit_head(messages, rows.headed, urgent=u) for u in (True, False))
    weights = _make_weights(rows, dual, (kinds[1], sorts[1]))
    data = pack_weights(weights)
    made = Urgency(
        embedder=measure_.embedder.name,
        cues=dict(measure_.cues),
        bias=round(BIAS * float(dual.sum()), 4),
        threshold=round(threshold, 4),
        kinds=kinds[0],
        sorts=sorts[0],
        sha256=hashlib.sha256(data).hexdigest(),
        weights=weights,
        provenance={
            "date": today.isoformat(),
            "messages": [*map(len, writers), len(more)],
            "folds": _list_figures(odds, urgent, plain, threshold),
            "writers": _list_figures(apart, urgent, plain, threshold),
            "threshold": f"the strictest at which {ENOUGH:.0%} are found, of "
            f"{[*ALLOWED]} false alarms, each writer held out once",
            "command": "python -m evals urgency fit",
        },
    )
    return made, data


def name_kind(message: Message) -> str:
    """Return the kind of an emergency, or the sort of another message, as it is
    fitted."""
    if message.urgent:
        return TOGETHER.get(message.kind, message.kind)
    return QUESTION if message.kind in _ASKING else message.kind


def fit_head(
    messages: Sequence[Message], seen: Floats, *, urgent: bool
) -> tuple[tuple[str, ...], Floats]:
    """Fit the kinds (or sorts): their names, and a column of weights for each."""
    places = [
        at
        for at, message in enumerate(messages)
        if message.urgent is urgent and name_kind(message) != UNSORTED
    ]
    said = [name_kind(messages[at]) for at in places]
    names = tuple(sorted(set(said)))
    rows = _to_doubles(seen[places])
    target = np.array([[name == each for each in names] for name in said], dtype=float)
    meant = np.array([messages[at].kind not in _ASKING for at in places])
    counts = np.where(meant, MEANT, 1.0)
    counts = counts / (target @ (counts @ target)) ** LIFT
    counts = counts / counts.mean()
    inner = (rows * counts[:, None]).T @ rows + SPREAD * np.eye(rows.shape[1])
    return names, _to_floats(
        np.linalg.solve(inner, (rows * counts[:, None]).T @ target)
    )


def assign_folds(messages: Sequence[Message]) -> NDArray[np.int64]:
    """Assign a fold to each message by its text."""
    digests = [hashlib.sha256(m.text.encode()).digest()[0] for m in messages]
    return np.array(digests, dtype=np.int64) % FOLDS


def solve(
    kernel: Floats,
    urgent: NDArray[np.bool_],
    partitions: Sequence[NDArray[np.int64]],
) -> tuple[Doubles, ...]:
    """Solve for the weight of each message and, by each partition, for odds held out.

    The odds come from fits without a part of the partition. What such a fit gives the
    part follows from the inverse for all rows.
    """
    target = np.where(urgent, 1.0, -1.0)
    inverse = np.linalg.inv(kernel + BIAS + RIDGE * np.eye(len(kernel)))
    dual = _to_doubles(inverse @ target)
    found = [dual]
    for parts in partitions:
        odds = np.zeros(len(parts))
        for part in np.unique(parts):
            out = np.flatnonzero(parts == part)
            error = np.linalg.solve(inverse[np.ix_(out, out)], dual[out])
            odds[out] = target[out] - error
        found.append(odds)
    return tuple(found)


def choose_threshold(
    odds: Doubles, urgent: NDArray[np.bool_], plain: NDArray[np.bool_]
) -> float:
    """Choose the strictest of ALLOWED at which ENOUGH are found, else the last."""
    for share in ALLOWED:
        cut = _find_cut(odds, urgent, plain, share)
        if (plain | (odds >= cut))[urgent].mean() >= ENOUGH:
            break
    return cut


def list_curve(
    odds: Doubles, urgent: NDArray[np.bool_], plain: NDArray[np.bool_]
) -> list[list[float]]:
    """List what other thresholds would give: false alarms allowed, found."""
    return [
        [share, round(float((plain | (odds >= cut))[urgent].mean()), 4)]
        for share in SHARES
        for cut in (_find_cut(odds, urgent, plain, share),)
    ]


def _list_figures(
    odds: Doubles,
    urgent: NDArray[np.bool_],
    plain: NDArray[np.bool_],
    threshold: float,
) -> dict[str, object]:
    rang = plain | (odds >= threshold)
    return {
        "found": round(float(rang[urgent].mean()), 4),
        "false_alarms": round(float(rang[~urgent].mean()), 4),
        "curve": list_curve(odds, urgent, plain),
    }


def pack_weights(weights: Weights) -> bytes:
    """Write the file of the weights; the same weights give the same bytes."""
    held = io.BytesIO()
    rough = {
        "character_rarity": weights.characters.rarity,
        "characters": weights.characters.weights,
        "kinds": weights.kinds,
        "sorts": weights.sorts,
        "word_rarity": weights.words.rarity,
        "words": weights.words.weights,
    }
    steps = {name: _find_step(values) for name, values in rough.items()}
    np.savez_compressed(
        held,
        own=weights.own,
        pairs=weights.pairs[np.triu_indices(len(weights.pairs))].astype(np.float16),
        steps=np.array([steps[name] for name in rough], dtype=np.float32),
        **{
            name: np.rint(values / steps[name]).astype(np.int8)
            for name, values in rough.items()
        },
    )
    return held.getvalue()


def _find_step(values: Floats) -> float:
    """Return a step that is a power of two: rounding twice then changes nothing."""
    return float(2.0 ** np.ceil(np.log2(np.abs(values).max() / LEVELS)))


def _find_cut(
    odds: Doubles, urgent: NDArray[np.bool_], plain: NDArray[np.bool_], share: float
) -> float:
    """Return the odds above which this share of the others ring, patterns included."""
    others = np.where(plain, np.inf, odds)[~urgent]
    quiet = np.sort(others)[::-1]
    allowed = int(share * len(quiet))
    return float(np.nextafter(quiet[min(allowed, len(quiet) - 1)], np.inf))


def _make_table(found: Sequence[set[str]]) -> tuple[Floats, Floats]:
    """Make a row for each text: its runs weighed by rarity, unit length; and the
    rarity."""
    places = [hash_runs(runs, BUCKETS) for runs in found]
    known = np.zeros(BUCKETS)
    for place in places:
        known[place] += 1
    rarity = np.asarray(np.log(len(found) / (known + 1)) + 1, dtype=np.float32)
    table = np.zeros((len(found), BUCKETS), dtype=np.float32)
    for row, place in zip(table, places, strict=True):
        row[place] = rarity[place] / max(1e-9, float(np.linalg.norm(rarity[place])))
    return table, rarity


def _make_weights(rows: Rows, dual: Doubles, heads: tuple[Floats, Floats]) -> Weights:
    """Compute the weights of all features from the weights of the messages."""
    single = dual.astype(np.float32)
    joined = make_pair_features(rows.vectors, rows.own)
    return Weights(
        own=_to_floats(OWN * rows.own.T @ single),
        characters=Hashed(
            _to_floats(CHARACTERS * rows.characters.T @ single), rows.rarity[0]
        ),
        words=Hashed(_to_floats(WORDS * rows.words.T @ single), rows.rarity[1]),
        pairs=_to_floats(PAIRS * (joined * single[:, None]).T @ joined),
        kinds=heads[0],
        sorts=heads[1],
    )


def _to_floats(rows: Floats | Doubles) -> Floats:
    return np.asarray(rows, dtype=np.float32)


def _to_doubles(rows: Floats | Doubles) -> Doubles:
    return np.asarray(rows, dtype=np.float64)
