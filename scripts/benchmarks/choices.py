"""Policy of the opponents whom masters of Dicht dran and Chilli Chase expect: how likely each move is to be chosen.

Bots of one level play fresh games, and choose each move several times, with other chance. The weights of the figures of
a move (see the `fitted` modules of `bots`) that make their choices likeliest are fitted to four fifths of the games; it
is told how well they and those in use foretell the others. Weights are found by Newton's method, a little drawn to
zero.
"""

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from _arguments import bench_parser
from strength import find_bot

from scoville_shared.bots.chilli_chase import fitted as fitted_plays
from scoville_shared.bots.chilli_chase.table import describe_choices
from scoville_shared.bots.dicht_dran import fitted as fitted_cards
from scoville_shared.bots.dicht_dran.policies import likelihood_at
from scoville_shared.bots.dicht_dran.table import describe_choice
from scoville_shared.bots.search import SearchBot, answer_question, seed_of
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.chilli_chase.arithmetic import total_made
from scoville_shared.games.registry import load_game
from scoville_thinking.machines import fastest_machine

FIRST_SEED = 60_000_000
STEPS, ENOUGH = 30, 0.01


class Subject(NamedTuple):
    """What a policy is fitted for.

    Attributes:
        describe: Returns the figures of all moves of a View, by what they amount to; nothing where there is no such
            choice. It gets the bot's question as well.
        name: Returns what a move of a View amounts to.
        weights: Returns the weights in use at a table of so many players.
        best: The place of the figure that marks the choice of the rule.
    """

    describe: Callable[[Any, Any], dict[Any, list[float]]]
    name: Callable[[Any, Any], Hashable]
    weights: Callable[[int], Sequence[float]]
    best: int


def _describe_cards(view: Any, asked: Any) -> dict[Any, list[float]]:
    figures = describe_choice(view.board, view.seat, asked.hand, asked.unseen)
    return dict(zip(asked.hand, figures, strict=True))


def _describe_plays(view: Any, asked: Any) -> dict[Any, list[float]]:  # noqa: ARG001 - of the interface
    return {} if view.board.choosing else describe_choices(view.board, view.hand)


SUBJECTS = {
    "dicht_dran": Subject(_describe_cards, lambda _, move: int(move.card), likelihood_at, fitted_cards.BEST),
    "chilli_chase": Subject(
        _describe_plays,
        lambda view, move: (move.card, total_made(move, view.board.total, view.board.options)),
        lambda _: fitted_plays.WEIGHTS,
        fitted_plays.BEST,
    ),
}


class Choice(NamedTuple):
    """A decision: the figures of each move, and how often each was chosen, as a share."""

    figures: list[list[float]]
    shares: list[float]
    repeated: float


class Choices(NamedTuple):
    """Many choices in arrays: a row for each move of each decision, and where each decision begins."""

    figures: Any
    shares: Any
    hands: Any
    begins: Any


def choices_of(slug: str, level: str, players: int, number: int, times: int) -> Iterator[Choice]:
    """Play a game, and yield each choice between two moves or more."""
    game, machine, subject = load_game(slug), fastest_machine(), SUBJECTS[slug]
    dice = Dice((FIRST_SEED + number).to_bytes(SEED_BYTES))
    bots = [find_bot(game, level)(game) for _ in range(players)]
    state, made = game.setup(game.codec.decode_options({}), players, dice), 0
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        bot, view, chance = bots[seat], game.view(state, seat), dice.open_stream(f"bot/{made}")
        assert isinstance(bot, SearchBot), f"{level} does not search"
        asked: Any = bot.make_question(view)
        described = subject.describe(view, asked)
        moves = [asked.moves[0]]
        if len(asked.moves) > 1:
            several = times if len(described) > 1 else 1
            thoughts = (answer_question(asked, bot.playouts, seed_of(chance), machine) for _ in range(several))
            moves = [thought.move for thought in thoughts]
        chosen = game.codec.decode_move(moves[0])
        if len(described) > 1 and len(asked.moves) > 1:
            names = [subject.name(view, game.codec.decode_move(move)) for move in moves]
            shares = [names.count(name) / len(names) for name in described]
            yield Choice(list(described.values()), shares, float(np.mean([each == names[0] for each in names[1:]])))
        step: Any = play_move(game, state, seat, chosen)
        state = step.state
        for addressed in step.facts:
            for other in bots if addressed.to is None else [bots[addressed.to]]:
                other.observe_fact(addressed.fact)


