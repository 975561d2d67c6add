"""What people ask, as the suites of the packs have it on file."""

import random
from collections.abc import Iterator, Sequence

from engine.text.talk import classify_talk
from evals.cases.suites import load


def recorded(pack: str) -> tuple[str, ...]:
    """The questions of a pack's suites that stand alone, each once; talk is none."""
    cases = (case for suite in load(pack) for case in suite.cases)
    alone = (c for c in cases if not (c.previous or c.selection or c.as_of))
    asked = dict.fromkeys(case.question for case in alone)
    return tuple(question for question in asked if classify_talk(question) is None)


def drawn(of: Sequence[str], number: int, seed: int) -> Iterator[str]:
    """So many of them, each at least once where there is room; some come often."""
    chance = random.Random(seed)
    shuffled = chance.sample(of, len(of))
    for at in range(number):
        if at < len(shuffled):
            yield shuffled[at]
        else:  # what one person asks, others ask: half of it is a tenth of all
            yield shuffled[int(len(shuffled) * chance.random() ** 3)]
