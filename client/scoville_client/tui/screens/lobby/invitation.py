"""Invitation dialogs: every way in which others join, and a QR code."""

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.joining.invitation import Invitation
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import KeyHints

BORDER: Final = 2
"""Light modules around the code. The standard asks for four; scanners are content with two on a dark screen."""

_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
_DARK, _LIGHT = "on #000000", "on #ffffff"
_INK: Final = "#000000 on #ffffff"

Run = tuple[str, str]
"""Text, and its style in Textual's notation, empty for none."""


def qr_modules(text: str) -> list[list[bool]]:
    """Return the modules of a QR code with its border, row by row; True is dark."""
    import segno

    rows = segno.make_qr(text, error="l", boost_error=False).matrix_iter(border=BORDER)
    return [[bool(module) for module in row] for row in rows]


def draw_modules(square: list[list[bool]], *, half_blocks: bool, colour: bool) -> list[list[Run]]:
    """Draw modules as rows of runs.

    With colours dark modules are black on white in every theme. Without them light modules are drawn and dark ones left
    out, which is right where the terminal is dark.
    """
    if half_blocks:
        ink = square if colour else [[not module for module in row] for row in square]
        style = _INK if colour else ""
        blank = [False] * len(square)
        pairs = zip(ink[::2], [*ink[1::2], blank], strict=False)
        return [[("".join(_HALVES[pair] for pair in zip(*rows, strict=True)), style)] for rows in pairs]
    if colour:
        return [[("  ", _DARK if module else _LIGHT) for module in row] for row in square]
    return [[("".join("  " if module else "██" for module in row), "")] for row in square]


def size_of(rows: list[list[Run]]) -> tuple[int, int]:
    """Return columns and rows that a drawn code takes."""
    return sum(len(text) for text, _ in rows[0]), len(rows)


class InvitationDialog(Dialog[None]):
    """Shows an invitation; Enter shows its QR code."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,I", "back", show=False),
        Binding("enter,space", "qr", show=False),
    ]

    def __init__(self, invitation: Invitation) -> None:
        super().__init__()
        self._invitation = invitation

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide tall"):
            yield Static(tr("How others join"), classes="heading", markup=False)
            with VerticalScroll():
                yield Static(self._ways_text(), markup=False)
            qr = [(tr("Enter"), tr("QR code"))] * bool(self._invitation.qr_text)
            yield KeyHints(lambda: (*qr, (tr("Esc"), tr("close"))))
        yield TooSmall()

    def _ways_text(self) -> Content:
        parts: list[str | tuple[str, str]] = []
        for way in self._invitation.ways:
            parts += [(way.title, "dim"), "\n", (way.typed, "bold"), "\n"]
        if self._invitation.code:
            parts += [(tr("Table code:"), "dim"), " ", (self._invitation.code, "bold"), "\n"]
        if self._invitation.pin:
            parts += [(tr("Pin of the server:"), "dim"), " ", self._invitation.pin, "\n"]
        if self._invitation.note:
            parts += [(self._invitation.note, "dim"), "\n"]
        return Content.assemble(*parts).rstrip()

    def action_qr(self) -> None:
        if self._invitation.qr_text:
            self.shell.open_dialog(QrDialog(self._invitation.qr_text))

    def action_back(self) -> None:
        self.dismiss(None)


class QrDialog(Dialog[None]):
    """Shows a text as a QR code that fills the terminal; any of the usual keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,space,I", "back", show=False)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._modules = qr_modules(text)

    def compose(self) -> ComposeResult:
        """Arrange the code and the key that closes it."""
        yield Static(id="qr", markup=False)
        yield KeyHints(lambda: ((tr("Esc"), tr("close")),), id="qr-keys")
        yield TooSmall()

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self._draw_code()

    def _draw_code(self) -> None:
        rows = draw_modules(self._modules, half_blocks=self.shell.terminal.half_blocks, colour=not self.app.no_color)
        columns, height = size_of(rows)
        if columns > self.app.size.width or height > self.app.size.height - 1:
            sentence = tr(
                "The QR code needs {size} cells. Enlarge the terminal, or make its font smaller.",
                size=f"{columns} x {height + 1}",
            )
            self.query_one("#qr", Static).update(sentence)
            return
        lines = [Content.assemble(*row) for row in rows]
        self.query_one("#qr", Static).update(Content("\n").join(lines))

    def action_back(self) -> None:
        self.dismiss(None)
