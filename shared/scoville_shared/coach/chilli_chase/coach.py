"""The coach of Chilli Chase: it plays the game out, and says what speaks for a play or a Chilli Score."""

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from typing import ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.bots.chilli_chase.careful import CAREFUL, TRAINED
from scoville_shared.bots.chilli_chase.kernel import UNKNOWN
from scoville_shared.bots.chilli_chase.search import MOST_SCORES
from scoville_shared.bots.chilli_chase.table import KnownTable, list_seen, make_space, read_table
from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import Coach, Policy, PublicDecision, Sums
from scoville_shared.coach.chilli_chase import kernel
from scoville_shared.coach.chilli_chase.reasons import explain_choice, name_right_choice, name_wrong_choice
from scoville_shared.coach.sample import Aim, Sample, Weighed
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.arithmetic import list_choices, list_reaches, total_made
from scoville_shared.games.chilli_chase.facts import Fact, Played, PointScored, ScoreChanged, ScoreKept
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import DECK, Board, Left, Op, Play, State, View
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

POPULATION = 2
"""Policies that seats are drawn from."""


class TurnQuestion(Struct, frozen=True, kw_only=True):
    """A choice of a play, or of a Chilli Score; `candidates` are the kernel's pair for each move."""

    moves: list[Plain]
    candidates: list[tuple[int, int]]
    table: KnownTable
    me: int
    unseen: list[int]
    known: list[int]
    policy: Policy
    aim: Aim

    @property
    def all_worlds(self) -> int:
        """Deals are always sampled."""
        return 0

    def with_moves(self, places: Sequence[int]) -> "TurnQuestion":
        """Return the question with a choice of its moves."""
        moves, candidates = ([row[place] for place in places] for row in (self.moves, self.candidates))
        return replace(self, moves=moves, candidates=candidates)

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the choices out."""
        numbers = machine.numbers
        machine.load(kernel).compare_choices(
            self.me, list_seen(machine, self.table), numbers(self.unseen),
            numbers(number for pair in self.candidates for number in pair), numbers(self.known), POPULATION,
            len(worlds), rng, _make_space(machine, self.table, len(self.moves)), *to,
        )  # fmt: skip

    def solve_exactly(self, machine: Machine) -> Sample | None:  # noqa: ARG002 - perfect play is not known
        """Return nothing: no solution is cheap."""
        return None

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:  # noqa: ARG002 - moves follow each other
        """Return nothing: no moves are made at the same time."""
        return ()


class ChanceQuestion(NamedTuple):
    """Everybody's chances with these hands; `cards` are those of the deck."""

    table: KnownTable
    cards: list[int]
    known: list[int]

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.table.scores)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        machine.load(kernel).expect_scores(
            list_seen(machine, self.table), machine.numbers(self.cards), machine.numbers(self.known), POPULATION,
            worlds, rng, _make_space(machine, self.table, 0), sums,
        )  # fmt: skip


def _make_space(machine: Machine, table: KnownTable, moves: int) -> kernel.Space:
    return kernel.Space(make_space(machine, table), machine.floats([0.0] * (COLUMNS * moves)))


_HINT = Phrase(
    "Which of your cards turns {total} into a Chilli Score, best your own? If none does: which new total is hard to "
    "hit for whoever plays next?"
)
_HINT_FOR_SCORE = Phrase("Which number will you reach often, and the others seldom?")


