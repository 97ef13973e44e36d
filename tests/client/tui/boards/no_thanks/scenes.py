"""Tables of No Thanks! to draw: Peter of the rulebook may get the 14 between his 13 and his 15 and 16."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from scoville_client.tui.boards.no_thanks.scene import Choice, Frame, Scene
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import AnyFact, RoundScored
from scoville_shared.games.no_thanks.state import Board, Options, State, View
from scoville_shared.ids import Seat

PETER, SABRINA, LISA = map(Seat, range(3))
NAMES = ("Peter", "Sabrina", "Lisa", "Linus", "Nora", "Emil", "Annabella-Charlotte")

BOARD = Board(
    options=Options(),
    round=1,
    card=14,
    pot=7,
    left=9,
    mover=PETER,
    cards=((13, 15, 16), (4, 6, 10, 21), ()),
    chips=None,
    rounds=(),
    totals=(0, 0, 0),
    removed=(),
    over=False,
)
VIEW = View(board=BOARD, seat=PETER, chips=5)

SCORED = RoundScored(
    round=1, points=(13, 41, 59), chips=(12, 13, 8), scores=(1, 28, 51), totals=(1, 28, 51), removed=(5, 9, 33)
)
"""Lisa's 59 points less 8 chips are the rulebook's."""


def scene(view: View = VIEW, *, frame: Frame | None = None, log: Sequence[str] = ("Round 1 begins.",)) -> Scene:
    """Put a scene together, with the choice that the game offers."""
    return Scene(view=view, names=NAMES, log=log, choice=Choice.between_moves(GAME.moves(view)), frame=frame)


def with_board(**changed: Any) -> View:
    """Change the open table."""
    return replace(VIEW, board=replace(BOARD, **changed))


def without_chips() -> View:
    """Take Peter's last chip."""
    return replace(VIEW, chips=0)


class Decision(NamedTuple):
    """A decision of a random game: the state before, the seat, the facts, the state after."""

    before: State
    seat: Seat
    facts: Sequence[AnyFact]
    after: State


def decisions(seats: int, seed: int, **options: Any) -> Iterator[Decision]:
    """Play a game at random."""
    chance = Random(seed)
    state = GAME.setup(Options(**options), seats, Dice(seed.to_bytes(SEED_BYTES, "big")))
    while pending := GAME.pending(state):
        (seat,) = pending
        step = GAME.apply(state, seat, chance.choice(GAME.moves(GAME.view(state, seat))))
        yield Decision(state, seat, [cast("AnyFact", addressed.fact) for addressed in step.facts], step.state)
        state = step.state
