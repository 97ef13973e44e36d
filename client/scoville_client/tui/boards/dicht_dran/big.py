"""Dicht dran on a television: the target between its neighbours, the played cards, everybody's points."""

from scoville_client.i18n.language import render
from scoville_client.tui.boards.dicht_dran.cards import PEPPER
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.boards.dicht_dran.seats import write_points
from scoville_client.tui.boards.dicht_dran.words import choosing
from scoville_client.tui.boards.television import BigCard, BigSeat, Picture
from scoville_client.tui.drawing.names import mark_of
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS

_STATUS = Phrase("cycle {cycle} of {cycles}  round {round}")
_TARGET = Phrase("target")
_GAP = Phrase("Cards from {low} to {high} fit the gap.")
_NO_GAP = Phrase("No card fits the gap.")
_PLAYED, _POINTS = Phrase("played"), Phrase("points")
_NOTE = Phrase("hand {hand}   cards won {won}")
_CYCLE = Phrase("won {plus}   held {minus}")
_CHOSEN, _THINKS = "■", "…"


def make_picture(scene: Scene) -> Picture:
    """Return what the television shows of a scene."""
    board = scene.board
    fields: Fields = {"cycle": board.cycle, "cycles": board.options.cycles, "round": board.round}
    over = scene.say(Phrase("The game is over."))
    return Picture(
        GAME.info.title,
        [_seat_row(scene, seat) for seat in range(len(board.hands))],
        " ".join(scene.captions) or (over if board.over else scene.say(choosing(scene.view))),
        render(_STATUS.with_fields(fields)),
        _middle_cards(scene),
        asides=[render(_gap_phrase(*board.gap))],
        heads=(render(_PLAYED), render(_POINTS)),
        paused=scene.status.paused,
    )


def _gap_phrase(low: int, high: int) -> Phrase:
    return _GAP.with_fields({"low": low + 1, "high": high - 1}) if high - low > 1 else _NO_GAP


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the target between the cards beside it, each with its peppers."""
    board = scene.board
    slots = [(board.target + step) % CIRCLE_SLOTS for step in (-1, 0, 1)]
    cards = [BigCard(board.circle[slot], "rim", word=PEPPER * scene.peppers[board.circle[slot]]) for slot in slots]
    target = cards[1]
    cards[1] = target._replace(style="target", word=f"{render(_TARGET)} {target.word}")
    return cards


def _seat_row(scene: Scene, seat: int) -> BigSeat:
    frame, board = scene.frame, scene.board
    won, time = board.won[seat], scene.status.time(seat).text
    note = render(_NOTE.with_fields({"hand": board.hands[seat], "won": won}))
    figure = write_points(board.totals[seat])
    front, style = "", "text"
    if frame is not None and frame.scored is not None:
        note = render(_CYCLE.with_fields({"plus": frame.scored.plus[seat], "minus": frame.scored.minus[seat]}))
        figure = write_points(frame.scored.totals[seat])
    elif frame is not None and frame.fronts:
        card, fate, word = frame.fronts[seat]
        front, style = "" if card is None else str(card), fate.value
        note = note if word is None else scene.say(word)
    elif not board.over:
        front, style = (_CHOSEN, "good") if scene.view.chosen[seat] else (_THINKS, "faint")
    best = bool(frame and frame.scored and frame.scored.totals[seat] == max(frame.scored.totals))
    note = "   ".join(filter(None, (mark_of(scene.marks, seat), time, note)))
    return BigSeat(scene.name_of(seat), figure, front, style, note, leads=best or style == "target")
