"""Lines above the lobby's list: who the user is, an invitation, the next dates, and what there is to do, with keys."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size

from scoville_client.i18n.daily_text import describe_daily, describe_daily_puzzle
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.table_text import game_title, next_table_of
from scoville_client.i18n.tournament_text import describe_tournament, stage_text
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.session import Session
from scoville_client.tui.drawing.canvas import Canvas, Press, fit_text
from scoville_client.tui.drawing.key_names import keys_in
from scoville_client.tui.screens.lobby.dates import DateLine, draw_dates
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import GAP, Hint, put_hints, width_of_keys
from scoville_shared.engine.phrases import Phrase

_EDGE: Final = 3
"""Columns left free at both sides of a line above the list."""
_HEADED_FROM: Final = 24
"""Rows of a window from which on dates above the list have a heading, and lines may take several rows."""
_MOST_ROWS: Final = 2
"""Rows of a text in tall windows."""
MOST_BESIDE: Final = 3
"""Rows of a text beside the list, where it moves nothing."""


def heading_text(session: Session, *, has_side: bool) -> Content:
    """Name the user, and count all users where they are not named beside the list."""
    you, server = tr("you are {name}", name=session.name), session.community.name
    of_server = f" · {server}" if server else ""
    if has_side:
        return Content.assemble(tr("Tables"), "  ", (f"{you}{of_server}", "dim"))
    here = session.lobby.here
    count = render(Phrase("{n} user here", {"n": here}, many="{n} users here", number=here))
    return Content.assemble(tr("Tables"), "  ", (f"{you}, {count}{of_server}", "dim"))


class Offer(NamedTuple):
    """Offer to the user: its keys with their words, the first for a click on the line, and texts, the longest first.

    The shorter texts are for narrow windows; the last may be empty.
    """

    hints: Sequence[Hint]
    texts: Sequence[str]


def invitation_offer(session: Session) -> Offer | None:
    """Offer the latest invitation, if there is one."""
    if not session.lobby.invitations:
        return None
    latest = session.lobby.invitations[-1]
    text = tr("{name} invites you to {game}", name=latest.by, game=game_title(latest.info.game, session.games))
    return Offer([("a", tr("accept")), ("d", tr("decline"))], [text])


def list_offers(session: Session, *, is_empty: bool, has_daily_date: bool) -> list[Offer]:
    """List the offers: `is_empty` without tables, `has_daily_date` where the daily deal is among the dates."""
    return [*_list_offers(session, is_empty=is_empty, has_daily_date=has_daily_date)]


def _list_offers(session: Session, *, is_empty: bool, has_daily_date: bool) -> Iterator[Offer]:
    if is_empty:
        yield Offer([("c", tr("new table"))], [tr("Bots take the free seats."), tr("with bots"), ""])
        yield Offer([("s", tr("quick match"))], [tr("Starts by itself, with bots if nobody comes."), tr("at once"), ""])
    elif (table := next_table_of(session.lobby.tables, None)) is not None:
        others = ", ".join(
            seat.name for number, seat in enumerate(table.seats) if seat.name and number != table.your_seat
        )
        game = next((g.title for g in session.games if g.slug == table.game), table.game)
        word = tr("your turn") if table.your_turn else tr("my seat")
        yield Offer([("w", word)], [tr("{name} ({game})", name=game, game=others) if others else game, game])
    deal = session.daily.newest
    if session.daily.shown is not None and deal is not None and not has_daily_date:
        yield Offer([("t", tr("daily deal"))], describe_daily(session.daily.shown, deal, session.games))
    if (puzzles := session.daily.puzzle.shown) is not None:
        yield Offer([("z", tr("puzzles"))], describe_daily_puzzle(puzzles, session.games))
    # A user who has left a club hears nothing more of it.
    known = [info for info in session.tournaments.listed if info.club is None or session.clubs.name_of(info.club)]
    # The user's own ones are among their dates.
    listed = [info for info in known if info.stage in ("announced", "running") and not info.entered]
    if listed:
        first = min(listed, key=lambda info: not info.admits)
        texts = [describe_tournament(first, session.games), f"{first.name}, {stage_text(first)}", first.name]
        yield Offer([("E", tr("tournaments"))], texts)


def draw_offers(
    canvas: Canvas, place: tuple[int, int], room: int, offers: Sequence[Offer], most_rows: int = MOST_BESIDE
) -> int:
    """Draw offers in `room` columns from a place on, their texts below each other; returns the row below.

    A click on a line presses its first key, one on another key's word that key. The longest text that fits into
    `most_rows` is written; else the end of the shortest one is cut.
    """
    x, y = place
    column = max((width_of_keys(offer.hints) for offer in offers), default=0) + GAP
    for offer in offers:
        left = room - column
        rows = _rows_of_text(offer.texts, left, 1 if len(offer.hints) > 1 else most_rows)
        # A sentence about two keys is whole, or the user would not know what to accept.
        if len(offer.hints) == 1 or cell_len(offer.texts[-1]) <= left:
            canvas.link(x, y, room, max(1, len(rows)), Press(next(keys_in(offer.hints[0][0]))[2]))
            put_hints(canvas, x, y, offer.hints)
            for offset, row in enumerate(rows):
                canvas.put(x + column, y + offset, row, _style_of(offer))
            y += max(1, len(rows))
        else:
            y = _draw_broken(canvas, (x, y), room, offer)
    return y


def _draw_broken(canvas: Canvas, place: tuple[int, int], room: int, offer: Offer) -> int:
    """Draw an offer whose keys leave its text no room: the text, and the keys in the row below."""
    x, y = place
    rows = [*wrap_lines(offer.texts[0], room)]
    canvas.link(x, y, room, len(rows) + 1, Press(next(keys_in(offer.hints[0][0]))[2]))
    for row in rows:
        canvas.put(x, y, row, _style_of(offer))
        y += 1
    put_hints(canvas, x, y, offer.hints)
    return y + 1


def _style_of(offer: Offer) -> str:
    """Return the style of an offer's text: a question stands out."""
    return "caption" if len(offer.hints) > 1 else "text"


