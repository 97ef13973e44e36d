"""A bot's turn as plain data: another process can take it, so that a bot that hangs or fails holds nobody up."""

import hmac
from collections.abc import Sequence
from typing import NamedTuple

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import SearchBot, Thought, seed_of
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.games.registry import load_game
from scoville_shared.values import Plain


class BotTurn(NamedTuple):
    """The decision of a bot: what its seat has been sent since the deal, its View, and its randomness.

    Beyond `seconds` the process may be taken for one that hangs.
    """

    game: str
    level: str
    facts: Sequence[Plain]
    view: Plain
    key: bytes
    seconds: float

    def run(self, machine: Machine) -> Thought:
        """Let the bot observe the facts and choose. Raises whatever the game or its bot raises."""
        game = load_game(self.game)
        bot = find_bot(self.game, self.level)(game)
        for fact in self.facts:
            bot.observe_fact(game.codec.decode_fact(fact))
        view, chance = game.codec.decode_view(self.view), Dice(self.key).open_stream("bot")
        move = bot.choose_by(machine, view, chance) if isinstance(bot, SearchBot) else bot.choose_move(view, chance)
        return Thought(game.codec.encode_plain(move), (), 0, cut=False)


def key_of_turn(chance: Stream) -> bytes:
    """Draw the key of a turn's randomness; the same stream gives the same key."""
    return hmac.digest(seed_of(chance).to_bytes(8), b"scoville/turn", "sha256")
