"""Health as gauges for Prometheus, beside the counters of a process.

They come from the record, so they outlive a restart. Refusals of a day are beside the
questions of that day, to be read against them.
"""

from collections.abc import Iterator, Mapping

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from adapters.metrics import PREFIX
from bot.health.quality import Quality
from bot.health.state import Health

Values = dict[tuple[str, ...], float]


class HealthFamilies(Collector):
    """The gauges of one look.

    Args:
        health: as it was found.
    """

    def __init__(self, health: Health) -> None:
        self._health = health

    def collect(self) -> Iterator[Metric]:
        """Yield the families of Prometheus' exposition format."""
        found = self._health
        yield _make_gauge(
            "healthy", "1 where nothing is wrong", (), {(): float(found.ok)}
        )
        yield _make_gauge(
            "disk_free_bytes", "of the data folder", (), {(): found.disk_free_bytes}
        )
        if found.queue is not None:
            for name, value in found.queue.model_dump().items():
                full = f"{name}econds" if name.endswith("_s") else name
                yield _make_gauge(f"queue_{full}", "inbox and outbox", (), {(): value})
        up: Values = {
            (name,): float(hears) for name, hears in found.connections.items()
        }
        yield _make_gauge("connected", "whether a platform is heard", ("platform",), up)
        agrees: Values = {(name,): float(i.agrees) for name, i in found.index.items()}
        yield _make_gauge("index_agrees", "with the ledger", ("pack",), agrees)
        spent: Values = {(name,): s.today for name, s in found.spending.items()}
        yield _make_gauge("spent_today_dollars", "on models", ("pack",), spent)
        most: Values = {(n,): s.ceiling for n, s in found.spending.items() if s.ceiling}
        yield _make_gauge("ceiling_dollars", "of a day", ("pack",), most)
        gaps: Values = {(name,): float(n) for name, n in found.gaps_open.items()}
        yield _make_gauge("gaps_open", "questions without an answer", ("pack",), gaps)
        yield from _make_quality_gauges(found.packs)


def _make_quality_gauges(packs: Mapping[str, Quality]) -> Iterator[Metric]:
    figures: Values = {}
    met: Values = {}
    asked: Values = {}
    refused: Values = {}
    enforced: Values = {}
    took: Values = {}
    for name, pack in packs.items():
        values = {**pack.retrieval_quality, **pack.grounding_quality}
        figures |= {(name, f): v for f, v in values.items() if v is not None}
        targets = pack.targets.items()
        met |= {(name, f): float(t.met) for f, t in targets if t.met is not None}
        day = pack.last_24h
        asked |= {(name, kind): n for kind, n in day.queries_by_type.items()}
        refused |= {(name, reason): n for reason, n in day.refused.items()}
        enforced[name,] = day.citation_enforcement_failed
        latency = day.response_time_ms.model_dump()
        took |= {(name, q): ms for q, ms in latency.items() if ms is not None}
    yield _make_gauge("figure", "of quality, 24 h", ("pack", "figure"), figures)
    yield _make_gauge("figure_met", "1 where it is", ("pack", "figure"), met)
    yield _make_gauge("questions_24h", "asked", ("pack", "query_type"), asked)
    yield _make_gauge("refused_24h", "by reason", ("pack", "reason"), refused)
    yield _make_gauge(
        "citation_enforcement_failed_24h", "drafts turned down", ("pack",), enforced
    )
    yield _make_gauge("response_ms_24h", "p50, p95, most", ("pack", "quantile"), took)


def _make_gauge(
    name: str, about: str, labels: tuple[str, ...], values: Values
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"{PREFIX}{name}", about, labels=labels)
    for given, value in values.items():
        family.add_metric(given, value)
    return family
