"""Labelled questions made of numbers, for tests of the fits."""

import numpy as np

from engine.model.evidence import Trace
from engine.rank.features import NAMES, Measured
from engine.rank.groups import ABOUT
from engine.rank.outline import Unit
from engine.rank.view import QuestionView
from engine.search.search import Retrieved
from engine.text.quotable import Quotation
from evals.relevance.cases import Case, Gold
from evals.relevance.collect import Collected
from evals.relevance.fit import Row
from tests.engine.small_pack import small_pack

SPEAKS = NAMES.index("passage_weighted")  # the feature that tells right from wrong


def collected(seed: int, questions: int = 40, sentences: int = 8) -> list[Collected]:
    """Questions of which one sentence answers, told by one feature with some noise."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(questions):
        features = random.normal(size=(sentences, len(NAMES))).astype(np.float32)
        right = random.integers(sentences)
        features[right, SPEAKS] += 3
        labels = np.zeros(sentences, dtype=np.float32)
        labels[right] = 1
        units = tuple(
            Unit(Quotation(at, (at,)), "", "", 0, code=False, pointer=False)
            for at in range(sentences)
        )
        nowhere = np.zeros(sentences, dtype=np.intp)
        measured = Measured(nowhere, units, features)
        made.append(Collected(case(number), FOUND, measured, (("x",),), labels))
    return made


def case(number: int) -> Case:
    """An answerable case; four share a document."""
    gold = Gold(path=f"page-{number // 4}", version="v", start=0, end=1)
    return Case(
        id=f"c{number}",
        question="?",
        kind="answerable",
        wording="plain",
        half="tune",
        gold=((gold,),),
    )


def rows(seed: int, number: int = 400) -> list[Row]:
    """Documents that answer more often the higher one feature is."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(number, len(NAMES) + len(ABOUT)))
    chance = 1 / (1 + np.exp(-3 * features[:, SPEAKS]))
    answers = random.random(number) < chance
    return [
        Row(at // 4, row.astype(np.float32), bool(right))
        for at, (row, right) in enumerate(zip(features, answers, strict=True))
    ]


FOUND = Retrieved(
    pack=small_pack(),
    view=QuestionView("?", (), None),  # type: ignore[arg-type]
    candidates=(),
    tokens={},
    trace=Trace(query_type="general"),
)
