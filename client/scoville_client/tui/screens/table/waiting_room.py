"""Waiting room: seats, players who are ready, the start of the game, and how others join."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Any, Final, NamedTuple, cast

from rich.cells import cell_len

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.game_text import game_tagline, option_name
from scoville_client.i18n.language import current_language, render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import STARTS, bot_of_level, option_value, unusual_options, unusual_settings
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import rules_pages
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import Area, Canvas, fitted
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import HALF, draw_text, width_of
from scoville_client.tui.drawing.reading import draw_rules
from scoville_client.tui.screens.chat.chat_log import ChatEntry, rows_of_message
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import TickingWidget
from scoville_client.tui.widgets.text_view import Row as Pieces
from scoville_shared.engine.phrases import Phrase

WIDE_FROM: Final = 100
"""Columns of a window from which on the waiting room has two columns."""
TILES_FROM: Final = (74, 21)
"""Columns and rows of a room from which on its seats are tiles, with all else below them."""
_WIDEST_COLUMNS: Final = 240
_EDGE: Final = 3
_APART: Final = 4
_INDENT: Final = "  "
_LEAST_LEFT: Final = 28
_TILE_WIDTH: Final = 24
_TILE_ROWS: Final = 3
_LARGE_FROM: Final = 36
"""Rows from which on the game's title is large."""
_LARGE_NAMES_FROM: Final = 60
"""Rows from which on the players' names and what is awaited are large as well."""
_LEAST_RULES: Final = 8
"""Rows from which on rules are worth reading."""
_CODE_FROM: Final = 150
"""Columns from which on a QR code stands beside the rules."""
_CHAT_ROWS: Final = 8
"""Rows of a chat that stands beside how others join."""
_LEAST_CHAT: Final = 3
"""Rows that a chat needs, its heading among them."""

Row = tuple[str, str]
"""Text, and the name of its style."""


