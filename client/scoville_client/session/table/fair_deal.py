"""The client's part in a verifiable deal: commit to a nonce, reveal it when asked rightly, check the finished game."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import islice

from msgspec.structs import replace

from scoville_client.i18n.errors import error_text
from scoville_client.session.changes import Change, Publish, RemovedFromTable, Request, TableChanged, TournamentNews
from scoville_client.session.link import TEMPORARY, ReconnectWaits
from scoville_client.session.table.deal_record import DealStanding, DealVerdict
from scoville_client.session.table.pledge import MemoryPledges, Pledge, Pledges, deal_terms, needs_all_nonces
from scoville_client.session.table.start_record import Accepted, Committed, HeldHash, Revealed
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_runtime.clock import Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    Empty,
    JoinReply,
    JoinRequest,
    NoncesRequested,
    RevealRequest,
    TableInfo,
)

_CHANGED = Phrase(
    "You have left the table: the server changed the game or the commitment after you had joined, so your random "
    "number was not revealed."
)
MOST_TRIES = 8
"""How often a step is tried in a row while the server refuses it for the moment: for about a minute."""

_NOT_EXPORTED = Phrase("Not verified: the server did not export the game. {reason}")
_SEALED = Phrase("Not verified yet: this deal is secret until everybody has played it, or its time is over.")
_AWAITS_OTHERS = DealVerdict(DealStanding.OPEN, _SEALED)
_NO_RULES = Phrase(
    "Not verified: that needs the rules of the game, which this client does not have. Save the game to check it later."
)


Step = Callable[[AtTable], Awaitable[None]]
KeepGame = Callable[[Sequence[str], str, str, Seat], object]
"""Keeps the lines of a finished game, with its game, its table and the user's seat. Raises OSError."""


def fresh_nonce() -> str | None:
    """Draw a player's share of the randomness: 32 bytes, hex."""
    return secrets.token_hex(32)


def no_nonce() -> str | None:
    """Leave all randomness to the server's seed, so that a game can be played again."""
    return None


