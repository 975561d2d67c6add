"""An observer's counters and figures for Prometheus, over HTTP at /metrics.

Alerts compare refusals for each reason, `groundrule_evidence_gate_blocked_total`, with
`groundrule_questions_total`; any `groundrule_citation_enforcement_failed_total` is an
alert.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from adapters.observer import EventsObserver
from engine.model.errors import EnvironmentFailed

PREFIX = "groundrule_"


class Metrics(Collector):
    """A collector of an observer's counters and figures, read at every scrape.

    Args:
        observer: the observer.
    """

    def __init__(self, observer: EventsObserver) -> None:
        self._observer = observer

    def collect(self) -> Iterator[Metric]:
        """Collect the families of Prometheus' exposition format."""
        yield from self._counters()
        for name, figure in self._observer.figures.items():
            named = PREFIX + name
            yield SummaryMetricFamily(
                named, name, count_value=figure.count, sum_value=figure.total
            )
            yield GaugeMetricFamily(f"{named}_largest", name, figure.largest)
        failures = self._observer.failures
        yield CounterMetricFamily(
            f"{PREFIX}events_not_written", "events that the log did not take", failures
        )

    def _counters(self) -> Iterator[Metric]:
        families: dict[str, CounterMetricFamily] = {}
        for (name, labels), number in self._observer.counts.items():
            named = PREFIX + name
            family = families.setdefault(named, CounterMetricFamily(named, name))
            family.add_sample(f"{named}_total", dict(labels), number)
        yield from families.values()


@contextmanager
def serve_metrics(observer: EventsObserver, host: str, port: int) -> Iterator[int]:
    """Serve the metrics while the context lasts; return the port, also for port 0.

    Raises:
        EnvironmentFailed: this address cannot be served.
    """
    registry = CollectorRegistry()
    registry.register(Metrics(observer))
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise EnvironmentFailed(
            f"cannot show metrics at {host}:{port} ({error.strerror}): choose another "
            "address with GROUNDRULE_METRICS"
        ) from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
