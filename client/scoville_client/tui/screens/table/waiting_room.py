"""Waiting room: seats, who is ready, when the game starts, and how others join."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.game_text import tagline
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.i18n.wrapping import wrap
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.screens.chat.chat_log import ChatEntry
from scoville_client.tui.screens.table.waiting_columns import (
    WIDE_FROM,
    Row,
    columns,
    invitation_rows,
    put_chat,
    put_wrapped,
)
from scoville_client.tui.screens.table.waiting_text import awaited, spectators, table_rows, terms
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import COLUMN
from scoville_client.tui.widgets.ticking import TickingWidget
from scoville_shared.engine.phrases import Phrase

_WIDEST = 60
_NAME = 24


class WaitingRoom(TickingWidget):
    """Shows the table that `at` returns; `usual` are the default options of its game.

    `ways` returns what others type to join the server, `folder` is where the hosted server saves its tables, and `key`
    is the commentators' key if the user opened the table; each may be empty. In wide windows it is a place of two
    columns, with every way of `invitation`, and the messages that `talk` returns unless a side column shows them.
    """

    def __init__(
        self,
        at: Callable[[], AtTable],
        usual: Mapping[str, Any],
        *,
        ways: Callable[[], list[str]],
        folder: str,
        key: str,
        invitation: Callable[[], Invitation] = lambda: Invitation(()),
        talk: Callable[[], Sequence[ChatEntry]] = lambda: (),
    ) -> None:
        super().__init__()
        self._invitation_of = invitation
        self._talk = talk
        self._current = at
        self._usual = usual
        self._ways = ways
        self._key = key
        self._folder = folder

    def changes_in(self) -> float | None:
        """Seconds until the countdown shows another number."""
        left = 0.0 if self._at.starts_at is None else self._at.starts_at - self.now()
        return left - ceil(left) + 1.02 if left > 0 else None

    # --- drawing ---------------------------------------------------------------------------------------

    @property
    def _at(self) -> AtTable:
        return self._current()

    def draw(self, width: int, height: int) -> Canvas:
        """Draw a row for each seat, then what the table waits for."""
        if self.is_attached and self.app.size.width >= WIDE_FROM:
            return self._draw_wide(width, height)
        canvas = Canvas(width, height)
        at = self._at
        x = max(2, (width - _WIDEST) // 2)
        canvas.put(x, 1, at.game.info.title, "title")
        canvas.put_right(width - x, 1, tr("{n} seats", n=len(at.info.seats)), "muted")
        for seat in range(len(at.info.seats)):
            self._draw_seat(canvas, x, 3 + seat, width - x, seat)
        first = 4 + len(at.info.seats)
        for y, (row, style) in enumerate(self._spread(width - 2 * x, height - first), first):
            canvas.put(x, y, row, style)
        return canvas

    def _draw_wide(self, width: int, height: int) -> Canvas:
        """Draw the seats, what is awaited and the options at the left; at the right how others join, and the chat."""
        canvas, at = Canvas(width, height), self._at
        joining = [*invitation_rows(self._invitation_of()), *((row, "text") for row in self._key_rows())]
        x, left, right, room = columns(width, joining)
        canvas.put(x, 1, at.game.info.title, "title")
        canvas.put_right(right + room, 1, tr("{n} seats", n=len(at.info.seats)), "muted")
        for y, row in enumerate(wrap(tagline(at.info.game), left), 2):
            canvas.put(x, y, row, "muted")
        first = 3 + len(list(wrap(tagline(at.info.game), left)))
        for seat in range(len(at.info.seats)):
            self._draw_seat(canvas, x, first + seat, x + left, seat)
        state = [(self._countdown(), "target"), (awaited(self._at), "text")]
        rest = [("", "blank"), *[each for each in state if each[0]], ("", "blank"), *table_rows(self._at, self._usual)]
        rest += [(sentence, "muted") for sentence in (*spectators(self._at), *self._saved())]
        put_wrapped(canvas, (x, first + len(at.info.seats)), left, rest)
        y = put_wrapped(canvas, (right, 2), room, joining)
        if not self.screen.has_class(COLUMN):
            put_chat(canvas, (right, y + 1), room, self._talk())
        return canvas

    def _key_rows(self) -> Iterator[str]:
        if self._key:
            yield tr("The commentators' key: {key}. It lets a spectator see all hands (K).", key=self._key)

    def _draw_seat(self, canvas: Canvas, x: int, y: int, right: int, seat: int) -> None:
        info, mine = self._at.info.seats[seat], seat == self._at.seat
        shown = with_mark(info.name or tr("free seat"), claimed=info.claimed)
        name = fitted(shown, min(_NAME, right - x - 18))
        canvas.put(x, y, "▸" if mine else " ", "target")
        column = canvas.put(x + 2, y, name, "you" if mine else "text" if info.name else "faint") + 2
        for note, style in self._notes(seat):
            column = canvas.put(column, y, note, style) + 1

    def _notes(self, seat: int) -> Iterator[Row]:
        info = self._at.info
        if info.seats[seat].kind == "open":
            yield bot_of_level(info.settings.level_of_seat(seat)), "faint"
        if seat == info.host:
            yield tr("host"), "muted"
        if info.seats[seat].kind == "human" and not info.seats[seat].connected:
            yield tr("away"), "muted"
        elif seat in info.ready_seats:
            yield tr("ready"), "good"

    def _spread(self, width: int, height: int) -> list[Row]:
        """Wrap the sentences, with blank rows between them if there is room."""
        wrapped = [[(row, style) for row in wrap(sentence, width)] for sentence, style in self._sentences()]
        apart = [row for rows in wrapped for row in (*rows, ("", "blank"))]
        return apart if len(apart) <= height + 1 else [row for rows in wrapped for row in rows]

    # --- sentences -------------------------------------------------------------------------------------

    def _sentences(self) -> Iterator[Row]:
        countdown = self._countdown()
        if countdown:
            yield countdown, "target"
        yield awaited(self._at), "text"
        yield from self._invitation()
        yield from (
            (sentence, "muted") for sentence in (*waiting_terms(self._at.info.clock), *terms(self._at, self._usual))
        )
        yield from ((sentence, "muted") for sentence in (*spectators(self._at), *self._saved()))

    def _countdown(self) -> str:
        if self._at.starts_at is None:
            return ""
        n = max(0, ceil(self._at.starts_at - self.now()))
        return render(
            Phrase("The game starts in {n} second.", {"n": n}, many="The game starts in {n} seconds.", number=n)
        )

    def _invitation(self) -> Iterator[Row]:
        """Write how others join; the table code stands out."""
        ways = self._ways()
        if self._at.info.code:
            more = f"   {tr('I: QR code')}" if ways else ""
            yield f"{tr('Table code: {code}', code=self._at.info.code)}{more}", "target"
        yield from ((sentence, "text") for sentence in ways)
        yield from ((sentence, "text") for sentence in self._key_rows())

    def _saved(self) -> Iterator[str]:
        if self._folder:
            yield tr("This table is saved in {folder}.", folder=self._folder)


def waiting_room(shell: Shell, at: Callable[[], AtTable]) -> WaitingRoom:
    """Make the waiting room of the table that `at` returns."""
    usual = {game.slug: game.options for game in shell.session.games}.get(at().info.game, {})
    folder = "" if shell.client.folder is None else str(shell.client.folder)
    key = shell.session.commentary_keys.get(at().id, "")

    def talk() -> list[ChatEntry]:
        lines, mine = shell.session.chat.lines(at().id), shell.conversations.is_mine
        return [ChatEntry(line, mine(line), line.seat is None) for line in lines]

    return WaitingRoom(
        at,
        usual,
        ways=shell.client.join_instructions,
        folder=folder,
        key=key,
        invitation=shell.client.invitation,
        talk=talk,
    )
