"""Tiles of the waiting room: a seat each, with its player, what they have done before, and who is ready."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.frames import Edge, draw_frame, list_tiles
from scoville_client.tui.drawing.letters import HALF, SQUARE, draw_text, width_of
from scoville_client.tui.screens.table.waiting_text import Row, career_text
from scoville_client.tui.widgets.key_hints import Hint, put_hints
from scoville_shared.protocol.messages import ProfileReply

_TILE_WIDTH: Final = 19
"""Columns of a tile at least; of the flat ones of small rooms too."""
_TILE_ROWS: Final = 3
"""Rows of a tile without those of a large name."""
RECORDS_FROM: Final = 28
"""Rows of rooms from which on tiles have a row for a player's record: lower ones need it for the rules."""
_INSIDE: Final = 3
"""Columns from the edge of a tile to its text."""
_NAME: Final = 24


class Records(NamedTuple):
    """Records of players: `find` returns a player's profile once it is known.

    `read_missing` reads those that are not, and calls the function that it is given when they are. It is None on
    servers without profiles.
    """

    find: Callable[[str], ProfileReply | None] = lambda _: None
    read_missing: Callable[[Sequence[str], Callable[[], None]], None] | None = None


NO_RECORDS: Final = Records()


class SeatTiles(NamedTuple):
    """Draws the seats of the table `at`; `role_of` says by name who moderates the server."""

    at: AtTable
    role_of: Callable[[str], str]
    records: Records = NO_RECORDS

    def draw_flat_tiles(self, canvas: Canvas, place: tuple[int, int, int]) -> int:
        """Draw tiles of two rows, or a row for each seat where these are fewer rows; returns the row below."""
        x, y, width = place
        seats = self.at.info.seats
        lines = -(-len(seats) // 2)
        if width < 2 * _TILE_WIDTH or 2 * lines > len(seats):
            for seat in range(len(seats)):
                self._draw_seat(canvas, x, y + 1 + seat, x + width, seat)
            return y + len(seats) + 2
        for seat, area in enumerate(list_tiles((x, y, width, 2 * lines), len(seats), 2)):
            notes = " ".join(note for note, _ in self._seat_notes(seat))
            self._draw_tile(canvas, area, seat, self._write_name(seat), notes)
        return y + 2 * lines

    def _draw_tile(self, canvas: Canvas, area: Area, seat: int, head: str, foot: str = "") -> str:
        """Draw the frame of a seat's tile; returns the style of its name."""
        info, mine = self.at.info.seats[seat], seat == self.at.seat
        style = "you" if mine else "text" if info.name else "faint"
        draw_frame(canvas, area, Edge.DOUBLE if mine else Edge.PLAIN if info.name else Edge.GHOST, style, head, foot)
        return style

    def _write_name(self, seat: int) -> str:
        info = self.at.info.seats[seat]
        return with_mark(info.name or tr("free seat"), claimed=info.claimed)

    def draw_tiles(self, canvas: Canvas, place: tuple[int, int, int], room: int = 0) -> int:
        """Draw a tile for each seat, in columns from a place on; returns the row below.

        The names are large where `room` has the rows for that.
        """
        x, y, width = place
        seats = self.at.info.seats
        names = [self._write_name(seat) for seat in range(len(seats))]
        most = max(1, min(len(seats), width // _TILE_WIDTH))
        lines = -(-len(seats) // most)
        # Two tiles in a row rather than more and smaller ones, and those rather than a single one.
        pairs = max(lines, -(-len(seats) // 2))
        arrangements = [*range(pairs, lines - 1, -1), *range(pairs + 1, len(seats) + 1)]
        pen = None
        for larger in (SQUARE, HALF):
            # Players' names: that of a free seat, the same in each, may be smaller.
            longest = max(
                width_of(name, larger if each.name else HALF) for name, each in zip(names, seats, strict=True)
            )
            for n in arrangements:
                fits = longest <= width // -(-len(seats) // n) - 2 * _INSIDE
                if pen is None and fits and n * (larger.height + _TILE_ROWS) <= room:
                    pen, lines = larger, n
        records = [self._record_of(seat) for seat in range(len(seats))] if canvas.height >= RECORDS_FROM else []
        across = -(-len(seats) // lines)
        small = (0 if pen is None else pen.height) + 1 + any(records)
        # In tiles with the largest names the notes are large as well.
        large = pen is SQUARE and self._fits_large_notes(width // across, room // lines - small + 1)
        inside = small + (HALF.height - 1 if large else 0)
        rows = max(inside + 2, min(room // lines, inside + 5))
        for seat, area in enumerate(list_tiles((x, y, width, lines * rows), len(seats), across)):
            style = self._draw_tile(canvas, area, seat, names[seat] if pen is None else "")
            column, top = area[0] + _INSIDE, area[1] + (rows - inside) // 2
            if pen is not None:
                own = pen if width_of(names[seat], pen) <= area[2] - 2 * _INSIDE else HALF
                draw_text(canvas, column, top + pen.height - own.height, names[seat], own, style)
            if large:
                self._draw_large_notes(canvas, (column, top + (pen or SQUARE).height), seat)
            else:
                self._draw_notes(canvas, area, top + inside - 1 - any(records), seat)
            if any(records):
                self._draw_record(canvas, (area[0] + _INSIDE, top + inside - 1, area[2] - 2 * _INSIDE), records[seat])
        return y + lines * rows

    def _fits_large_notes(self, width: int, rows: int) -> bool:
        """Whether the notes of all seats have room in large letters in tiles of a width, with rows for their frame."""
        notes = (" ".join(note for note, _ in self._seat_notes(seat)) for seat in range(len(self.at.info.seats)))
        return rows >= HALF.height + 2 and all(width_of(note, HALF) <= width - 2 * _INSIDE for note in notes)

    def _draw_large_notes(self, canvas: Canvas, place: tuple[int, int], seat: int) -> None:
        x, y = place
        for note, style in self._seat_notes(seat):
            x = draw_text(canvas, x, y, f"{note} ", HALF, style)

    def _draw_notes(self, canvas: Canvas, area: Area, y: int, seat: int) -> None:
        notes = [*self._seat_notes(seat)]
        # Long notes get the columns of the margins: one that is cut says nothing.
        length = sum(cell_len(note) + 1 for note, _ in notes) - 1
        column = area[0] + (_INSIDE if length <= area[2] - 2 * _INSIDE else 1)
        for note, style in notes:
            shown = fit_text(note, min(cell_len(note), max(0, area[0] + area[2] - 1 - column)))
            column = canvas.put(column, y, shown, style) + 1

    def _record_of(self, seat: int) -> str | Hint:
        """Return the record of a seat's player; of a free one the key that invites a user."""
        info = self.at.info.seats[seat]
        if info.kind == "open":
            return ("i", tr("invite")) if self.at.seat is not None else ""
        profile = self.records.find(info.name or "") if info.kind == "human" else None
        return "" if profile is None else career_text(profile, self.at.info.game)

    @staticmethod
    def _draw_record(canvas: Canvas, place: tuple[int, int, int], record: str | Hint) -> None:
        x, y, width = place
        if isinstance(record, str):
            # Of a long one the beginning, how many games were won, says something by itself.
            fitting = (text for text in (record, record.partition(" · ")[0]) if cell_len(text) <= width)
            canvas.put(x, y, next(fitting, ""), "text")
        else:
            put_hints(canvas, x, y, [record])

    def _draw_seat(self, canvas: Canvas, x: int, y: int, right: int, seat: int) -> None:
        info, mine = self.at.info.seats[seat], seat == self.at.seat
        shown = with_mark(info.name or tr("free seat"), claimed=info.claimed)
        name = fit_text(shown, min(_NAME, right - x - 18))
        canvas.put(x, y, "▸" if mine else " ", "target")
        column = canvas.put(x + 2, y, name, "you" if mine else "text" if info.name else "faint") + 2
        for note, style in self._seat_notes(seat):
            column = canvas.put(column, y, note, style) + 1

    def _seat_notes(self, seat: int) -> Iterator[Row]:
        info = self.at.info
        if info.seats[seat].kind == "open":
            yield bot_of_level(info.settings.level_of_seat(seat)), "faint"
        if seat == info.host:
            yield tr("host"), "muted"
        if info.seats[seat].kind == "human" and (role := self.role_of(info.seats[seat].name or "")):
            yield role, "title"
        if info.seats[seat].kind == "human" and not info.seats[seat].connected:
            yield tr("away"), "muted"
        elif seat in info.ready_seats:
            yield tr("ready"), "good"
