"""No Thanks! on a television: the card, the chips on it, and everybody's cards and points."""

from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.card import heat_style
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.boards.television import BigCard, BigSeat, Picture
from scoville_client.tui.drawing.names import mark_of
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.games.no_thanks.text import written_run
from scoville_shared.ids import Seat

_DECIDES = Phrase("{who} decides.")
_ASIDES = 2


def make_picture(scene: Scene) -> Picture:
    """Return what the television shows of a scene."""
    board = scene.board
    return Picture(
        words.TITLE,
        [_seat_row(scene, Seat(seat)) for seat in range(len(board.cards))],
        " ".join(scene.captions) or scene.say(_turn_phrase(scene)),
        scene.say(words.which_round(board)) if board.options.rounds > 1 else "",
        _middle_cards(scene),
        asides=[scene.say(words.left_in_full(board)), *scene.log[-_ASIDES:]],
        heads=(scene.say(words.CHIPS), scene.say(words.POINTS)),
        paused=scene.status.paused,
    )


def _turn_phrase(scene: Scene) -> Phrase:
    return words.turn(scene.shown) if scene.board.over else _DECIDES.with_fields({"who": Who(scene.board.mover)})


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the card with its chips; one that has just been taken stays until the next."""
    card = scene.fresh if scene.board.card is None else scene.board.card
    if card is None:
        return []
    if scene.board.card is None:
        return [BigCard(card, heat_style(card))]
    chips = scene.say(words.chips(scene.board.pot))
    return [BigCard(card, heat_style(card)), BigCard(scene.board.pot, "target", framed=False, word=chips)]


def _seat_row(scene: Scene, seat: Seat) -> BigSeat:
    board, tally = scene.board, scene.frame.tally if scene.frame else None
    points, chips = board.points[seat], "" if board.chips is None else str(board.chips[seat])
    if tally is not None:
        chips = str(tally.scored.chips[seat]) if tally.chips else ""
        points = tally.scored.scores[seat] if tally.chips else tally.scored.points[seat]
    elif board.over:
        points = board.totals[seat]
    if tally is not None and tally.totals:
        points = tally.scored.totals[seat]
    runs = "  ".join(written_run(run) for run in board.runs(seat))
    mark = mark_of(scene.marks, seat)
    note = "   ".join(filter(None, (mark, scene.status.time(seat).text, runs)))
    return BigSeat(scene.name_of(seat), str(points), chips, "muted", note, leads=seat == scene.actor)
