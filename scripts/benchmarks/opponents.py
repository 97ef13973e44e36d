"""Policy of the coach's masters: how bots of a level answer cards of No Thanks! among themselves, as a rule.

Bots of one level play fresh games. Each answer of a seat to a card says that its opinion of the card lies below what
it passed on, above what it took: around a rule, opinions vary by the logistic distribution. The rule that makes all
answers likeliest is printed with the weight of a point at -1000, and by how many thousandths of a point opinions vary;
then how likely answers are on average, by that rule and by the one that masters start from. Last comes the rule with
leanings: for each kind of card by how many thousandths of a point it appeals more, and by how many opinions of it vary.
"""

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from _arguments import bench_parser
from strength import choose_move, find_bot

from scoville_shared.bots.no_thanks.counting import FEATURES, POINTS, lead_of, urge_of
from scoville_shared.bots.no_thanks.leanings import CARD_KINDS, CHIP_KINDS, TIMES, kind_of_card
from scoville_shared.bots.no_thanks.policies import BEST, EVERYBODY
from scoville_shared.bots.no_thanks.search import Counted
from scoville_shared.bots.no_thanks.table import read_round
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game

FIRST_SEED = 50_000_000
STEPS, RATE, TINY = 3_000, 0.05, 1e-4

KINDS = CARD_KINDS * TIMES * CHIP_KINDS
TURNS, TURN_STEPS, SCALES = 3, 400, np.arange(1.5, 40.0, 0.25)
"""So often the scales of opinions and the rule are fitted in turn, the rule in so many steps; scales in points."""

Features = list[int]
Answer = tuple[Features | None, Features | None, int]
"""What a rule would weigh at a seat's last pass on a card, and when it took the card; and the kind of card."""
WEIGHED = FEATURES + 1
"""What a rule weighs, and the lead (see `STANDING` of the policies)."""
UNITS = [tuple(int(place == number) for place in range(FEATURES)) for number in range(FEATURES)]


class Answers(NamedTuple):
    """The answers of seats to cards: what a rule would weigh when they last passed, and when they took.

    `has_passed` and `has_taken` are 1 where there is such an answer, else 0; `kinds` are those of the cards.
    """

    passed: Any
    taken: Any
    has_passed: Any
    has_taken: Any
    kinds: Any


def answers_of(level: str, players: int, number: int, playouts: int) -> Iterator[Answer]:
    """Play a game, and yield the answer of each seat to each card."""
    game = load_game("no_thanks")
    dice, counted = Dice((FIRST_SEED + number).to_bytes(SEED_BYTES)), Counted()
    bots = [find_bot(game, level)(game) for _ in range(players)]
    for bot in bots:
        if isinstance(bot, SearchBot) and playouts:
            vars(bot)["playouts"] = playouts
    state, made, card = game.setup(game.codec.decode_options({}), players, dice), 0, 0
    seats: dict[int, list[Features | None]] = {}
    had: list[int] = []
    left = 0
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        view = game.view(state, seat)
        move = choose_move(bots[seat], view, dice.open_stream(f"bot/{made}"))
        now = read_round(view.board, counted.chips_by_seat(view.board.options, players))
        if now.card != card:
            yield from _note_kinds(seats, card, left, had)
            seats, card, left, had = {}, now.card, now.left, list(now.chips)
        if view.chips:
            took = game.codec.encode_plain(move)["action"] == "take"
            weighed = [urge_of(seat, now.chips, now.owned, card, now.left, now.pot, unit, 0) for unit in UNITS]
            lead = lead_of(seat, now.chips, now.points)
            seats.setdefault(seat, [None, None])[took] = [*weighed, lead]
        step: Any = play_move(game, state, seat, move)
        state = step.state
        for addressed in step.facts:
            counted.observe_fact(addressed.fact)
            for bot in bots:
                bot.observe_fact(addressed.fact)
    yield from _note_kinds(seats, card, left, had)


def _note_kinds(seats: dict[int, list[Features | None]], card: int, left: int, had: list[int]) -> Iterator[Answer]:
    """Yield the answers to a card with its kind for each seat, by the chips that everybody had when it came."""
    for seat, (passed, taken) in seats.items():
        yield passed, taken, kind_of_card(card, left, had[seat], sum(had), len(had))


def gather_answers(rows: list[Answer]) -> Answers:
    """Put answers into arrays."""
    none = [0] * WEIGHED
    sides = [np.array([row[side] or none for row in rows], dtype=float) for side in range(2)]
    has = [np.array([float(row[side] is not None) for row in rows]) for side in range(2)]
    return Answers(sides[0], sides[1], has[0], has[1], np.array([row[2] for row in rows]))


