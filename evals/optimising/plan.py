"""What is to be compiled and with what; nothing of DSPy, so that `--help` is quick."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Optimiser = Literal["bootstrap", "random-search", "copro", "gepa"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be compiled.

    Attributes:
        pack: its id.
        work: the folder of the runs that are compared.
        cache: the folder where answers and corpora are kept.
        out: the folder that programs are written to; None: the pack's own.
        signatures: those to be compiled; none: all that training cases reach.
        program: the file of a program that is compared as it stands; None: some are
            compiled.
        optimiser: what compiles.
        seed: of the split, of the order of cases and of the optimiser.
        repeats: how often each case of the comparison is asked.
        concurrency: how many cases are asked at the same time.
        max_usd: what models may cost, all together.
        by: who answers for what is written.
    """

    pack: str
    work: Path
    cache: Path
    out: Path | None = None
    signatures: tuple[str, ...] = ()
    program: Path | None = None
    optimiser: Optimiser = "bootstrap"
    seed: int = 0
    repeats: int = 1
    concurrency: int = 4
    max_usd: float | None = None
    by: str = "python -m evals optimise"
