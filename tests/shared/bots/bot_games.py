"""Games between bots, without a server: each bot observes the facts of its seat and chooses from its View."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scoville_shared.bots.registry import find_bot
from scoville_shared.engine.contract import AnyGame, Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat


class Decision(NamedTuple):
    """A position in which a seat decides, with everything that the seat was sent before."""

    game: AnyGame
    state: Any
    seat: Seat
    facts: tuple[Any, ...]
    number: int


def play_decisions(slug: str, levels: Sequence[str], number: int, **options: Any) -> Iterator[Decision]:
    """Play a game between bots of these levels, by seat, and yield every decision before it is made."""
    game, dice = load_game(slug), Dice(number.to_bytes(32))
    state = game.setup(game.codec.decode_options(options), len(levels), dice)
    bots = [find_bot(slug, level)(game) for level in levels]
    sent: list[list[Any]] = [[] for _ in levels]
    made = 0
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        yield Decision(game, state, seat, tuple(sent[seat]), made)
        move = bots[seat].choose_move(game.view(state, seat), dice.open_stream(f"bot/{made}"))
        step = play_move(game, state, seat, move)
        assert not isinstance(step, Refusal), (levels[seat], move)
        state = step.state
        for to, fact in ((addressed.to, addressed.fact) for addressed in step.facts):
            for other in range(len(levels)) if to is None else [to]:
                bots[other].observe_fact(fact)
                sent[other].append(fact)
    yield Decision(game, state, Seat(0), (), made)


def count_wins(slug: str, level: str, rivals: str, seats: int, games: int, **options: Any) -> float:
    """Count the wins of one bot against copies of another level, in every seat in turn; ties are shared."""
    return sum(_won(slug, level, rivals, seats, number, options) for number in range(games))


def _won(slug: str, level: str, rivals: str, seats: int, number: int, options: dict[str, Any]) -> float:
    mine = number % seats
    levels = [level if seat == mine else rivals for seat in range(seats)]
    *_, last = play_decisions(slug, levels, number, **options)
    outcome = last.game.outcome(last.state)
    assert outcome is not None
    return 1 / outcome.places.count(1) if outcome.places[mine] == 1 else 0.0
