"""Permissions to read and write in a table's chat, as far as the table itself decides."""

from scoville_server.chat.mutes import Mutes
from scoville_server.tables.actions.action import Refused, require_host
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.audience import Watcher, is_spectating, watch_refusal
from scoville_shared.errors import Code


def may_not_read(table: Table, who: Watcher) -> Refused | None:
    """Return why a user may not read a table's chat, or None: users who may not watch may not read either."""
    return watch_refusal(table, who)


def may_not_talk(table: Table, who: Watcher, mutes: Mutes) -> Refused | None:
    """Return why a user may not write or react at a table, or None."""
    closed = may_not_read(table, who)
    if closed is not None:
        return closed
    if is_spectating(table, who) and not table.opened.settings.spectators_talk:
        return Refused(Code.NOT_SEATED, "Only players can chat at this table.", {"table": table.id})
    if mutes.is_muted(table.id, who.user):
        return Refused(Code.MUTED, "The host has muted you at this table.", {"table": table.id})
    return None


def may_not_mute(table: Table, who: Watcher) -> Refused | None:
    """Refuse muting to everyone but the host of the table."""
    host = require_host(table, table.seat_of(who.user), "can mute users at this table")
    return host if isinstance(host, Refused) else None
