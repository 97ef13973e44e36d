"""Side of the lobby: the marked table in detail, the users, and the lobby's chat, beside the list in wide windows."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from rich.cells import cell_len

from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import current_language, format_number, render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.i18n.table_text import Listed, game_title
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import Page as RulesPage
from scoville_client.rules import rules_pages
from scoville_client.session.chat_channels import LOBBY
from scoville_client.session.session import Session
from scoville_client.tui.boards.miniature import HEIGHTS, LEAST_WIDTH, draw_miniature
from scoville_client.tui.drawing.canvas import Area, Canvas, Press, Target, fit_text
from scoville_client.tui.drawing.frames import list_tiles
from scoville_client.tui.drawing.reading import draw_rules
from scoville_client.tui.screens.account.profile import rating_bar, record_text
from scoville_client.tui.screens.chat.chat_log import ChatEntry, rows_of_message
from scoville_client.tui.screens.lobby.dates import DateLine, draw_dates
from scoville_client.tui.screens.lobby.lines import Offer, draw_offers
from scoville_client.tui.screens.lobby.running_games import RunningGame, RunningGames
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.canvas_widget import TickingWidget
from scoville_client.tui.widgets.text_view import Row
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableInfo

if TYPE_CHECKING:
    from scoville_client.tui.shell import Shell

_EDGE = 2
"""Columns of the line at the left and the blank after it; one more is blank at the right."""
_LEAST_RULES = 8
"""Rows of rules from which on they are worth reading."""
_MOST_NAMES = 3
"""Rows of names; those who are not named are counted."""
_GAME, _BAR = 14, 20
"""Columns of a game and of the bar of a rating."""
_TRIED: Final = Phrase("{n} tried", many="{n} tried")
Line = tuple[str, str]
"""Text, and the name of its style."""


class SideContents(NamedTuple):
    """Contents of the column beside the list: the marked table (server and list description), names, and chat.

    `here` counts all users; `names` are those whose names are known. `role_of` says by name who moderates the server,
    `dates` are the user's next ones, `offers` what else there is to do, `record` what the user has done before,
    `running` are games of others. `untold` are the rules of the marked game that the list leaves; None if it has none.
    """

    table: TableInfo | None
    listed: Listed | None
    names: Sequence[str]
    here: int
    chat: Sequence[ChatEntry]
    role_of: Callable[[str], str] = lambda _: ""
    dates: Sequence[DateLine] = ()
    offers: Sequence[Offer] = ()
    record: Sequence[Row] = ()
    running: Sequence[RunningGame] = ()
    untold: Sequence[RulesPage] | None = None


def gather_side_contents(session: Session, table: TableInfo | None, listed: Listed | None) -> SideContents:
    """Return a session's facts for the side of its list."""
    entries = [ChatEntry(line, line.name == session.name, aside=False) for line in session.chat.lines_of(LOBBY)]
    lobby = session.lobby
    names = sorted(lobby.users, key=str.casefold)
    record = [*_list_record(session)]
    return SideContents(table, listed, names, lobby.here, entries, lobby.describe_role, record=record)


def _list_record(session: Session) -> Iterator[Row]:
    """Write the user's record on the server: games, ratings and puzzles."""
    profile, puzzles = session.account.careers.find_profile(session.name), session.daily.puzzle.shown
    if profile is not None:
        yield ((record_text(profile), "text"),)
        for rating in profile.ratings:
            title = fit_text(game_title(rating.game, session.games), _GAME)
            bar = rating_bar(rating.mu, rating.sigma, _BAR)
            yield (title, "text"), (f"{format_number(rating.rating):>5} ", "strong"), (bar, "gap")
    if puzzles is not None and puzzles.attempt_count:
        solved = f"{puzzles.your_rating}{'?' if puzzles.provisional else ''}"
        tried = render(_TRIED.with_fields({"n": puzzles.attempt_count}, puzzles.attempt_count))
        yield (fit_text(tr("Puzzles"), _GAME), "text"), (f"{solved:>5} ", "strong"), (tried, "muted")


