"""Draft of table settings: access, spectators, and how the game starts."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict, replace

from scoville_client.i18n.language import choose_texts, render, tr
from scoville_client.i18n.option_text import STARTS, level_name, option_value, unrated_terms, unusual_settings
from scoville_shared.bots.registry import USUAL
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import PASSWORD_CHARACTERS, TableClock, TableSettings

MORE = "more"
"""Id of the line that shows and hides the others."""
PASSWORD = "password"  # noqa: S105 - the name of a line
"""Id of the password's line."""
PACE_MS = 800
"""The usual pace of bots at tables of several people: users can follow each move, and do not wait."""

_PACES = {0: Phrase("at once"), PACE_MS: Phrase("brisk"), 2_000: Phrase("relaxed")}
_CHOICES = {"spectating": ("anybody", "nobody", "rounds"), "start": tuple(STARTS), "bot_pace_ms": tuple(_PACES)}
_NAMES = {
    "private": Phrase("Private"),
    "password": Phrase("Password"),
    "spectating": Phrase("Spectators"),
    "rounds_behind": Phrase("Rounds later"),
    "spectators_talk": Phrase("Spectators chat"),
    "commentary": Phrase("Commentators"),
    "coach": Phrase("Coach"),
    "rated": Phrase("Rated"),
    "hostless": Phrase("Without a host"),
    "start": Phrase("Starts"),
    "countdown_ms": Phrase("Countdown"),
    "fill_ms": Phrase("Bots fill seats"),
    "absent_level": Phrase("Absent players"),
    "bot_pace_ms": Phrase("Pace of bots"),
}
_ABOUT = {
    MORE: Phrase("Who may join and watch, how the game starts, and more about bots."),
    "private": Phrase("Only players with the table code can join; no list shows the table."),
    "password": Phrase("Players and spectators must type it."),
    "spectating": Phrase("Who may watch: anybody, nobody, or anybody with a delay."),
    "rounds_behind": Phrase("So many rounds pass before spectators see one."),
    "spectators_talk": Phrase("Spectators may write in the chat of the table."),
    "commentary": Phrase("A key shows all hands to those who have it. The game is not rated."),
    "coach": Phrase("Players may ask what each move is worth. The game is not rated."),
    "rated": Phrase("The result counts for the leaderboards. That needs a clock: 5 s to 5 min a move."),
    "hostless": Phrase("It starts when all are ready, and nobody can kick a player."),
    "start": Phrase("When the game begins by itself; a host can begin it earlier."),
    "countdown_ms": Phrase("So long before the game starts, everybody is warned."),
    "fill_ms": Phrase("Bots take the free seats after this time."),
    "absent_level": Phrase("How well a bot plays for a player who is away."),
    "bot_pace_ms": Phrase("How long bots wait before each move."),
}
"""Subjects of the lines, in a short line each."""
_EFFECTS = {
    "hostless": Phrase("nobody starts or kicks"),
    "commentary": Phrase("see all hands, with a key"),
    "coach": Phrase("players may ask it"),
}
"""Effects of settings that are on."""
_SPECTATORS = {
    "anybody": Phrase("anybody"),
    "nobody": Phrase("nobody"),
    "rounds": Phrase("delayed"),
}


class Range(NamedTuple):
    """Largest value of a number, from the protocol, its step, and how much of it one typed unit is."""

    most: int
    step: int
    unit: int = 1


_NUMBERS = {
    "rounds_behind": Range(20, 1),
    "countdown_ms": Range(600_000, 5_000, 1_000),
    "fill_ms": Range(3_600_000, 10_000, 1_000),
}


