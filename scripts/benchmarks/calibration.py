"""Calibration of the coach: of the games in which it said 40 %, 4 of 10 should be won.

Bots of one level (or of one level a seat) play fresh games. At random decisions the coach says with what chance the
mover wins after the move that it makes, and the end of the game says whether it did; a shared win counts as its part.
Printed are for each tenth of chances how many figures it has, what was said and what was true on average with its
standard error, then the Brier score beside that of the best constant. `--blind` does not tell the coach who plays, as
at a table of people. With `--together` every seat is asked, from a random decision on at its next one, and printed is
what they are promised together: 100 % on average, and off by far less chance than outcomes are. Exit status 1: a tenth
with 100 figures or more is off by more than 3 points and two standard errors, or the Brier score is not 15 % below that
of the constant.
"""

import sys
from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

from _arguments import bench_parser
from strength import choose_move, find_bot

from scoville_shared.bots.base import Bot
from scoville_shared.bots.search import SearchBot
from scoville_shared.coach.base import Coach, Question
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.study import study_moves
from scoville_shared.coach.tally import WIN
from scoville_shared.engine.contract import AnyGame, Refusal
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from scoville_thinking.machines import fastest_machine

FIRST_SEED = 7_000_000
MOST_OFF, LEAST_GAIN, FEW = 0.03, 0.15, 100


class Figure(NamedTuple):
    """A chance to win as the coach said it, and the share of the win that came of it."""

    game: int
    said: float
    true: float


class Evening(NamedTuple):
    """What is played, and how often the coach is asked."""

    game: AnyGame
    levels: Sequence[str]
    options: dict[str, Any]
    each: int
    playouts: int
    blind: bool
    bot_playouts: int
    together: bool


class Asked(NamedTuple):
    """A decision of a game as the coach may be asked about it; the number of the decision seeds its playouts."""

    made: int
    seat: int
    question: Question
    played: int

    def estimate_chance(self, evening: Evening, number: int) -> float:
        """Return the chance to win that the coach promises for the move that was made."""
        sample = study_moves(self.question, evening.playouts, number * 1000 + self.made, fastest_machine()).sample
        return sample.estimate_column(self.played, WIN).mean


class Answers(NamedTuple):
    """The figures of a game, and what all of its seats were promised together each time that all were asked."""

    figures: list[Figure]
    sums: list[float]


def seat_bots(evening: Evening) -> list[Bot]:
    """Return the bot of each seat."""
    bots = [find_bot(evening.game, level)(evening.game) for level in evening.levels]
    for bot in bots:
        if isinstance(bot, SearchBot) and evening.bot_playouts:
            vars(bot)["playouts"] = evening.bot_playouts
    return bots


def ask_in_game(evening: Evening, number: int) -> Answers:
    """Play one game and return what the coach says of random decisions in it."""
    game, luck = evening.game, Random(number)
    seats = len(evening.levels)
    dice = Dice((FIRST_SEED + number).to_bytes(SEED_BYTES))
    bots = seat_bots(evening)
    kind = find_coach(game.info.slug)
    assert kind is not None, "a game with a coach is measured"
    coaches: list[Coach] = [kind(game) for _ in range(seats)]
    if not evening.blind:
        for coach in coaches:
            coach.expect_players(evening.levels)
    state, made = game.setup(game.codec.decode_options(evening.options), seats, dice), 0
    asked: list[Asked] = []
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        view = game.view(state, seat)
        move = choose_move(bots[seat], view, dice.open_stream(f"bot/{made}"))
        question = coaches[seat].make_question(view)
        if question is not None:
            question, played = coaches[seat].locate_move(view, question, game.codec.encode_plain(move))
            asked.append(Asked(made, seat, question, played))
        step = play_move(game, state, Seat(seat), move)
        assert not isinstance(step, Refusal), "bots play legal moves"
        state = step.state
        for addressed in step.facts:
            for receiver in range(seats):
                if addressed.to in (None, receiver):
                    bots[receiver].observe_fact(addressed.fact)
                    coaches[receiver].observe_fact(addressed.fact)
    outcome = game.outcome(state)
    assert outcome is not None, "nobody is pending at the end"
    winners = outcome.places.count(1)
    shares = [1 / winners if place == 1 else 0.0 for place in outcome.places]
    if evening.together:
        return ask_together(evening, number, asked, shares, luck)
    chosen = sorted(luck.sample(range(len(asked)), min(evening.each, len(asked))))
    return Answers(
        [Figure(number, asked[at].estimate_chance(evening, number), shares[asked[at].seat]) for at in chosen], []
    )


