"""Strength of a level: one bot against copies of another level, without a server.

Every game has a seed of its own, and the bot sits in each seat in turn. A shared win counts as its part. Searching bots
have all their playouts, on the fastest machine there is, and are not cut; `--playouts` gives the one bot fewer. Prints
the share of wins with its 95 % interval (an even share is 100 % divided by the seats) and the processor time of the
bot's moves. In No Thanks! rivals can also be simple rules that no bot expects: at-most-2, erratic, denial and others;
`unmet` measures against them all. `habits` plays what the page of tips in the rules teaches, and no more. Against
`adaptive` rivals the games are one player's, one after the other, and the bots become better when it wins.
"""

import sys
import time
from collections.abc import Iterator
from math import sqrt
from typing import Any, NamedTuple

from _arguments import bench_parser
from _card_rules import RULES
from _habits import HABITS

from scoville_client.session.new_table.adaptive_bots import ADAPTIVE, MOST_GAMES, BotGame, estimate_level, spread_level
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import find_contestant, list_levels, list_references
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.contract import AnyGame, Refusal
from scoville_shared.engine.dice import SEED_BYTES, Dice, Stream
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_thinking.machines import fastest_machine

FIRST_SEED = 1_000_000
UNMET = "unmet"


class Contest(NamedTuple):
    """A game, its seats, the two levels, and the playouts of the first one's moves; 0: all."""

    game: AnyGame
    seats: int
    level: str
    rivals: str
    playouts: int


def rivals_of(contest: Contest, past: list[BotGame]) -> list[str]:
    """Return the levels of the rivals, in the order in which they follow the bot around the table."""
    if contest.rivals != ADAPTIVE:
        return [contest.rivals] * (contest.seats - 1)
    offered = list_levels(contest.game.info.slug)
    return spread_level(estimate_level(past[-MOST_GAMES:], offered), offered, contest.seats, len(past))[1:]


def play_game(contest: Contest, number: int, took: list[float], past: list[BotGame]) -> float:
    """Play one game; return the bot's share of the win, and add its moves' seconds to `took`, the game to `past`."""
    game, mine = contest.game, number % contest.seats
    dice = Dice((FIRST_SEED + number).to_bytes(SEED_BYTES))
    rivals = rivals_of(contest, past)
    names = [contest.level, *rivals]
    names = [names[(seat - mine) % contest.seats] for seat in range(contest.seats)]
    bots = [find_bot(game, name)(game) for name in names]
    if contest.playouts:
        vars(bots[mine])["playouts"] = contest.playouts
    state, made = game.setup(game.codec.decode_options({}), contest.seats, dice), 0
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        began = time.process_time()
        move = choose_move(bots[seat], game.view(state, seat), dice.open_stream(f"bot/{made}"))
        if seat == mine:
            took.append(time.process_time() - began)
        step = play_move(game, state, seat, move)
        assert not isinstance(step, Refusal), "bots play legal moves"
        state = step.state
        for addressed in step.facts:
            for bot in bots if addressed.to is None else [bots[addressed.to]]:
                bot.observe_fact(addressed.fact)
    outcome = game.outcome(state)
    assert outcome is not None, "nobody is pending at the end"
    past.append(BotGame(str(number), tuple(rivals), outcome.places[mine] == 1))
    return 1 / outcome.places.count(1) if outcome.places[mine] == 1 else 0.0


def find_bot(game: AnyGame, name: str) -> type[Bot]:
    """Find a bot by its level, a reference bot, or a simple rule."""
    slug = game.info.slug
    rules: dict[str, type[Bot]] = {"habits": HABITS[slug]} if slug in HABITS else {}
    rules |= RULES if slug == "no_thanks" else {}
    found = rules.get(name) or find_contestant(slug, name)
    if found is None:
        offered = ", ".join([*list_levels(slug), *list_references(slug), *rules])
        raise SystemExit(f"{game.info.title} has no bot {name!r}; there are {offered}.")
    return found


def choose_move(bot: Bot, view: Any, chance: Stream) -> Any:
    """Let a bot choose, on the fastest machine."""
    return (
        bot.choose_by(fastest_machine(), view, chance) if isinstance(bot, SearchBot) else bot.choose_move(view, chance)
    )


def play_games(contest: Contest, numbers: range, seconds: float, took: list[float]) -> Iterator[float]:
    """Play the games with these numbers until the time is over, with a line of progress."""
    end = time.monotonic() + seconds
    past: list[BotGame] = []
    for number in numbers:
        if time.monotonic() > end:
            break
        print(f"\r\033[Kgame {number} of {numbers[-1]}", end="", file=sys.stderr, flush=True)
        yield play_game(contest, number, took, past)
    print("\r\033[K", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Play and report."""
    parser = bench_parser("strength", __doc__)
    parser.add_argument("game", help="slug of the game")
    parser.add_argument("level", help="level of the bot, or a reference bot such as raggedr")
    parser.add_argument("rivals", help="level of all others, adaptive, a simple rule, or unmet for all of those")
    parser.add_argument("--players", type=int, default=4, metavar="N", help="seats at the table")
    parser.add_argument("--games", type=int, default=200, metavar="N", help="games to play")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first game")
    parser.add_argument("--playouts", type=int, default=0, metavar="N", help="the bot's for a move; 0: all")
    parser.add_argument(
        "--seconds", type=float, default=3600.0, metavar="N", help="no game begins after so many seconds"
    )
    asked = parser.parse_args()
    game, numbers = load_game(asked.game), range(asked.first, asked.first + asked.games)
    unmet = asked.rivals == UNMET and game.info.slug == "no_thanks"
    for rivals in RULES if unmet else [asked.rivals]:
        measure_strength(Contest(game, asked.players, asked.level, rivals, asked.playouts), numbers, asked.seconds)


def measure_strength(contest: Contest, numbers: range, seconds: float) -> None:
    """Play and print the result."""
    took: list[float] = []
    won = list(play_games(contest, numbers, seconds, took))
    mean = sum(won) / len(won)
    error = sqrt(sum((each - mean) ** 2 for each in won) / max(len(won) - 1, 1) / len(won))
    took.sort()
    late = took[int(0.99 * len(took))]
    print(
        f"{contest.level} against {contest.seats - 1} {contest.rivals}: {100 * mean:.1f} % ± {196 * error:.1f}", end=""
    )
    print(
        f" ({len(won)} games; a move takes {1000 * took[len(took) // 2]:.1f} ms, 99 % at most {1000 * late:.1f} ms)",
        flush=True,
    )


if __name__ == "__main__":
    main()
