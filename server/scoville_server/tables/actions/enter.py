"""Admission to private and locked tables: codes, passwords, invitations, commentators."""

from typing import Final

from msgspec.structs import replace

from scoville_server.tables.model.action import Action, Command, Records, Refused, refuse_unseated
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Commentator, Table
from scoville_shared.errors import Code
from scoville_shared.ids import UserId

MOST_COMMENTATORS: Final = 20
"""Most commentators of a table, all of whom are named; a table has a few."""

MOST_ADMITTED: Final = 100
"""Most users that a table admits: far more than ever spectate, and few enough to keep its records small."""


class Enter(Command, frozen=True, kw_only=True):
    """Admit a user who has shown the table's code, and its password if it has one."""

    user: UserId


class Invite(Command, frozen=True, kw_only=True):
    """Admit a `guest`, called `name`, at the request of a player."""

    user: UserId
    guest: UserId
    name: str


class InviteMany(Command, frozen=True, kw_only=True):
    """Admit many `guests` at the request of a player, as far as the table has room; kicked ones stay out."""

    user: UserId
    guests: tuple[UserId, ...]


class FollowMembers(Command, frozen=True, kw_only=True):
    """Admit the present `members` of the club to whose tournament the table belongs, and former ones no longer."""

    members: frozenset[UserId]


class ListCommentator(Command, frozen=True, kw_only=True):
    """List a user who has shown the commentators' key, before they are sent anything hidden.

    `claimed` says that they own their name.
    """

    user: UserId
    name: str
    claimed: bool = False


class Entered(Record, frozen=True, kw_only=True, tag="entered"):
    """A user may enter the table from now on."""

    user: UserId


class MembersFollowed(Record, frozen=True, kw_only=True, tag="members_followed", omit_defaults=True):
    """Users have `joined` the club of the table's tournament, or `left` it."""

    joined: tuple[UserId, ...] = ()
    left: tuple[UserId, ...] = ()


class CommentatorListed(Record, frozen=True, kw_only=True, tag="commentator_listed"):
    """A user is listed as a commentator for good; recorded before they are sent anything hidden."""

    user: UserId
    commentator: Commentator


def refuse_entry(table: Table, user: UserId) -> Refused | None:
    """Return why a user may not enter, or None. A private table does not exist for users who do not know its code."""
    if table.admits_user(user):
        return None
    if user in table.kicked:
        return _refuse_kicked(table, user)
    if table.hidden_from(user):
        return Refused(Code.UNKNOWN_TABLE, f"There is no table {table.id!r} here.", {"table": table.id})
    sentence = "This table has a password; send it with table.enter first."
    return Refused(Code.WRONG_PASSWORD, sentence, {"table": table.id})


def _refuse_kicked(table: Table, user: UserId) -> Refused:
    reason = table.kicked[user]
    sentence = f"You were kicked from this table: {reason}" if reason else "You were kicked from this table."
    return Refused(Code.KICKED, sentence, {"reason": reason or None})


def _decide_enter(table: Table, command: Enter, now_ms: int) -> Records | Refused:
    if command.user in table.former_members:  # they may still know the code
        return refuse_entry(table, command.user) or ()
    if command.user in table.kicked:
        return _refuse_kicked(table, command.user)
    return _admit_user(table, command.user, now_ms)


def _decide_invite(table: Table, command: Invite, now_ms: int) -> Records | Refused:
    if table.seat_of(command.user) is None:
        return refuse_unseated(table)
    if command.guest in table.kicked:
        sentence = f"{command.name} was kicked from this table and cannot come back to it."
        return Refused(Code.KICKED, sentence, {"name": command.name, "reason": table.kicked[command.guest] or None})
    return _admit_user(table, command.guest, now_ms)


def _decide_invite_many(table: Table, command: InviteMany, now_ms: int) -> Records | Refused:
    if table.seat_of(command.user) is None:
        return refuse_unseated(table)
    new = [guest for guest in command.guests if not table.admits_user(guest) and guest not in table.kicked]
    # As many as there is room for: the invitation of a whole club must not fail for its last members.
    return tuple(Entered(at_ms=now_ms, user=guest) for guest in new[: max(0, MOST_ADMITTED - len(table.admitted))])


def _admit_user(table: Table, user: UserId, now_ms: int) -> Records | Refused:
    if table.admits_user(user):
        return ()
    if len(table.admitted) >= MOST_ADMITTED:
        return Refused(Code.TOO_MANY, f"This table has admitted {MOST_ADMITTED} users, the most allowed.")
    return (Entered(at_ms=now_ms, user=user),)


def _evolve_entered(table: Table, record: Entered) -> Table:
    return replace(table, admitted=table.admitted | {record.user}, former_members=table.former_members - {record.user})


def _decide_follow_members(table: Table, command: FollowMembers, now_ms: int) -> Records:
    joined, left = command.members - table.members, table.members - command.members
    if not joined and not left:
        return ()
    return (MembersFollowed(at_ms=now_ms, joined=tuple(sorted(joined)), left=tuple(sorted(left))),)


def _evolve_members_followed(table: Table, record: MembersFollowed) -> Table:
    joined, left = frozenset(record.joined), frozenset(record.left)
    return replace(
        table,
        members=(table.members | joined) - left,
        # Kept, or the table's code would let them in again.
        former_members=(table.former_members | left) - joined,
        admitted=(table.admitted | joined) - left,
    )


def _decide_list_commentator(table: Table, command: ListCommentator, now_ms: int) -> Records | Refused:
    if command.user in table.commentators:
        return ()
    if len(table.commentators) >= MOST_COMMENTATORS:
        sentence = f"This table has had {MOST_COMMENTATORS} commentators; it admits no more."
        return Refused(Code.TOO_MANY, sentence)
    listed = Commentator(name=command.name, claimed=command.claimed)
    return (CommentatorListed(at_ms=now_ms, user=command.user, commentator=listed),)


def _evolve_commentator_listed(table: Table, record: CommentatorListed) -> Table:
    return replace(table, commentators={**table.commentators, record.user: record.commentator})


ACTION: Final = Action(
    {
        Enter: _decide_enter,
        Invite: _decide_invite,
        InviteMany: _decide_invite_many,
        FollowMembers: _decide_follow_members,
        ListCommentator: _decide_list_commentator,
    },
    {
        Entered: _evolve_entered,
        MembersFollowed: _evolve_members_followed,
        CommentatorListed: _evolve_commentator_listed,
    },
)
