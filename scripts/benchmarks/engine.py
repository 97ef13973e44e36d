"""Speed of the games: random games through the contract on one core, next to other engines driven from Python.

Our move is the whole way a move takes: who is pending, that seat's View, the moves of the View, one of them, and
`engine.play`, which checks and applies it. The others are played the leanest way they offer: legal actions, one of
them, step. All play whole games, set-up included, in turns, so that a busy moment of the machine hits them alike. The
best round of each counts: whatever else the machine does can only slow a round down.

A `move` is one call that changes the state. OpenSpiel's goofspiel takes the choices of all four players in one
call, so it is listed by calls and by choices; elsewhere the two are the same.
"""

import importlib
import importlib.util
import random
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from _arguments import add_rounds, bench_parser

PLAYERS = 4
GOALS = {"RLCard uno, raw game layer": 1.0, "OpenSpiel goofspiel (C++)": 0.7}
"""At least so many times the moves a second of each."""

OPEN_SPIEL = {
    "OpenSpiel goofspiel (C++)": f"goofspiel(players={PLAYERS},num_cards=8)",
    "OpenSpiel crazy eights (C++)": f"crazy_eights(players={PLAYERS})",
    "OpenSpiel liar's poker (Python)": "python_liars_poker",
    "OpenSpiel dominoes (Python)": "python_team_dominoes",
}


class Tally(NamedTuple):
    """What was played: calls that changed a state, and single players' choices in them."""

    moves: int
    choices: int


class Rate(NamedTuple):
    """The same a second, with the games."""

    games: float
    moves: float
    choices: float


Player = Callable[[int], Tally]
"""Plays one whole game; the number chooses its chance."""


def play_ours(slug: str) -> Player:
    """Play a game of ours through the contract."""
    from scoville_shared.engine.contract import Refusal
    from scoville_shared.engine.dice import SEED_BYTES, Dice
    from scoville_shared.engine.play import play_move

    game = importlib.import_module(f"scoville_shared.games.{slug}").GAME
    options, luck = game.codec.decode_options({}), random.Random(1).random

    def whole_game(number: int) -> Tally:
        state, moves = game.setup(options, PLAYERS, Dice(number.to_bytes(SEED_BYTES))), 0
        while pending := game.pending(state):
            seat = next(iter(pending))
            legal = game.moves(game.view(state, seat))
            step = play_move(game, state, seat, legal[int(luck() * len(legal))])
            assert not isinstance(step, Refusal), "the move is one of the legal ones"
            state, moves = step.state, moves + 1
        return Tally(moves, moves)

    return whole_game


def open_spiel(spec: str) -> Player:
    """Play a game of OpenSpiel; the Python ones are registered by their import."""
    import pyspiel

    importlib.import_module("open_spiel.python.games")
    game, luck = pyspiel.load_game(spec), random.Random(1).random
    players = range(game.num_players())

    def any_of(items: Any) -> Any:
        return items[int(luck() * len(items))]

    def whole_game(_number: int) -> Tally:
        state, moves, choices = game.new_initial_state(), 0, 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(any_of(state.chance_outcomes())[0])
            elif state.is_simultaneous_node():
                state.apply_actions([any_of(state.legal_actions(player)) for player in players])
                moves, choices = moves + 1, choices + len(players)
            else:
                state.apply_action(any_of(state.legal_actions()))
                moves, choices = moves + 1, choices + 1
        return Tally(moves, choices)

    return whole_game


def rlcard_uno() -> Player:
    """Play RLCard's uno below its environment: no observations, no encodings."""
    from rlcard.games.uno.game import UnoGame

    game, luck = UnoGame(num_players=PLAYERS), random.Random(1).random

    def whole_game(_number: int) -> Tally:
        game.init_game()
        moves = 0
        while not game.is_over():
            legal = game.get_legal_actions()
            game.step(legal[int(luck() * len(legal))])
            moves += 1
        return Tally(moves, moves)

    return whole_game


INSTALL = ".venv/bin/pip install --only-binary :all: --require-hashes -r requirements/bench.txt"
"""The command that installs the baselines."""


def list_contenders(slug: str) -> dict[str, Player]:
    """Name everything that can be measured here; says what to install for what cannot."""
    players = {f"Scoville {slug}": play_ours(slug)}
    if is_installed("pyspiel", "OpenSpiel", INSTALL):
        players |= {name: open_spiel(spec) for name, spec in OPEN_SPIEL.items()}
    if is_installed("rlcard", "RLCard", "it is published as source only, so no lock file has it; 1.2.0 was measured"):
        players["RLCard uno, raw game layer"] = rlcard_uno()
    return players


def is_installed(module: str, title: str, remedy: str) -> bool:
    """Tell whether a baseline is there."""
    found = importlib.util.find_spec(module) is not None
    if not found:
        print(f"{title} is not installed and left out: {remedy}", file=sys.stderr)
    return found


def measure_rate(player: Player, seconds: float) -> Rate:
    """Play whole games for about so many seconds."""
    games = moves = choices = 0
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        tally = player(games)
        games, moves, choices = games + 1, moves + tally.moves, choices + tally.choices
    return Rate(games / spent, moves / spent, choices / spent)


def measure_all(players: dict[str, Player], seconds: float, rounds: int) -> dict[str, Rate]:
    """Let all play in turns, round after round; the best of each figure counts."""
    rates: dict[str, list[Rate]] = {name: [] for name in players}
    for number in range(1, rounds + 1):
        for name, player in players.items():
            print(f"\r\033[Kround {number} of {rounds}: {name}", end="", file=sys.stderr, flush=True)
            rates[name].append(measure_rate(player, seconds))
    print("\r\033[K", end="", file=sys.stderr, flush=True)
    return {name: Rate(*map(max, zip(*runs, strict=True))) for name, runs in rates.items()}


def report_rates(rates: dict[str, Rate]) -> bool:
    """Print the table with our ratio to each; return whether the goals that could be measured are met."""
    mine, *others = rates
    print("| engine | games/s | moves/s | choices/s | ours : theirs, moves | ours : theirs, choices |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, rate in rates.items():
        ratios = (
            ("", "")
            if name == mine
            else (format_ratio(rates[mine].moves, rate.moves), format_ratio(rates[mine].choices, rate.choices))
        )
        print(f"| {name} | {rate.games:,.0f} | {rate.moves:,.0f} | {rate.choices:,.0f} | {' | '.join(ratios)} |")
    met = {name: rates[mine].moves >= GOALS[name] * rates[name].moves for name in others if name in GOALS}
    for name, is_met in met.items():
        print(f"\nGoal: at least {GOALS[name]:g} times the moves/s of {name}: {'met' if is_met else 'not met'}.")
    return all(met.values())


def format_ratio(mine: float, theirs: float) -> str:
    """Write how many times as fast we are."""
    return f"{mine / theirs:.2f}"


def main() -> int:
    """Run the comparison."""
    parser = bench_parser("engine", __doc__)
    parser.add_argument("game", nargs="?", default="dicht_dran", help="slug of our game")
    add_rounds(parser, seconds=0.4, rounds=12)
    chosen = parser.parse_args()
    return 0 if report_rates(measure_all(list_contenders(chosen.game), chosen.seconds, chosen.rounds)) else 1


if __name__ == "__main__":
    sys.exit(main())