class TableSettingsDraft:
    """Table settings, beginning with the defaults and all lines but the first hidden.

    An empty `password` means none; bots move at the pace `pace_ms`.
    """

    def __init__(self, pace_ms: int = 0) -> None:
        self.settings = TableSettings(bot_pace_ms=pace_ms)
        self.password = ""
        self.open = False
        self._typing = ""

    @property
    def changed(self) -> dict[str, Any]:
        """The settings that differ from the default."""
        usual = asdict(TableSettings())
        return {key: value for key, value in asdict(self.settings).items() if value != usual[key]}

    def list_lines(self, clock: TableClock) -> Iterator[tuple[str, str, str]]:
        """Return (id, label, value) of each visible line of a table with this clock."""
        yield MORE, tr("Fewer settings …") if self.open else tr("More settings …"), self._in_short(clock)
        if self.open:
            yield from (
                (key, render(_NAMES[key]), self._write_value(key, clock)) for key in _NAMES if self._is_relevant(key)
            )

    @staticmethod
    def explain_line(line: str) -> str:
        """Explain a line in a few words; empty for a line that is none of these."""
        return render(_ABOUT[line]) if line in _ABOUT else ""

    def has_line(self, line: str) -> bool:
        """Whether a line is one of these."""
        return line == MORE or line in _NAMES

    def takes_character(self, line: str, char: str) -> bool:
        """Whether a character can be typed on a line."""
        return char.isprintable() if line == PASSWORD else line in _NUMBERS and char in "0123456789"

    def change_line(self, line: str, step: int) -> None:
        """Change the value of a line by one step, forwards or backwards."""
        self._typing = ""
        if line == MORE:
            self.open = not self.open
        elif line in _CHOICES:
            choices, now = _CHOICES[line], getattr(self.settings, line)
            self._change_field(line, choices[(choices.index(now) + step) % len(choices)])
        elif line in _NUMBERS:
            self._set_number(line, self._read_number(line) + step * _NUMBERS[line].step)
        elif line != PASSWORD:
            self._change_field(line, not getattr(self.settings, line))

    def change_level(self, levels: Sequence[str], step: int) -> None:
        """Change the level of the bots by one step among those that the server offers."""
        if levels:
            now = self.settings.bot_level
            at = levels.index(now) if now in levels else 0
            self._change_field("bot_level", levels[(at + step) % len(levels)])

    def vary_level(self, levels: Sequence[str], seat: int) -> None:
        """Change the level of the bot at one seat by one step; the usual one of this table is no difference."""
        now = self.settings.bot_levels
        own = [now[place] if place < len(now) else None for place in range(max(len(now), seat + 1))]
        level = own[seat] or self.settings.bot_level
        if levels:
            level = levels[(levels.index(level) + 1) % len(levels)] if level in levels else levels[0]
            own[seat] = None if level == self.settings.bot_level else level
        self._change_field("bot_levels", own if any(own) else [])

    def change_absent_level(self, levels: Sequence[str], step: int) -> None:
        """Change the level that replaces absent players, by one step; None is that of the bots."""
        choices = [None, *levels]
        at = choices.index(self.settings.absent_level) if self.settings.absent_level in choices else 0
        self._change_field("absent_level", choices[(at + step) % len(choices)])

    def fit_levels(self, levels: Sequence[str]) -> None:
        """Return to the usual level if the game does not offer the chosen one; no seat has its own any more."""
        if self.settings.bot_level not in levels:
            self._change_field("bot_level", USUAL)
        self.settings = replace(self.settings, bot_levels=[], absent_level=None)

    def type_character(self, line: str, char: str) -> None:
        """Type a character of a number or the password; on another line a new number begins."""
        if line == PASSWORD:
            self.password = (self.password + char)[:PASSWORD_CHARACTERS]
        elif line in _NUMBERS:
            before = self._read_number(line) if self._typing == line else 0
            self._set_number(line, 10 * before + int(char) * _NUMBERS[line].unit)
            self._typing = line

    def erase_character(self, line: str) -> None:
        """Delete the last character."""
        if line == PASSWORD:
            self.password = self.password[:-1]
        elif line in _NUMBERS:
            unit = _NUMBERS[line].unit
            self._set_number(line, self._read_number(line) // (10 * unit) * unit)
            self._typing = line

    def _change_field(self, line: str, value: object) -> None:
        self.settings = replace(self.settings, **{line: value})

    def _read_number(self, line: str) -> int:
        """Return the number of a line; 0 for none."""
        return getattr(self.settings, line) or 0

    def _set_number(self, line: str, value: int) -> None:
        """Set a number within its bounds; bots that fill seats after 0 seconds never do."""
        number = min(max(value, 0), _NUMBERS[line].most)
        self._change_field(line, None if line == "fill_ms" and not number else number)

    def _is_relevant(self, line: str) -> bool:
        """Whether a line has an effect, given the others."""
        if line == "rounds_behind":
            return self.settings.spectating == "rounds"
        if line == "spectators_talk":
            return self.settings.spectating != "nobody"
        if line == "rated":
            return not (self.settings.private or self.settings.commentary or self.settings.coach)
        if line == "countdown_ms":
            return self.settings.start != "host" or self.settings.hostless
        return True

    def _write_value(self, line: str, clock: TableClock) -> str:
        value = getattr(self.settings, line, None)
        match line:
            case "password":
                return f"{self.password}_" if self.password else tr("none; type one")
            case "spectating":
                return render(_SPECTATORS[str(value)])
            case "start":
                return render(STARTS["ready" if self.settings.hostless and value == "host" else str(value)])
            case "countdown_ms":
                return tr("{seconds} s", seconds=self._read_number(line) // 1000)
            case "fill_ms":
                return tr("after {seconds} s", seconds=self._read_number(line) // 1000) if value else tr("never")
            case "rated" if value and not clock.fits_rating:
                return tr("no: without a clock") if not clock.timed else tr("no: with this clock")
            case "absent_level":
                return tr("bots as above") if value is None else level_name(str(value))
            case "bot_pace_ms":
                return render(_PACES[self.settings.bot_pace_ms])
            case _ if line in _EFFECTS:
                return render(_EFFECTS[line]) if value else tr("no")
            case _:
                return option_value(value)

    def _in_short(self, clock: TableClock) -> str:
        """Return the settings that differ from the default, in one line."""
        closed = choose_texts({tr("private"): self.settings.private, tr("with a password"): self.password})
        own = [*closed, *unusual_settings(self.settings, clock)]
        if own and own == [*unrated_terms(self.settings, clock)]:
            own = [tr("public"), *own]
        return ", ".join(own) or tr("public, open to spectators")
