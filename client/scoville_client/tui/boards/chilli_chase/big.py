"""Chilli Chase on a television: the running total, everybody's Chilli Score and points."""

from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.television import BigCard, BigSeat, Picture
from scoville_client.tui.drawing.names import mark_of
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import write_signed
from scoville_shared.ids import Seat

_ASIDES = 2


def make_picture(scene: Scene) -> Picture:
    """Return what the television shows of a scene."""
    board = scene.board
    said = Phrase("The game is over.") if board.over else words.plays(scene.view)
    return Picture(
        GAME.info.title,
        [_seat_row(scene, Seat(seat)) for seat in range(len(board.scores))],
        " ".join(scene.captions) or scene.say(said),
        scene.say(words.turn(board)),
        _middle_cards(scene),
        asides=[scene.say(words.piles(board)), *scene.log[-_ASIDES:]],
        heads=(scene.say(words.SCORE), scene.say(words.target(board))),
        paused=scene.status.paused,
    )


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the total with its formula; nothing while the dice are rolled."""
    frame = scene.frame
    if frame is not None and frame.rolled is not None and len(frame.rolled) < len(scene.board.scores):
        return []
    style = "caption" if frame is None or frame.hit is None else "selected"
    return [BigCard(scene.board.total, style, framed=False, word=scene.how.formula if scene.how else "")]


def _seat_row(scene: Scene, seat: Seat) -> BigSeat:
    board, frame = scene.board, scene.frame
    hit = frame is not None and frame.hit == seat
    rolling = frame is not None and frame.rolled is not None
    score = "" if frame is not None and frame.rolled is not None and seat not in frame.rolled else board.scores[seat]
    note = "   ".join(filter(None, (mark_of(scene.marks, seat), scene.status.time(seat).text)))
    return BigSeat(
        scene.name_of(seat),
        str(board.points[seat]),
        score if isinstance(score, str) else write_signed(score),
        "rim",
        f"{note}   +1".strip() if hit else note,
        leads=hit or (seat == board.mover and not board.over and not rolling),
    )
