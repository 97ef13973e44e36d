"""Admission to private and locked tables: codes, passwords, invitations, kicked users."""

from scoville_server.tables.model.commands import Enter, Invite, ListCommentator, Refused
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, not_seated
from scoville_server.tables.model.records import Commentator, CommentatorListed, Entered
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import UserId

MOST_COMMENTATORS = 20
"""Most commentators of a table, all of whom are named; a table has a few."""

MOST_ADMITTED = 100
"""Most users that a table admits: far more than ever spectate, and few enough to keep its records small."""


def entry_refusal(table: Table, user: UserId) -> Refused | None:
    """Return why a user may not enter, or None. A private table does not exist for users who do not know its code."""
    if table.admits(user):
        return None
    if user in table.kicked:
        return _kicked(table, user)
    if table.hidden_from(user):
        return Refused(Code.UNKNOWN_TABLE, f"There is no table {table.id!r} here.", {"table": table.id})
    sentence = "This table has a password; send it with table.enter first."
    return Refused(Code.WRONG_PASSWORD, sentence, {"table": table.id})


def _kicked(table: Table, user: UserId) -> Refused:
    reason = table.kicked[user]
    sentence = f"You were kicked from this table: {reason}" if reason else "You were kicked from this table."
    return Refused(Code.KICKED, sentence, {"reason": reason or None})


def _admit(table: Table, command: Enter, now_ms: int) -> Decision:
    if command.user in table.kicked:
        return _kicked(table, command.user)
    return _opened_for(table, command.user, now_ms)


def _invite(table: Table, command: Invite, now_ms: int) -> Decision:
    if table.seat_of(command.user) is None:
        return not_seated(table)
    if command.guest in table.kicked:
        sentence = f"{command.name} was kicked from this table and cannot come back to it."
        return Refused(Code.KICKED, sentence, {"name": command.name, "reason": table.kicked[command.guest] or None})
    return _opened_for(table, command.guest, now_ms)


def _opened_for(table: Table, user: UserId, now_ms: int) -> Decision:
    if table.admits(user):
        return ()
    if len(table.admitted) >= MOST_ADMITTED:
        return Refused(Code.TOO_MANY, f"This table has admitted {MOST_ADMITTED} users, the most allowed.")
    return (Entered(at_ms=now_ms, user=user),)


def _list_commentator(table: Table, command: ListCommentator, now_ms: int) -> Decision:
    if command.user in table.commentators:
        return ()
    if len(table.commentators) >= MOST_COMMENTATORS:
        sentence = f"This table has had {MOST_COMMENTATORS} commentators; it admits no more."
        return Refused(Code.TOO_MANY, sentence)
    listed = Commentator(name=command.name, claimed=command.claimed)
    return (CommentatorListed(at_ms=now_ms, user=command.user, commentator=listed),)


DECIDERS: Deciders = {Enter: _admit, Invite: _invite, ListCommentator: _list_commentator}
