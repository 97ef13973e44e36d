"""Settings: a row for each, its choices, and the explanation of the marked one."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import current_language, list_languages, render, tr
from scoville_client.settings.checks import all_settings
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.screens.base import KeyActions, TooSmall
from scoville_client.tui.screens.dialogs.dialog import ListDialog
from scoville_client.tui.themes import next_choice
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.engine.phrases import Phrase
from scoville_shared.text import LONGEST_NAME

_WIDTH: Final = 18
_ROWS: Final = {
    "language": Phrase("Language"),
    "theme": Phrase("Theme"),
    "motion": Phrase("Animations"),
    "name": Phrase("Name"),
    "bell": Phrase("Bell"),
    "title": Phrase("Window title"),
    "chat_lines": Phrase("Chat above keys"),
    "colours": Phrase("Colours"),
    "characters": Phrase("Characters"),
    "emoji": Phrase("Emoji"),
    "mouse": Phrase("Mouse"),
    "desktop": Phrase("Desktop notices"),
    "call_turn": Phrase("Call: your turn"),
    "call_start": Phrase("Call: game starts"),
    "call_invitation": Phrase("Call: invitation"),
    "call_whisper": Phrase("Call: whisper"),
    "call_tournament": Phrase("Call: tournament"),
    "pictures": Phrase("Card pictures"),
    "guard": Phrase("Costly moves"),
    "density": Phrase("Density"),
    "screen_reader": Phrase("Screen reader"),
}
_VALUES: Final = {
    "dark": Phrase("dark"),
    "light": Phrase("light"),
    "high-contrast": Phrase("high contrast"),
    "colour-blind": Phrase("for colour-blind eyes"),
    "comfortable": Phrase("comfortable"),
    "compact": Phrase("compact"),
    "full": Phrase("on"),
    "less": Phrase("less"),
    "true": Phrase("all"),
    "none": Phrase("none"),
    "unicode": Phrase("Unicode"),
    "on": Phrase("on"),
    "off": Phrase("off"),
}
_AT_A_START: Final = ("colours", "characters", "emoji", "screen_reader")
"""Settings that only the next start applies."""
_OF_TERMINALS: Final = ("colours", "characters", "pictures", "screen_reader")
"""Settings that hosted users do not have: what they connect with says itself what it has and wants."""


class SettingsDialog(ListDialog[None]):
    """Enter, left and right change the marked setting at once."""

    AROUND = 11
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,N", "close", show=False),
        Binding("left", "change(-1)", show=False),
        Binding("right", "change(1)", show=False),
        Binding("L,f2", "do('language')", show=False),
        Binding("T", "do('theme')", show=False),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="box settings"):
            yield LiveText(lambda: tr("Settings"), classes="heading")
            yield Menu(self._list_items(), label_width=_WIDTH)
            yield LiveText(self._explanation_text, classes="explanation")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_menu_taken(self) -> None:
        self.action_change(1)

    def on_menu_marked(self) -> None:
        for text in self.query(LiveText):
            text.retranslate()

    def action_change(self, step: int) -> None:
        name = self._marked
        if not self.query_one(Menu).items:  # the filter has found nothing
            return
        if name == "name":
            self.shell.send_request(self._ask_for_name())
            return
        preferences = self.shell.preferences
        self._save_setting(name, _next_value(name, getattr(preferences, name), step))

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), "theme": self._show_next_theme}

    def _show_next_theme(self) -> None:
        self.shell.settings.show_next_theme()
        self._show_values()

    def retranslate(self) -> None:
        super().retranslate()
        self._show_values()

    async def _ask_for_name(self) -> None:
        from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine

        about, value = tr(all_settings()["name"].about), self.shell.preferences.name
        dialog = PromptDialog(tr("Name"), about, tr("save"), TextLine(value=value, max_length=LONGEST_NAME))
        name = await self.shell.ask_user(dialog)
        if name is not None:
            self._save_setting("name", " ".join(name.split()))

    def _save_setting(self, name: str, value: Any) -> None:
        changed: Mapping[str, Any] = {name: value}
        self.shell.settings.save_preferences(replace(self.shell.preferences, **changed))
        self._show_values()

    def _show_values(self) -> None:
        self.when_mounted(lambda: self.query_one(Menu).show_items(self._list_items()))

    @property
    def _marked(self) -> str:
        return next((menu.marked for menu in self.query(Menu) if menu.marked), "language")

    def _explanation_text(self) -> str:
        about = tr(all_settings()[self._marked].about)
        return (
            f"{about} {tr('Applies from the next start.')}"
            if self._marked in _AT_A_START and not self.shell.is_hosted
            else about
        )

    @staticmethod
    def _list_hints() -> Sequence[Hint]:
        return (("← →", tr("change")), ("/", tr("find")), (tr("Esc"), tr("close")))

    def _list_items(self) -> list[Item]:
        left_out = _OF_TERMINALS if self.shell.is_hosted else ()
        preferences = self.shell.preferences
        return [
            Item(name, render(label), _value_text(name, preferences))
            for name, label in _ROWS.items()
            if name not in left_out
        ]


def label_of(name: str) -> str:
    """Return the name of a setting as users read it."""
    return render(_ROWS[name])


def _next_value(name: str, value: Any, step: int) -> Any:
    if isinstance(value, bool):
        return not value
    choices = all_settings()[name].choices
    if name == "language" and value == "auto":  # the language that is shown is not chosen once more
        value = current_language()
    if value not in choices:  # the language of a package that is not here any more
        return choices[0]
    return choices[(choices.index(value) + step) % len(choices)] if step < 0 else next_choice(value, choices)


def _value_text(name: str, preferences: Preferences) -> str:
    return written_value(name, getattr(preferences, name))


def written_value(name: str, value: Any) -> str:
    """Return a value of a setting as users read it."""
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    if name == "name":
        return value or tr("server's choice")
    if value == "auto":
        automatic = tr("automatic ({language})", language=list_languages().get(current_language(), current_language()))
        return automatic if name == "language" else tr("automatic")
    if (name, value) == ("characters", "light"):
        return tr("Linux console")
    return render(_VALUES[value]) if value in _VALUES else list_languages().get(value, str(value))
