"""The table of a puzzle, which boards and the line mode show without a server."""

from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.session.table.table import AtTable
from scoville_outside import guard
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played, PuzzleInfo, SeatInfo, Started, TableInfo, TableSnapshot
from scoville_shared.values import Mover

NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gil", "Hana")
"""Who sits at the table of a puzzle, but for one with the user's name; nobody is meant."""


def lay_out_puzzle(posed: PuzzleInfo, name: str = "") -> AtTable:
    """Return the table of a puzzle, at which the user owes the move.

    Raises ScovilleError for one that this client cannot show: it may come from a server.
    """
    game = guard.load_game(posed.game)
    others = [each for each in NAMES if each.casefold() != name.casefold()]
    names = [others[seat % len(others)] for seat in range(posed.seat_count)]
    # Before anything is indexed by them: a server may send any numbers.
    if not 0 <= posed.seat < posed.seat_count or any(
        not 0 <= step.seat < posed.seat_count for step in posed.past_steps
    ):
        raise ScovilleError(Code.BAD_FRAME, tr("The server sent a game that cannot be shown."))

    names[posed.seat] = name or tr("Guest")
    seats = [
        SeatInfo(name=each, kind="human" if seat == posed.seat else "bot", connected=True)
        for seat, each in enumerate(names)
    ]
    counts = [0] * posed.seat_count
    started = Started(seq=1, seats=seats, nonces=[""] * posed.seat_count, pending=[])
    events: list[Started | Played] = [started]
    for seq, step in enumerate(posed.past_steps, 2):
        counts[step.seat] += 1
        mover: Mover = "player" if step.seat == posed.seat else "bot"
        events.append(Played(seq=seq, seat=step.seat, mover=mover, facts=step.facts, pending=[], move_counts=[*counts]))

    info = TableInfo(
        table="puzzle",
        game=posed.game,
        rules_version=posed.rules_version,
        options=posed.options,
        seats=seats,
        host=None,
        status="playing",
        commitment="",
    )
    snapshot = TableSnapshot(
        info=info,
        seq=len(events),
        seat=Seat(posed.seat),
        view=posed.view,
        pending=[posed.seat],
        move_counts=counts,
        events=[*events],
    )
    at = AtTable(game, snapshot)
    at.missed = None  # nobody has missed the moves of a puzzle
    return at
