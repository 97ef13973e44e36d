"""A coach for any game: it plays each move out by the rules themselves, with a bot of the game in every seat.

It is for games that have no playout kernel. A playout takes as long as the game's own code, a tenth of a millisecond
for a dozen plain moves, so that budgets are a fraction of those of other coaches.
"""

from collections.abc import MutableSequence, Sequence
from typing import Any, ClassVar, Final

from msgspec import Struct

from scoville_shared.bots.base import Bot
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.registry import USUAL, find_bot
from scoville_shared.coach.base import Coach, Policy, PublicDecision, SampledQuestion, Sums
from scoville_shared.coach.sample import Aim, Weighed
from scoville_shared.coach.tally import COLUMNS, LEAD, SCORE, WIN, add_results
from scoville_shared.engine.contract import AnyGame, Outcome
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.registry import load_game
from scoville_shared.ids import MOST_SEATS, Seat
from scoville_shared.values import Plain

_STEP: Final = 2_654_435_769
_STATES: Final = 2**32
"""Step and number of the states of the random numbers, of which each one comes once."""


class RulesQuestion(SampledQuestion, frozen=True, kw_only=True):
    """Which of a seat's moves is best, in worlds that its View could come from; `levels` are the bots by seat."""

    game: str
    seat: int
    view: Plain
    levels: list[str]
    fewer_is_better: bool

    def add_worlds(
        self,
        machine: Machine,  # noqa: ARG002 - the rules are Python on every machine
        worlds: range,
        rng: MutableSequence[int] | None,
        to: Sums,
    ) -> None:
        """Play every move out in the same worlds, with the same chance for all players' later decisions."""
        game = load_game(self.game)
        view, moves = game.codec.decode_view(self.view), [game.codec.decode_move(move) for move in self.moves]
        bots = [find_bot(self.game, level)(game) for level in self.levels]
        sign = -1 if self.fewer_is_better else 1
        for world in worlds:
            dice = _draw_dice(world if rng is None else _draw_number(rng))
            state = game.imagine(view, dice)
            results = [0.0] * (COLUMNS * len(moves))
            for place, move in enumerate(moves):
                after = game.apply(state, Seat(self.seat), move).state
                _note_outcome(play_out(game, after, bots, dice), self.seat, sign, results, COLUMNS * place)
            add_results(results, len(moves), *to)


class RulesCourse(Struct, frozen=True, kw_only=True):
    """All players' chances in a state, whose later chance is what it was; `levels` are the bots by seat."""

    game: str
    state: bytes
    levels: list[str]

    @property
    def seats(self) -> int:
        return len(self.levels)

    def add_worlds(
        self,
        machine: Machine,  # noqa: ARG002 - the rules are Python on every machine
        worlds: int,
        rng: MutableSequence[int],
        sums: MutableSequence[float],
    ) -> None:
        """Play the game out."""
        game = load_game(self.game)
        state = game.codec.unpack_state(self.state)
        bots = [find_bot(self.game, level)(game) for level in self.levels]
        for _ in range(worlds):
            outcome = play_out(game, state, bots, _draw_dice(_draw_number(rng)))
            first = outcome.places.count(1)
            for seat, (score, place) in enumerate(zip(outcome.scores, outcome.places, strict=True)):
                sums[2 * seat] += score
                sums[2 * seat + 1] += 1 / first if place == 1 else 0.0


