"""Clubs of the user: which there are, the one that is meant, and the requests for them."""

from collections.abc import Callable, Container
from typing import Final

from msgspec.structs import replace

from scoville_client.i18n.club_text import due_sentence, season_sentence
from scoville_client.i18n.language import InputError, tr
from scoville_client.session.changes import ClubChanged, Publish, Request
from scoville_client.session.connection import UserConnection
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AcceptClubRequest,
    AddDateRequest,
    BanFromClubRequest,
    CallClubRequest,
    CloseClubRequest,
    ClubBoardReply,
    ClubChangedNotice,
    ClubDate,
    ClubDueNotice,
    ClubInfo,
    ClubReply,
    ClubSeasonNotice,
    CreateClubRequest,
    DeclineClubRequest,
    DemoteLeaderRequest,
    Empty,
    InviteToClubRequest,
    LeaveClubRequest,
    ListClubsReply,
    ListClubsRequest,
    OfClub,
    PromoteMemberRequest,
    RemoveDateRequest,
    ReportClubRequest,
    SetCallsRequest,
    ShowClubBoardRequest,
    ShowClubRequest,
    UnbanFromClubRequest,
)

FEATURE: Final = "clubs"
"""The feature of servers that have clubs."""
TIME_ZONES: Final = "club_time_zones"
"""The feature of servers whose clubs have weekly dates at an hour of local time."""
BOARDS: Final = "club_boards"
"""The feature of servers whose clubs have a board, dates and seasons."""
_MOST_DATED: Final = 5
"""Clubs whose dates are requested, the first ones: each costs a request."""
MOST_CLUBS: Final = 100
"""Clubs kept; a server that invents more has no room."""

_SENTENCES: Final = {
    "joined": Phrase("{name} has joined the club {club}."),
    "declined": Phrase("{name} has declined the invitation to the club {club}."),
    "left": Phrase("{name} has left the club {club}."),
    "closed": Phrase("{name} has closed the club {club}."),
    "invited": Phrase("{by} has invited {name} to the club {club}."),
    "promoted": Phrase("{by} has made {name} a leader of the club {club}."),
    "demoted": Phrase("{by} has made {name} an ordinary member of the club {club}."),
    "banned": Phrase("{by} has banned {name} from the club {club}."),
    "unbanned": Phrase("{by} has lifted the ban of {name} from the club {club}."),
}
_CLOSED_BY_ADMIN: Final = Phrase("{name}, an admin, has closed the club {club}: {reason}")
_ABOUT_ME: Final = {
    "invited": Phrase("{by} invites you to the club {club}."),
    "promoted": Phrase("{by} has made you a leader of the club {club}."),
    "demoted": Phrase("{by} has made you an ordinary member of the club {club}."),
    "banned": Phrase("{by} has banned you from the club {club}."),
}


def change_sentence(notice: ClubChangedNotice, me: str) -> Phrase | None:
    """Describe an event in a club; None for what the user has done themselves, or a later version names."""
    doer = notice.by or notice.name
    if doer == me:
        return None
    sentences = _ABOUT_ME if notice.name == me else _SENTENCES
    sentence = sentences.get(notice.club_change)
    fields = {"name": notice.name, "club": notice.club_name, "by": doer}
    if notice.reason and notice.club_change == "closed":
        sentence, fields = _CLOSED_BY_ADMIN, {**fields, "reason": notice.reason}
    return None if sentence is None else sentence.with_fields(fields)


