"""Reasons of the coach of Chilli Chase, one sentence for each choice."""

from scoville_shared.coach.sample import Figures
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.games.chilli_chase.arithmetic import reach, signed, total_made
from scoville_shared.games.chilli_chase.state import Left, Op, Play, View
from scoville_shared.ids import Seat

_OWN = Phrase("scores a point: it hits the player's own Chilli Score")
_THEIRS = Phrase("gives {who} a point; then the player may take a new Chilli Score")
_CLOSE = Phrase("leaves the total at {total}: {cards} would then hit the player's Chilli Score; {risk}")
_FAR = Phrase("leaves the total at {total}, out of reach of the player's Chilli Score; {risk}")
_HIDDEN = Phrase("leaves the total at {total}; {risk}")
_RISK = Phrase("{who} hits its own in {percent} %")
_KEPT = Phrase("the Chilli Score {score} stays; {hits}")
_TAKEN = Phrase("the Chilli Score becomes {score}; {hits}")
_STAYS = Phrase("the Chilli Score {score} stays")
_BECOMES = Phrase("the Chilli Score becomes {score}")
_HITS = Phrase("{count} card in hand hits it from here", many="{count} cards in hand hit it from here")


def reason(view: View, figures: Figures) -> Phrase:
    """Say what speaks for or against a move."""
    move, board = figures.move, view.board
    if "card" in move:
        return _play(view, Play(int(move["card"]), Op(move["op"]), Left(move["left"])), figures)
    score = int(move.get("score", board.scores[board.mover]))
    if not _complete(view):
        return (_STAYS if "keep" in move else _BECOMES).of({"score": signed(score)})
    count = _hitting(view, view.hand, board.total, score)
    fields = {"score": signed(score), "hits": _HITS.of({"count": count}, count)}
    return (_KEPT if "keep" in move else _TAKEN).of(fields)


def _play(view: View, play: Play, figures: Figures) -> Phrase:
    board = view.board
    total = total_made(play, board.total, board.options)
    assert isinstance(total, int), "the coach offers legal plays"
    holder = board.holder(total)
    if holder == board.mover:
        return _OWN
    if holder is not None:
        return _THEIRS.of({"who": Who(holder)})
    following, percent = Seat((board.mover + 1) % len(board.scores)), round(100 * figures.first)
    fields: Fields = {"total": signed(total), "risk": _RISK.of({"who": Who(following), "percent": percent})}
    if not _complete(view):
        return _HIDDEN.of(fields)
    rest = list(view.hand)
    rest.remove(play.card)
    mine = board.scores[board.mover]
    cards = [card for card in sorted(set(rest)) if _hitting(view, (card,), total, mine)]
    return _CLOSE.of({**fields, "cards": cards}) if cards else _FAR.of(fields)


def _complete(view: View) -> bool:
    """Whether the whole hand is known."""
    return len(view.hand) == view.board.hands[view.board.mover]


def _hitting(view: View, cards: tuple[int, ...], total: int, score: int) -> int:
    """Count the cards that make a score of a total."""
    return sum(any(way.total == score for way in reach(card, total, view.board.options)) for card in cards)
