"""The random bot, which knows no game."""

from collections import Counter

from scoville_shared.bots.base import RandomBot
from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Options


def test_the_random_bot_plays_every_legal_move_equally_often():
    view = GAME.view(GAME.setup(Options(), 4, Dice(b"k" * 32)), 0)
    chance = Dice(b"c" * 32).open_stream("bot/0")
    played = Counter(RandomBot(GAME).choose_move(view, chance) for _ in range(1600))
    assert set(played) == set(GAME.moves(view))
    assert all(150 < count < 250 for count in played.values())
