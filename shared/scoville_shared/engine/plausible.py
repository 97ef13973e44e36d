"""Plausibility of a View from a server that is not trusted: there must be a state of the game that it could show.

It rests on the law that `view(imagine(v, dice), seat) == v` for every View of a real game (tests/laws).
"""

from typing import Any

from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Dice
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat

_DICE = Dice(bytes(32))
_FAR = 1_000
"""Seats beyond all tables."""


def is_plausible(game: AnyGame, view: Any, seat: Seat | None, seats: int) -> bool:
    """Whether a View can be what `seat` or a spectator sees of a game with so many seats; without a seat, anybody.

    Costs about as much as one thought of a bot. Numbers that are only shown may still be false: the check of the
    finished game finds them out. Raises the errors of the guard of a package's game: then its code has failed.
    """
    try:
        state = game.imagine(view, _DICE)
        viewers = [seat, None] if seat is not None else [None, *map(Seat, range(seats))]
        # The View of the last seat is not compared: there is none in a game of fewer seats.
        views = [game.view(state, viewer) for viewer in (*viewers, Seat(seats - 1))]
        # Whatever a client makes of the View later must work too.
        game.moves(view)
        [*game.text.describe_table(view)]
        movers = game.pending(state)
    except ScovilleError:
        raise
    except Exception:  # noqa: BLE001 - a View that is none may break any assumption of the game's code
        return False
    return view in views[:-1] and movers <= {*range(seats)} and not _has_more_seats(game, state, seats)


def _has_more_seats(game: AnyGame, state: Any, seats: int) -> bool:
    """Whether a state has a View of the seat behind the last one; some games show all seats the same."""
    return _has_seat(game, state, Seat(seats)) and not _has_seat(game, state, Seat(seats + _FAR))


def _has_seat(game: AnyGame, state: Any, seat: Seat) -> bool:
    try:
        game.view(state, seat)
    except (LookupError, ScovilleError):  # the latter from a guarded game
        return False
    return True
