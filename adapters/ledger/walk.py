"""One verification under way: what its parts share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from adapters.ledger.mail_bindings import Where
from adapters.ledger.report import Fault, Findings
from adapters.ledger.retention import Forgotten
from adapters.ledger.sealing import Version

BATCH = 500  # entries at a time


@dataclass
class Walk:
    """One verification under way.

    `only` is the one entry to look into; None looks into all. `hashes` collects what
    the chain held at the places that head and anchor name.
    """

    connection: Connection
    findings: Findings
    text: Callable[[Version], str | Fault]
    only: int | None
    forgotten: Forgotten
    states: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    said: dict[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)
    bound: dict[Where, tuple[int, str | None]] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)
