"""The coach of Chilli Chase: it plays the game out, and gives reasons for a play or a Chilli Score."""

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from typing import ClassVar, NamedTuple

from msgspec.structs import replace

from scoville_shared.bots.chilli_chase.careful import CAREFUL, CLOSEST, MIXED, TRAINED, VARIED
from scoville_shared.bots.chilli_chase.kernel import UNKNOWN
from scoville_shared.bots.chilli_chase.search import MOST_SCORES
from scoville_shared.bots.chilli_chase.table import KnownTable, list_seen, make_space, read_table
from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import Coach, Policy, PublicDecision, SampledQuestion, Sums
from scoville_shared.coach.chilli_chase import kernel
from scoville_shared.coach.sample import Aim, Figures, Weighed, add_price
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.engine.phrases import Fields, Phrase, Who, write_signed
from scoville_shared.games.chilli_chase.arithmetic import list_choices, list_reaches, total_made
from scoville_shared.games.chilli_chase.facts import Fact, Played, PointScored, ScoreChanged, ScoreKept
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import DECK, Board, Left, Op, Play, State, View
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

POPULATION = 2
"""Policies that seats are drawn from."""


class TurnQuestion(SampledQuestion, frozen=True, kw_only=True):
    """A choice of a play, or of a Chilli Score; `candidates` are the kernel's pair for each move."""

    candidates: list[tuple[int, int]]
    table: KnownTable
    me: int
    unseen: list[int]
    known: list[int]

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


class ChanceQuestion(NamedTuple):
    """All players' chances with these hands; `cards` are those of the deck."""

    table: KnownTable
    cards: list[int]
    known: list[int]

    @property
    def seats(self) -> int:
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
    "hit for the next player?"
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
        "easy": CLOSEST, "casual": MIXED, "sensible": CAREFUL, "strong": CAREFUL, "master": VARIED,
    }  # fmt: skip
    headlines = (PointScored, Played, ScoreChanged, ScoreKept)

    def make_question(self, view: View, policy: Policy | None = None, aim: Aim = Aim.WIN) -> TurnQuestion | None:
        """Ask for a play, or for a Chilli Score; plays with the same card and total are one."""
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
        """Return the possible totals of the played card, or the new Chilli Score and the old one."""
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
        # Of a bot that is explained in public only the played card is known; the others come with each world.
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


UNIT = Phrase("points")

_OWN = Phrase("scores a point: {total} is the player's own Chilli Score; {then}")
_THEIRS = Phrase("gives {who} a point, for which a new Chilli Score can be taken; {then}")
_TOTAL = Phrase("leaves the total at {total}; {then}")
_WINS = Phrase("scores the point that wins the game")
_LOSES = Phrase("gives {who} the point that wins the game")
_KEPT = Phrase("the Chilli Score {score} stays; {then}")
_TAKEN = Phrase("the Chilli Score becomes {score}; {then}")
_THEN = Phrase("until the player's next turn others score in {others} %, then the player in {own} %")
_LATER = Phrase("{why}; points at the end: {points}, {more} more than otherwise")
_KEEPS = Phrase("{why}; keeps {cards}")

_POINT_MISSED = Phrase("misses a point")
_POINT_GIVEN = Phrase("gives others a point")
_EASY_TOTAL = Phrase("makes totals that others can hit")
_FAR_TOTAL = Phrase("makes totals that are far from their own Chilli Score")
_FAR_SCORE = Phrase("chooses a Chilli Score that is hard to hit")
_CARD_SPENT = Phrase("spends a card that is needed later")

_PUZZLE_WINS = Phrase("It scores the point that wins.")
_PUZZLE_SCORES = Phrase("It scores a point for you.")
_PUZZLE_NEW_SCORE = Phrase("It earns you a new Chilli Score.")
_PUZZLE_GIVES_NONE = Phrase("It gives nobody else a point.")
_PUZZLE_SAFE = Phrase("Others can hardly score from this total.")
_PUZZLE_NEAR = Phrase("You can soon score from this total.")
_PUZZLE_KEEPS = Phrase("It keeps the cards that you need.")
_PUZZLE_NUMBER = Phrase("You will hit this Chilli Score soon.")

CLOSE = 0.03
"""Chances to score soon that differ less tell moves hardly apart."""