def measure_likelihood(answers: Answers, weights: Any) -> tuple[float, Any]:
    """Return the mean logarithm of the chances of all answers, and its gradient."""
    above = 1 - answers.has_passed + answers.has_passed * _logistic(-(answers.passed @ weights))
    below = answers.has_taken * _logistic(-(answers.taken @ weights))
    chances = np.maximum(above - below, TINY)
    slope = (above - below > TINY) / chances / len(chances)
    by_pass = -answers.has_passed * above * (1 - above) * slope
    by_taking = answers.has_taken * below * (1 - below) * slope
    return float(np.log(chances).mean()), answers.passed.T @ by_pass + answers.taken.T @ by_taking


def _logistic(numbers: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(numbers, -30, 30)))


def fit_weights(answers: Answers, weights: Any, steps: int = STEPS) -> Any:
    """Climb to the likeliest rule (Adam), each feature in units of its size."""
    sizes = np.maximum(np.sqrt((np.vstack([answers.passed, answers.taken]) ** 2).mean(0)), 1e-9)
    scaled = answers._replace(passed=answers.passed / sizes, taken=answers.taken / sizes)
    weights, speed, spread = weights * sizes, np.zeros(len(weights)), np.zeros(len(weights))
    for step in range(1, steps + 1):
        gradient = measure_likelihood(scaled, weights)[1]
        speed, spread = 0.9 * speed + 0.1 * gradient, 0.999 * spread + 0.001 * gradient**2
        rate = RATE if step < 0.6 * steps else RATE / 5
        weights = weights + rate * (speed / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
    return weights / sizes


def add_kinds(answers: Answers, scales: Any) -> Answers:
    """Return the answers with a feature for each kind of card, in units of how much opinions of it vary."""
    kinds = np.eye(KINDS)[answers.kinds] * 1_000
    sides = ((answers.passed, answers.has_passed), (answers.taken, answers.has_taken))
    passed, taken = (
        np.hstack([weighed, kinds * has[:, None]]) / scales[answers.kinds][:, None] for weighed, has in sides
    )
    return answers._replace(passed=passed, taken=taken)


def fit_leanings(answers: Answers, weights: Any) -> tuple[Any, Any]:
    """Return the likeliest weights, a point at -1, and by how many points opinions of each kind of card vary.

    Rule and leanings first, then the scales, and again: each alone is simple.
    """
    weights, scales = np.concatenate([weights, np.zeros(KINDS)]), np.ones(KINDS)
    for _ in range(TURNS):
        weights = fit_weights(add_kinds(answers, scales), weights, TURN_STEPS)
        weights, scales = weights / -weights[POINTS], scales / -weights[POINTS]
        plain = add_kinds(answers, np.ones(KINDS))
        for kind in range(KINDS):
            here = answers.kinds == kind
            if here.any():
                part = Answers(*(side[here] for side in plain))
                scales[kind] = max(SCALES, key=lambda scale: measure_likelihood(part, weights / scale)[0])
    return weights, scales


def main() -> None:
    """Play, fit and print."""
    parser = bench_parser("opponents", __doc__)
    parser.add_argument("--level", default="master", help="level of all seats")
    parser.add_argument("--players", default="4", metavar="N,N", help="seats at the tables, one size after another")
    parser.add_argument("--games", type=int, default=60, metavar="N", help="games to play at each size")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first game")
    parser.add_argument("--playouts", type=int, default=1_000, metavar="N", help="a searching bot's; 0: all")
    asked = parser.parse_args()
    rows: list[Answer] = []
    for players in map(int, asked.players.split(",")):
        for number in range(asked.first, asked.first + asked.games):
            print(f"\r\033[K{players} players, game {number}", end="", file=sys.stderr, flush=True)
            rows += answers_of(asked.level, players, number, asked.playouts)
    print("\r\033[K", end="", file=sys.stderr, flush=True)
    answers, begin = gather_answers(rows), np.array([*EVERYBODY[BEST], 0], dtype=float)
    found = fit_weights(answers, begin / 5_000)
    point = -found[POINTS]
    print(f"{len(rows)} answers; mean logarithm of their chances: {measure_likelihood(answers, found)[0]:.3f}")
    before = max(measure_likelihood(answers, begin / 1_000 / scale)[0] for scale in (1, 2, 3, 5, 8, 12))
    print(f"by the rule that masters start from, at its best: {before:.3f}")
    print(f"opinions vary by {1_000 / point:.0f} thousandths of a point; the rule:")
    print(", ".join(f"{weight / point * 1_000:.0f}" for weight in found))
    weights, scales = fit_leanings(answers, found)
    print(
        f"with leanings: {measure_likelihood(add_kinds(answers, scales), weights)[0]:.3f}; the rule, and each kind of "
        "card:"
    )
    print(", ".join(f"{weight * 1_000:.0f}" for weight in weights[:WEIGHED]))
    for row in range(0, KINDS, CARD_KINDS):
        kinds = range(row, row + CARD_KINDS)
        print(", ".join(f"({weights[WEIGHED + kind] * 1e6:.0f}, {scales[kind] * 1_000:.0f})" for kind in kinds))


if __name__ == "__main__":
    main()
