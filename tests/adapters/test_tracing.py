"""Traces as an OpenTelemetry collector gets them, over its real protocol."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Sent

from adapters.tracing import trace_to_collector
from engine.model.spans import Span

WALK = (
    Span("question", 0.0, 2.0, {"pack": "oncology", "answered": True}),
    Span("retrieve", 0.25, 1.0),
    Span("model", 1.0, 1.5, {"module": "side_effects", "cost": 0.002}),
)


@contextmanager
def collector() -> Iterator[tuple[str, list[Sent]]]:
    """A collector on loopback, and the spans that it was sent."""
    sent: list[Sent] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    sent.extend(scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_walk_of_a_question_is_one_trace_R_O2() -> None:
    """The parts lie inside the whole, at their times, with what is said of them."""
    with collector() as (address, sent):
        traces = trace_to_collector(address)
        traces.show(WALK)
        traces.show(WALK[:1])
        traces.close()
    named = {span.name: span for span in sent if span.parent_span_id}
    roots = [span for span in sent if not span.parent_span_id]
    assert len(roots) == 2
    assert len({span.trace_id for span in sent}) == 2
    (whole,) = [r for r in roots if r.trace_id == named["model"].trace_id]
    assert named.keys() == {"retrieve", "model"}
    for name, start, end in (("retrieve", 0.25, 1.0), ("model", 1.0, 1.5)):
        span = named[name]
        assert span.parent_span_id == whole.span_id
        assert span.start_time_unix_nano - whole.start_time_unix_nano == start * 1e9
        assert span.end_time_unix_nano - whole.start_time_unix_nano == end * 1e9
    said = {a.key: a.value for a in named["model"].attributes}
    assert said["module"].string_value == "side_effects"
    assert said["cost"].double_value == 0.002


def test_a_collector_that_is_away_costs_no_question() -> None:
    """Nothing is raised, and the end is not held up for longer than is said."""
    traces = trace_to_collector("http://127.0.0.1:1")
    traces.show(WALK)
    traces.close()
