"""The maker of puzzles: bots of several levels play, and decisions with one clear best move are kept.

Everything follows from a seed and the number of a game. A decision becomes a puzzle if its best move is ahead of every
other one by far more than the samples leave open, in other samples again, and against any opponents: bad players or
the best ones. Where the coach solves the game, the figures are exact.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from scoville_shared.bots.counted import CountedGame, CountedSearch
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.bots.search import SearchBot, seed_of
from scoville_shared.coach.base import Coach, Question
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.sample import Figures, weigh_move
from scoville_shared.coach.study import Study, study_moves
from scoville_shared.engine.contract import Addressed, AnyGame, select_facts
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.ids import Seat
from scoville_shared.puzzles.puzzle import Choice, Puzzle, Step
from scoville_shared.values import Plain

RATINGS: Final[Mapping[str, int]] = {
    "easy": 1_000,
    "casual": 1_200,
    "sensible": 1_400,
    "strong": 1_700,
    "master": 1_900,
}
"""Ratings of bots that try a puzzle, on Elo's scale."""
_PRIOR, _PRIOR_WEIGHT = 1_450, 0.5
"""A puzzle is about as hard as usual, which counts half as much as a bot's attempt: none is hard without end."""

MOST_SEATS: Final = 5
"""Larger tables take long to look at."""
QUICK: Final = 5
"""The first look takes so small a part of the playouts of advice."""
FULL: Final = 3
"""A puzzle has so many times the playouts of advice, and its confirmation ten times as many again."""
CONFIRMING: Final = 10
GAP: Final = 0.05
"""A puzzle's best move is worth at least so much more of a win than any other one, and"""
SURE: Final = 6.0
"""so many standard errors more."""
_ROBUST_GAP, _ROBUST_SURE = 0.01, 2.0
"""So much ahead it still is among bad players, and among the best."""
_OTHERS: Final = ("easy", "master")
_LOOKED_AT: Final = 3
"""One of so many decisions is looked at: those of a game are much alike."""
_TRIED: Final = 4
"""Decisions of a game that are examined at most; one becomes a puzzle."""
_MOST_MOVES: Final = 100


class Decided(NamedTuple):
    """A decision in a game: its seat, what that knew, and how many moves came before."""

    seat: Seat
    view: Any
    coach: Coach
    question: Question
    before: int


class Made(Struct, frozen=True):
    """A puzzle, and the levels of the bots that solved it."""

    puzzle: Puzzle
    solved_by: tuple[str, ...]


class _Played(NamedTuple):
    """A game: how many play, the moves with their facts, and decisions in it."""

    seats: int
    moves: Sequence[tuple[Seat, Sequence[Addressed[Any]]]]
    decisions: Sequence[Decided]

    def seen_by(self, decided: Decided) -> list[tuple[Seat, list[Any]]]:
        """Return the moves before a decision with the facts that its seat was sent."""
        return [(seat, select_facts(facts, decided.seat)) for seat, facts in self.moves[: decided.before]]