def ask_together(
    evening: Evening, number: int, asked: Sequence[Asked], shares: Sequence[float], luck: Random
) -> Answers:
    """Ask every seat from random decisions on, each at its next decision; who has none more is promised what it won.

    Each of these figures foretells on average what is known at the first of the decisions, and so does their sum.
    """
    figures, sums = [], []
    for _ in range(max(1, evening.each // len(shares))):
        start = luck.randrange(len(asked))
        promised = list(shares)
        for seat in range(len(shares)):
            found = next((each for each in asked[start:] if each.seat == seat), None)
            if found is not None:
                promised[seat] = found.estimate_chance(evening, number)
                figures.append(Figure(number, promised[seat], shares[seat]))
        sums.append(sum(promised))
    return Answers(figures, sums)


def error_of(figures: Sequence[Figure]) -> float:
    """Return the standard error of the mean difference; figures of one game hang together."""
    by_game: dict[int, float] = {}
    for figure in figures:
        by_game[figure.game] = by_game.get(figure.game, 0.0) + figure.true - figure.said
    return sqrt(sum(each * each for each in by_game.values())) / len(figures)


def print_report(name: str, figures: Sequence[Figure]) -> bool:
    """Print the table; return whether the goals are met."""
    good = True
    print(f"{name}: {len(figures)} figures of {len({figure.game for figure in figures})} games")
    for tenth in range(10):
        among = [figure for figure in figures if min(int(10 * figure.said), 9) == tenth]
        if not among:
            continue
        said, true, error = fmean(each.said for each in among), fmean(each.true for each in among), error_of(among)
        off = len(among) >= FEW and abs(true - said) > max(MOST_OFF, 2 * error)
        good = good and not off
        print(
            f"  {10 * tenth:3}-{10 * tenth + 10:3} %  {len(among):5}  said {100 * said:5.1f}  true {100 * true:5.1f}"
            f" ± {100 * error:.1f}{'  OFF' if off else ''}"
        )
    base = fmean(each.true for each in figures)
    brier = fmean((each.said - each.true) ** 2 for each in figures)
    constant = fmean((base - each.true) ** 2 for each in figures)
    gain = 1 - brier / constant
    print(
        f"  all      {len(figures):5}  said {100 * fmean(each.said for each in figures):5.1f}  true {100 * base:5.1f}"
    )
    print(f"  Brier {brier:.4f}, constant {constant:.4f}: {100 * gain:.0f} % better", flush=True)
    return good and gain >= LEAST_GAIN


def main() -> None:
    """Play, ask and report."""
    parser = bench_parser("calibration", __doc__)
    parser.add_argument("game", help="slug of the game")
    parser.add_argument("--levels", default="sensible", help="the level of all seats, or one for each, with commas")
    parser.add_argument("--players", type=int, default=4, metavar="N", help="seats at the table")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games to play")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first game")
    parser.add_argument("--each", type=int, default=8, metavar="N", help="figures of each game")
    parser.add_argument("--playouts", type=int, default=2_000, metavar="N", help="playouts of a figure")
    parser.add_argument("--bot-playouts", type=int, default=0, metavar="N", help="a searching bot's for a move; 0: all")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=N", help="an option of the game")
    parser.add_argument("--together", action="store_true", help="ask all seats at a time, and add them up")
    parser.add_argument("--blind", action="store_true", help="do not tell the coach who plays")
    asked = parser.parse_args()
    levels = asked.levels.split(",")
    levels = levels * asked.players if len(levels) == 1 else levels
    options = {name: int(value) for name, _, value in (each.partition("=") for each in asked.option)}
    game = load_game(asked.game)
    evening = Evening(
        game, levels, options, asked.each, asked.playouts, asked.blind, asked.bot_playouts, asked.together
    )
    figures: list[Figure] = []
    sums: list[float] = []
    for number in range(asked.first, asked.first + asked.games):
        print(f"\r\033[Kgame {number}", end="", file=sys.stderr, flush=True)
        answers = ask_in_game(evening, number)
        figures += answers.figures
        if answers.sums:
            sums.append(fmean(answers.sums))
    print("\r\033[K", end="", file=sys.stderr, flush=True)
    name = f"{asked.game}, {len(levels)} players, {asked.levels}{', blind' if asked.blind else ''}"
    good = print_report(name, figures)
    if len(sums) > 1:
        error = stdev(sums) / sqrt(len(sums))
        print(f"  all seats are promised together {100 * fmean(sums):5.1f} ± {100 * error:.1f} %")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
