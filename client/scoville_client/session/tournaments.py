"""Tournaments of a server: those that there are, and the table that waits for this user."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from scoville_client.session.changes import EntrantsChanged, Publish, Request, TournamentNews
from scoville_client.session.table.actions import collect_pages
from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import (
    AnnouncedNotice,
    BeginTournamentRequest,
    CallTournamentRequest,
    CancelTournamentRequest,
    EnterTournamentRequest,
    ExportReply,
    ExportRequest,
    ExportTournamentRequest,
    InvitedNotice,
    ListTournamentsReply,
    ListTournamentsRequest,
    LobbyChangedNotice,
    Params,
    RemoveEntrantRequest,
    ShowTournamentReply,
    ShowTournamentRequest,
    TakeSeatRequest,
    TournamentChangedNotice,
    TournamentDueNotice,
    TournamentInfo,
    TournamentReply,
    TournamentSeatedNotice,
    WithdrawFromTournamentRequest,
)

FEATURE: Final = "tournaments"
"""The feature of servers that have tournaments."""
OF_CLUBS: Final = "club_tournaments"
"""The feature of servers on which clubs have tournaments of their own."""


def has_new_results(info: TournamentInfo) -> bool:
    """Whether all tables of a duplicate evening have just played a deal, so that all entrants ask how they stand."""
    has_all = info.scored_count > 0 and info.scored_count == info.round_number and info.grace_left_ms is None
    return has_all and info.stage in ("running", "finished")


def is_call_of_club(news: TournamentNews) -> bool:
    """Whether news call the members of a club to a tournament, or remind of it those who take no part."""
    called = news.kind == "due" or (news.kind == "changed" and news.info.stage == "announced")
    return called and news.info.club is not None and not news.info.entered


def may_be_called_away(at: AtTable | None) -> bool:
    """Whether a tournament may take the user to its table now: not while they play another game."""
    return at is None or at.seat is None or at.info.status != "playing"


TournamentNotice = TournamentChangedNotice | TournamentSeatedNotice | TournamentDueNotice


class Tournaments:
    """Requests about tournaments, and the latest list. Requests raise as `Request` does.

    `numbered` are the ids in the order of the latest list: notices since then change no number.
    `waiting` is the tournament in which a table waits for this user, until they sit there.
    """

    def __init__(self, request: Request, publish: Publish, take_seat: Callable[[Params], Awaitable[None]]) -> None:
        self.listed: list[TournamentInfo] = []
        self.numbered: list[str] = []
        self.waiting: TournamentInfo | None = None
        self._request = request
        self._publish = publish
        self._take_seat = take_seat

    def start_over(self) -> None:
        """Forget the data of the former user."""
        self.listed, self.numbered, self.waiting = [], [], None

    def on_notice(self, notice: TournamentNotice) -> None:
        """Note a change, and tell the front end."""
        info = notice.tournament_info
        if isinstance(notice, TournamentSeatedNotice):
            self.waiting = info
        elif self.waiting is not None and self.waiting.id == info.id and info.your_table is None:
            self.waiting = None
        self._note_tournament(info)
        self._publish(TournamentNews(info, _NEWS[type(notice)]))

    def note_entrants(self, notice: LobbyChangedNotice | InvitedNotice | AnnouncedNotice) -> None:
        """Note how many take part in tournaments, if a notice of the lobby says so."""
        counts = notice.entrant_counts if isinstance(notice, LobbyChangedNotice) else {}
        known = [info for info in self.listed if counts.get(info.id, info.entrant_count) != info.entrant_count]
        for info in known:
            self._note_tournament(replace(info, entrant_count=counts[info.id]))
        if known:
            self._publish(EntrantsChanged())

    async def list_tournaments(self) -> list[TournamentInfo]:
        """Request all tournaments: those that run first, those that have ended last."""
        self.listed = (await self._request(ListTournamentsRequest(), ListTournamentsReply)).tournaments
        self.numbered = [info.id for info in self.listed]
        return self.listed

    async def show_tournament(self, number: str) -> ShowTournamentReply:
        """Request a tournament with its standings and tables."""
        return await self._request(ShowTournamentRequest(tournament=number), ShowTournamentReply)

    async def call_tournament(self, fields: Mapping[str, Any]) -> TournamentInfo:
        """Call a tournament; `fields` are those of its request."""
        return await self._send_change(msgspec.convert(fields, CallTournamentRequest))

    async def enter_tournament(self, number: str, partners: Sequence[str] = ()) -> TournamentInfo:
        """Take part, as a team with `partners` who name this user as well."""
        return await self._send_change(EnterTournamentRequest(tournament=number, partners=[*partners]))

    async def withdraw_from_tournament(self, number: str) -> TournamentInfo:
        """Withdraw from a tournament."""
        return await self._send_change(WithdrawFromTournamentRequest(tournament=number))

    async def take_seat(self, number: str) -> None:
        """Go to the table that waits for this user."""
        self.waiting = None
        await self._take_seat(TakeSeatRequest(tournament=number))

    async def begin_tournament(self, number: str) -> TournamentInfo:
        """Begin a tournament before its time."""
        return await self._send_change(BeginTournamentRequest(tournament=number))

    async def cancel_tournament(self, number: str, reason: str = "") -> TournamentInfo:
        """Cancel a tournament for a reason that all users can read."""
        return await self._send_change(CancelTournamentRequest(tournament=number, reason=reason or None))

    async def remove_entrant(self, number: str, name: str) -> TournamentInfo:
        """Exclude an entrant."""
        return await self._send_change(RemoveEntrantRequest(tournament=number, name=name))

    async def export_tournament(self, number: str) -> list[str]:
        """Request everything that decides a tournament, as lines of JSON."""
        return await collect_pages(
            lambda since: self._request(ExportTournamentRequest(tournament=number, since=since), ExportReply)
        )

    async def replay_table(self, table: str) -> list[str]:
        """Request the game of a table whose deal all have played, as the lines of its file."""
        return await collect_pages(lambda since: self._request(ExportRequest(table=table, since=since), ExportReply))

    async def _send_change(self, params: Params) -> TournamentInfo:
        info = (await self._request(params, TournamentReply)).tournament_info
        self._note_tournament(info)
        return info

    def _note_tournament(self, info: TournamentInfo) -> None:
        """Put a tournament into the list, in its place if it is there."""
        if all(each.id != info.id for each in self.listed):
            self.listed = [info, *self.listed]  # before those that have ended
        else:
            self.listed = [info if each.id == info.id else each for each in self.listed]


_NEWS: Final[Mapping[type[TournamentNotice], Any]] = {
    TournamentChangedNotice: "changed",
    TournamentSeatedNotice: "seated",
    TournamentDueNotice: "due",
}