class LobbySide(TickingWidget):
    """Shows what `shown` returns, and games that run, which it reads now and then while the lobby is in front."""

    def __init__(self, shown: Callable[[], SideContents]) -> None:
        super().__init__()
        self._shown = shown
        self._games = RunningGames(lambda: cast("Shell", self.app))
        self._is_reading = False

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the table, the users, the games that run and the end of the chat."""
        shown = self._shown()._replace(running=self._games.list_games())
        if shown.table is not None:
            shown = shown._replace(untold=self.screen.query_one(TableList).list_untold(shown.table.game))
        return draw_side(shown, width, height)

    def changes_in(self) -> float | None:
        """Seconds until a game that runs is to be read again; None while one is being read or nobody sees the lobby."""
        page = self.screen
        hidden = not self.display or not isinstance(page, Page) or page.is_covered
        hidden = hidden or not cast("Shell", self.app).attention.is_given
        return None if hidden or self._is_reading else self._games.due_in

    def repaint(self) -> None:
        """Draw again, and read the games that are due."""
        if self.is_attached and self.changes_in() == 0:
            self._is_reading = True
            cast("Shell", self.app).send_request(self._read_running())
        super().repaint()

    async def _read_running(self) -> None:
        try:
            await self._games.read_due()
        finally:
            self._is_reading = False
        if self.is_attached:
            self.repaint()

    def handle_click(self, target: Target) -> None:
        """Mark the table whose picture was clicked."""
        if isinstance(target, str):
            self.screen.query_one(TableList).mark_item(target)


def draw_side(contents: SideContents, width: int, height: int) -> Canvas:
    """Draw everything in `width` x `height` cells.

    The rows that the chat does not need show games that run, or tell how the game of the marked table is played.
    """
    canvas = Canvas(width, height)
    for y in range(height):
        canvas.put(0, y, "│", "faint")
    room = width - _EDGE - 1
    y = 0

    if contents.dates:
        canvas.put(_EDGE, y, tr("My next dates"), "title")
        y = draw_dates(canvas, _EDGE, y + 1, room, contents.dates) + 1
    if contents.offers:
        canvas.put(_EDGE, y, tr("What there is to do"), "title")
        y = draw_offers(canvas, (_EDGE, y + 1), room, contents.offers) + 1

    # Due and marked tables come first: a low window cuts off the end.
    y = _draw_table(canvas, y, room, contents)
    for text, style in _user_lines(contents, room):
        canvas.put(_EDGE, y, text, style)
        y += 1

    # Only where the rules still have room below.
    if contents.record and y + len(contents.record) < height - _LEAST_RULES:
        canvas.link(_EDGE, y, room, len(contents.record) + 1, Press("m"))
        canvas.put(_EDGE, y, tr("You (m)"), "title")
        for row in contents.record:
            y += 1
            _put_pieces(canvas, y, row)
        y += 2

    chat = [row for entry in contents.chat for row in rows_of_message(entry, room)] or [
        ((tr("There are no messages yet."), "muted"),)
    ]
    # The chat has half of the rest, or less if it has not as much to show.
    free = height - y - 1 - min(len(chat), max(1, (height - y) // 2)) - 3
    beneath = _draw_running(canvas, (_EDGE, y, room, free), contents.running)
    y, free = beneath, free - (beneath - y)

    game = "" if contents.table is None else contents.table.game
    pages = rules_pages(game, current_language()) if game and contents.untold is None else contents.untold
    if pages and free >= _LEAST_RULES:
        canvas.put(_EDGE, y, tr("How it is played (r)"), "title")
        draw_rules(canvas, (_EDGE, y + 1, room, free), game, pages)
        y += free + 2

    if y < height - 1:
        canvas.put(_EDGE, y, tr("Chat (g)"), "title")
        _draw_chat(canvas, y + 1, chat)
    return canvas


def _draw_running(canvas: Canvas, area: Area, games: Sequence[RunningGame]) -> int:
    """Draw as many games as have room, all as large as the others; returns the row below, after a blank one."""
    x, y, width, height = area
    shown = games[: max(0, height) // HEIGHTS[-1]]
    if not shown or width < LEAST_WIDTH:
        return y
    canvas.put(x, y, tr("Being played now"), "title")
    each = next(rows for rows in HEIGHTS if rows * len(shown) <= height)
    for number, game in enumerate(shown):
        place = (x, y + 1 + number * each, width, each)
        canvas.link(*place, game.table)
        draw_miniature(canvas, place, game.picture)
    return y + len(shown) * each + 2


def _draw_table(canvas: Canvas, y: int, width: int, contents: SideContents) -> int:
    """Draw the marked table: game, aim, seats, settings and code; returns the row below, after a blank one."""
    table, listed = contents.table, contents.listed
    if table is None or listed is None:
        return y
    canvas.put(_EDGE, y, fit_text(listed.game, width), "title")
    y += 1
    for row in wrap_lines(game_tagline(table.game), width):
        canvas.put(_EDGE, y, row, "muted")
        y += 1
    seats = [f"{number}  {_seat_text(contents, table, number - 1)}" for number in range(1, len(table.seats) + 1)]
    # Two beside each other where none of them is cut.
    columns = 2 if max(map(cell_len, seats), default=0) < width // 2 else 1
    for area, text, seat in zip(
        list_tiles((_EDGE, y, width, -(-len(seats) // columns)), len(seats), columns), seats, table.seats, strict=True
    ):
        canvas.put(area[0], area[1], fit_text(text, area[2]), "text" if seat.name else "faint")
    y += -(-len(seats) // columns)
    for row in wrap_lines(" · ".join(listed.terms), width):
        canvas.put(_EDGE, y, row, "text")
        y += 1
    if table.code:
        canvas.put(_EDGE, y, fit_text(tr("Table code: {code}", code=table.code), width), "target")
        y += 1
    return y + 1


def _seat_text(contents: SideContents, table: TableInfo, number: int) -> str:
    seat = table.seats[number]
    if seat.kind == "open":
        return tr("free seat")
    notes = [bot_of_level(seat.level)] if seat.kind == "bot" else []
    notes += [tr("host")] if number == table.host else []
    notes += [role] if seat.kind == "human" and (role := contents.role_of(seat.name or "")) else []
    notes += [tr("ready")] if number in table.ready_seats and table.status == "waiting" else []
    name = with_mark(seat.name or "", claimed=seat.claimed)
    return f"{name}  {', '.join(notes)}" if notes else name


def _user_lines(contents: SideContents, width: int) -> Iterator[Line]:
    yield tr("Here: {n} (p)", n=contents.here), "title"
    yield from ((row, "text") for row in names_in(contents.names, contents.here, width))
    yield "", "blank"


def names_in(names: Sequence[str], here: int, width: int, most: int = _MOST_NAMES) -> list[str]:
    """Write as many names as fit in `most` rows, and count the others."""
    # From all names down: which number fits depends on their widths and on the rest's count.
    for named in range(len(names), 0, -1):
        others = here - named
        more = [render(Phrase("{n} other", {"n": others}, "{n} others", others))] if others > 0 else []
        rows = list(wrap_lines(", ".join([*names[:named], *more]), width))
        if len(rows) <= most:
            return rows
    return []


def _draw_chat(canvas: Canvas, y: int, rows: Sequence[Row]) -> None:
    """Draw the end of the chat down to the bottom."""
    for offset, row in enumerate(rows[-(canvas.height - y) :]):
        _put_pieces(canvas, y + offset, row)


def _put_pieces(canvas: Canvas, y: int, row: Row) -> None:
    x = _EDGE
    for text, style in row:
        x = canvas.put(x, y, text, style)
