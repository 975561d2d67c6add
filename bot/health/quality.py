"""The figures of a pack over stored outcomes: a plain count over their records."""

from collections import Counter
from collections.abc import Mapping
from statistics import quantiles

from engine.model.frozen import Frozen
from engine.model.record import Record
from engine.policy.contract import CONTRACT
from engine.policy.pack import Pack
from engine.policy.records import FigureRule

ROUTING = "routing_compliance_rate"
SUPPORTED, UNANCHORED = "supported_claim_rate", "unanchored_quote_rate"
PER_RESPONSE = "citations_per_response"


class Target(Frozen):
    """The bound of a figure; `met` is None where nothing was counted."""

    bound: str
    met: bool | None
    of: int


class Latency(Frozen):
    """Milliseconds that answers took, without those that never came to an end."""

    p50: float | None
    p95: float | None
    most: float | None


class Period(Frozen):
    """What was asked in a stretch of time."""

    questions: int
    answered: int
    queries_by_type: Mapping[str, int]
    refused: Mapping[str, int]
    citation_enforcement_failed: int
    response_time_ms: Latency
    tokens: int
    cost: float | None


class Quality(Frozen):
    """One pack over one period; a figure is None where nothing was counted."""

    pack: str
    retrieval_quality: Mapping[str, float | None]
    grounding_quality: Mapping[str, float | None]
    last_24h: Period
    targets: Mapping[str, Target]

    @property
    def missed(self) -> tuple[str, ...]:
        """The figures that miss their targets."""
        return tuple(n for n, target in self.targets.items() if target.met is False)


class _Average:
    def __init__(self) -> None:
        self.total = 0.0
        self.of = 0

    def add(self, value: float, of: int = 1) -> None:
        self.total += value
        self.of += of

    @property
    def value(self) -> float | None:
        return round(self.total / self.of, 4) if self.of else None


class Tally:
    """Counts the records of one pack, one after the other.

    Args:
        pack: says what is watched.
    """

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._own = {rule.name: _Average() for rule in pack.health.retrieval}
        self._routed, self._supported = _Average(), _Average()
        self._unanchored, self._cited = _Average(), _Average()
        self._types: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._milliseconds: list[float] = []
        self._enforced = self._tokens = 0
        self._cost: float | None = 0.0

    def add(self, record: Record) -> None:
        """Count one record."""
        kind = record.intent.query_type
        self._types[kind] += 1
        self._routed.add(kept_contract(record))
        for rule in self._pack.health.retrieval:
            if kind in rule.query_types:
                _measure(rule, record, self._own[rule.name])
        self._add_claims(record)
        if record.was_refusal and record.reason_code is not None:
            self._refused[record.reason_code.value] += 1
        elif record.reason_code is None:
            self._cited.add(len(record.sources))
        rejected = any(f.severity == "reject" for f in record.findings)
        self._enforced += rejected
        total = record.timings_ms.get("total")
        if total is not None:
            self._milliseconds.append(total)
        for prompt in record.prompts:
            self._tokens += prompt.usage.tokens
            cost = prompt.usage.cost
            known = self._cost is not None and cost is not None
            self._cost = (self._cost or 0.0) + (cost or 0.0) if known else None

    def summarize(self) -> Quality:
        """Return the figures so far."""
        rules = self._pack.health
        retrieval = {name: own.value for name, own in self._own.items()}
        retrieval[ROUTING] = self._routed.value
        grounding = {
            SUPPORTED: self._supported.value,
            UNANCHORED: self._unanchored.value,
            PER_RESPONSE: self._cited.value,
        }
        targets = {
            rule.name: _judge_target(rule, self._own[rule.name])
            for rule in rules.retrieval
            if rule.below is not None or rule.least is not None
        }
        targets[ROUTING] = _judge_least(rules.routing_compliance, self._routed)
        targets[SUPPORTED] = _judge_least(rules.supported_claims, self._supported)
        targets[UNANCHORED] = _judge_below(rules.unanchored_quotes, self._unanchored)
        return Quality(
            pack=self._pack.id,
            retrieval_quality=retrieval,
            grounding_quality=grounding,
            last_24h=self._period(),
            targets=targets,
        )

    def _add_claims(self, record: Record) -> None:
        tally = record.claim_verification
        judged = tally.supported + tally.partial + tally.unsupported
        self._supported.add(tally.supported, judged)
        quotes = sum(len(source.quotes) for source in record.sources)
        fabricated = tally.fabricated_quotes
        self._unanchored.add(fabricated, quotes + fabricated)

    def _period(self) -> Period:
        questions = sum(self._types.values())
        refused = sum(self._refused.values())
        return Period(
            questions=questions,
            answered=questions - refused,
            queries_by_type=dict(sorted(self._types.items())),
            refused=dict(sorted(self._refused.items())),
            citation_enforcement_failed=self._enforced,
            response_time_ms=measure_latency(self._milliseconds),
            tokens=self._tokens,
            cost=None if self._cost is None else round(self._cost, 6),
        )


def kept_contract(record: Record) -> bool:
    """Tell whether what was shown, and every draft, kept its contract."""
    said = getattr(record, "routing_compliant", None)
    if isinstance(said, bool):
        return said
    broken = any(found.validator == CONTRACT for found in record.findings)
    return not broken or (not record.was_refusal and record.mode == "deterministic")


def measure_latency(milliseconds: list[float]) -> Latency:
    """Measure the median, the 95th percentile and the longest."""
    if not milliseconds:
        return Latency(p50=None, p95=None, most=None)
    if len(milliseconds) == 1:
        only = round(milliseconds[0], 1)
        return Latency(p50=only, p95=only, most=only)
    cuts = quantiles(milliseconds, n=20, method="inclusive")
    return Latency(
        p50=round(cuts[9], 1), p95=round(cuts[18], 1), most=round(max(milliseconds), 1)
    )


def _measure(rule: FigureRule, record: Record, into: _Average) -> None:
    held = record.retrieval.sources_by_type if record.retrieval else {}
    number = sum(held.get(kind, 0) for kind in rule.types)
    if rule.measure == "number":
        into.add(number)
    elif held and (total := sum(held.values())):
        into.add(number / total)


def _judge_target(rule: FigureRule, found: _Average) -> Target:
    if rule.below is not None:
        return _judge_below(rule.below, found)
    return _judge_least(rule.least or 0.0, found)


def _judge_least(least: float, found: _Average) -> Target:
    met = None if found.value is None else found.value >= least
    return Target(bound=f">= {least:.2f}", met=met, of=found.of)


def _judge_below(bound: float, found: _Average) -> Target:
    met = None if found.value is None else found.value < bound
    return Target(bound=f"< {bound:.2f}", met=met, of=found.of)
