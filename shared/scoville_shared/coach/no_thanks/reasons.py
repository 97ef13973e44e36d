"""Reasons of the coach of No Thanks!, one sentence for each move."""

from collections.abc import Sequence

from scoville_shared.coach.sample import Figures
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.no_thanks.runs import Taking, taking
from scoville_shared.games.no_thanks.state import Board, View
from scoville_shared.ids import Seat

_RUN = Phrase("it extends a run (points {points}, chips +{chips}); {otherwise}")
_JOINS = Phrase("it joins two runs (points {points}, chips +{chips}); {otherwise}")
_ALONE = Phrase("it stands alone (points {points}, chips +{chips}); {otherwise}")

_DENIED = Phrase("{why}; it costs points, but a rival would gain more from it")
_RETURNS = Phrase("after a pass it would come back in {percent} % of the games")
_GONE = Phrase("after a pass somebody else would take it")
_PERFECT = Phrase("compared by best play to the end")

_LAST_CHIP = Phrase("pays the last chip: the next card must be taken")
_BACK = Phrase("the card comes back with more chips in {percent} % of the games; {rivals}")
_SOLVED = Phrase("compared by best play to the end; {rivals}")
_TAKEN = Phrase("somebody else takes the card; taking it would be points {points}, chips +{chips}")
_USEFUL = Phrase("somebody else takes the card, though it would extend a run; {rivals}")
_NOBODY = Phrase("nobody else has a run for it")
_SOMEBODY = Phrase("{count} opponent has a run for it", many="{count} opponents have a run for it")

DEAR = 1.0
"""Points by which a move is clearly dearer than another one."""

RARE = 0.05
"""A card that comes back less often is gone."""


def reason(view: View, figures: Figures, others: Sequence[Figures]) -> Phrase:
    """Say what speaks for or against a move."""
    if figures.move["action"] != "take":
        return _passing(view, figures)
    why = _taking(view, others)
    dearer = figures.behind.mean <= 0 and any(figures.score.mean > other.score.mean + DEAR for other in others)
    return _DENIED.of({"why": why}) if dearer else why


def _taking(view: View, others: Sequence[Figures]) -> Phrase:
    board = view.board
    effect = taking(board.cards[board.mover], board.card_up, board.pot)
    fields: Fields = {"points": _change(effect), "chips": board.pot, "otherwise": _otherwise(others)}
    if len(effect.run) == 1:
        return _ALONE.of(fields)
    inner = {board.card_up - 1, board.card_up + 1} <= set(effect.run)
    return (_JOINS if inner else _RUN).of(fields)


def _otherwise(others: Sequence[Figures]) -> Phrase:
    """Say what becomes of the card after a pass."""
    back = next((each.first for each in others if each.move["action"] == "pass"), 0.0)
    if back < 0:
        return _PERFECT
    return _GONE if back < RARE else _RETURNS.of({"percent": round(100 * back)})


def _passing(view: View, figures: Figures) -> Phrase:
    board = view.board
    if view.chips == 1:
        return _LAST_CHIP
    count = rivals(board)
    who = _SOMEBODY.of({"count": count}, count) if count else _NOBODY
    effect = taking(board.cards[board.mover], board.card_up, board.pot)
    if figures.first < 0:
        return _SOLVED.of({"rivals": who})
    if figures.first >= RARE:
        return _BACK.of({"percent": round(100 * figures.first), "rivals": who})
    if len(effect.run) > 1:
        return _USEFUL.of({"rivals": who})
    return _TAKEN.of({"points": _change(effect), "chips": board.pot})


def _change(effect: Taking) -> str:
    """Write by how much a card changes the points, with its sign."""
    return f"{effect.after - effect.before:+}".replace("-", "−")


def rivals(board: Board) -> int:
    """Count the opponents who could add the card to a run."""
    card = board.card_up
    others = [cards for seat, cards in enumerate(board.cards) if Seat(seat) != board.mover]
    return sum(card - 1 in cards or card + 1 in cards for cards in others)
