"""The same games on a published engine: the same cards, chips, scores and winners.

The package is `no-thanks` on PyPI. It deals by chance that cannot be asked for, and 26 cards instead of 24, so it is
given our deck and our starter, and plays our moves. It counts its scores downwards.
"""

from itertools import count
from random import Random
from typing import Any

import pytest

from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import TAKE, Options
from tests.support.games import Deal, walk_table

core: Any = pytest.importorskip("no_thanks.core", reason="no-thanks is not installed; requirements/bench.txt has it")

GAMES_A_TABLE = 60


class Puppet(core.Player):  # type: ignore[name-defined]  # of an optional package
    """A player of the published engine that repeats our moves."""

    def action(self):
        return core.Action.TAKE if next(self.moves) == TAKE else core.Action.PASS


def on_the_other_engine(start, moves):
    """Play a game there from our deal on; returns the players by seat, and the one it ranks first."""
    players = [Puppet(str(seat)) for seat in range(len(start.chips))]
    table = core.Game(players)
    assert {player.tokens for player in players} == set(start.chips), "as many chips as with us (B1)"
    table.players = tuple(players)
    table.draw_pile = [start.board.card, *start.secret.deck]
    table.current_player = start.board.mover
    Puppet.moves = iter(moves)
    table.play()
    assert next(Puppet.moves, None) is None, "both games end with the same move"
    return players, int(table.sort_players[0].name)


def our_games(seats):
    """Play one random game after the other; yields each deal with what followed."""
    for number in count():
        deal = Deal(GAME, Options(), seats, Dice(number.to_bytes(32)))
        start = deal.setup()
        yield start, list(walk_table(deal, start, Random(number)))


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_final_positions_score_the_same_there(seats):
    for _, (start, moments) in zip(range(GAMES_A_TABLE), our_games(seats), strict=False):
        end = moments[-1].state
        players, winner = on_the_other_engine(start, [moment.move for moment in moments])
        outcome = GAME.outcome(end)
        assert tuple(tuple(sorted(player.cards)) for player in players) == end.board.cards
        assert tuple(player.tokens for player in players) == end.chips
        assert tuple(-player.score for player in players) == outcome.scores
        assert outcome.places[winner] == 1
