"""Views of the past: what a watcher would have been sent with each event, dealt and played again."""

from typing import Final

from scoville_server.tables.model.evolving.starting import deal
from scoville_server.tables.model.table import Table
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import LookBackReply, PastView, Played, Started

MOST_MOVES: Final = 500
"""Moves of a game that is played again at most: 9 ms in the slowest game; the usual games have 200."""
PAGE: Final = 40
"""Views in one reply at most, of some 700 bytes each."""


def look_back(table: Table, since: int, seat: Seat | None) -> LookBackReply:
    """Return the Views of a seat (None: a spectator's) after the deal and each move behind event `since`.

    They are of the table as it is passed: spectators who see rounds get the Views of the table that they see.
    """
    if table.state is None or len(table.moves) > MOST_MOVES:
        return LookBackReply(views=[])
    views: list[PastView] = []
    state, moves = None, iter(table.moves)
    for recorded in table.reading(0):
        event = recorded.event
        if isinstance(event, Started):
            state = deal(table)
        elif isinstance(event, Played):
            made = next(moves)
            step = play(table.game, state, made.seat, table.game.codec.move(made.move))
            assert not isinstance(step, Refusal), f"a move that was made is legal; this one was refused: {step}"
            state = step.state
        else:
            continue
        if event.seq <= since:
            continue
        if len(views) == PAGE:
            return LookBackReply(views=views, latest=table.seq)
        views.append(PastView(seq=event.seq, view=table.game.codec.plain(table.game.view(state, seat))))
    return LookBackReply(views=views)