NOTICEABLE = 0.1
"""Points that make a difference."""


def explain_choice(view: View, weighed: Weighed) -> Phrase:
    """Describe the near consequences of a move; where these hardly differ from its rival's, also the difference."""
    figures, rival = weighed.figures, weighed.rival
    why = _main_reason(view, figures)
    more = figures.score.mean - rival.score.mean
    if figures is rival:
        return why
    # The next turns are easier to see than points at the end, and are named where they tell the moves apart.
    if max(abs(figures.first - rival.first), abs(figures.second - rival.second)) < CLOSE:
        why = _tell_apart(view, weighed, why)
    elif more > -NOTICEABLE:
        return why
    return add_price(why, weighed, UNIT, NOTICEABLE, fewer=False)


def name_wrong_choice(view: View, weighed: Weighed) -> Phrase:
    """Name the kind of error that a worse choice is."""
    played, best = weighed.figures, weighed.rival
    if "card" not in played.move:
        return _FAR_SCORE
    mine, scored, missed = view.board.mover, _holder_of(view, played), _holder_of(view, best)
    if missed == mine != scored:
        return _POINT_MISSED
    if scored not in (None, mine):
        return _POINT_GIVEN
    if played.first - best.first >= CLOSE:
        return _EASY_TOTAL
    return _FAR_TOTAL if best.second - played.second >= CLOSE else _CARD_SPENT


def name_right_choice(view: View, weighed: Weighed) -> Phrase:
    """Say in a few words why the best choice is better than its rival."""
    best, rival = weighed.figures, weighed.rival
    if "card" not in best.move:
        return _PUZZLE_NUMBER
    board = view.board
    mine, scored, missed = board.mover, _holder_of(view, best), _holder_of(view, rival)
    if scored == mine:
        return _PUZZLE_WINS if board.points[mine] + 1 == board.options.points else _PUZZLE_SCORES
    if scored is not None:
        return _PUZZLE_NEW_SCORE
    if missed not in (None, mine):
        return _PUZZLE_GIVES_NONE
    if rival.first - best.first >= CLOSE:
        return _PUZZLE_SAFE
    return _PUZZLE_NEAR if best.second - rival.second >= CLOSE else _PUZZLE_KEEPS


def _holder_of(view: View, figures: Figures) -> Seat | None:
    """Return whose Chilli Score a play hits."""
    return view.board.find_holder(_total_of(view, figures))


def _total_of(view: View, figures: Figures) -> int:
    move, board = figures.move, view.board
    total = total_made(Play(int(move["card"]), Op(move["op"]), Left(move["left"])), board.total, board.options)
    assert isinstance(total, int), "the coach offers legal plays"
    return total


def _tell_apart(view: View, weighed: Weighed, why: Phrase) -> Phrase:
    """Tell a move from its rival by the cards that it keeps and the points at the end."""
    figures, rival = weighed.figures, weighed.rival
    if figures.move.get("card") != rival.move.get("card"):
        rest = list(view.hand)
        rest.remove(int(figures.move["card"]))
        why = _KEEPS.with_fields({"why": why, "cards": rest})
    more = figures.score.mean - rival.score.mean
    if not weighed.is_best or more < NOTICEABLE:
        return why
    return _LATER.with_fields({"why": why, "points": round(figures.score.mean, 1), "more": round(more, 1)})


def _main_reason(view: View, figures: Figures) -> Phrase:
    move, board = figures.move, view.board
    then = _THEN.with_fields({"others": round(100 * figures.first), "own": round(100 * figures.second)})
    if "card" not in move:
        score = write_signed(int(move.get("score", board.scores[board.mover])))
        return (_KEPT if "keep" in move else _TAKEN).with_fields({"score": score, "then": then})
    total = _total_of(view, figures)
    holder = board.find_holder(total)
    fields: Fields = {"total": write_signed(total), "then": then}
    if holder is None:
        return _TOTAL.with_fields(fields)
    last = board.points[holder] + 1 == board.options.points
    if holder == board.mover:
        return _WINS if last else _OWN.with_fields(fields)
    return _LOSES.with_fields({"who": Who(holder)}) if last else _THEIRS.with_fields({"who": Who(holder), "then": then})
