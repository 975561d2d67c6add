"""Traces of questions, where the settings name a collector for them."""

from adapters.observer import Traces
from config.settings import Settings


def open_traces(settings: Settings) -> Traces | None:
    """Open the collector of spans; None where none is named.

    OpenTelemetry takes a third of a second to import, so it is imported only when used.
    """
    if settings.traces is None:
        return None
    from adapters.tracing import trace_to_collector

    return trace_to_collector(str(settings.traces))
