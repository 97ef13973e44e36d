"""Messages of clubs: lasting groups of users with a chat of their own, who call each other to their tables."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Name, Params, Reply, ShortText
from scoville_shared.protocol.messages.players import LeaderboardEntry
from scoville_shared.protocol.messages.tables import TableInfo
from scoville_shared.protocol.messages.tournaments import LONGEST_NOTICE_MS

ClubChange = Literal["invited", "joined", "declined", "left", "promoted", "demoted", "banned", "unbanned", "closed"]
"""Event of a user in a club; `closed` is the club's."""


class OfClub(Params, frozen=True, kw_only=True):
    """Params that name a club."""

    club: ShortText


class OfClubUser(OfClub, frozen=True, kw_only=True):
    """Params that name a club and a user, who may not be in it yet."""

    name: Name


class ListClubsRequest(Params, frozen=True, kw_only=True):
    """Requests the user's clubs, and those to which they are invited."""


class CreateClubRequest(Params, frozen=True, kw_only=True):
    """Creates a club, which the user leads. For claimed names."""

    name: Name


class ShowClubRequest(OfClub, frozen=True, kw_only=True):
    """Requests a club of the user."""


class InviteToClubRequest(OfClubUser, frozen=True, kw_only=True):
    """Invites a user who owns their name. Leaders only."""


class AcceptClubRequest(OfClub, frozen=True, kw_only=True):
    """Accepts the invitation to a club."""


class DeclineClubRequest(OfClub, frozen=True, kw_only=True):
    """Declines the invitation to a club."""


class LeaveClubRequest(OfClub, frozen=True, kw_only=True):
    """Leaves a club; after the last leader the longest member leads, after the last member the club is closed."""


class PromoteMemberRequest(OfClubUser, frozen=True, kw_only=True):
    """Makes a member a leader. Leaders only."""


class DemoteLeaderRequest(OfClubUser, frozen=True, kw_only=True):
    """Makes a leader an ordinary member. Leaders only; never the last one."""


class BanFromClubRequest(OfClubUser, frozen=True, kw_only=True):
    """Bans a user from a club, member or not. Leaders only; leaders must be demoted first."""

    reason: ShortText | None = None


class UnbanFromClubRequest(OfClubUser, frozen=True, kw_only=True):
    """Lifts a ban from a club. Leaders only."""


class CloseClubRequest(OfClub, frozen=True, kw_only=True):
    """Closes a club for good; it can be read for 30 days. Leaders only."""


class SetCallsRequest(OfClub, frozen=True, kw_only=True):
    """Says whether the user wants to be called to tables of a club."""

    calls: bool


class CallClubRequest(OfClub, frozen=True, kw_only=True):
    """Calls the members of a club to a table at which the user sits: they are admitted, and invited."""

    table: ShortText


class ShowClubBoardRequest(OfClub, frozen=True, kw_only=True):
    """Requests the board of a club: the tables of its members, its season, and its best by rating."""


class AddDateRequest(OfClub, frozen=True, kw_only=True):
    """Adds a date to a club, `starts_in_ms` from now, once or each week at that hour in a time `zone`. Leaders only."""

    name: ShortText
    starts_in_ms: Annotated[int, Meta(ge=0, le=LONGEST_NOTICE_MS)]
    weekly: bool = False
    zone: ShortText | None = None


class RemoveDateRequest(OfClub, frozen=True, kw_only=True):
    """Removes a date of a club. Leaders only."""

    date_id: ShortText


class ReportClubRequest(OfClub, frozen=True, kw_only=True):
    """Reports a club, such as its name, to the admins. For members and those who are invited."""

    text: Annotated[str, Meta(min_length=1, max_length=500)]


class ClubInfo(Struct, frozen=True, kw_only=True):
    """A club of the user, or one to which they are `invited_by` another user.

    `leads` and `calls` are the user's own. `closed_by` is set once the club is closed, `closed_reason` only if an admin
    of the server has closed it and said why.
    """

    club: str
    club_name: str
    member_count: int
    leads: bool
    calls: bool
    invited_by: str | None = None
    closed_by: str | None = None
    closed_reason: str | None = None


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


class ClubDate(Struct, frozen=True, kw_only=True):
    """A date of a club, which starts at a time (milliseconds since 1970), once or each week.

    A weekly one stays at that hour by local time in the `zone`.
    """

    date_id: str
    name: str
    club: str
    club_name: str
    starts_ms: int
    weekly: bool = False
    zone: str = "UTC"


class ClubStanding(Struct, frozen=True, kw_only=True):
    """How a member stands in the season of a club.

    `division` is 1 for the highest. If the season ended now the member would rise by `forecast` divisions: 1, 0 or -1;
    at the end of the latest one they `rose` by so many.
    """

    name: str
    division: int
    season_points: int
    game_count: int
    forecast: int
    rose: int = 0
    you: bool = False


class ClubSeason(Struct, frozen=True, kw_only=True):
    """The season of a club, which ends in so many milliseconds: members by division, then by points."""

    ends_in_ms: int
    club_standings: list[ClubStanding]


class ClubLeaders(Struct, frozen=True, kw_only=True):
    """The members of a club with a rating at a game, best first."""

    game: str
    leaders: list[LeaderboardEntry]


class ClubBoardReply(Reply, frozen=True, kw_only=True):
    """The board of a club: tables at which members sit and that the user may know of, its season, its best by game."""

    tables: list[TableInfo]
    club_season: ClubSeason
    club_leaders: list[ClubLeaders]


class ListClubsReply(Reply, frozen=True, kw_only=True):
    """The clubs, in the order of their names."""

    clubs: list[ClubInfo]


class ClubReply(Reply, frozen=True, kw_only=True):
    """A club with its members, leaders first; who is invited, and who is banned, is for members alone."""

    info_of_club: ClubInfo
    members: list[ClubMember]
    invited_names: list[str] = []
    club_bans: list[ClubBan] = []
    club_dates: list[ClubDate] = []


class ClubMembership(Struct, frozen=True, kw_only=True):
    """A club of a user, in the export of their data."""

    club: str
    club_name: str
    leads: bool
    since_ms: int
    division: int = 3
    season_points: int = 0


class ClubDueNotice(Struct, frozen=True, kw_only=True):
    """`club.due`: a date of a club of the user starts in ten minutes or less."""

    club_date: ClubDate


class ClubSeasonNotice(Struct, frozen=True, kw_only=True):
    """`club.season`: a season of a club has ended; the user is in a division now, and `rose` by 1, 0 or -1."""

    club: str
    club_name: str
    division: int
    rose: int


class ClubChangedNotice(Struct, frozen=True, kw_only=True):
    """`club.changed`: something has happened in a club to the user called `name`, `by` another one or themselves.

    `reason` is that of an admin of the server who has closed it.
    """

    club: str
    club_name: str
    club_change: ClubChange
    name: str
    by: str | None = None
    reason: str | None = None
