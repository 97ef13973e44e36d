"""The daily deal of a server: the latest deals and the user's streak, results to compare, and games of others."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.session.changes import DailyChanged, Publish, Request
from scoville_client.session.start_options import data_folder
from scoville_client.session.table.actions import collect_pages
from scoville_client.session.table.table import AtTable
from scoville_outside import guard
from scoville_runtime.atomic_files import replace_file
from scoville_runtime.clock import SYSTEM
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    CompareDailyReply,
    CompareDailyRequest,
    DailyDeal,
    DailyResult,
    ExportDailyRequest,
    ExportReply,
    Params,
    PastView,
    PlayDailyRequest,
    Played,
    ProveDailyReply,
    ProveDailyRequest,
    ReplayDailyReply,
    ReplayDailyRequest,
    ShowDailyReply,
    ShowDailyRequest,
    ShowPuzzlesReply,
    ShowPuzzlesRequest,
    TableInfo,
)

FEATURE: Final = "daily"
"""The feature of servers that have a daily deal."""
PUZZLES: Final = "puzzles"
"""The feature of servers that pose puzzles."""

MOST_COMMITMENTS: Final = 2_000
"""Commitments that are noted, the newest ones: those of some months on several servers."""
_LONGEST_NOTES: Final = 1024 * 1024
_NOTES: Final = "daily-commitments.json"

_MOST_PAGES: Final = 64
"""Pages of another user's game; the longest daily deal has fewer."""


def is_daily(info: TableInfo) -> bool:
    """Whether the deal of a table is a daily one, and not that of a duplicate evening."""
    return info.deal is not None and info.tournament is None


class DailyPuzzle:
    """Puzzles of the server; `shown` is None until it was requested. Requests raise as `Request`."""

    def __init__(self, request: Request, publish: Publish) -> None:
        self.shown: ShowPuzzlesReply | None = None
        self._request = request
        self._publish = publish

    async def show_puzzles(self) -> ShowPuzzlesReply:
        """Request the user's results at puzzles, and at that of the day."""
        self.shown = await self._request(ShowPuzzlesRequest(), ShowPuzzlesReply)
        self._publish(DailyChanged())
        return self.shown


class Daily:
    """The server's daily deal. Requests raise as `Request` does.

    `shown` is None until it was requested, and on servers without one. `note_commitments` gets every commitment that
    the server shows. `puzzle` is that of the day.
    """

    def __init__(self, request: Request, publish: Publish, take_seat: Callable[[Params], Awaitable[None]]) -> None:
        self.shown: ShowDailyReply | None = None
        self.puzzle = DailyPuzzle(request, publish)
        self.note_commitments: Callable[[Iterable[str]], object] = list
        self._request = request
        self._publish = publish
        self._take_seat = take_seat

    def start_over(self) -> None:
        """Forget the data of the former user."""
        self.shown = self.puzzle.shown = None

    @property
    def newest(self) -> DailyDeal | None:
        """The deal that the user plays next: the newest open one that they have not finished, else today's."""
        deals = [] if self.shown is None else self.shown.deals
        waiting = (deal for deal in deals if deal.closes_in_ms is not None and deal.state in ("open", "playing"))
        return next(waiting, deals[0] if deals else None)

    def find_deal(self, day: int) -> DailyDeal | None:
        """Return the deal of a day, if it is shown."""
        return next((deal for deal in (self.shown.deals if self.shown else ()) if deal.day == day), None)

    async def show_deals(self) -> ShowDailyReply:
        """Request the latest deals and the user's streak."""
        self.shown = await self._request(ShowDailyRequest(), ShowDailyReply)
        coming = (commitment for promise in self.shown.upcoming for commitment in promise.commitments)
        self.note_commitments([*(deal.commitment for deal in self.shown.deals), *coming])
        self._publish(DailyChanged())
        return self.shown

    async def play_deal(self, day: int | None = None) -> None:
        """Begin or continue the deal of a day, today's by default, and go to its table."""
        await self._take_seat(PlayDailyRequest(day=day))

    async def compare_results(self, day: int) -> CompareDailyReply:
        """Request the results of a deal."""
        return await self._request(CompareDailyRequest(day=day), CompareDailyReply)

    async def prove_deals(self, day: int) -> ProveDailyReply:
        """Request the seeds and commitments of the deals of a day."""
        return await self._request(ProveDailyRequest(day=day), ProveDailyReply)

    async def export_result(self, day: int, result: str) -> list[str]:
        """Request the game of a result as the lines of an exported file."""
        return await collect_pages(
            lambda since: self._request(ExportDailyRequest(day=day, result=result, since=since), ExportReply)
        )

    async def replay_result(self, day: int, result: DailyResult) -> tuple[AtTable, int]:
        """Request the game of a result as its player saw it.

        Returns the table with all its Views, for looking back, and the number of the event at which the game parted
        from the user's own: the first one where it did not.
        """
        page = await self._request(ReplayDailyRequest(day=day, result=result.id), ReplayDailyReply)
        snapshot = page.snapshot
        if snapshot.seat is None:
            raise ScovilleError(Code.BAD_FRAME, tr("The server sent a game that cannot be shown."))
        # The seat is that of the player whose game this is; the user only watches from it.
        seat = Seat(snapshot.seat)
        at = AtTable(guard.load_game(snapshot.info.game), replace(snapshot, seat=None, point_of_view=seat))
        views: list[PastView] = [*page.views]
        for _ in range(_MOST_PAGES):
            if at.seq >= (snapshot.latest or at.seq) and page.latest is None:
                break
            since = views[-1].seq if views else at.seq
            page = await self._request(ReplayDailyRequest(day=day, result=result.id, since=since), ReplayDailyReply)
            # A server that promises more and sends nothing gets no further requests.
            if not page.views:
                break
            views += page.views
        at.add_past(views)
        return at, _event_of_parting(at, seat, result.same_move_count)


def _event_of_parting(at: AtTable, seat: Seat, same_moves: int | None) -> int:
    """Return the number of the event after which a player moved otherwise."""
    own = [seen.event.seq for seen in at.deal.events if isinstance(seen.event, Played) and seen.event.seat == seat]
    if same_moves is None or same_moves >= len(own):
        return 0
    return own[same_moves] - 1


class CommitmentNotes:
    """Notes of a computer: when it saw commitments to daily deals first, in milliseconds since 1970.

    A server that draws a deal after it has seen who plays, or how, has to commit to it late: `scoville verify` says
    since when this computer knows the commitment of a file. A damaged file counts as empty.
    """

    def __init__(self, path: Path, now_ms: Callable[[], int] = SYSTEM.date_ms) -> None:
        self._path = path
        self._now_ms = now_ms

    def note_commitments(self, commitments: Iterable[str]) -> None:
        """Note those that are new; where the file cannot be written they are noted next time."""
        seen = self._read_file()
        new = [commitment for commitment in dict.fromkeys(commitments) if commitment not in seen]
        if new:
            seen |= dict.fromkeys(new, self._now_ms())
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._path, msgspec.json.encode(dict([*seen.items()][-MOST_COMMITMENTS:])))

    def first_seen_ms(self, commitment: str) -> int | None:
        """Return when a commitment was seen first; None for one that was not."""
        return self._read_file().get(commitment)

    def _read_file(self) -> dict[str, int]:
        try:
            with self._path.open("rb") as file:
                return msgspec.json.decode(file.read(_LONGEST_NOTES), type=dict[str, int])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return {}


def users_notes() -> CommitmentNotes:
    """Return the notes of the user who runs this process. Raises OSError for one without a home folder."""
    return CommitmentNotes(data_folder() / _NOTES)