def place_columns(width: int, rows: Sequence[Row]) -> tuple[int, int, int, int]:
    """Return where two columns begin and how wide they are: first column, its width, second column, its width.

    The second one has room for every word of its `rows`: an address that is broken cannot be copied.
    """
    whole = min(width - 2 * _EDGE, _WIDEST_COLUMNS)
    longest = _widest_word(rows)
    left = min((whole - _APART) // 2, max(whole - _APART - longest, _LEAST_LEFT))
    x = (width - whole) // 2
    return x, left, x + left + _APART, whole - left - _APART


def _widest_word(rows: Sequence[Row]) -> int:
    """Return the columns that the longest word of rows takes where it is indented."""
    return max((cell_len(word) for text, _ in rows for word in text.split()), default=0) + len(_INDENT)


def invitation_rows(invitation: Invitation) -> Iterator[Row]:
    """Write every way to join, what others type bright, the table code and the key of the QR code."""
    if not invitation.ways and not invitation.code:
        return
    yield tr("How others join"), "title"
    before = ""
    for way in invitation.ways:
        if way.title != before:
            yield way.title, "muted"
        yield f"{_INDENT}{way.typed}", "strong"
        before = way.title
    if invitation.code:
        yield tr("Table code: {code}", code=invitation.code), "target"
    if invitation.qr_text:
        yield tr("I: QR code"), "muted"
    if invitation.note:
        yield invitation.note, "muted"


def put_wrapped(canvas: Canvas, place: tuple[int, int], width: int, rows: Sequence[Row]) -> int:
    """Write rows from a place on, wrapped to `width` cells; returns the row below."""
    x, y = place
    for text, style in rows:
        indent = _INDENT if text.startswith(_INDENT) else ""
        for row in list(wrap_lines(text, width - len(indent))) or [""]:
            canvas.put(x, y, f"{indent}{row}", style)
            y += 1
    return y


@lru_cache(maxsize=4)
def _draw_qr(text: str, *, inverted: bool) -> Sequence[str]:
    """Draw a QR code in the ink of the theme, `inverted` where that is dark: its light modules are always light."""
    from scoville_client.tui.screens.lobby.actions import draw_modules, qr_modules  # late: small windows have none

    modules = qr_modules(text)
    shown = [[module != inverted for module in row] for row in modules]
    return ["".join(text for text, _ in row) for row in draw_modules(shown, half_blocks=True, colour=False)]


def _halve_rows(rows: Sequence[Row], width: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Divide rows between two columns of equal width, as evenly as whole sentences can be."""
    lines = [len(list(wrap_lines(text, width))) for text, _ in rows]
    first = min(range(len(rows) + 1), key=lambda n: max(sum(lines[:n]), sum(lines[n:])))
    return rows[:first], rows[first:]


def put_chat(canvas: Canvas, place: tuple[int, int], size: tuple[int, int], messages: Sequence[ChatEntry]) -> None:
    """Write the end of the chat in so many columns and rows, if these are enough."""
    (x, y), (width, height) = place, size
    room = height - 1
    if height < _LEAST_CHAT:
        return
    canvas.put(x, y, tr("Chat (g)"), "title")
    nothing: Pieces = ((tr("There are no messages yet."), "muted"),)
    shown = [row for entry in messages for row in rows_of_message(entry, width)][-room:] or [nothing]
    for offset, row in enumerate(shown, 1):
        column = x
        for text, style in row:
            column = canvas.put(column, y + offset, text, style)


_WIDEST = 60
_NAME = 24


class JoinFacts(NamedTuple):
    """What a client knows of joining a table, beside the table itself.

    Attributes:
        usual: The default options of its game.
        ways: Returns what others type to join the server.
        folder: Where the hosted server saves its tables; empty for another server.
        key: The commentators' key, if the user opened the table; else empty.
        invitation: Returns every way to join.
    """

    usual: Mapping[str, Any]
    ways: Callable[[], list[str]]
    folder: str = ""
    key: str = ""
    invitation: Callable[[], Invitation] = lambda: Invitation(())


class WaitingRoom(TickingWidget):
    """Shows the table that `at` returns, and how others join it.

    In wide windows it has two columns, with every way to join, and the messages that `talk` returns unless a side
    column shows them. `role_of` says by name who moderates the server.
    """

    def __init__(
        self,
        at: Callable[[], AtTable],
        joining: JoinFacts,
        talk: Callable[[], Sequence[ChatEntry]] = lambda: (),
        role_of: Callable[[str], str] = lambda _: "",
    ) -> None:
        super().__init__()
        self._current = at
        self._joining = joining
        self._talk = talk
        self._role_of = role_of

    def changes_in(self) -> float | None:
        left = 0.0 if self._at.starts_at is None else self._at.starts_at - self.now()
        # A little later than the number changes: a timer that is early would draw the same one again.
        return left - ceil(left) + 1.02 if left > 0 else None

    # --- drawing ---------------------------------------------------------------------------------------

    @property
    def _at(self) -> AtTable:
        return self._current()

    def draw(self, width: int, height: int) -> Canvas:
        """Draw a row for each seat, then what the table waits for."""
        if self.is_attached and self.app.size.width >= WIDE_FROM:
            return self._draw_wide(width, height)
        if width >= TILES_FROM[0] and height >= TILES_FROM[1]:
            return self._draw_stacked(width, height)
        canvas = Canvas(width, height)
        at = self._at
        x = max(2, (width - _WIDEST) // 2)
        canvas.put(x, 1, at.game.info.title, "title")
        canvas.put_right(width - x, 1, tr("{n} seats", n=len(at.info.seats)), "muted")
        for seat in range(len(at.info.seats)):
            self._draw_seat(canvas, x, 3 + seat, width - x, seat)
        first = 4 + len(at.info.seats)
        sentences = self._spread_sentences(width - 2 * x, height - first)
        for y, (row, style) in enumerate(sentences, first):
            canvas.put(x, y, row, style)
        y = first + len(sentences)
        self._draw_rules(canvas, (x, y, width - 2 * x, height - y))
        return canvas

    def _draw_wide(self, width: int, height: int) -> Canvas:
        """Draw the seats as tiles, what is awaited in a box, then the settings and how others join; rules and chat."""
        canvas, at = Canvas(width, height), self._at
        x, whole = _EDGE, width - 2 * _EDGE
        large = height >= _LARGE_FROM and width_of(at.game.info.title, HALF) <= whole // 2
        if large:
            draw_text(canvas, x, 1, at.game.info.title, HALF, "title")
        else:
            canvas.put(x, 1, at.game.info.title, "title")
        canvas.put_right(x + whole, 1, tr("{n} seats", n=len(at.info.seats)), "muted")
        y = put_wrapped(canvas, (x, 2 + (HALF.height if large else 0)), whole, [(_tagline_of(at), "muted")]) + 1
        y = self._draw_seat_tiles(canvas, (x, y, whole), height)
        y = self._draw_awaited(canvas, x, y, whole)
        joining = [*invitation_rows(self._joining.invitation()), *((row, "text") for row in self._key_rows())]
        rest = [*table_rows(at, self._joining.usual)]
        rest += [(sentence, "muted") for sentence in (*spectator_sentences(at), *self._folder_sentences())]
        third = (whole - 2 * _APART) // 3
        if _widest_word(joining) <= third and height >= _LARGE_FROM:
            beneath = put_wrapped(canvas, (x, y), third, rest)
            beneath = max(beneath, put_wrapped(canvas, (x + third + _APART, y), third, joining), y + _CHAT_ROWS)
            put_chat(canvas, (x + 2 * (third + _APART), y), (third, beneath - y), self._talk())
            self._draw_rules(canvas, (x, beneath + 1, whole, height - beneath - 1))
            return canvas
        first, left, right, room = place_columns(width, joining)
        beneath = put_wrapped(canvas, (first, y), left, rest)
        y = put_wrapped(canvas, (right, y), room, joining) + 1
        talk = self._talk()
        rows = min(_CHAT_ROWS, height - y, max(_LEAST_CHAT, 2 + len(talk)))
        put_chat(canvas, (right, y), (room, rows), talk)
        y = max(beneath, y + rows - 1) + 1
        self._draw_rules(canvas, (x, y, whole, height - y))
        return canvas

    def _draw_stacked(self, width: int, height: int) -> Canvas:
        """Draw the seats as tiles and what is awaited in a box, then how others join, in the whole width."""
        canvas, at = Canvas(width, height), self._at
        x, whole = _EDGE, width - 2 * _EDGE
        canvas.put(x, 0, at.game.info.title, "title")
        canvas.put_right(x + whole, 0, tr("{n} seats", n=len(at.info.seats)), "muted")
        y = put_wrapped(canvas, (x, 1), whole, [(_tagline_of(at), "muted")])
        y = self._draw_seat_tiles(canvas, (x, y, whole), height)
        y = self._draw_awaited(canvas, x, y, whole) - 1
        joining = list(invitation_rows(self._joining.invitation()))
        joining = [*joining, *((row, "text") for row in self._key_rows())] if joining else [*self._invitation_rows()]
        y = put_wrapped(canvas, (x, y), whole, joining)
        each = (whole - _APART) // 2
        heading, *rows = table_rows(at, self._joining.usual)
        rows += [(sentence, "muted") for sentence in (*spectator_sentences(at), *self._folder_sentences())]
        left, right = _halve_rows(rows, each)
        if height - y > 2:
            canvas.put(x, y, *heading)
            beneath = put_wrapped(canvas, (x, y + 1), each, left)
            y = max(beneath, put_wrapped(canvas, (x + each + _APART, y + 1), each, right))
        self._draw_rules(canvas, (x, y + 1, whole, height - y - 1))
        return canvas

    def _draw_seat_tiles(self, canvas: Canvas, place: tuple[int, int, int], height: int) -> int:
        """Draw a tile for each seat, in columns from a place on; returns the row below.

        In tall rooms the names are large.
        """
        x, y, width = place
        seats = self._at.info.seats
        most = max(1, min(len(seats), width // _TILE_WIDTH))
        columns = -(-len(seats) // -(-len(seats) // most))  # rows of one length, as far as that is possible
        each = width // columns
        names = [with_mark(info.name or tr("free seat"), claimed=info.claimed) for info in seats]
        large = height >= _LARGE_NAMES_FROM and max(width_of(name, HALF) for name in names) <= each - 2 * _EDGE
        rows = _TILE_ROWS + (HALF.height + 1 if large else 0)
        for seat, info in enumerate(seats):
            last = width - each * (columns - 1)  # the tiles end where the box below them does
            wide = last if seat % columns == columns - 1 else each
            area = (x + seat % columns * each, y + seat // columns * rows, wide, rows)
            mine = seat == self._at.seat
            edge = Edge.DOUBLE if mine else Edge.PLAIN if info.name else Edge.GHOST
            style = "you" if mine else "text" if info.name else "faint"
            draw_frame(canvas, area, edge, style, head="" if large else names[seat])
            if large:
                draw_text(canvas, area[0] + _EDGE, area[1] + 1, names[seat], HALF, style)
            column = area[0] + _EDGE
            for note, style in self._seat_notes(seat):
                column = canvas.put(column, area[1] + rows - 2, fitted(note, min(cell_len(note), each - 6)), style) + 1
        return y + -(-len(seats) // columns) * rows

    def _draw_awaited(self, canvas: Canvas, x: int, y: int, width: int) -> int:
        """Draw what the table waits for in a box, in large letters in tall rooms; returns the row below."""
        said = [(text, style) for text, style in (
            (self._countdown_text(), "target"), (awaited_text(self._at), "text")) if text]  # fmt: skip
        if canvas.height >= _LARGE_NAMES_FROM and all(width_of(text, HALF) <= width - 4 for text, _ in said):
            draw_frame(canvas, (x, y, width, len(said) * (HALF.height + 1) + 1), Edge.HEAVY, "selected")
            for number, (text, style) in enumerate(said):
                draw_text(canvas, x + 2, y + 1 + number * (HALF.height + 1), text, HALF, style)
            return y + len(said) * (HALF.height + 1) + 2
        rows = [(row, style) for text, style in said for row in wrap_lines(text, width - 4)]
        draw_frame(canvas, (x, y, width, len(rows) + 2), Edge.HEAVY, "selected")
        put_wrapped(canvas, (x + 2, y + 1), width - 4, rows)
        return y + len(rows) + 3

    def _draw_rules(self, canvas: Canvas, area: Area) -> None:
        """Write how the game is played, where there are rows for it: one may read while one waits."""
        x, y, width, height = area
        if width >= _CODE_FROM:
            width -= self._draw_code(canvas, area)
        game = self._at.info.game
        if height >= _LEAST_RULES and self._at.by_sentences is None and rules_pages(game, current_language()):
            canvas.put(x, y, tr("How it is played (r)"), "title")
            draw_rules(canvas, (x, y + 1, width, height - 2), game)

    def _draw_code(self, canvas: Canvas, area: Area) -> int:
        """Draw the QR code at the right of an area if that has the rows; returns the columns that it takes."""
        x, y, width, height = area
        text, shell = self._joining.invitation().qr_text, cast("Shell", self.app)
        code = _draw_qr(text, inverted=not self.app.current_theme.dark) if text and shell.terminal.half_blocks else ()
        if not code or len(code) + 1 > height:
            return 0
        left = x + width - len(code[0])
        canvas.put(left, y, tr("Scan to join (I)"), "title")
        for offset, row in enumerate(code, 1):
            canvas.put(left, y + offset, row, "text")
        return len(code[0]) + _APART

    def _key_rows(self) -> Iterator[str]:
        if self._joining.key:
            yield tr("The commentators' key: {key}. It lets a spectator see all hands (K).", key=self._joining.key)

    def _draw_seat(self, canvas: Canvas, x: int, y: int, right: int, seat: int) -> None:
        info, mine = self._at.info.seats[seat], seat == self._at.seat
        shown = with_mark(info.name or tr("free seat"), claimed=info.claimed)
        name = fitted(shown, min(_NAME, right - x - 18))
        canvas.put(x, y, "▸" if mine else " ", "target")
        column = canvas.put(x + 2, y, name, "you" if mine else "text" if info.name else "faint") + 2
        for note, style in self._seat_notes(seat):
            column = canvas.put(column, y, note, style) + 1

    def _seat_notes(self, seat: int) -> Iterator[Row]:
        info = self._at.info
        if info.seats[seat].kind == "open":
            yield bot_of_level(info.settings.level_of_seat(seat)), "faint"
        if seat == info.host:
            yield tr("host"), "muted"
        if info.seats[seat].kind == "human" and (role := self._role_of(info.seats[seat].name or "")):
            yield role, "title"
        if info.seats[seat].kind == "human" and not info.seats[seat].connected:
            yield tr("away"), "muted"
        elif seat in info.ready_seats:
            yield tr("ready"), "good"

    def _spread_sentences(self, width: int, height: int) -> list[Row]:
        """Wrap the sentences, with blank rows between them if there is room."""
        wrapped = [[(row, style) for row in wrap_lines(sentence, width)] for sentence, style in self._write_sentences()]
        apart = [row for rows in wrapped for row in (*rows, ("", "blank"))]
        return apart if len(apart) <= height + 1 else [row for rows in wrapped for row in rows]

    # --- sentences -------------------------------------------------------------------------------------

    def _write_sentences(self) -> Iterator[Row]:
        countdown = self._countdown_text()
        if countdown:
            yield countdown, "target"
        yield awaited_text(self._at), "text"
        yield from self._invitation_rows()
        yield from (
            (sentence, "muted")
            for sentence in (*waiting_terms(self._at.info.clock), *unusual_terms(self._at, self._joining.usual))
        )
        yield from ((sentence, "muted") for sentence in (*spectator_sentences(self._at), *self._folder_sentences()))

    def _countdown_text(self) -> str:
        if self._at.starts_at is None:
            return ""
        n = max(0, ceil(self._at.starts_at - self.now()))
        return render(
            Phrase("The game starts in {n} second.", {"n": n}, many="The game starts in {n} seconds.", number=n)
        )

    def _invitation_rows(self) -> Iterator[Row]:
        """Write how others join; the table code stands out."""
        ways = self._joining.ways()
        if self._at.info.code:
            more = f"   {tr('I: QR code')}" if ways else ""
            yield f"{tr('Table code: {code}', code=self._at.info.code)}{more}", "target"
        yield from ((sentence, "text") for sentence in ways)
        yield from ((sentence, "text") for sentence in self._key_rows())

    def _folder_sentences(self) -> Iterator[str]:
        if self._joining.folder:
            yield tr("This table is saved in {folder}.", folder=self._joining.folder)


def table_rows(at: AtTable, usual: Mapping[str, Any]) -> Iterator[Row]:
    """Write the options of the game and of the table, those that are not the usual ones bright."""
    yield tr("This table"), "title"
    yield from ((line, "muted") for line in _option_lines(at))
    for key, value in () if at.by_sentences is not None else at.info.options.items():
        if isinstance(value, bool | int | str):
            changed = key in usual and value != usual[key]
            yield (
                tr(
                    "{option}: {value}",
                    option=option_name(at.info.game, key),
                    value=option_value(value, at.info.game, key),
                ),
                "text" if changed else "muted",
            )
    private = [tr("private")] * at.info.settings.private + [tr("with a password")] * at.info.locked
    own = [*private, *unusual_settings(at.info.settings, at.info.clock, rated=at.info.rated)]
    if own:
        yield ", ".join(own), "text"
    yield from ((sentence, "muted") for sentence in waiting_terms(at.info.clock))


def unusual_terms(at: AtTable, usual: Mapping[str, Any]) -> Iterator[str]:
    """Write what is not as usual, in one sentence."""
    private = [tr("private")] * at.info.settings.private + [tr("with a password")] * at.info.locked
    own = [
        *private,
        *(_option_lines(at) if at.by_sentences is not None else unusual_options(at.info.game, at.info.options, usual)),
        *unusual_settings(at.info.settings, at.info.clock, rated=at.info.rated),
    ]
    if own:
        yield tr("This table: {terms}.", terms=", ".join(own))


def _option_lines(at: AtTable) -> list[str]:
    """List the options as the server describes them, of a game that this client does not have."""
    terms = None if at.by_sentences is None else at.by_sentences.terms
    return [] if terms is None else terms.option_lines


def _tagline_of(at: AtTable) -> str:
    """Return the game in one sentence, in the server's words if this client does not have it."""
    terms = None if at.by_sentences is None else at.by_sentences.terms
    return game_tagline(at.info.game) if terms is None else terms.tagline or ""


def spectator_sentences(at: AtTable) -> Iterator[str]:
    """Name those who watch."""
    if at.audience.spectators:
        yield tr("Spectators: {names}.", names=_mark_claimed(at, at.audience.spectators))
    if at.audience.commentators:
        yield tr("Commentators, who see all hands: {names}.", names=_mark_claimed(at, at.audience.commentators))


def _mark_claimed(at: AtTable, names: list[str]) -> str:
    return ", ".join(with_mark(name, claimed=name in at.audience.claimed) for name in names)


def awaited_text(at: AtTable) -> str:
    """Write what the table waits for, and what the user can do about it."""
    free = any(seat.kind == "open" for seat in at.info.seats)
    if at.hosting:
        start = at.info.settings.start
        if start != "host":
            when = render(STARTS[start])
            return tr("The game starts {when}, or when you press Enter; bots take the free seats.", when=when)
        if free:
            return tr("Press Enter to start. Bots take the free seats.")
        return tr("All seats are taken. Press Enter to start.")
    return _awaited_by_guests(at, free=free)


def _awaited_without_host(at: AtTable) -> str:
    start, seated = at.info.settings.start, at.seat is not None
    if start == "full":
        when = tr(
            "This table has no host: the game starts {when}, or when everybody is ready.", when=render(STARTS[start])
        )
    else:
        when = tr("This table has no host: the game starts when everybody is ready.")
    return f"{when} {tr('Press Enter when you are ready.')}" if seated else when


def _awaited_by_guests(at: AtTable, *, free: bool) -> str:
    if at.info.settings.hostless:
        return _awaited_without_host(at)
    if at.info.host is None:
        return tr("All seats are free. The first player to take a seat starts the game.")
    host, start = at.names[at.info.host], at.info.settings.start
    if at.seat is None and start == "host":
        return tr("You are watching. {host} is the host and starts the game.", host=host)
    if at.seat is None:
        return tr(
            "You are watching. The game starts {when}. {host} is the host.", when=render(STARTS[start]), host=host
        )
    if start == "ready" and at.seat not in at.info.ready_seats:
        return tr("The game starts when everybody is ready. Press Enter when you are. {host} is the host.", host=host)
    if start != "host":
        return tr("The game starts {when}. {host} is the host.", when=render(STARTS[start]), host=host)
    if free:
        return tr("{host} is the host and starts the game; bots take the free seats.", host=host)
    return tr("{host} is the host and starts the game. Press Enter when you are ready.", host=host)


def waiting_room(shell: Shell, at: Callable[[], AtTable]) -> WaitingRoom:
    """Make the waiting room of the table that `at` returns."""
    usual = {game.slug: game.options for game in shell.session.games}.get(at().info.game, {})
    folder = "" if shell.client.folder is None else str(shell.client.folder)
    key = shell.session.lobby.commentary_keys.get(at().id, "")

    def talk() -> list[ChatEntry]:
        lines, mine = shell.session.chat.lines_of(at().id), shell.conversations.is_mine
        return [ChatEntry(line, mine(line), line.seat is None) for line in lines]

    facts = JoinFacts(usual, shell.client.join_instructions, folder, key, shell.client.make_invitation)
    return WaitingRoom(at, facts, talk, shell.session.lobby.describe_role)
