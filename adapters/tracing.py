"""Questions as OpenTelemetry traces, sent to a collector over OTLP.

Only this module imports the OpenTelemetry packages, and it is imported only where
GROUNDRULE_TRACES names a collector. A collector that is away loses spans and delays no
question: a separate thread sends them, and spans beyond its queue are dropped.
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
SENDING_S = 5.0  # for one request to the collector, and for the last one at the end


def trace_to_collector(address: str) -> "Tracing":
    """Make traces to the OTLP collector at an address: http://localhost:4318."""
    endpoint = address.rstrip("/") + PATH
    return Tracing(OTLPSpanExporter(endpoint=endpoint, timeout=SENDING_S))


class Tracing:
    """Converts the spans of each question to a trace.

    Args:
        exporter: the exporter of the spans.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        resource = Resource({"service.name": "groundrule"})
        # Only `close` waits for a collector, briefly; the exit of the process does not.
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("groundrule")

    def show(self, spans: Sequence[Span]) -> None:
        """Send the spans of a question that ended now: the whole, then its parts."""
        whole, *parts = spans
        began = time.time_ns() - _to_nanoseconds(whole.end)
        root = self._tracer.start_span(
            whole.name, attributes=whole.attributes, start_time=began
        )
        inside = set_span_in_context(root)
        for part in parts:
            self._tracer.start_span(
                part.name,
                inside,
                attributes=part.attributes,
                start_time=began + _to_nanoseconds(part.start),
            ).end(began + _to_nanoseconds(part.end))
        root.end(began + _to_nanoseconds(whole.end))

    def close(self) -> None:
        """Send waiting spans, for at most `SENDING_S` seconds, and end the thread."""
        self._provider.force_flush(int(1000 * SENDING_S))
        self._provider.shutdown()


def _to_nanoseconds(seconds: float) -> int:
    return round(1e9 * seconds)
