"""Reasons of the coach of Chilli Chase, one sentence for each choice."""

from scoville_shared.coach.sample import Figures, Weighed, add_price
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.games.chilli_chase.arithmetic import total_made, write_signed
from scoville_shared.games.chilli_chase.state import Left, Op, Play, View
from scoville_shared.ids import Seat

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
_FAR_TOTAL = Phrase("makes totals that are far from the own Chilli Score")
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
    """Say what a move leads to soon; where that hardly differs from its rival, also what is different."""
    figures, rival = weighed.figures, weighed.rival
    why = _main_reason(view, figures)
    more = figures.score.mean - rival.score.mean
    if figures is rival:
        return why
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
    return view.board.holder(_total_of(view, figures))


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
    holder = board.holder(total)
    fields: Fields = {"total": write_signed(total), "then": then}
    if holder is None:
        return _TOTAL.with_fields(fields)
    last = board.points[holder] + 1 == board.options.points
    if holder == board.mover:
        return _WINS if last else _OWN.with_fields(fields)
    return _LOSES.with_fields({"who": Who(holder)}) if last else _THEIRS.with_fields({"who": Who(holder), "then": then})
