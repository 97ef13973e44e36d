"""Session with a server: the connection, the lobby, the current table, and what the user can request."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from scoville_client.session.changes import DoorEnded
from scoville_client.session.coach_quota import CoachQuota
from scoville_client.session.identity.account import AccountActions
from scoville_client.session.identity.admin import AdminActions
from scoville_client.session.lobby import sits_at
from scoville_client.session.membership import TableMembership
from scoville_client.session.playable import UNPLAYABLE, playable
from scoville_client.session.table.actions import TableActions
from scoville_client.session.table.exporting import fetch_export
from scoville_client.session.table.fair_deal import fresh_nonce
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    ClockParams,
    CreateReply,
    CreateRequest,
    JoinReply,
    PauseRequest,
    QuickMatchRequest,
    RematchRequest,
    ResumeRequest,
    StartRequest,
    TableInfo,
    TableSettingsParams,
)


class Session(TableMembership):
    """One user's session with one server, and a model of everything received from it.

    Methods that send a request raise ScovilleError with a sentence for the user when the server refuses it, and
    LinkError when there is no answer. A lost connection is reconnected; until then the table stays as it was.

    Args:
        nonce: Draws the user's share of the randomness of each table.
        clock: Clock for everything in the session.

    Attributes:
        lobby, chat, account, table_actions, admin: Requests beside playing.
        coach_quota: How often the user may ask the coach.
        commentary_keys: Commentators' keys of the tables that this user has opened, by table id.
    """

    def __init__(self, nonce: Callable[[], str | None] = fresh_nonce, clock: Clock = SYSTEM) -> None:
        super().__init__(nonce, clock)
        self.account = AccountActions(self.request, self)
        self.admin = AdminActions(self.request)
        self.table_actions = TableActions(self.request)
        self.coach_quota = CoachQuota(clock.seconds)

    def report_door(self, sentence: Phrase) -> None:
        """Publish that a door beside the server that this user hosts has ended."""
        self._publish(DoorEnded(sentence))

    async def refresh(self) -> None:
        """Request the list of tables."""
        await self.lobby.refresh()

    async def create(
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        clock: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        password: str = "",
    ) -> TableInfo:
        """Open a table without taking a seat.

        Args:
            game: Slug of the game.
            seats: Number of seats.
            options: Options of the game; the others have their defaults.
            clock: Fields of TableClock that differ from the default.
            settings: Fields of TableSettings that differ from the default.
            password: Password of the table, empty for none.
        """
        asked = CreateRequest(
            game=game,
            seat_count=seats,
            options=dict(options or {}),
            clock=ClockParams(**(clock or {})),
            settings=TableSettingsParams(**(settings or {})),
            password=password or None,
        )
        created = await self.request(asked, CreateReply)
        if created.commentary_key is not None:
            self.commentary_keys[created.info.table] = created.commentary_key
        # At once: the notice about it comes later, and the user goes there now.
        self.lobby.add(created.info)
        return created.info

    async def rejoin(self) -> None:
        """Go to a table at which this user has a seat, if any; tables that wait for a move of this user come first.

        A seat that the user left in a running game stays a bot's. A game that has ended comes last: who reloads the
        page at its end wants to see the result.
        """
        for table in [*self.lobby.mine, *filter(sits_at, self.lobby.mine_finished)]:
            with suppress(ScovilleError):  # it may be gone by now; then there is another one, or the lobby
                if sits_at(table) or await self.lobby.was_absent(table):
                    return await self.join(table.table)
        return None

    async def quick_match(self, game: str = "") -> None:
        """Take a seat at a public table that waits for players of `game`, or of any game."""
        seated = await self.request(QuickMatchRequest(game=game or self._only_playable()), JoinReply)
        self.lobby.add(seated.info)
        try:
            await self.join(seated.info.table)
        except ScovilleError as error:
            if error.code in UNPLAYABLE:
                await self.give_up_seat(seated.info.table)
            raise

    def _only_playable(self) -> str | None:
        """Return a game to ask for where the server could choose one that this client cannot play; None for any."""
        known = [info.slug for info in self.games if self.can_play(info.slug)]
        return None if len(known) == len(self.games) else next(iter(known), None)

    def can_play(self, slug: str) -> bool:
        """Whether this client can play a game with this server."""
        try:
            playable(slug, self.games)
        except ScovilleError:
            return False
        return True

    async def follow(self) -> None:
        """Go to the rematch of this table: to the reserved seat, or as a spectator."""
        at = self._at
        if at.next is None:
            return
        info = await self.lobby.enter(table=at.next)
        if at.seat is None:
            await self.watch(info.table)
        else:
            await self.join(info.table)

    async def start(self) -> None:
        """Start the game; bots take the open seats. Returns when the cards are dealt, or the start is void."""
        at = self._at
        await self._link.call(StartRequest(table=at.id))
        # The reply says that the start has begun; the deal comes when all nonces are there.
        await self._fair_deal.dealt(at, lambda: self.online and self.table is at)

    async def pause(self) -> None:
        """Request a pause, or agree to one."""
        await self._link.call(PauseRequest(table=self._at.id))

    async def resume(self) -> None:
        """End a pause, or withdraw the request for one."""
        await self._link.call(ResumeRequest(table=self._at.id))

    async def play(self, move: Any) -> int:
        """Play a move of the game's own type and return the number of its event.

        Raises ScovilleError with the game's own sentence for an illegal move.
        """
        return await self._sender.play(self._at, move)

    async def join_rematch(self) -> None:
        """Go to the rematch of this table; open one where nobody has yet."""
        if self._at.next is None:
            self._at.next = (await self.rematch()).table
        await self.follow()

    async def rematch(self) -> TableInfo:
        """Open a rematch for the same players, to which each goes by `follow`."""
        info = (await self.request(RematchRequest(table=self._at.id), CreateReply)).info
        self.lobby.add(info)
        return info

    async def export(self) -> list[str]:
        """Return the finished game of this table as the lines of an exported file."""
        return await fetch_export(self.request, self._at.id)
