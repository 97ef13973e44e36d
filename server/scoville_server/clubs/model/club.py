"""A club as a value: its members, invitations and bans; each act returns the club after it, or raises.

An open club always has a leader. A banned user is neither a member nor invited. A closed one changes no more, but for
members who leave it.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.local_time import UTC_ZONE
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId

T = TypeVar("T")

MOST_MEMBERS: Final = 100
"""Members of a club: more than know each other."""
MOST_INVITED: Final = 50
"""Users who are invited at a time; each may decline."""
MOST_BANNED: Final = 100
CLOSED_MS: Final = 30 * 86_400_000
"""Milliseconds for which a closed club can still be read, and its name belongs to nobody else."""


LOWEST_DIVISION: Final = 3
"""The division in which new members start; the first is the highest."""


class Member(Struct, frozen=True, kw_only=True):
    """A member since a time (milliseconds since 1970); `calls` says that they want to be called to tables.

    `best_games` are the points of their best games of the season, most first, and `game_count` counts all. At the end
    of the latest season that was played they `rose` by so many divisions.
    """

    since_ms: int
    leads: bool = False
    calls: bool = True
    division: int = LOWEST_DIVISION
    best_games: tuple[int, ...] = ()
    game_count: int = 0
    rose: int = 0


# Defaults are left out, so that a date of an earlier version stays as it was written.
class Date(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A date of a club, such as its weekly evening; whether its members were `reminded` of it.

    Times are milliseconds since 1970. A weekly one is at the hour of its first start, `first_ms`, by the local time of
    a `zone`; without both it is as one of UTC that starts at `starts_ms` first.
    """

    name: str
    starts_ms: int
    weekly: bool = False
    reminded: bool = False
    zone: str = UTC_ZONE
    first_ms: int = 0


class Ban(Struct, frozen=True, kw_only=True):
    """A ban by a leader, by the name they had then."""

    by: str
    at_ms: int
    reason: str = ""


