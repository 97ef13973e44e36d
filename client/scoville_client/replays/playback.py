"""Tapes, which are stepped through forwards and backwards, and the tape of a replay.

A playback has the position, the point of view and the table that a board shows without a server; practice may go on
from there.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right

from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.replays.reel import Kind, Reel, finding_text
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableInfo, TableSnapshot
from scoville_shared.replay import ExportedGame, FindingCode, Header, Opening


class Tape(ABC):
    """Steps through a game. `at` is the table at `position`; it has no players, a point of view is only watched.

    `parts` are the positions at which a part of the game begins, such as a round; `kind` says which. `moves` is the
    position after the last move, `last` that of the result if it is shown.
    """

    at: AtTable
    position = 0
    kind: Kind
    parts: tuple[int, ...]
    moves: int
    last: int

    @abstractmethod
    def step_forward(self) -> EventApplied | None:
        """Go one step forward and return its events; None at the end."""

    @abstractmethod
    def go_to(self, position: int) -> None:
        """Go to a position, or the nearest one."""

    @property
    def part_number(self) -> int:
        """The number of the part of the game at this position, from 1."""
        return bisect_right(self.parts, self.position)

    def step_back(self) -> None:
        """Go one step back."""
        self.go_to(self.position - 1)

    def go_to_next_part(self) -> None:
        """Go to the start of the next part, or to the end."""
        nth = bisect_right(self.parts, self.position)
        self.go_to(self.parts[nth] if nth < len(self.parts) else self.last)

    def go_to_part_before(self) -> None:
        """Go to the start of this part, or of the one before if this one has just begun."""
        # From the left: at the very start of a part the one before it is meant.
        nth = bisect_left(self.parts, self.position)
        self.go_to(self.parts[max(0, nth - 1)])

    def go_to_part(self, number: int) -> None:
        """Go to the start of part `number`, from 1; past the last one, to the end."""
        self.go_to(self.parts[max(1, number) - 1] if number <= len(self.parts) else self.last)


class Playback(Tape):
    """Steps through a reel. `at` is the table at `position` as `seat` (None: a spectator) saw it.

    A step forward changes `at` in place, as a session does; every other move through the game makes a new one.
    """

    def __init__(self, reel: Reel, seat: Seat | None = None, position: int = 0) -> None:
        self.reel = reel
        self.seat = seat
        self.kind, self.parts = reel.kind, reel.parts
        self.moves, self.last = reel.moves, reel.last
        self.go_to(position)

    def step_forward(self) -> EventApplied | None:
        if self.position == self.last:
            return None
        self.position += 1
        # As an event on the same table, so that the board animates it as it does with those of a server.
        event = self.reel.event_at(self.position, self.seat)
        return self.at.apply_event(event, self.reel.view_at(self.position, self.seat))

    def go_to(self, position: int) -> None:
        self.position = max(0, min(position, self.last))
        # A new table: events can be added to one, but not taken away.
        self.at = AtTable(self.reel.game, self._make_snapshot())

    def look_from(self, seat: Seat | None) -> None:
        """Change the point of view at this position."""
        self.seat = seat
        self.go_to(self.position)

    def look_from_next_seat(self) -> None:
        """Change the point of view to the next seat; after the last one, to a spectator."""
        count = len(self.reel.header.seats)
        following = 0 if self.seat is None else self.seat + 1
        self.look_from(Seat(following) if following < count else None)

    def _make_snapshot(self) -> TableSnapshot:
        reel, position, seat = self.reel, self.position, self.seat
        return TableSnapshot(
            info=self._make_info(),
            seq=position + 1,
            seat=None,
            view=reel.view_at(position, seat),
            pending=reel.pending_at(position),
            move_counts=[*reel.moment_at(position).played],
            events=[reel.event_at(number, seat) for number in range(position + 1)],
            point_of_view=seat,
        )

    def _make_info(self) -> TableInfo:
        header = self.reel.header
        return TableInfo(
            table=header.table,
            game=header.game,
            rules_version=header.rules_version,
            options=header.options,
            seats=self.reel.seats,
            host=None,
            status="finished" if self.position > self.reel.moves else "playing",
            commitment=header.commitment,
        )


def first_human(header: Header) -> Seat:
    """Return the first seat of a human; seat 0 if only programs played."""
    kinds = [sitter.kind for sitter in header.seats]
    return Seat(kinds.index("human") if "human" in kinds else 0)


def opening_of(exported: ExportedGame, moves: int, seat: Seat) -> Opening:
    """Return the game after its first `moves` moves. Raises ScovilleError if it cannot be continued there."""
    if moves > len(exported.moves):
        raise _position_error(
            tr("There is no move {move}; the last one is {last}.", move=moves, last=len(exported.moves))
        )
    # Without the moves that follow: a file whose end is broken can still be continued from before that.
    reel = Reel(replace(exported, moves=exported.moves[:moves], outcome=None))
    for finding in reel.verdict.findings:
        if not finding.held and finding.code is not FindingCode.INCOMPLETE:
            raise _position_error(finding_text(finding, exported))
    if not reel.pending_at(moves):
        raise _position_error(tr("The game is over after move {move}; choose an earlier move.", move=moves))
    return Opening(exported, moves, seat)


def _position_error(sentence: str) -> ScovilleError:
    return ScovilleError("no_opening", sentence)
