"""The metrics there are, by name; each module is imported when it is asked for."""

from collections.abc import Iterable
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from evals.forms import Weight
from evals.metrics.metric import Metric

# Name: the class in evals/metrics/<name>.py.
CLASSES = {
    "verbatim": "Verbatim",
    "citation": "Citations",
    "refusal_kind": "RefusalKind",
    "banners": "Banners",
    "markup": "Markup",
    "abstention": "Abstention",
    "facts": "Facts",
    "absent": "Absent",
    "routing": "Routing",
    "sections": "Sections",
    "source_mix": "SourceMix",
    "not_found": "NotFound",
    "missing_facts": "MissingFacts",
    "states": "States",
    "evidence_dependence": "EvidenceDependence",
    "blame": "Blame",
}
NAMES = tuple(CLASSES)

HERE = Path(__file__).resolve().parent
# What judges beside the metrics themselves.
JUDGING = ("forms.py", "score.py", "served/reading.py")


class UnknownMetric(ValueError):
    """No metric has this name; the message lists those that there are."""


def load(names: Iterable[str] = NAMES) -> tuple[Metric, ...]:
    """The metrics of some names, in the order given.

    Raises:
        UnknownMetric: one is not there, or named twice.
    """
    chosen = tuple(names)
    for name in chosen:
        if name not in CLASSES:
            known = ", ".join(NAMES)
            raise UnknownMetric(f"no metric is called {name}; there are {known}")
        if chosen.count(name) > 1:
            raise UnknownMetric(f"metric {name} is named twice")
    return tuple(_made(name) for name in chosen)


def _made(name: str) -> Metric:
    module = import_module(f"evals.metrics.{name}")
    metric: Metric = getattr(module, CLASSES[name])()
    return metric


def weights(names: Iterable[str] = NAMES) -> dict[str, Weight]:
    """How much each metric weighs, by name."""
    return {metric.name: metric.weight for metric in load(names)}


def code() -> str:
    """SHA-256 over all code that judges: who scored with other code scores again."""
    folder = HERE.parent
    files = sorted((*HERE.glob("*.py"), *(folder / name for name in JUDGING)))
    hashed = sha256()
    for file in files:
        hashed.update(file.relative_to(folder).as_posix().encode() + b"\0")
        hashed.update(file.read_bytes() + b"\0")
    return hashed.hexdigest()
