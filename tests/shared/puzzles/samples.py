"""Puzzles made up for tests: decisions of games of sensible bots; the first legal move is said to be best."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import msgspec

from scoville_shared.bots.registry import find_bot
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from scoville_shared.puzzles import pool as pools
from scoville_shared.puzzles.pool import Pool
from scoville_shared.puzzles.puzzle import Choice, Puzzle, Step

REASON = "It wins more often."


def sample_puzzle(slug: str, number: int, rating: int = 1_500, before: int = 2) -> Puzzle:
    """Make a puzzle of three players after so many moves; another number is another deal."""
    game = load_game(slug)
    dice = Dice(number.to_bytes(32))
    state: Any = game.setup(game.codec.decode_options({}), 3, dice)
    moves: list[tuple[Seat, Any]] = []
    for turn in range(before):
        seat = min(game.pending(state))
        bot = find_bot(slug, "sensible")(game)
        step = play_move(game, state, seat, bot.choose_move(game.view(state, seat), dice.open_stream(f"bot/{turn}")))
        assert not isinstance(step, Refusal)
        state = step.state
        moves.append((seat, step.facts))
    seat = min(game.pending(state))
    view = game.view(state, seat)
    legal = [game.codec.encode_plain(move) for move in game.moves(view)]
    made = Puzzle(
        id=f"{slug}-{number:08}",
        seats=3,
        seat=seat,
        options={},
        view=game.codec.encode_plain(view),
        history=[
            Step(by, [game.codec.encode_plain(each.fact) for each in facts if each.to in (None, seat)])
            for by, facts in moves
        ],
        choices=[Choice([move], max(0, 600 - 50 * place), 50 * place) for place, move in enumerate(legal)],
        reason=REASON,
        exact=False,
        rating=rating,
    )
    # As it is read from a file: tuples have become lists.
    return msgspec.msgpack.decode(msgspec.msgpack.encode(made), type=Puzzle)


def sample_pool(slug: str, *ratings: int) -> Pool:
    """Make a pool with a puzzle of each rating."""
    puzzles = [sample_puzzle(slug, number, rating) for number, rating in enumerate(ratings)]
    return Pool(game=slug, rules_version=load_game(slug).info.rules_version, made_from="00", puzzles=puzzles)


@contextmanager
def with_pools(*made: Pool) -> Iterator[None]:
    """Let everybody find these pools in place of those that are shipped."""
    by_game = {pool.game: pool for pool in made}

    def load_pool(slug: str) -> Pool:
        return by_game.get(slug) or Pool(game=slug, rules_version=0, made_from="")

    pools.list_pools.cache_clear()
    with patch.object(pools, "load_pool", load_pool):
        try:
            yield
        finally:
            pools.list_pools.cache_clear()
