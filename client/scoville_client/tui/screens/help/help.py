"""Help dialog: every key, by context."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import OWNED
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.actions import Action, Keys, list_actions
from scoville_client.tui.boards.actions import USUAL
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_shared.engine.phrases import Phrase

_CONTEXTS = {
    "start": Phrase("On the start screen"),
    "lobby": Phrase("In the lobby"),
    "waiting": Phrase("Before the game"),
    "guest": Phrase("Before a game with another host"),
    "play": Phrase("In the game"),
    "paused": Phrase("While the game is paused"),
    "watching": Phrase("While you watch"),
    "big": Phrase("On a television"),
    "result": Phrase("After the game"),
    "replay": Phrase("In a replay"),
    "chat": Phrase("In the chat"),
    "everywhere": Phrase("Everywhere"),
}
_KEY = 12
"""Cells for a key."""
_WIDEST, _EDGES = 70, 9
"""Cells of the box at most, and cells of its edges, indentation and scroll bar."""


class HelpDialog(Dialog[None]):
    """Lists all keys, those of the context `context` first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,question_mark,f1,q", "close", "close", show=False),
        Binding("up,k", "scroll(-3)", show=False),
        Binding("down,j", "scroll(3)", show=False),
        Binding("home,g", "end(False)", show=False),
        Binding("end,G", "end(True)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
        Binding("r,f3", "rules", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, context: str, own: Sequence[Action] = USUAL) -> None:
        super().__init__()
        self._first = context
        self._own = own

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Keys"), classes="heading")
            with VerticalScroll(can_focus=False):
                yield LiveText(self._help_text, classes="list")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.query_one(".list", LiveText).retranslate()

    @staticmethod
    def _list_hints() -> Sequence[Hint]:
        return (("↑ ↓", tr("scroll")), ("r", tr("rules")), (tr("Esc"), tr("close")))

    def action_rules(self) -> None:
        self.dismiss(None)
        self.shell.call_later(self.shell.navigation.open_rules)

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_end(self, last: bool) -> None:
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_end(animate=False) if last else scroll.scroll_home(animate=False)

    def _help_text(self) -> Content:
        return Content("\n").join(list(self._write_lines()))

    def _write_lines(self) -> Iterator[Content]:
        contexts = sorted(_CONTEXTS, key=lambda context: context != self._first)
        for number, context in enumerate(contexts):
            if number:
                yield Content("")
            yield Content.assemble((render(_CONTEXTS[context]), "bold"))
            if context == "everywhere":
                yield from self._explain_key(OWNED, tr("Behind a name: it is claimed, so nobody else can use it."))
            for key, sentence in _list_explanations(
                context, self._own if context == "play" else (), self.shell.preferences.keys
            ):
                yield from self._explain_key(tr(key), tr(sentence))

    def _explain_key(self, key: str, sentence: str) -> Iterator[Content]:
        """Write a key and what it does, wrapped beneath itself."""
        room = min(self.app.size.width, _WIDEST) - _EDGES - _KEY
        for number, row in enumerate(wrap_lines(sentence, room)):
            yield Content(f"  {key if number == 0 else '':<{_KEY}}{row}")


def _list_explanations(context: str, own: Sequence[Action], keys: Keys) -> Iterator[tuple[str, str]]:
    """List the keys of a context with what they do, except those that are explained beside their opposite.

    Enter comes first, then arrows and what is typed: with them a game can be played.
    """
    beside: set[str] = set()
    for action in sorted(list_actions(context, own, keys), key=_rank_action):
        if action.written not in beside:
            yield action.written, action.explain()
        beside.update(action.written.split()[1:])


def _rank_action(action: Action) -> int:
    """Place an action: Enter, then arrows, then typed text, then the others."""
    if action.written == "Enter":
        return 0
    if any(arrow in action.written for arrow in "←→↑↓"):
        return 1
    return 2 if not action.keys else 3
