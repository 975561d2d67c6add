"""One verification under way: what its parts share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from adapters.ledger.mail_bindings import Where
from adapters.ledger.report import Fault, Findings
from adapters.ledger.retention import Forgotten
from adapters.ledger.sealing import Version

BATCH = 500  # entries at a time


@dataclass(frozen=True, slots=True)
class AskedIn:
    """Where a question of the chain was asked, and the hash of its entry."""

    hash: str
    pack: str
    tenant: str
    tags: tuple[str, ...]


@dataclass
class Walk:
    """One verification under way.

    `only` is the one entry to look into; None looks into all. `hashes` collects what
    the chain held at the places that head and anchor name, `asked` where the questions
    of all were asked, `came` when a document version came, as the chain has it.
    """

    connection: Connection
    findings: Findings
    text: Callable[[Version], str | Fault]
    only: int | None
    forgotten: Forgotten
    states: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    said: dict[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)
    bound: dict[Where, tuple[int, str | None]] = field(default_factory=dict)
    committed: dict[str, dict[str, int]] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)
    asked: dict[int, AskedIn] = field(default_factory=dict)
    came: dict[tuple[str, ...], str | None] = field(default_factory=dict)