class TurnCoach(Coach):
    """Advises on the card and its total, and on a new Chilli Score."""

    playouts = 4_000
    advice_playouts = 4_000
    game_playouts = 200_000
    course_playouts = 600
    whole_course_playouts = 45_000
    like_level: ClassVar = {
        "easy": TRAINED, "casual": CAREFUL, "sensible": CAREFUL, "strong": CAREFUL, "master": CAREFUL,
    }  # fmt: skip
    headlines = (PointScored, Played, ScoreChanged, ScoreKept)

    def make_question(self, view: View, policy: Policy | None = None, aim: Aim = Aim.WIN) -> TurnQuestion | None:
        """Ask what to play, or which Chilli Score to take; plays with the same card and total are one."""
        board = view.board
        if view.seat is None or board.over or view.seat != board.mover:
            return None
        question = self._make_turn_question(view, view.seat, policy or self.policy, aim)
        return question if len(question.moves) > 1 else None

    def locate_move(self, view: View, question: TurnQuestion, move: Plain) -> tuple[TurnQuestion, int]:
        """Find the choice that a move makes: plays with the same card and total are one; add a score not considered."""
        board = view.board
        if "card" in move:
            total = total_made(Play(move["card"], Op(move["op"]), Left(move["left"])), board.total, board.options)
            assert isinstance(total, int), "only legal moves are located"
            return question, question.candidates.index((view.hand.index(move["card"]), total))
        score = move.get("score", board.scores[board.mover])
        if (-1, score) in question.candidates:
            return question, question.candidates.index((-1, score))
        more = replace(question, moves=[*question.moves, move], candidates=[*question.candidates, (-1, score)])
        return more, len(more.moves) - 1

    def public_moves(self, facts: Iterable[Fact]) -> Iterator[tuple[Seat, Plain]]:
        for fact in facts:
            match fact:
                case Played(seat=seat, card=card, op=op, left=left):
                    yield seat, {"card": card, "op": op.value, "left": left.value}
                case ScoreChanged(seat=seat, new=new):
                    yield seat, {"score": new}
                case ScoreKept(seat=seat):
                    yield seat, {"keep": True}

    def public_decision(self, board: Board, seat: Seat, move: Plain) -> PublicDecision | None:
        """Return what the played card can make of the total, or the new Chilli Score and the old one."""
        if seat != board.mover:
            return None
        view = View(board=board, seat=seat, hand=(int(move["card"]),) if "card" in move else ())
        question, played = self.locate_move(view, self._make_turn_question(view, seat, self.policy, Aim.WIN), move)
        return PublicDecision(view, question, played)

    def make_course_question(self, state: State) -> ChanceQuestion:
        table = read_table(state.board, state.secret.hands)
        return ChanceQuestion(table, list(state.secret.deck), self.list_known_policies(len(table.scores)))

    def write_hint(self, view: View) -> Phrase:
        return _HINT_FOR_SCORE if view.board.choosing else _HINT.with_fields({"total": view.board.total})

    def explain_move(self, view: View, question: TurnQuestion, weighed: Weighed) -> Phrase:  # noqa: ARG002
        return explain_choice(view, weighed)

    def name_error(self, view: View, question: TurnQuestion, weighed: Weighed) -> Phrase:  # noqa: ARG002
        return name_wrong_choice(view, weighed)

    def name_reason(self, view: View, question: TurnQuestion, weighed: Weighed) -> Phrase:  # noqa: ARG002
        return name_right_choice(view, weighed)

    def _make_turn_question(self, view: View, seat: Seat, policy: Policy, aim: Aim) -> TurnQuestion:
        """Ask about the cards of a View; further ones that its seat holds are dealt in each world."""
        board, seats = view.board, len(view.board.scores)
        offered = _list_scores(view) if board.choosing else _list_plays(view)
        unseen = list(DECK)
        for card in (*board.hot, *view.hand):
            unseen.remove(card)
        known = (*view.hand, *[UNKNOWN] * (board.hands[seat] - len(view.hand)))
        return TurnQuestion(
            moves=[move for move, _ in offered],
            candidates=[pair for _, pair in offered],
            table=read_table(board, [known if each == seat else () for each in range(seats)]),
            me=seat,
            unseen=unseen,
            known=[TRAINED] * seats if policy is Policy.TRAINED else self.list_known_policies(seats),
            policy=policy,
            aim=aim,
        )


def _list_plays(view: View) -> list[tuple[Plain, tuple[int, int]]]:
    """List the different results of the hand as moves and as the kernel's candidates."""
    return [
        (
            {"card": card, "op": way.plays[0].op.value, "left": way.plays[0].left.value},
            (view.hand.index(card), way.total),
        )
        for card, way in list_choices(view)
    ]


def _list_scores(view: View) -> list[tuple[Plain, tuple[int, int]]]:
    """List the old Chilli Score, and those that the hand reaches, the closest to zero first."""
    board = view.board
    reached = {way.total for card in view.hand for way in list_reaches(card, board.total, board.options)}
    free = sorted((abs(score), score) for score in reached if check_score(board, score) is None)
    keep: Plain = {"keep": True}
    return [
        (keep, (-1, board.scores[board.mover])),
        *(({"score": score}, (-1, score)) for _, score in free[:MOST_SCORES]),
    ]
