"""Bindings of channels to packs, each write an entry of the chain (BindingEntry).

A binding decides what is trusted in a channel and who may read it. Its entry is
appended in the same transaction; the transactions are the caller's.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, select

from adapters.ledger import chain, entries
from adapters.ledger.entries import BindingEntry, format_instant
from adapters.ledger.mail_records import EVERYWHERE, Binding
from adapters.ledger.mail_rows import dump, load, put
from adapters.ledger.schema import audit_chain, bindings, make_key
from adapters.ledger.sealing import Personal
from adapters.mail import Place, Platform
from engine.model.errors import VerificationFailed

Key = tuple[str, str, str]  # the key of a row
NOUN = "a channel's binding"  # its name in an error

# --- bindings ---------------------------------------------------------------------


def bind(connection: Connection, now: datetime, binding: Binding) -> None:
    """Set the binding of a channel, with `changed` as now.

    Raises:
        LedgerFailed: the chain is damaged.
    """
    where = _make_key(binding.platform, binding.tenant, binding.channel)
    changed = binding.model_copy(update={"changed": now})
    text, salt = dump(changed), secrets.token_hex(16)
    said = {"pack": binding.pack, "commitment": _make_commitment(text, salt)}
    names = ("platform", "tenant", "channel")
    key = dict(zip(names, where, strict=True))
    put(connection, bindings, {**key, "binding": text, "salt": salt})
    chain.append(connection, _make_removal(where, now).model_copy(update=said))


def unbind(
    connection: Connection,
    now: datetime,
    platform: Platform,
    tenant: str,
    channel: str,
) -> None:
    """Delete a binding, and append that to the chain even where no row is left.

    That repairs a row which was deleted without an entry.

    Raises:
        LedgerFailed: the chain is damaged.
    """
    where = _make_key(platform, tenant, channel)
    connection.execute(delete(bindings).where(_match_row(where)))
    chain.append(connection, _make_removal(where, now))


def list_bindings(connection: Connection, platform: Platform) -> Sequence[Binding]:
    """List every binding of a platform, by tenant and channel."""
    row = bindings.c
    query = select(row.binding).where(row.platform == platform)
    found = connection.scalars(query.order_by(row.tenant, row.channel))
    return tuple(load(Binding, text, NOUN) for text in found)


def find_binding(connection: Connection, place: Place) -> Binding | None:
    """Find the binding of the place's channel, or else of its whole tenant.

    A tenant that is paused pauses its channels; a channel's binding without a pack adds
    its pause to the tenant's binding.
    """
    own = _load_binding(connection, place, place.channel)
    whole = _load_binding(connection, place, EVERYWHERE)
    if own is None or whole is None:
        return own or whole
    paused = own.paused or whole.paused
    chosen = whole if own.pack is None else own
    return chosen.model_copy(update={"channel": own.channel, "paused": paused})


def _load_binding(connection: Connection, place: Place, channel: str) -> Binding | None:
    this = _match_row(_make_key(place.platform, place.tenant, channel))
    text = connection.execute(select(bindings.c.binding).where(this)).scalar()
    return None if text is None else load(Binding, text, NOUN)


# --- entries of the chain ---------------------------------------------------------


def read_commitments(connection: Connection) -> Mapping[Key, str]:
    """Compute the commitment of each row."""
    row = bindings.c
    query = select(row.platform, row.tenant, row.channel, row.salt, row.binding)
    return {
        (platform, tenant, channel): _make_commitment(text, salt)
        for platform, tenant, channel, salt, text in connection.execute(query)
    }


def read_last_entries(connection: Connection) -> Mapping[Key, BindingEntry]:
    """Read the last entry of each place; skip entries that cannot be read."""
    row = audit_chain.c
    ours = row.kind.in_(("binding", "adopted_binding"))
    query = select(row.entry).where(ours).order_by(row.sequence)
    last = {}
    for text in connection.scalars(query):
        with suppress(VerificationFailed):
            entry = entries.read(text)
            if isinstance(entry, BindingEntry):
                last[entry.key] = entry
    return last


def append_again(
    connection: Connection, last: Mapping[Key, BindingEntry], now: datetime
) -> None:
    """Append the last entries of bindings after a restore that left the rows.

    They come from the replaced chain, not from the rows, so that a verification still
    finds a row that was changed without an entry.

    Args:
        connection: a writing transaction.
        last: the last entries of the chain that was replaced.
        now: the time of the restore.
    """
    known, standing = read_last_entries(connection), read_commitments(connection)
    unknown = known.keys() - last.keys() - standing.keys()
    again = {**last, **{where: _make_removal(where, now) for where in unknown}}
    for where, entry in again.items():
        before = known[where].commitment if where in known else None
        if before != entry.commitment:
            dated = entry.model_copy(update={"created": format_instant(now)})
            chain.append(connection, dated)


def _make_removal(where: Key, now: datetime) -> BindingEntry:
    platform, tenant, channel = where
    return BindingEntry(
        created=format_instant(now), platform=platform, tenant=tenant, channel=channel
    )


def _make_commitment(text: str, salt: str) -> str:
    return Personal("binding", salt, text).commitment


def _make_key(platform: Platform, tenant: str, channel: str) -> Key:
    return (platform.value, make_key(tenant), make_key(channel))


def _match_row(where: Key) -> ColumnElement[bool]:
    platform, tenant, channel = where
    row = bindings.c
    return and_(row.platform == platform, row.tenant == tenant, row.channel == channel)