class Clubs:
    """The user's clubs. Requests raise as `Request` does.

    `known` are those of the latest list, with invitations, by name; `meant` is the id of the one that was shown last.
    `dates` are those of the user's clubs when they were requested last.
    """

    def __init__(self, request: Request, publish: Publish, features: Callable[[], Container[str]] = frozenset) -> None:
        self.known: list[ClubInfo] = []
        self.dates: list[ClubDate] = []
        self.meant = ""
        self._request = request
        self._publish = publish
        self._features = features

    @property
    def own_clubs(self) -> list[ClubInfo]:
        """The clubs of which the user is a member."""
        return [club for club in self.known if club.invited_by is None]

    @property
    def inviting_clubs(self) -> list[ClubInfo]:
        """The clubs to which the user is invited."""
        return [club for club in self.known if club.invited_by is not None]

    def name_of(self, club: str) -> str:
        """Return the name of a club; empty for one that is not known."""
        return next((each.club_name for each in self.known if each.club == club), "")

    def start_over(self) -> None:
        """Forget everything: another user is logged in."""
        self.known, self.dates, self.meant = [], [], ""

    async def list_clubs(self) -> list[ClubInfo]:
        """Request the user's clubs, and those to which they are invited."""
        self.known = (await self._request(ListClubsRequest(), ListClubsReply)).clubs[:MOST_CLUBS]
        return self.known

    async def list_if_any(self, connection: UserConnection) -> None:
        """Request the user's clubs where there can be any: guests have none."""
        if FEATURE in connection.features and connection.claimed:
            await self.list_clubs()

    async def list_dates(self) -> list[ClubDate]:
        """Request the dates of the user's clubs, of a bounded number of them."""
        for club in self.own_clubs[:_MOST_DATED]:
            await self._request_club(ShowClubRequest(club=club.club))
        return self.dates

    async def _request_club(self, request: ShowClubRequest | AddDateRequest | RemoveDateRequest) -> ClubReply:
        """Request a club, and note its dates."""
        reply = await self._request(request, ClubReply)
        self.dates = [*(date for date in self.dates if date.club != request.club), *reply.club_dates]
        return reply

    async def find_club(self, name: str = "", *, invited: bool = False) -> ClubInfo:
        """Find the club that is meant: the one of that name, else the one shown last, else the only one.

        Raises InputError where it is not clear.
        """
        await self.list_clubs()
        clubs = self.inviting_clubs if invited else self.own_clubs
        begun = name.casefold()
        fitting = [club for club in clubs if club.club_name.casefold().startswith(begun)]
        exact = [club for club in fitting if club.club_name.casefold() == begun]
        shown = [club for club in clubs if club.club == self.meant and not name]
        for found in (exact, shown, fitting):
            if len(found) == 1:
                return found[0]
        if not clubs:
            raise InputError(tr("Nobody has invited you to a club.") if invited else tr("You are in no club."))
        names = ", ".join(club.club_name for club in clubs)
        raise InputError(tr("Which club do you mean? {clubs}", clubs=names))

    async def show_club(self, club: str) -> ClubReply:
        """Request a club with its members; from now on it is the one that is meant."""
        reply = await self._request_club(ShowClubRequest(club=club))
        self.meant = club
        return reply

    async def create_club(self, name: str) -> ClubReply:
        """Create a club, which the user leads."""
        reply = await self._request(CreateClubRequest(name=name), ClubReply)
        self.meant = reply.info_of_club.club
        await self.list_clubs()
        return reply

    async def invite_user(self, club: str, name: str) -> None:
        """Invite a user to a club."""
        await self._request(InviteToClubRequest(club=club, name=name), Empty)

    async def accept_invitation(self, club: str) -> None:
        """Accept the invitation to a club."""
        await self._change_club(AcceptClubRequest(club=club))
        self.meant = club
        await self._request_club(ShowClubRequest(club=club))

    async def decline_invitation(self, club: str) -> None:
        """Decline the invitation to a club."""
        await self._change_club(DeclineClubRequest(club=club))

    async def leave_club(self, club: str) -> None:
        """Leave a club."""
        await self._change_club(LeaveClubRequest(club=club))

    async def promote_member(self, club: str, name: str) -> None:
        """Make a member a leader."""
        await self._change_club(PromoteMemberRequest(club=club, name=name))

    async def demote_leader(self, club: str, name: str) -> None:
        """Make a leader an ordinary member."""
        await self._change_club(DemoteLeaderRequest(club=club, name=name))

    async def ban_user(self, club: str, name: str, reason: str = "") -> None:
        """Ban a user from a club."""
        await self._change_club(BanFromClubRequest(club=club, name=name, reason=reason or None))

    async def unban_user(self, club: str, name: str) -> None:
        """Lift a ban from a club."""
        await self._change_club(UnbanFromClubRequest(club=club, name=name))

    async def close_club(self, club: str) -> None:
        """Close a club for good."""
        await self._change_club(CloseClubRequest(club=club))

    async def set_calls(self, club: str, *, calls: bool) -> None:
        """Say whether the user wants to be called to tables of a club."""
        await self._change_club(SetCallsRequest(club=club, calls=calls))

    async def call_club(self, club: str, table: str) -> None:
        """Call the members of a club to a table."""
        await self._request(CallClubRequest(club=club, table=table), Empty)

    async def show_board(self, club: str) -> ClubBoardReply:
        """Request the board of a club."""
        return await self._request(ShowClubBoardRequest(club=club), ClubBoardReply)

    async def add_date(self, club: str, name: str, starts_in_ms: int, *, weekly: bool = False) -> ClubReply:
        """Add a date to a club."""
        request = AddDateRequest(club=club, name=name, starts_in_ms=starts_in_ms, weekly=weekly)
        if weekly and TIME_ZONES in self._features():
            from scoville_client.session.new_table.option_input import find_local_zone  # late: few add dates

            # So that it stays at this hour when the clocks are changed.
            request = replace(request, zone=find_local_zone())
        return await self._request_club(request)

    async def remove_date(self, club: str, date_id: str) -> ClubReply:
        """Remove a date of a club."""
        return await self._request_club(RemoveDateRequest(club=club, date_id=date_id))

    async def report_club(self, club: str, text: str) -> None:
        """Report a club to the admins."""
        await self._request(ReportClubRequest(club=club, text=text), Empty)

    async def _change_club(self, request: OfClub) -> None:
        await self._request(request, Empty)
        await self.list_clubs()

    def on_notice(self, notice: ClubChangedNotice | ClubDueNotice | ClubSeasonNotice, me: str) -> None:
        """Publish events of a club, and dates that are due there."""
        if isinstance(notice, ClubDueNotice):
            self._publish(ClubChanged(notice.club_date.club, due_sentence(notice.club_date)))
            return
        if isinstance(notice, ClubSeasonNotice):
            self._publish(ClubChanged(notice.club, season_sentence(notice)))
            return
        # Out and in again: a club is listed once, however often the server invites to it.
        if notice.name == me and notice.club_change in ("banned", "invited"):
            self.known = [club for club in self.known if club.club != notice.club]
        if notice.name == me and notice.club_change == "invited" and len(self.known) < MOST_CLUBS:
            invitation = ClubInfo(
                club=notice.club,
                club_name=notice.club_name,
                member_count=0,
                leads=False,
                calls=False,
                invited_by=notice.by,
            )
            self.known.append(invitation)
        self._publish(ClubChanged(notice.club, change_sentence(notice, me)))