class FairDeal:
    """Follows the table the user is at, and does what the deal requires of this client.

    Args:
        request: Sends requests.
        publish: Publishes changes to the session's subscribers.
        leave: Leaves the table when the server broke its commitment.
        nonce: Draws a nonce, or None for no share in the randomness.
        clock: Clock for the pauses before a step is repeated.
        server_keys: Returns the server's key and those that it has replaced.
    """

    def __init__(
        self,
        request: Request,
        publish: Publish,
        leave: Callable[[], Awaitable[None]],
        nonce: Callable[[], str | None],
        clock: Clock,
        server_keys: Callable[[], tuple[str, ...]],
    ) -> None:
        self._server_keys = server_keys
        self.pledges: Pledges = MemoryPledges()
        self.keep_game: KeepGame | None = None
        """Keeps the finished games of this user, where there is a place for them."""
        self._request = request
        self._publish = publish
        self._leave = leave
        self._nonce = nonce
        self._clock = clock
        self._at: AtTable | None = None
        self._joined: tuple[str, tuple[Committed | HeldHash, ...]] = ("", ())
        self._unsealed = ""
        """The table whose deal all others have played too: its export is refused for a moment at most."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()

    def store_pledges(self, pledges: Pledges) -> None:
        """Keep this user's commitments at tables in another place, such as a file."""
        self.pledges = pledges

    async def join_table(self, table: str, seat: int | None, listed: TableInfo | None) -> JoinReply:
        """Take a seat with the hash of a nonce that is stored before; `listed` is the table as the lobby showed it.

        Raises as `Request` does.
        """
        pledge = self.pledges.find_pledge(table)
        if pledge is None and listed is not None and listed.status == "waiting":
            # From the list, so that usually one request is enough to join and to commit.
            pledge = self._make_pledge(listed)
        joined, noted = await self._request_seat(table, _unrevealed_hash(pledge), seat)
        if pledge is None and joined.info.status == "waiting":
            # The table was not listed: only the reply has the terms to commit to.
            joined, noted = await self._request_seat(table, self._make_pledge(joined.info).nonce_hash)
        self._joined = table, noted
        return joined

    async def rejoin_table(self, at: AtTable) -> None:
        """Take the seat again after a lost connection. Raises as `Request` does."""
        await self._send_commitment(at)

    def continue_at(self, at: AtTable) -> None:
        """Continue at a table that was just opened with this client's commitments there."""
        pledge = self.pledges.find_pledge(at.id)
        at.deal.pledge = pledge or at.deal.pledge
        # Only in a program that was restarted: else the record itself has the revealed nonces.
        if pledge is not None and not any(isinstance(entry, Revealed) for entry in at.deal.start.entries):
            at.deal.start.restored = pledge.spent
        table, noted = self._joined
        for entry in noted if table == at.id else ():
            at.deal.start.add_entry(entry)
        self._joined = "", ()

    def note_leaving(self, table: str) -> None:
        """Note that this user gives up the seat, which makes a start void."""
        pledge = self.pledges.find_pledge(table)
        if pledge is not None and pledge.revealed_for:
            # Stored, since the deal is judged after a restart too, and this void start is the user's own doing.
            self.pledges.keep_pledge(pledge.with_last_spent(left=True))

    def follow_change(self, change: Change, at: AtTable | None) -> None:
        """Follow a change: once all tables have played the deal of a duplicate evening, it can be checked at each."""
        info = change.info if isinstance(change, TournamentNews) else None
        is_played = info is not None and info.scored_count == info.round_number
        if info is not None and is_played and at is not None and at.info.tournament == info.id:
            self._unsealed = at.id
            if at.deal.verdict == _AWAITS_OTHERS:
                at.deal.verdict = None
        self.follow_table(at)

    def follow_table(self, at: AtTable | None) -> None:
        """Do the next step that the table's state requires, in the background; one step of each table at a time."""
        self._changed.set()
        self._at = at
        # Its task looks for the next step when it is done.
        if at is None or at.id in self._tasks:
            return
        step = self._next_step(at)
        if step is not None:
            self._tasks[at.id] = asyncio.get_running_loop().create_task(self._run_step(at, step))

    async def wait_for_deal(self, at: AtTable, waits: Callable[[], bool]) -> None:
        """Wait until the nonces that were requested are revealed or void, as long as `waits` says so."""
        while at.deal.requested is not None and waits():
            self._changed.clear()
            await self._changed.wait()

    def stop_tasks(self) -> None:
        """Stop all background tasks."""
        for task in self._tasks.values():
            task.cancel()

    def _next_step(self, at: AtTable) -> Step | None:
        if at.result is not None:
            return self._check_game if at.deal.verdict is None and at.started is not None else None
        if at.seat is None or at.started is not None or at.deal.pledge is None:
            return None
        if at.deal.requested is not None:
            return self._reveal_nonce if at.deal.answered != at.deal.requested.seq else None
        # The start that it was revealed for is void: no request for it is left.
        used = bool(at.deal.pledge.revealed_for)
        return self._renew_commitment if used or at.deal.voided > at.deal.redrawn else None

    async def _run_step(self, at: AtTable, step: Step) -> None:
        """Do a step; one that the server refuses for the moment is repeated, MOST_TRIES times in all."""
        try:
            for pause in (*islice(ReconnectWaits(self._clock.chance), MOST_TRIES - 1), None):
                refused = await self._try_step(at, step)
                if refused is None:
                    break
                if pause is None or not self._is_passing(at, refused):
                    self._give_up(at, refused)
                    return
                await self._clock.sleep(pause)
                # Looked up again after the pause: the start may be void by now, or the user elsewhere.
                following = self._next_step(at) if at is self._at or at.result is not None else None
                if following is None:
                    return
                step = following
        except LinkError:
            return  # repeated on the next connection
        finally:
            del self._tasks[at.id]
        # The next step may have become due while this one ran, without another change to notice it by.
        if at is self._at:
            self.follow_table(at)

    @staticmethod
    async def _try_step(at: AtTable, step: Step) -> ScovilleError | None:
        """Do a step; return the refusal of the server, if any. Raises LinkError."""
        try:
            await step(at)
        except ScovilleError as error:
            return error
        return None

    def _is_passing(self, at: AtTable, error: ScovilleError) -> bool:
        """Whether a refusal is one for the moment."""
        return error.code in TEMPORARY or (error.code == Code.DEAL_SEALED and at.id == self._unsealed)

    def _give_up(self, at: AtTable, error: ScovilleError) -> None:
        """Stop repeating a step; without an export there is a verdict nevertheless."""
        if at.result is not None and at.deal.verdict is None:
            self._set_verdict(at, DealVerdict(DealStanding.OPEN, _explain_refusal(error)))

    def _set_verdict(self, at: AtTable, verdict: DealVerdict) -> None:
        at.deal.verdict = verdict
        self._publish(TableChanged(presence=True))

    # --- steps -----------------------------------------------------------------------------------------

    async def _reveal_nonce(self, at: AtTable) -> None:
        """Reveal the nonce, unless the server changed anything that was pinned.

        A reveal that was lost with the connection, or refused for now, is repeated: without it the start is void.
        """
        requested, pledge = at.deal.requested, at.deal.pledge
        if requested is None or pledge is None:  # the start was voided before this step began
            return
        assert at.seat is not None, "only players reveal"
        held = requested.nonce_hashes[at.seat] == pledge.nonce_hash or at.deal.start.holds_hash(pledge.nonce_hash)
        if pledge.nonce is None or not held:
            at.deal.answered = requested.seq  # the hash came too late, or another device of this user has sent its own
            return
        if not self._as_pinned(at, pledge, requested):
            await self._leave()
            self._publish(RemovedFromTable(at.info, _CHANGED))
            return
        # Spent and stored before it is sent: a crash in between must not forget that a server may know the nonce.
        pledge = pledge.with_spent(at.seat, requested.nonce_hashes)
        self._keep_pledge(at, pledge)
        at.deal.start.add_entry(Revealed(pledge.spent[-1]))
        try:
            await self._request(RevealRequest(table=at.id, nonce=pledge.nonce or ""), Empty)
            at.deal.start.add_entry(Accepted(pledge.spent[-1].hashes))
            self._keep_pledge(at, pledge.with_last_spent(accepted=True))
        except ScovilleError as error:
            if error.code in TEMPORARY:
                raise
        at.deal.answered = requested.seq

    def _keep_pledge(self, at: AtTable, pledge: Pledge) -> None:
        at.deal.pledge = pledge
        self.pledges.keep_pledge(pledge)

    def _as_pinned(self, at: AtTable, pledge: Pledge, requested: NoncesRequested) -> bool:
        """Whether the server asks for the nonce of the very deal to which this client agreed."""
        assert at.seat is not None, "only players reveal"
        same = (at.info.commitment, at.terms) == (pledge.commitment, pledge.terms)
        mine = requested.nonce_hashes[at.seat] == pledge.nonce_hash
        # A nonce is revealed for one list of hashes only: for a second one the server could choose between two deals.
        return same and mine and pledge.revealed_for in ((), tuple(requested.nonce_hashes))

    async def _renew_commitment(self, at: AtTable) -> None:
        """Draw another nonce after a void start: the server may know the one before."""
        voided, pledge = at.deal.voided, at.deal.pledge
        assert pledge is not None, "there is a pledge"
        if pledge.revealed_for or at.deal.voided > at.deal.redrawn:
            self._keep_pledge(at, replace(pledge, nonce=self._nonce(), revealed_for=()))
        await self._send_commitment(at)
        at.deal.redrawn = voided

    async def _check_game(self, at: AtTable) -> None:
        """Check the finished game in a thread: to replay a long one takes a while, and the screens go on."""
        from scoville_client.session.table.actions import fetch_export  # late: no game is over at the start

        try:
            lines = await fetch_export(self._request, at.id)
        except ScovilleError as error:
            if self._is_passing(at, error):
                raise
            self._set_verdict(at, DealVerdict(DealStanding.OPEN, _explain_refusal(error)))
        else:
            await self._keep_lines(at, lines)
            if at.by_sentences is not None:
                self.pledges.drop_pledge(at.id)
                self._set_verdict(at, DealVerdict(DealStanding.OPEN, _NO_RULES))
                return
            from scoville_client.session.table.deal_check import check_deal
            from scoville_shared.replay.file import digest_of

            # A copy, because the table goes on while the thread reads it.
            verdict = await asyncio.to_thread(check_deal, at.copy_table(), lines, self._server_keys())
            # After the verdict: until then a restart needs it to check the game.
            self.pledges.drop_pledge(at.id)
            at.deal.signed_digest = digest_of(lines[:-1]).hex()  # the last line is the signature
            self._set_verdict(at, verdict)

    async def _keep_lines(self, at: AtTable, lines: list[str]) -> None:
        if self.keep_game is not None and at.seat is not None:
            with suppress(OSError):  # on a full disk; the game can still be saved elsewhere by its key
                await asyncio.to_thread(self.keep_game, lines, at.info.game, at.id, at.seat)

    async def _send_commitment(self, at: AtTable) -> None:
        """Send the hash of the present nonce, and note the one that the server holds."""
        hashed = _unrevealed_hash(at.deal.pledge)
        if hashed is not None:
            at.deal.start.add_entry(Committed(hashed))
        _, noted = await self._request_seat(at.id, hashed)
        for entry in noted[1:]:
            at.deal.start.add_entry(entry)

    async def _request_seat(
        self, table: str, nonce_hash: str | None, seat: int | None = None
    ) -> tuple[JoinReply, tuple[Committed | HeldHash, ...]]:
        """Take a seat with a hash; returns what was sent and received of it as well."""
        joined = await self._request(JoinRequest(table=table, seat=seat, nonce_hash=nonce_hash), JoinReply)
        held = HeldHash(joined.seat, joined.nonce_hash)
        return joined, (held,) if nonce_hash is None else (Committed(nonce_hash), held)

    def _make_pledge(self, info: TableInfo) -> Pledge:
        """Pin the server's commitment, draw a nonce and store both."""
        pledge = Pledge(
            commitment=info.commitment, terms=deal_terms(info), nonce=self._nonce(), rated=needs_all_nonces(info)
        )
        self.pledges.keep_pledge(pledge)
        return pledge


def _unrevealed_hash(pledge: Pledge | None) -> str | None:
    """The hash of a nonce that may still be revealed."""
    return None if pledge is None or pledge.revealed_for else pledge.nonce_hash


def _explain_refusal(error: ScovilleError) -> Phrase:
    """Say why there is no export to verify."""
    return _SEALED if error.code == Code.DEAL_SEALED else _NOT_EXPORTED.with_fields({"reason": error_text(error)})
