"""An observer's counters and figures for Prometheus, over HTTP at /metrics (R-O2).

R-O4 reads refusals for each reason, `groundrule_evidence_gate_blocked_total`, against
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
    """What an observer has counted so far, read at every scrape.

    Args:
        observer: whose counters and figures these are.
    """

    def __init__(self, observer: EventsObserver) -> None:
        self._observer = observer

    def collect(self) -> Iterator[Metric]:
        """The families of Prometheus' exposition format."""
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
def serving(observer: EventsObserver, host: str, port: int) -> Iterator[int]:
    """Show the metrics while the context lasts; the port, where 0 chose one.

    Raises:
        EnvironmentFailed: nothing can be served at this address.
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