def gather_choices(rows: list[Choice]) -> Choices:
    """Put choices into arrays."""
    sizes = [len(row.shares) for row in rows]
    return Choices(
        np.array([figures for row in rows for figures in row.figures]),
        np.array([share for row in rows for share in row.shares]),
        np.repeat(np.arange(len(rows)), sizes),
        np.concatenate([[0], np.cumsum(sizes)[:-1]]),
    )


def list_chances(choices: Choices, weights: Any) -> Any:
    """Return the chance of each move in its decision."""
    values = choices.figures @ weights
    values = np.exp(values - np.maximum.reduceat(values, choices.begins)[choices.hands])
    return values / np.add.reduceat(values, choices.begins)[choices.hands]


def measure_likelihood(choices: Choices, weights: Any) -> float:
    """Return the mean logarithm of the chances of the moves that were chosen."""
    return float((choices.shares * np.log(list_chances(choices, weights) + 1e-12)).sum() / len(choices.begins))


def measure_agreement(choices: Choices, worths: Any) -> float:
    """Return how often the move with the highest worth of its decision was chosen."""
    best = worths == np.maximum.reduceat(worths, choices.begins)[choices.hands]
    return float((choices.shares * best).sum() / len(choices.begins))


def fit_weights(choices: Choices) -> Any:
    """Return the likeliest weights, each figure in units of how much it varies."""
    sizes = choices.figures.std(0) + 1e-6
    scaled = choices._replace(figures=choices.figures / sizes)
    weights = np.zeros(len(sizes))
    worth = _worth_of_weights(scaled, weights)
    for _ in range(STEPS):
        chances = list_chances(scaled, weights)
        slope = scaled.figures.T @ (scaled.shares - chances) - weights
        means = np.add.reduceat(chances[:, None] * scaled.figures, scaled.begins)
        bend = scaled.figures.T @ (chances[:, None] * scaled.figures) - means.T @ means + np.eye(len(sizes))
        step, part = np.linalg.solve(bend, slope), 1.0
        while part > 1e-3 and _worth_of_weights(scaled, weights + part * step) < worth:
            part /= 2
        weights, before = weights + part * step, worth
        worth = _worth_of_weights(scaled, weights)
        if worth - before < ENOUGH:
            break
    return weights / sizes


def _worth_of_weights(scaled: Choices, weights: Any) -> float:
    return measure_likelihood(scaled, weights) * len(scaled.begins) - float(weights @ weights) / 2


def main() -> None:
    """Play, fit and print."""
    parser = bench_parser("choices", __doc__)
    parser.add_argument("game", choices=SUBJECTS, help="slug of the game")
    parser.add_argument("--level", default="strong", help="level of all seats")
    parser.add_argument("--players", type=int, default=4, metavar="N", help="seats at the table")
    parser.add_argument("--games", type=int, default=150, metavar="N", help="games to play")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first game")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="how often each move is chosen")
    asked = parser.parse_args()
    subject = SUBJECTS[asked.game]
    games: list[list[Choice]] = []
    for number in range(asked.first, asked.first + asked.games):
        print(f"\r\033[Kgame {number}", end="", file=sys.stderr, flush=True)
        games.append(list(choices_of(asked.game, asked.level, asked.players, number, asked.times)))
    print("\r\033[K", end="", file=sys.stderr, flush=True)
    kept = max(1, len(games) // 5)
    learned, fresh = (gather_choices([row for game in part for row in game]) for part in (games[kept:], games[:kept]))
    weights = fit_weights(learned)
    again = float(np.mean([row.repeated for game in games for row in game]))
    print(f"{len(learned.begins) + len(fresh.begins)} choices; {asked.level} repeats {100 * again:.1f} % of them")
    print(f"the rule has {100 * measure_agreement(fresh, fresh.figures[:, subject.best]):.1f} % of the fresh ones")
    for name, each in (("fitted", weights), ("in use", np.array(subject.weights(asked.players)))):
        agreement = 100 * measure_agreement(fresh, fresh.figures @ each)
        print(f"{name}: {agreement:.1f} %; mean logarithm of their chances {measure_likelihood(fresh, each):.3f}")
    print(", ".join(f"{weight:.3f}" for weight in weights))


if __name__ == "__main__":
    main()
