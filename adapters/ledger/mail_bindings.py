"""Which pack answers in a channel, bound to the chain (R-D3); see BindingEntry.

An administrator decides by it what is trusted and who may read it. Each write of a
binding is an entry of the chain, in the same transaction; the transactions are the
caller's.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, select

from adapters.ledger import chain, entries
from adapters.ledger.entries import BindingEntry, instant
from adapters.ledger.mail_records import EVERYWHERE, Binding
from adapters.ledger.mail_rows import dump, load, put
from adapters.ledger.schema import as_key, audit_chain, bindings
from adapters.ledger.sealing import Personal
from adapters.mail import Place, Platform
from engine.model.errors import VerificationFailed

Where = tuple[str, str, str]  # the key of a row
WHAT = "a channel's binding"  # that cannot be read

# --- what holds -------------------------------------------------------------------


def bind(connection: Connection, now: datetime, binding: Binding) -> None:
    """Set the binding of a channel, whatever it was; `changed` is now.

    Raises:
        LedgerFailed: the chain is damaged.
    """
    where = _where(binding.platform, binding.tenant, binding.channel)
    changed = binding.model_copy(update={"changed": now})
    text, salt = dump(changed), secrets.token_hex(16)
    said = {"pack": binding.pack, "commitment": _commitment(text, salt)}
    names = ("platform", "tenant", "channel")
    key = dict(zip(names, where, strict=True))
    put(connection, bindings, {**key, "binding": text, "salt": salt})
    chain.append(connection, _gone(where, now).model_copy(update=said))


def unbind(
    connection: Connection,
    now: datetime,
    platform: Platform,
    tenant: str,
    channel: str,
) -> None:
    """Take a binding away, and say so also where none stands any more.

    So a row that was deleted behind the ledger's back can be put in order.

    Raises:
        LedgerFailed: the chain is damaged.
    """
    where = _where(platform, tenant, channel)
    connection.execute(delete(bindings).where(_row(where)))
    chain.append(connection, _gone(where, now))


def listed(connection: Connection, platform: Platform) -> Sequence[Binding]:
    """List every binding of a platform, by tenant and channel."""
    row = bindings.c
    query = select(row.binding).where(row.platform == platform)
    found = connection.scalars(query.order_by(row.tenant, row.channel))
    return tuple(load(Binding, text, WHAT) for text in found)


def binding(connection: Connection, place: Place) -> Binding | None:
    """Find the binding of the place's channel, else of its whole tenant.

    A tenant that is paused pauses its channels; a channel's binding without a pack adds
    its pause to the tenant's binding.
    """
    own = _bound(connection, place, place.channel)
    whole = _bound(connection, place, EVERYWHERE)
    if own is None or whole is None:
        return own or whole
    paused = own.paused or whole.paused
    chosen = whole if own.pack is None else own
    return chosen.model_copy(update={"channel": own.channel, "paused": paused})


def _bound(connection: Connection, place: Place, channel: str) -> Binding | None:
    this = _row(_where(place.platform, place.tenant, channel))
    text = connection.execute(select(bindings.c.binding).where(this)).scalar()
    return None if text is None else load(Binding, text, WHAT)


# --- what the chain says ----------------------------------------------------------


def held(connection: Connection) -> Mapping[Where, str]:
    """The commitment of each row as it stands."""
    row = bindings.c
    query = select(row.platform, row.tenant, row.channel, row.salt, row.binding)
    return {
        (platform, tenant, channel): _commitment(text, salt)
        for platform, tenant, channel, salt, text in connection.execute(query)
    }


def said(connection: Connection) -> Mapping[Where, BindingEntry]:
    """The last entry of each place; one that cannot be read says nothing."""
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


def say_again(
    connection: Connection, last: Mapping[Where, BindingEntry], now: datetime
) -> None:
    """After a restore that left the bindings as they are: what was said of them last.

    Only that: a row that was changed behind the ledger's back is found as before.

    Args:
        connection: a writing transaction.
        last: what the chain said that was replaced.
        now: when it was.
    """
    known, standing = said(connection), held(connection)
    unknown = known.keys() - last.keys() - standing.keys()
    again = {**last, **{where: _gone(where, now) for where in unknown}}
    for where, entry in again.items():
        before = known[where].commitment if where in known else None
        if before != entry.commitment:
            dated = entry.model_copy(update={"created": instant(now)})
            chain.append(connection, dated)


def _gone(where: Where, now: datetime) -> BindingEntry:
    platform, tenant, channel = where
    return BindingEntry(
        created=instant(now), platform=platform, tenant=tenant, channel=channel
    )


def _commitment(text: str, salt: str) -> str:
    return Personal("binding", salt, text).commitment


def _where(platform: Platform, tenant: str, channel: str) -> Where:
    return (platform.value, as_key(tenant), as_key(channel))


def _row(where: Where) -> ColumnElement[bool]:
    platform, tenant, channel = where
    row = bindings.c
    return and_(row.platform == platform, row.tenant == tenant, row.channel == channel)
