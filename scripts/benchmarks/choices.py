"""Policy of the opponents whom masters of Dicht dran expect: how likely each card of a hand is to be chosen.

Bots of one level play fresh games, and choose each card several times, with other chance. The weights of the figures of
a card (see `bots.dicht_dran.fitted`) that make their choices likeliest are fitted to four fifths of the games; it is
told how well they and those in use foretell the others. Weights are found by Newton's method, drawn a little to zero.
"""

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from _arguments import bench_parser
from strength import find_bot

from scoville_shared.bots.dicht_dran.fitted import BEST, FIGURES
from scoville_shared.bots.dicht_dran.policies import Likelihood, likelihood_at
from scoville_shared.bots.dicht_dran.table import describe_choice
from scoville_shared.bots.search import SearchBot, answer_question, seed_of
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_thinking.machines import fastest_machine

FIRST_SEED = 60_000_000
STEPS, ENOUGH = 30, 0.01


class Choice(NamedTuple):
    """A hand in which a card was chosen: the figures of each card, and how often each was chosen, as a share."""

    figures: list[list[float]]
    shares: list[float]
    repeated: float


class Choices(NamedTuple):
    """Many choices in arrays: a row for each card of each hand, and where each hand begins."""

    figures: Any
    shares: Any
    hands: Any
    begins: Any


def choices_of(level: str, players: int, number: int, times: int) -> Iterator[Choice]:
    """Play a game, and yield each choice between two cards or more."""
    game, machine = load_game("dicht_dran"), fastest_machine()
    dice = Dice((FIRST_SEED + number).to_bytes(SEED_BYTES))
    bots = [find_bot(game, level)(game) for _ in range(players)]
    state, made = game.setup(game.codec.decode_options({}), players, dice), 0
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        bot, view, chance = bots[seat], game.view(state, seat), dice.open_stream(f"bot/{made}")
        assert isinstance(bot, SearchBot), f"{level} does not search"
        asked: Any = bot.make_question(view)
        cards = [asked.hand[0]]
        if len(asked.hand) > 1:
            thoughts = (answer_question(asked, bot.playouts, seed_of(chance), machine) for _ in range(times))
            cards = [int(thought.move["card"]) for thought in thoughts]
            figures = describe_choice(view.board, seat, asked.hand, asked.unseen)
            shares = [cards.count(card) / times for card in asked.hand]
            yield Choice(figures, shares, float(np.mean([card == cards[0] for card in cards[1:]])))
        step: Any = play_move(game, state, seat, game.codec.decode_move({"card": cards[0]}))
        state = step.state
        for addressed in step.facts:
            for other in bots if addressed.to is None else [bots[addressed.to]]:
                other.observe_fact(addressed.fact)


def gather_choices(rows: list[Choice]) -> Choices:
    """Put choices into arrays."""
    sizes = [len(row.shares) for row in rows]
    return Choices(
        np.array([card for row in rows for card in row.figures]),
        np.array([share for row in rows for share in row.shares]),
        np.repeat(np.arange(len(rows)), sizes),
        np.concatenate([[0], np.cumsum(sizes)[:-1]]),
    )


def list_chances(choices: Choices, weights: Any) -> Any:
    """Return the chance of each card in its hand."""
    values = choices.figures @ weights
    values = np.exp(values - np.maximum.reduceat(values, choices.begins)[choices.hands])
    return values / np.add.reduceat(values, choices.begins)[choices.hands]


def measure_likelihood(choices: Choices, weights: Any) -> float:
    """Return the mean logarithm of the chances of the cards that were chosen."""
    return float((choices.shares * np.log(list_chances(choices, weights) + 1e-12)).sum() / len(choices.begins))


def measure_agreement(choices: Choices, worths: Any) -> float:
    """Return how often the card with the highest worth of its hand was chosen."""
    best = worths == np.maximum.reduceat(worths, choices.begins)[choices.hands]
    return float((choices.shares * best).sum() / len(choices.begins))


def fit_weights(choices: Choices) -> Any:
    """Return the likeliest weights, each figure in units of how much it varies."""
    sizes = choices.figures.std(0) + 1e-6
    scaled = choices._replace(figures=choices.figures / sizes)
    weights = np.zeros(FIGURES)
    worth = _worth_of_weights(scaled, weights)
    for _ in range(STEPS):
        chances = list_chances(scaled, weights)
        slope = scaled.figures.T @ (scaled.shares - chances) - weights
        means = np.add.reduceat(chances[:, None] * scaled.figures, scaled.begins)
        bend = scaled.figures.T @ (chances[:, None] * scaled.figures) - means.T @ means + np.eye(FIGURES)
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
    parser.add_argument("--level", default="strong", help="level of all seats")
    parser.add_argument("--players", type=int, default=4, metavar="N", help="seats at the table")
    parser.add_argument("--games", type=int, default=150, metavar="N", help="games to play")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first game")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="how often each card is chosen")
    asked = parser.parse_args()
    games: list[list[Choice]] = []
    for number in range(asked.first, asked.first + asked.games):
        print(f"\r\033[Kgame {number}", end="", file=sys.stderr, flush=True)
        games.append(list(choices_of(asked.level, asked.players, number, asked.times)))
    print("\r\033[K", end="", file=sys.stderr, flush=True)
    kept = max(1, len(games) // 5)
    learned, fresh = (gather_choices([row for game in part for row in game]) for part in (games[kept:], games[:kept]))
    weights = fit_weights(learned)
    again = float(np.mean([row.repeated for game in games for row in game]))
    print(f"{len(learned.begins) + len(fresh.begins)} choices; {asked.level} repeats {100 * again:.1f} % of them")
    print(f"the trained policy has {100 * measure_agreement(fresh, fresh.figures[:, BEST]):.1f} % of the fresh ones")
    for name, each in (("fitted", weights), ("in use", np.array(likelihood_at(asked.players)))):
        agreement = 100 * measure_agreement(fresh, fresh.figures @ each)
        print(f"{name}: {agreement:.1f} %; mean logarithm of their chances {measure_likelihood(fresh, each):.3f}")
    print(", ".join(f"{name}={weight:.3f}" for name, weight in zip(Likelihood._fields, weights, strict=True)))


if __name__ == "__main__":
    main()
