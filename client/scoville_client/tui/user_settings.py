"""User settings: kept in a file or by a server, and what follows from them on this terminal."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import quote, unquote

from msgspec.structs import replace

from scoville_client.i18n.language import next_language
from scoville_client.settings.checks import BadSettings
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_client.settings.terminals import CHILLI
from scoville_client.tui.terminal.traits import TerminalTraits
from scoville_client.tui.themes import DARK, LIGHT, THEMES, next_choice

SERVERS_REMEMBERED: Final = 5
"""Servers that are offered when the user joins."""
MESSAGES_REMEMBERED: Final = 8
"""Messages of the day that are remembered as read, the latest ones."""


class UserSettings:
    """The settings of the user, and what they mean on a terminal.

    Args:
        file: Where they are kept.
        terminal: The abilities of the terminal.
        apply: Shows the screens as the present preferences say; receives the former ones.
        refuse: Shows why preferences could not be saved.
    """

    def __init__(
        self,
        file: SettingsFile,
        terminal: TerminalTraits,
        apply: Callable[[Preferences], None],
        refuse: Callable[[str], None],
    ) -> None:
        self._file = file
        self._terminal = terminal
        self._apply = apply
        self._refuse = refuse

    @property
    def terminal(self) -> TerminalTraits:
        """The abilities of the terminal, as far as they are known now."""
        return self._terminal

    @property
    def preferences(self) -> Preferences:
        """The user's choices."""
        return self._file.preferences

    # --- what follows from them ---------------------------------------------------------------------------

    @property
    def theme(self) -> str:
        """The name of the theme."""
        chosen = self.preferences.theme
        automatic = LIGHT if self._terminal.light else DARK
        return automatic.name if chosen == "auto" else chosen

    @property
    def language(self) -> str:
        """The language of all texts."""
        chosen = self.preferences.language
        return self._terminal.language if chosen == "auto" else chosen

    @property
    def shows_emoji(self) -> bool:
        """Whether emoji are drawn."""
        wanted = self.preferences.emoji
        return self._terminal.emoji if wanted == "auto" else wanted == "on"

    @property
    def uses_mouse(self) -> bool:
        """Whether the terminal reports clicks; without it the mouse selects text, as everywhere."""
        wanted = self.preferences.mouse
        return self._terminal.mouse if wanted == "auto" else wanted == "on"

    @property
    def chilli(self) -> str:
        """A chilli and a blank where the terminal draws one in the cells that the screens reckon with; else nothing."""
        return f"{CHILLI} " if self.shows_emoji and self._terminal.chilli else ""

    def note_background(self, *, light: bool) -> None:
        """Note whether the background of the terminal is light now; a theme that is automatic follows it."""
        self._note_traits(self._terminal._replace(light=light))

    def note_widths(self, *, emoji: bool, chilli: bool) -> None:
        """Note whether the terminal draws emoji and the chilli as wide as the screens reckon."""
        self._note_traits(self._terminal._replace(emoji=emoji, chilli=chilli))

    def _note_traits(self, terminal: TerminalTraits) -> None:
        before, self._terminal = self._terminal, terminal
        if terminal != before:
            self._apply(self.preferences)

    # --- changes ------------------------------------------------------------------------------------------

    def save_preferences(self, preferences: Preferences) -> None:
        """Save preferences, and apply them to all screens, even if they could not be saved."""
        before = self.preferences
        try:
            self._file.save(preferences)
        except BadSettings as error:
            self._refuse(str(error))
        self._apply(before)

    def adopt_preferences(self, preferences: Preferences) -> None:
        """Apply preferences that are saved elsewhere."""
        before, self._file.preferences = self.preferences, preferences
        self._apply(before)

    def show_next_theme(self) -> None:
        """Change to the next theme."""
        self.save_preferences(replace(self.preferences, theme=next_choice(self.theme, [*THEMES])))

    def show_next_language(self) -> None:
        """Change all screens to the next language."""
        self.save_preferences(replace(self.preferences, language=next_language()))

    # --- what is remembered of a user ---------------------------------------------------------------------

    @property
    def is_first_start(self) -> bool:
        """Whether this user has not been offered the guided rounds; never where nothing can be kept."""
        return self._file.path is not None and self.preferences.newcomer

    def note_first_start(self) -> None:
        """Remember that the guided rounds were offered; where that cannot be saved, they are offered again."""
        self._save_quietly(replace(self.preferences, newcomer=False))

    def note_rules(self, game: str) -> bool:
        """Remember that the rules of a game were opened; returns whether they had been opened before."""
        known = self.preferences.rules_read.split()
        if game not in known:
            self._save_quietly(replace(self.preferences, rules_read=" ".join([*known, game])))
        return game in known

    def note_motd(self, mark: str) -> bool:
        """Remember that a message of the day was shown; returns whether it had been shown before."""
        known = self.preferences.motd_read.split()
        if mark not in known:
            self._save_quietly(replace(self.preferences, motd_read=" ".join([*known, mark][-MESSAGES_REMEMBERED:])))
        return mark in known

    @property
    def joined(self) -> list[tuple[str, str]]:
        """The servers that the user has joined, each with the user's name there; the last one first."""
        pairs = (entry.partition("=") for entry in self.preferences.joined.split())
        return [(server, unquote(name)) for server, _, name in pairs]

    def note_joined(self, server: str, name: str) -> None:
        """Remember that the user has joined a server under a name."""
        others = [each for each in self.joined if each[0] != server]
        entries = [(server, name), *others][:SERVERS_REMEMBERED]
        self._save_quietly(replace(self.preferences, joined=" ".join(f"{at}={quote(by)}" for at, by in entries)))

    def _save_quietly(self, preferences: Preferences) -> None:
        """Save a setting that the user has not chosen: that it cannot be saved is no news to them."""
        with suppress(BadSettings):
            self._file.save(preferences)
