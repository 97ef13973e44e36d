"""Reasons of the coach of Chilli Chase, one sentence for each choice."""

from scoville_shared.coach.sample import Figures
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.games.chilli_chase.arithmetic import signed, total_made
from scoville_shared.games.chilli_chase.state import Left, Op, Play, View

_OWN = Phrase("scores a point: {total} is the player's own Chilli Score; {then}")
_THEIRS = Phrase("gives {who} a point, for which a new Chilli Score can be taken; {then}")
_TOTAL = Phrase("leaves the total at {total}; {then}")
_WINS = Phrase("scores the point that wins the game")
_LOSES = Phrase("gives {who} the point that wins the game")
_KEPT = Phrase("the Chilli Score {score} stays; {then}")
_TAKEN = Phrase("the Chilli Score becomes {score}; {then}")
_THEN = Phrase("until the player's next turn others score in {others} %, then the player in {own} %")


def reason(view: View, figures: Figures) -> Phrase:
    """Say what speaks for or against a move."""
    move, board = figures.move, view.board
    then = _THEN.of({"others": round(100 * figures.first), "own": round(100 * figures.second)})
    if "card" not in move:
        score = signed(int(move.get("score", board.scores[board.mover])))
        return (_KEPT if "keep" in move else _TAKEN).of({"score": score, "then": then})
    total = total_made(Play(int(move["card"]), Op(move["op"]), Left(move["left"])), board.total, board.options)
    assert isinstance(total, int), "the coach offers legal plays"
    holder = board.holder(total)
    if holder is None:
        return _TOTAL.of({"total": signed(total), "then": then})
    last = board.points[holder] + 1 == board.options.points
    if holder == board.mover:
        return _WINS if last else _OWN.of({"total": signed(total), "then": then})
    return _LOSES.of({"who": Who(holder)}) if last else _THEIRS.of({"who": Who(holder), "then": then})
