"""An engine that offers no choices: they change no outcome, and take their time."""

from bot.hearing import urgency
from bot.wiring import Application, calibration
from engine import Engine, Ports
from engine.policy import Pack


def without_choices(application: Application, pack: Pack) -> Engine:
    """The engine of a pack as it is given, over what the application holds.

    Raises:
        EnvironmentFailed: its index or its embedder cannot be opened.
    """
    search = application.search(pack.profile)
    ports = Ports(
        index=search.index,
        embedder=search.embedder,
        ledger=application.ledger,
        clock=application.clock,
        observer=application.observer,
        offers=False,
    )
    embedder = search.embedder
    return Engine({pack.id: pack}, ports, calibration(embedder), urgency(embedder))
