"""Preferred app: draws in the theme, the language and the colours that the user prefers."""

import os
from contextlib import suppress

from msgspec.structs import replace

from scoville_client.i18n.language import current_language, environment_language, next_language, set_language
from scoville_client.settings.checks import BadSettings
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_client.settings.terminals import CHILLI, EMOJI, Measured, remote
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.colours import Colours
from scoville_client.tui.terminal.stylesheet import ParsedOnce
from scoville_client.tui.terminal.terminal_app import TerminalApp
from scoville_client.tui.themes import DARK, LIGHT, THEMES, following, for_terminal


class PreferredApp(TerminalApp):
    """`settings` keeps preferences; `measured` is what is known of the terminal."""

    def __init__(
        self, *, translation: glyphs.Table | None, settings: SettingsFile | None, measured: Measured | None
    ) -> None:
        self._settings = settings or SettingsFile(None)
        self._measured = measured or Measured()
        super().__init__(translation=translation)
        for theme in THEMES.values():
            self.register_theme(for_terminal(theme, "none" if self.no_color else self.colours))
        self.theme = self._theme_name
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())

    @property
    def colours(self) -> Colours:
        """The terminal's colours, measured or chosen; NO_COLOR in the environment wins."""
        chosen = self.preferences.colours if self.preferences.colours != "auto" else self._measured.colours
        return super().colours if chosen == "auto" else chosen

    @property
    def shows_emoji(self) -> bool:
        """Whether emoji are wanted, or have been measured to be two cells wide."""
        wanted = self.preferences.emoji
        return self._measured.shows(EMOJI) if wanted == "auto" else wanted == "on"

    @property
    def uses_mouse(self) -> bool:
        wanted = self.preferences.mouse
        return self.usual_mouse if wanted == "auto" else wanted == "on"

    @property
    def usual_mouse(self) -> bool:
        """Whether clicks are wanted by a user who has not chosen: not over ssh, which may break without a word."""
        return not remote(os.environ) and self._measured.mouse is not False

    @property
    def chilli(self) -> str:
        """A chilli and a blank where the terminal draws one in the cells that the screens reckon with; else nothing."""
        return f"{CHILLI} " if self.shows_emoji and self._measured.shows(CHILLI) else ""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Name the colours that our themes have beyond Textual's."""
        return DARK.variables

    @property
    def preferences(self) -> Preferences:
        """The user's settings."""
        return self._settings.preferences

    def set_preferences(self, preferences: Preferences) -> None:
        """Save preferences, and apply them to all screens."""
        before = self.preferences
        try:
            self._settings.save(preferences)
        except BadSettings as error:
            self.refuse_preferences(str(error))
        self.apply_preferences(before)

    @property
    def is_first_start(self) -> bool:
        """Whether this user has not been offered the guided rounds; never where nothing can be kept."""
        return self._settings.path is not None and self.preferences.newcomer

    def note_first_start(self) -> None:
        """Remember that the guided rounds were offered; where that cannot be saved, they are offered again."""
        self._remember(replace(self.preferences, newcomer=False))

    def note_rules(self, game: str) -> bool:
        """Remember that the rules of a game were opened; returns whether they had been opened before."""
        known = self.preferences.rules_read.split()
        if game not in known:
            self._remember(replace(self.preferences, rules_read=" ".join([*known, game])))
        return game in known

    def _remember(self, preferences: Preferences) -> None:
        """Save what is no choice of the user; that it cannot be saved is no news."""
        with suppress(BadSettings):
            self._settings.save(preferences)

    def apply_preferences(self, before: Preferences) -> None:
        """Show all screens as the preferences say; `before` are the former ones."""
        self.theme = self._theme_name
        self.configure_driver()
        language = self.preferences.language
        if language != before.language:
            self._speak(self.usual_language if language == "auto" else language)
        elif self.preferences.density != before.density:
            self.retranslate()

    def next_theme(self) -> None:
        """Change to the next theme."""
        self.set_preferences(replace(self.preferences, theme=following(self.theme, [*THEMES])))

    def next_language(self) -> None:
        """Change all screens to the next language."""
        self.set_preferences(replace(self.preferences, language=next_language()))

    @property
    def usual_language(self) -> str:
        """The language of a user who has chosen none."""
        return environment_language()

    @property
    def _theme_name(self) -> str:
        chosen = self.preferences.theme
        automatic = LIGHT if self._measured.light else DARK
        return automatic.name if chosen == "auto" else chosen

    def _speak(self, language: str) -> None:
        if language != current_language():
            set_language(language)
            self.retranslate()

    def refuse_preferences(self, sentence: str) -> None:
        """Say why preferences were not saved."""

    def retranslate(self) -> None:
        """Write all screens in the current language."""
