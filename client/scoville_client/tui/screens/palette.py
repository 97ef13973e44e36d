"""Command palette: everything that is possible on the screen in front, and its themes and languages, found by name."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.fuzzy import FuzzySearch
from textual.screen import Screen
from textual.widgets import Input

from scoville_client.i18n.language import render, tr
from scoville_client.session.commands.registry import COMMANDS, MARK, is_offered
from scoville_client.settings.checks import all_settings, apply_settings
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.drawing.key_names import key_list, keys_in
from scoville_client.tui.screens.base import BaseScreen, TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.settings import label_of, written_value
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_bar import keys_of
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item, Menu

_LABEL: Final = 10
_ROWS: Final = 12
_AROUND: Final = 10
"""Rows of the terminal around the menu."""
_LEFT_OUT: Final = {"up", "down", "left", "right", "palette"}
"""Actions that nobody looks for: they move a mark."""


_CHOICES: Final = ("theme", "language")
"""Settings whose values are chosen directly."""


class Command(NamedTuple):
    """Row of the palette: an action of a screen with its first key, that key as users read it, and its texts in words.

    Rows without a key (values of a setting, commands of the chat) have a `key` that tells them apart.
    """

    key: str
    written: str
    word: str
    help: str = ""

    @property
    def text(self) -> str:
        """Its name and its effect."""
        return f"{self.word} – {self.help}" if self.help else self.word


def open_palette(shell: Shell) -> None:
    """Open the palette of the screen in front, and carry out the choice, if that screen is in front by then."""
    front = shell.screen
    assert isinstance(front, BaseScreen), "a palette is opened on a screen of ours"
    # As for a key: the table may change while the user reads the list.
    meaning = front.meaning

    acts: dict[Command, Callable[[], object]] = {
        **{each: partial(_press_key, shell, front, meaning, each.key) for each in commands_of(front)},
        **{each: partial(shell.navigation.open_chat, None, f"{each.key} ") for each in typed_commands(shell, front)},
        **{each: partial(_change_setting, shell, *wanted) for each, wanted in list_choices(shell.preferences)},
    }
    by_key = {command.key: act for command, act in acts.items()}
    shell.open_dialog(PaletteDialog([*acts]), lambda key: None if key is None else by_key[key]())


def _press_key(shell: Shell, front: BaseScreen[Any], meaning: Hashable, key: str) -> None:
    if front.in_front:
        shell.call_later(_run_command, shell, front, meaning, key)


def _change_setting(shell: Shell, name: str, value: str) -> None:
    shell.settings.save_preferences(apply_settings(shell.preferences, {name: value}))


async def _run_command(shell: Shell, screen: BaseScreen[Any], meaning: Hashable, key: str) -> None:
    """Carry out a key on a screen, unless the table has changed since the key was chosen."""
    binding = screen.active_bindings.get(key)
    if screen.meaning != meaning:
        shell.show_notice(tr("The table has changed meanwhile: choose again."))
    elif binding is not None:
        action = binding.binding.action
        done = await screen.app.run_action(action, default_namespace=binding.node)
        if not done and action in screen.key_actions():  # a board leaves it to its screen, as it does with the key
            await screen.run_action(f"do({action!r})")


def commands_of(screen: Screen[Any]) -> list[Command]:
    """Return the possible actions on a screen, those of its key bar first; in a dialog those of its keys."""
    if isinstance(screen, Dialog):
        return [
            Command(key, written, word)
            for hints in screen.query(KeyHints)
            for written, word in hints.hints
            for _, _, key in list(keys_in(written))[:1]
            if key not in _LEFT_OUT
        ]
    return [
        Command(key_list(action.keys)[0], tr(action.written), tr(action.word), tr(action.explain()))
        for action in keys_of(screen)
        if action.id not in _LEFT_OUT
    ]


def typed_commands(shell: Shell, screen: Screen[Any]) -> Iterator[Command]:
    """Yield the commands of the chat that no key of a screen does; none where there is no chat."""
    actions = [] if isinstance(screen, Dialog) else [*keys_of(screen)]
    if any(action.id == "chat" for action in actions):
        by_keys = {name for action in actions for name in action.commands}
        for command in COMMANDS:
            if command.names[0] not in by_keys and is_offered(command, shell.session):
                yield Command(f"{MARK}{command.names[0]}", "", command.usage_text(MARK), render(command.help))


def list_choices(preferences: Preferences) -> Iterator[tuple[Command, tuple[str, str]]]:
    """Yield each theme and language but the present ones, with the setting and its value."""
    for name in _CHOICES:
        for value in all_settings()[name].choices:
            if value not in ("auto", getattr(preferences, name)):
                words = f"{label_of(name)}: {written_value(name, value)}"
                yield Command(f"{name}={value}", "", words), (name, value)


def find_commands(commands: Sequence[Command], query: str) -> list[Command]:
    """Return the commands whose word fits a query, letters left out, best first; then those explained by it."""
    wanted = query.strip()
    if not wanted:
        return [*commands]
    search = FuzzySearch()
    scores = {command: search.match(wanted, command.word)[0] for command in commands}
    best = sorted((command for command in commands if scores[command]), key=lambda command: -scores[command])
    terms = wanted.casefold().split()
    rest = (command for command in commands if not scores[command])
    return [*best, *(command for command in rest if all(term in command.help.casefold() for term in terms))]


class PaletteDialog(Dialog[str | None]):
    """Returns the key of the chosen command, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+p", "close", show=False),
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
    ]

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self._commands = commands

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield LiveText(lambda: tr("Commands"), classes="heading")
            yield Input(placeholder=tr("what do you want to do?"), max_length=40)
            yield Menu(self._list_items(""), label_width=_LABEL, at_once=True)
            yield KeyHints(lambda: ((tr("Enter"), tr("do it")), ("↑ ↓", tr("choose")), (tr("Esc"), tr("close"))))
        yield TooSmall()

    def on_resize(self, event: Resize) -> None:
        self.query_one(Menu).styles.height = max(1, min(_ROWS, len(self._commands), event.size.height - _AROUND))

    def on_input_changed(self, message: Input.Changed) -> None:
        menu = self.query_one(Menu)
        menu.show_items(self._list_items(message.value))
        menu.mark_item(menu.items[0].id if menu.items else None)

    def on_input_submitted(self) -> None:
        self.dismiss(self.query_one(Menu).marked)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Return the command that was chosen in the list."""
        self.dismiss(message.item)

    def action_step(self, step: int) -> None:
        """Mark the next command, or the one before; the line keeps the focus."""
        menu = self.query_one(Menu)
        menu.action_down() if step > 0 else menu.action_up()

    def _list_items(self, query: str) -> list[Item]:
        return [Item(each.key, each.written, each.text) for each in find_commands(self._commands, query)]