def _rows_of_text(texts: Sequence[str], room: int, most: int) -> list[str]:
    wrapped = ([*wrap_lines(text, room)] for text in texts)
    fitting = next((rows for rows in wrapped if len(rows) <= most), None)
    return [fit_text(texts[-1], room)] if fitting is None else fitting


class Above(NamedTuple):
    """Lines above the list: an invitation, the next dates, and offers."""

    invitation: Offer | None = None
    dates: Sequence[DateLine] = ()
    offers: Sequence[Offer] = ()


class LinesAbove(CanvasWidget):
    """Shows lines above the list; without any it takes no row."""

    SHOWS_HOVER = True

    def __init__(self) -> None:
        super().__init__()
        self._above = Above()

    def show_lines(self, above: Above) -> None:
        """Show other lines; the same ones need no new layout."""
        if above != self._above:
            before = self._count_rows(self.size.width)
            self._above = above
            self.set_class(any(above), "-visible")
            if self._count_rows(self.size.width) != before:
                self.refresh(layout=True)
            self.repaint()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Count the rows of the lines."""
        return self._count_rows(width)

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        self._draw_lines(canvas)
        return canvas

    def _count_rows(self, width: int) -> int:
        return self._draw_lines(Canvas(width, 0))

    def _draw_lines(self, canvas: Canvas) -> int:
        """Draw all lines; returns the row below."""
        invitation, dates, offers = self._above
        is_low, room, y = self.app.size.height < _HEADED_FROM, canvas.width - 2 * _EDGE, 0
        most = 1 if is_low else _MOST_ROWS
        if invitation is not None:
            y = draw_offers(canvas, (_EDGE, y), room, [invitation], most)
        if dates and not is_low:
            canvas.put(_EDGE, y, tr("My next dates"), "text")
            y += 1
        y = draw_dates(canvas, _EDGE, y, room, dates, in_one_row=True)
        return draw_offers(canvas, (_EDGE, y), room, offers, most)
