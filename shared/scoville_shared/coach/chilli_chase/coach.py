"""The coach of Chilli Chase: it plays the game out, and says what speaks for a play or a Chilli Score."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from scoville_shared.bots.chilli_chase.kernel import HAND, NO_CARD, UNKNOWN
from scoville_shared.bots.chilli_chase.search import MOST_SCORES, list_rules
from scoville_shared.coach.base import Coach, Policy, PublicDecision
from scoville_shared.coach.chilli_chase.question import ChanceQuestion, Turn, TurnQuestion
from scoville_shared.coach.chilli_chase.reasons import explain_choice
from scoville_shared.coach.sample import Aim, Weighed
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.arithmetic import list_choices, list_reaches, total_made
from scoville_shared.games.chilli_chase.facts import Fact, Played, PointScored, ScoreChanged, ScoreKept
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import DECK, Board, Left, Op, Play, State, View
from scoville_shared.ids import Seat
from scoville_shared.values import Plain


class TurnCoach(Coach):
    """Advises on the card and its total, and on a new Chilli Score."""

    playouts = 4_000
    advice_playouts = 4_000
    game_playouts = 200_000
    course_playouts = 600
    whole_course_playouts = 45_000
    headlines = (PointScored, Played, ScoreChanged, ScoreKept)

    def make_question(self, view: View, policy: Policy = Policy.MIXED, aim: Aim = Aim.WIN) -> TurnQuestion | None:
        """Ask what to play, or which Chilli Score to take; plays with the same card and total are one."""
        board = view.board
        if view.seat is None or board.over or view.seat != board.mover:
            return None
        question = _make_turn_question(view, view.seat, Policy.DRAWN if policy is Policy.MIXED else policy, aim)
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
        question, played = self.locate_move(view, _make_turn_question(view, seat, Policy.DRAWN, Aim.WIN), move)
        return PublicDecision(view, question, played)

    def make_course_question(self, state: State) -> ChanceQuestion:
        return ChanceQuestion(_make_turn(state.board, state.secret.hands), list(state.secret.deck))

    def explain_move(self, view: View, question: TurnQuestion, weighed: Weighed) -> Phrase:  # noqa: ARG002
        return explain_choice(view, weighed)


def _make_turn_question(view: View, seat: Seat, policy: Policy, aim: Aim) -> TurnQuestion:
    """Ask about the cards of a View; further ones that its seat holds are dealt in each world."""
    board = view.board
    offered = _list_scores(view) if board.choosing else _list_plays(view)
    unseen = list(DECK)
    for card in (*board.hot, *view.hand):
        unseen.remove(card)
    known = (*view.hand, *[UNKNOWN] * (board.hands[seat] - len(view.hand)))
    return TurnQuestion(
        moves=[move for move, _ in offered],
        candidates=[pair for _, pair in offered],
        turn=_make_turn(board, [known if each == seat else () for each in range(len(board.hands))]),
        me=seat,
        unseen=unseen,
        policy=policy,
        aim=aim,
    )


def _make_turn(board: Board, hands: "list[tuple[int, ...]] | tuple[tuple[int, ...], ...]") -> Turn:
    return Turn(
        now=[board.total, board.mover, board.turn, 0, 0, len(board.hot), int(board.choosing), int(board.over)],
        rules=list_rules(board),
        hands=[card for hand in hands for card in (*hand, *[NO_CARD] * HAND)[:HAND]],
        scores=list(board.scores),
        points=list(board.points),
        hot=list(board.hot),
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
