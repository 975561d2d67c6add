"""Questions as OpenTelemetry traces, sent to a collector over OTLP (R-O2).

The OpenTelemetry packages are imported here alone, and this module only where
GROUNDRULE_TRACES names a collector. A collector that is away costs spans, never a
question: they are sent by a thread of their own, and what does not fit its queue is
dropped.
"""

import time
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import set_span_in_context

from engine.model.spans import Span

PATH = "/v1/traces"
SENDING_S = 5.0  # of one request to the collector, and of the last one at the end


def to_collector(address: str) -> "Tracing":
    """Traces to the OTLP collector at this address, such as http://localhost:4318."""
    endpoint = address.rstrip("/") + PATH
    return Tracing(OTLPSpanExporter(endpoint=endpoint, timeout=SENDING_S))


class Tracing:
    """Turns the spans of a question into a trace of its own.

    Args:
        exporter: where they go.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        resource = Resource({"service.name": "groundrule"})
        # At exit nothing waits for a collector that is away: `close` did, and briefly.
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("groundrule")

    def show(self, spans: Sequence[Span]) -> None:
        """The walk of one question, as it ended just now: the whole, then its parts."""
        whole, *parts = spans
        began = time.time_ns() - _nanoseconds(whole.end)
        root = self._tracer.start_span(
            whole.name, attributes=whole.attributes, start_time=began
        )
        inside = set_span_in_context(root)
        for part in parts:
            self._tracer.start_span(
                part.name,
                inside,
                attributes=part.attributes,
                start_time=began + _nanoseconds(part.start),
            ).end(began + _nanoseconds(part.end))
        root.end(began + _nanoseconds(whole.end))

    def close(self) -> None:
        """Send what waits, for at most `SENDING_S` seconds, and end the thread."""
        self._provider.force_flush(int(1000 * SENDING_S))
        self._provider.shutdown()


def _nanoseconds(seconds: float) -> int:
    return round(1e9 * seconds)