def make_puzzle(game: AnyGame, seed: bytes, number: int, machine: Machine = INTERPRETED) -> Made | None:
    """Play the game of a number, and return a puzzle from it; None if it has no clear decision.

    Args:
        game: A game with a coach.
        seed: The seed of the pool.
        number: The number of the game, from 0.
        machine: The machine that runs the kernels; sampled figures of two machines can differ in the last digits.
    """
    dice = Dice(hmac.digest(seed, f"{game.info.slug}/{number}".encode(), "sha256"))
    played = _play_game(game, dice, machine)
    # A first look, half as sure and from a fifth of the playouts: most decisions have no clear best move. Later looks
    # have seeds of their own, since the worlds in which a move was chosen flatter it.
    candidates = [
        decided
        for decided in played.decisions
        if _is_clear(study_moves(decided.question, decided.coach.advice_playouts // QUICK, 1, machine), GAP, SURE / 2)
    ]
    order = dice.open_stream("order").shuffle_cards(candidates)
    made = (_examine_decision(game, dice, played, decided, machine) for decided in order[:_TRIED])
    return next((each for each in made if each is not None), None)


def _play_game(game: AnyGame, dice: Dice, machine: Machine) -> _Played:
    plan = dice.open_stream("plan")
    fewest, most = game.info.official
    seats = fewest + plan.draw_below(min(most, MOST_SEATS) - fewest + 1)
    offered = [level for level in list_levels(game.info.slug) if level in RATINGS]
    levels = [offered[plan.draw_below(len(offered))] for _ in range(seats)]
    kind = _coach_of(game)
    state = game.setup(game.codec.decode_options(dict(kind.puzzle_options)), seats, dice)
    playing = CountedGame(game, state, levels, dice.key)
    coaches = [kind(game) for _ in range(seats)]
    moves: list[tuple[Seat, Sequence[Addressed[Any]]]] = []
    decisions: list[Decided] = []
    while pending := playing.pending:
        seat = min(pending)
        view = game.view(playing.state, seat)
        if plan.draw_below(_LOOKED_AT) == 0 and (question := coaches[seat].make_question(view)) is not None:
            decisions.append(Decided(seat, view, coaches[seat], question, len(moves)))
        facts = playing.play_move(seat, playing.choose_move(seat, machine))
        moves.append((seat, facts))
        for receiver, coach in enumerate(coaches):
            for fact in select_facts(facts, Seat(receiver)):
                coach.observe_fact(fact)
    return _Played(seats, moves, decisions)


def _examine_decision(game: AnyGame, dice: Dice, played: _Played, decided: Decided, machine: Machine) -> Made | None:
    """Return a decision as a puzzle, if it is one."""
    question, coach = decided.question, decided.coach
    grouped = _group_moves(game, decided)
    if grouped is None:
        return None
    study = study_moves(question, FULL * coach.advice_playouts, 2, machine)
    best = study.sample.best_move
    if not _is_clear(study, GAP, SURE):
        return None
    seen = played.seen_by(decided)
    steps = [Step(int(seat), [game.codec.encode_plain(fact) for fact in facts]) for seat, facts in seen]

    # Solved figures assume the best players already, and need no other opponents.
    if not study.sample.exact and not all(
        _is_best_among(game, level, decided.view, steps, played.seats, best, machine) for level in _OTHERS
    ):
        return None

    figures = study.sample.figures_of_moves()
    order = sorted(range(len(figures)), key=lambda place: -study.sample.worth_of_move(place))
    puzzle = Puzzle(
        id=_name_puzzle(game, decided, steps),
        seats=played.seats,
        seat=int(decided.seat),
        options=dict(coach.puzzle_options),
        view=game.codec.encode_plain(decided.view),
        history=steps,
        choices=[_make_choice(grouped[place], figures[place]) for place in order],
        reason=coach.name_reason(decided.view, question, weigh_move(figures, best)).text,
        exact=study.sample.exact,
        rating=0,
    )
    solved = tuple(
        level
        for level in list_levels(game.info.slug)
        if level in RATINGS and _is_solved_by(game, level, puzzle, dice.open_stream(f"try/{level}"), machine)
    )
    return Made(msgspec.structs.replace(puzzle, rating=rate_by_levels(solved)), solved)


def _is_clear(study: Study, gap: float, sure: float) -> bool:
    """Whether the best move is ahead of every other one by a gap, and by so many standard errors."""
    sample = study.sample
    rest = [each.behind for place, each in enumerate(sample.figures_of_moves()) if place != sample.best_move]
    return all(behind.mean >= gap and behind.mean >= sure * behind.error for behind in rest)


def _group_moves(game: AnyGame, decided: Decided) -> list[list[Plain]] | None:
    """Return the legal moves that belong to each move of the question; None if one belongs to none."""
    grouped: list[list[Plain]] = [[] for _ in decided.question.moves]
    for move in islice(game.moves(decided.view), _MOST_MOVES):
        plain = game.codec.encode_plain(move)
        question, place = decided.coach.locate_move(decided.view, decided.question, plain)
        # It was added to the question, which had no figures for it: whether it is right would stay open.
        if len(question.moves) != len(grouped):
            return None
        grouped[place].append(plain)
    return grouped


def _is_best_among(
    game: AnyGame, level: str, view: Any, steps: Sequence[Step], seats: int, best: int, machine: Machine
) -> bool:
    """Whether a move is the best one where all players play like the bot of a level."""
    coach = informed_coach(game, steps, [level] * seats)
    question = coach.make_question(view)
    assert question is not None, "the seat has a choice against any opponents"
    study = study_moves(question, coach.advice_playouts, 3, machine)
    return study.sample.best_move == best and _is_clear(study, _ROBUST_GAP, _ROBUST_SURE)


def informed_coach(game: AnyGame, steps: Iterable[Step], levels: Iterable[str] = ()) -> Coach:
    """Return a coach that has observed the moves before a puzzle."""
    coach = _coach_of(game)(game)
    coach.expect_players(levels)
    for step in steps:
        for fact in game.codec.decode_facts(step.facts):
            coach.observe_fact(fact)
    return coach


def confirm_answer(game: AnyGame, puzzle: Puzzle, machine: Machine = INTERPRETED) -> bool:
    """Whether a puzzle still has its answer.

    Ten times the playouts, in worlds that no figure of the puzzle comes from, have the same best move, and it still is
    the best among bad players, and among the best: what the coach expects of them may have changed since.
    """
    coach = informed_coach(game, puzzle.history)
    view = game.codec.decode_view(puzzle.view)
    question = coach.make_question(view)
    assert question is not None, "a puzzle has a choice"
    sample = study_moves(question, CONFIRMING * FULL * coach.advice_playouts, 4, machine).sample
    best = sample.best_move
    return puzzle.find_choice(sample.moves[best]) == 0 and (
        sample.exact
        or all(_is_best_among(game, level, view, puzzle.history, puzzle.seats, best, machine) for level in _OTHERS)
    )


def _is_solved_by(game: AnyGame, level: str, puzzle: Puzzle, chance: Stream, machine: Machine) -> bool:
    """Whether the bot of a level, which knows what the puzzle's seat knows, finds the best move."""
    bot = find_bot(game.info.slug, level)(game)
    for step in puzzle.history:
        for fact in game.codec.decode_facts(step.facts):
            bot.observe_fact(fact)
    view = game.codec.decode_view(puzzle.view)
    if isinstance(bot, SearchBot):
        question = bot.make_question(view)
        move = CountedSearch(question, seed_of(chance)).run(machine).move if len(question.moves) > 1 else None
        move = question.moves[0] if move is None else move
    else:
        move = game.codec.encode_plain(bot.choose_move(view, chance))
    return puzzle.find_choice(move) == 0


def rate_by_levels(solved: Iterable[str]) -> int:
    """Return how hard a puzzle is that bots of these levels have solved, and the others not, on Elo's scale."""
    right = set(solved)
    low, high = 0.0, 3_000.0
    # By halves, since the equation has no closed solution.
    while high - low > 0.5:
        rating = (low + high) / 2
        # The bots' wins less the expected ones against this rating: it grows with the rating.
        excess = sum((level in right) - _expect_win(each, rating) for level, each in RATINGS.items())
        excess += _PRIOR_WEIGHT * (0.5 - _expect_win(_PRIOR, rating))
        low, high = (low, rating) if excess > 0 else (rating, high)
    return round(low)


def _expect_win(player: float, puzzle: float) -> float:
    return 1 / (1 + 10 ** ((puzzle - player) / 400))


def _make_choice(moves: list[Plain], figures: Figures) -> Choice:
    return Choice(
        moves, round(1_000 * min(max(figures.win.mean, 0.0), 1.0)), round(1_000 * max(figures.behind.mean, 0))
    )


def _name_puzzle(game: AnyGame, decided: Decided, steps: Sequence[Step]) -> str:
    known = msgspec.msgpack.encode([game.codec.encode_plain(decided.view), steps])
    return f"{game.info.slug}-{hashlib.sha256(known).hexdigest()[:8]}"


def _coach_of(game: AnyGame) -> type[Coach]:
    kind = find_coach(game.info.slug)
    assert kind is not None, "puzzles are made of games with a coach"
    return kind
