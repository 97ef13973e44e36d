"""Messages of clubs: lasting groups of users with a chat of their own, who call each other to their tables."""

from typing import Literal

from msgspec import Struct

from scoville_shared.protocol.messages.base import Name, Params, Reply, ShortText

ClubChange = Literal["invited", "joined", "declined", "left", "promoted", "demoted", "banned", "unbanned", "closed"]
"""What has happened to a user in a club; `closed` to the club."""


class OfClub(Params, frozen=True, kw_only=True):
    """Params that name a club."""

    club: ShortText


class ListClubsRequest(Params, frozen=True, kw_only=True):
    """Requests the user's clubs, and those to which they are invited."""


class CreateClubRequest(Params, frozen=True, kw_only=True):
    """Creates a club, which the user leads. For claimed names."""

    name: Name


class ShowClubRequest(OfClub, frozen=True, kw_only=True):
    """Requests a club of the user."""


class InviteToClubRequest(OfClub, frozen=True, kw_only=True):
    """Invites a user who owns their name. Leaders only."""

    name: Name


class AcceptClubRequest(OfClub, frozen=True, kw_only=True):
    """Accepts the invitation to a club."""


class DeclineClubRequest(OfClub, frozen=True, kw_only=True):
    """Declines the invitation to a club."""


class LeaveClubRequest(OfClub, frozen=True, kw_only=True):
    """Leaves a club; after the last leader the longest member leads, after the last member the club is closed."""


class PromoteMemberRequest(OfClub, frozen=True, kw_only=True):
    """Makes a member a leader. Leaders only."""

    name: Name


class DemoteLeaderRequest(OfClub, frozen=True, kw_only=True):
    """Makes a leader an ordinary member. Leaders only; never the last one."""

    name: Name


class BanFromClubRequest(OfClub, frozen=True, kw_only=True):
    """Bans a user from a club, member or not. Leaders only; leaders must be demoted first."""

    name: Name
    reason: ShortText | None = None


class UnbanFromClubRequest(OfClub, frozen=True, kw_only=True):
    """Lifts a ban from a club. Leaders only."""

    name: Name


class CloseClubRequest(OfClub, frozen=True, kw_only=True):
    """Closes a club for good; it can be read for 30 days. Leaders only."""


class SetCallsRequest(OfClub, frozen=True, kw_only=True):
    """Says whether the user wants to be called to tables of a club."""

    calls: bool


class CallClubRequest(OfClub, frozen=True, kw_only=True):
    """Calls the members of a club to a table at which the user sits: they are admitted, and invited."""

    table: ShortText


class ClubInfo(Struct, frozen=True, kw_only=True):
    """A club of the user, or one to which they are `invited_by` another user.

    `leads` and `calls` are the user's own. `closed_by` is set once the club is closed.
    """

    club: str
    club_name: str
    member_count: int
    leads: bool
    calls: bool
    invited_by: str | None = None
    closed_by: str | None = None


class ClubMember(Struct, frozen=True, kw_only=True):
    """A member of a club since a time (milliseconds since 1970)."""

    name: str
    leads: bool
    connected: bool
    since_ms: int
    you: bool = False


class ClubBan(Struct, frozen=True, kw_only=True):
    """A ban from a club, by a leader."""

    name: str
    by: str
    at_ms: int
    reason: str | None = None


class ListClubsReply(Reply, frozen=True, kw_only=True):
    """The clubs, in the order of their names."""

    clubs: list[ClubInfo]


class ClubReply(Reply, frozen=True, kw_only=True):
    """A club with its members, leaders first; who is invited, and who is banned, is for members alone."""

    info_of_club: ClubInfo
    members: list[ClubMember]
    invited_names: list[str] = []
    club_bans: list[ClubBan] = []


class ClubMembership(Struct, frozen=True, kw_only=True):
    """A club of a user, in the export of their data."""

    club: str
    club_name: str
    leads: bool
    since_ms: int


class ClubChangedNotice(Struct, frozen=True, kw_only=True):
    """`club.changed`: something has happened in a club to the user called `name`, `by` another one or themselves."""

    club: str
    club_name: str
    club_change: ClubChange
    name: str
    by: str | None = None