class Club(Struct, frozen=True, kw_only=True):
    """A club. `invited` has the names of those who have invited; `closed_by` that of the user who has closed it.

    An admin of the server has a `closed_reason`.
    `dates` are by id. `season` is the number of the season to which the members' points belong, and `counted` the
    tables whose games counted, the latest last: none counts twice.

    It is one row of the journal: an act is one write, and a crash leaves nothing half done.
    """

    name: str
    since_ms: int
    members: dict[UserId, Member]
    invited: dict[UserId, str] = {}
    banned: dict[UserId, Ban] = {}
    closed_ms: int = 0
    closed_by: str = ""
    closed_reason: str = ""
    dates: dict[str, Date] = {}
    season: int = 0
    counted: tuple[TableId, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the club is not closed."""
        return not self.closed_ms

    def is_led_by(self, user: UserId) -> bool:
        """Whether a user is a leader."""
        return user in self.members and self.members[user].leads


def create_club(name: str, founder: UserId, now_ms: int) -> Club:
    """Create a club whose founder leads it."""
    return Club(name=name, since_ms=now_ms, members={founder: Member(since_ms=now_ms, leads=True)})


def ensure_leader(club: Club, is_banned: Callable[[UserId], bool]) -> Club:
    """Give a club whose leaders are all banned from the server another one: the longest member who is not banned.

    The former leaders stay what they are: when their ban ends they lead again.
    """
    if not club.is_open or not all(is_banned(user) for user, each in club.members.items() if each.leads):
        return club
    others = [user for user in club.members if not is_banned(user)]
    return _with_longest(club, others) if others else club


def invite_user(club: Club, by: UserId, by_name: str, whom: UserId) -> Club:
    """Invite a user. Raises ScovilleError `not_leader`, `club_closed`, `club_banned`, `club_full`."""
    check_leader(club, by)
    if whom in club.banned:
        raise ScovilleError(Code.CLUB_BANNED, "That user is banned from the club; lift the ban first.")
    if whom in club.members:
        return club
    if whom not in club.invited and len(club.invited) >= MOST_INVITED:
        sentence = f"{MOST_INVITED} users are invited, the most allowed; wait until one has answered."
        raise ScovilleError(Code.CLUB_FULL, sentence, {"why": "invitations", "most": MOST_INVITED})
    return replace(club, invited={**club.invited, whom: by_name})


def accept_invitation(club: Club, user: UserId, now_ms: int) -> Club:
    """Make an invited user a member. Raises ScovilleError `club_closed`, `unknown_club`, `club_full`."""
    check_open(club)
    if user in club.members:
        return club
    if user not in club.invited:
        raise refuse_unknown()
    if len(club.members) >= MOST_MEMBERS:
        sentence = f"The club has {MOST_MEMBERS} members, the most allowed."
        raise ScovilleError(Code.CLUB_FULL, sentence, {"why": "members", "most": MOST_MEMBERS})
    joined = Member(since_ms=now_ms)
    return replace(club, members={**club.members, user: joined}, invited=_drop_user(club.invited, user))


def decline_invitation(club: Club, user: UserId) -> Club:
    """End the invitation of a user."""
    return replace(club, invited=_drop_user(club.invited, user))


def leave_club(club: Club, user: UserId, name: str, now_ms: int) -> Club:
    """Remove a member. After the last leader the longest member leads; without members the club is closed."""
    if user not in club.members:
        return club
    left = replace(club, members=_drop_user(club.members, user))
    if not left.is_open or any(each.leads for each in left.members.values()):
        return left
    if left.members:
        return _with_longest(left, [*left.members])
    return shut_club(left, name, now_ms)


def promote_member(club: Club, by: UserId, whom: UserId) -> Club:
    """Make a member a leader. Raises ScovilleError `not_leader`, `not_member`, `club_closed`."""
    check_leader(club, by)
    return _with_member(club, whom, leads=True)


def demote_leader(club: Club, by: UserId, whom: UserId) -> Club:
    """Make a leader a member. Raises ScovilleError `not_leader`, `not_member`, `last_leader`, `club_closed`."""
    check_leader(club, by)
    after = _with_member(club, whom, leads=False)
    if not any(each.leads for each in after.members.values()):
        raise ScovilleError(Code.LAST_LEADER, "A club needs a leader; make another member one first.")
    return after


def ban_user(club: Club, by: UserId, whom: UserId, ban: Ban) -> Club:
    """Ban a user, which also removes a member and an invitation. Leaders must be demoted first.

    Raises ScovilleError `not_leader`, `club_closed`, `club_full`, `last_leader` for leaders.
    """
    check_leader(club, by)
    if club.is_led_by(whom):
        raise ScovilleError(Code.LAST_LEADER, "Leaders cannot be banned; make them ordinary members first.")
    if whom not in club.banned and len(club.banned) >= MOST_BANNED:
        sentence = f"{MOST_BANNED} users are banned, the most allowed; lift a ban first."
        raise ScovilleError(Code.CLUB_FULL, sentence, {"why": "bans", "most": MOST_BANNED})
    return replace(
        club,
        members=_drop_user(club.members, whom),
        invited=_drop_user(club.invited, whom),
        banned={**club.banned, whom: ban},
    )


def unban_user(club: Club, by: UserId, whom: UserId) -> Club:
    """Lift a ban. Raises ScovilleError `not_leader`, `club_closed`."""
    check_leader(club, by)
    return replace(club, banned=_drop_user(club.banned, whom))


def close_club(club: Club, by: UserId, by_name: str, now_ms: int) -> Club:
    """Close a club for good. Raises ScovilleError `not_leader`, `club_closed`."""
    check_leader(club, by)
    return shut_club(club, by_name, now_ms)


def shut_club(club: Club, by_name: str, now_ms: int, reason: str = "") -> Club:
    """Close a club for good; an admin of the server gives a reason. Raises ScovilleError `club_closed`."""
    check_open(club)
    return replace(club, invited={}, dates={}, closed_ms=now_ms, closed_by=by_name, closed_reason=reason)


def set_calls(club: Club, user: UserId, *, calls: bool) -> Club:
    """Note whether a member wants to be called to tables. Raises ScovilleError `unknown_club`, `club_closed`."""
    check_open(club)
    if user not in club.members:
        raise refuse_unknown()
    return replace(club, members={**club.members, user: replace(club.members[user], calls=calls)})


def forget_user(club: Club, user: UserId, name: str, now_ms: int) -> Club:
    """Remove all data of a user who has given up their name."""
    left = leave_club(club, user, name, now_ms)
    return replace(left, invited=_drop_user(left.invited, user), banned=_drop_user(left.banned, user))


def erase_name(club: Club, name: str, ghost: str) -> Club:
    """Replace the name of a deleted account where it has invited, banned or closed."""
    invited = {user: ghost if by == name else by for user, by in club.invited.items()}
    banned = {user: replace(ban, by=ghost) if ban.by == name else ban for user, ban in club.banned.items()}
    closed_by = ghost if club.closed_by == name else club.closed_by
    return replace(club, invited=invited, banned=banned, closed_by=closed_by)


def refuse_unknown() -> ScovilleError:
    """Return the error for a club that does not exist, or that the user may not see."""
    return ScovilleError(Code.UNKNOWN_CLUB, "You are in no such club.")


def check_open(club: Club) -> None:
    """Raise ScovilleError `club_closed`."""
    if not club.is_open:
        sentence = f"The club is closed, by {club.closed_by}; it can be read for 30 days."
        raise ScovilleError(Code.CLUB_CLOSED, sentence, {"by": club.closed_by})


def check_leader(club: Club, user: UserId) -> None:
    """Raise ScovilleError `not_leader`, `club_closed`."""
    check_open(club)
    if not club.is_led_by(user):
        raise ScovilleError(Code.NOT_LEADER, "Only leaders of the club can do that.")


def _with_member(club: Club, whom: UserId, *, leads: bool) -> Club:
    if whom not in club.members:
        raise ScovilleError(Code.NOT_MEMBER, "That user is not a member of the club.")
    return replace(club, members={**club.members, whom: replace(club.members[whom], leads=leads)})


def _with_longest(club: Club, users: list[UserId]) -> Club:
    # Several may have joined in the same millisecond: the id decides, so that it comes out the same each time.
    longest = min(users, key=lambda user: (club.members[user].since_ms, user))
    return _with_member(club, longest, leads=True)


def _drop_user(of: dict[UserId, T], user: UserId) -> dict[UserId, T]:
    return {key: value for key, value in of.items() if key != user}