class RulesCoach(Coach):
    """The coach of a game that plays moves out by the rules; a package writes `explain_move` and `public_moves`.

    Views need a field `seat`, or `seat_of` says whose they are. Bots get Views only, so `level` is that of a bot
    without memory.
    """

    level: ClassVar[str] = USUAL
    """The level of the bot that plays for people in playouts; bots of the table that have no memory play themselves."""
    policy = Policy.USUAL
    playouts = 3_000
    advice_playouts = 1_500
    game_playouts = 60_000
    course_playouts = 200
    whole_course_playouts = 8_000

    def seat_of(self, view: Any) -> Seat | None:
        """Return whose View it is; None for a spectator's."""
        seat: Seat | None = view.seat
        return seat

    def make_question(self, view: Any, policy: Policy | None = None, aim: Aim = Aim.WIN) -> RulesQuestion | None:
        """Ask which of the moves of a View is best; None for fewer than two."""
        seat, moves = self.seat_of(view), self.game.moves(view)
        if seat is None or len(moves) < 2:
            return None
        # Any world will do: only its seats are counted.
        state = self.game.imagine(view, Dice(bytes(32)))
        return RulesQuestion(
            game=self.game.info.slug,
            seat=seat,
            view=self.game.codec.encode_plain(view),
            moves=[self.game.codec.encode_plain(move) for move in moves],
            levels=self._list_levels(state),
            fewer_is_better=self.fewer_is_better,
            policy=policy or self.policy,
            aim=aim,
        )

    def make_course_question(self, state: Any) -> RulesCourse:
        """Ask for all players' chances in a state."""
        return RulesCourse(
            game=self.game.info.slug, state=self.game.codec.pack_state(state), levels=self._list_levels(state)
        )

    def count_seats(self, state: Any) -> int:
        """Return the number of seats of a state: that of the scores with which it ends."""
        # By playing it out: only the scores of an end tell this in every game.
        bot = find_bot(self.game.info.slug, self.level)(self.game)
        return len(play_out(self.game, state, [bot] * MOST_SEATS, Dice(bytes(32))).scores)

    def _list_levels(self, state: Any) -> list[str]:
        levels = [self.level_of(seat) or self.level for seat in range(len(self.levels) or self.count_seats(state))]
        slug = self.game.info.slug
        # One that remembers has not observed the game so far in a playout, and would play another game than its own.
        return [self.level if find_bot(slug, level).remembers else level for level in levels]

    def public_view(self, board: Any, seat: Seat) -> Any:  # noqa: ARG002 - a game that explains moves says it
        """Return the View of a seat without its own secrets; None where bots' moves are not explained."""
        return None

    def public_decision(self, board: Any, seat: Seat, move: Plain) -> PublicDecision | None:
        """Return the public part of a decision, from `public_view`."""
        view = self.public_view(board, seat)
        question = None if view is None else self.make_question(view)
        return None if question is None else PublicDecision(view, question, question.moves.index(move))

    def explain_move(self, view: Any, question: Any, weighed: Weighed) -> Phrase:  # noqa: ARG002 - games say more
        """Give the reason for or against a move in one sentence."""
        if weighed.is_best:
            return Phrase("no other move wins more often")
        return Phrase("another move wins more often")


def play_out(game: AnyGame, state: Any, bots: Sequence[Bot], dice: Dice) -> Outcome:
    """Play a state to its end; the seats of simultaneous choices decide in their order."""
    for number in range(game.info.max_moves + 1):
        pending = game.pending(state)
        if not pending:
            break
        seat = min(pending)
        chance = dice.open_stream(f"coach/{number}/{seat}")
        state = game.apply(state, seat, bots[seat].choose_move(game.view(state, seat), chance)).state
    outcome = game.outcome(state)
    if outcome is None:
        raise ValueError(f"a playout of {game.info.slug} does not end within {game.info.max_moves} moves")
    return outcome


def _note_outcome(outcome: Outcome, me: int, sign: int, results: MutableSequence[float], at: int) -> None:
    """Write a seat's score, share of the win and lead at an outcome, from `at` on."""
    others = [sign * score for seat, score in enumerate(outcome.scores) if seat != me]
    results[at + SCORE] = outcome.scores[me]
    results[at + WIN] = 1 / outcome.places.count(1) if outcome.places[me] == 1 else 0.0
    results[at + LEAD] = sign * outcome.scores[me] - max(others, default=0)


def _draw_number(rng: MutableSequence[int]) -> int:
    rng[0] = (int(rng[0]) + _STEP) % _STATES
    return int(rng[0])


def _draw_dice(number: int) -> Dice:
    return Dice(number.to_bytes(32))
