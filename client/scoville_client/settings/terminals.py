"""Measurements of `scoville doctor`, remembered by terminal in a cache file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from rich.cells import cell_len

from scoville_client.settings.preferences import Characters, Colours
from scoville_runtime.atomic_files import FOR_ALL, replace_file

EMOJI: Final = "😀"
"""The emoji that stands for all when their width is measured."""
CHILLI: Final = "🌶"
_FILE: Final = "terminals.json"
_MOST: Final = 32
"""Terminals that are remembered, the newest ones."""
_LONGEST: Final = 65_536
_VARIABLES: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "LC_ALL", "LC_CTYPE", "LANG")
"""Environment variables that identify a terminal."""


class Measured(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The measured abilities of a terminal.

    Attributes:
        colours, characters: The choice where the settings say auto; auto where nothing was found out.
        widths: Cells that the terminal gives to each sample.
        expected: Cells that the screens reckon with.
        light: Whether its background is light; None for no answer.
        synchronized, mouse: Whether it knows synchronized output and mouse reports; None for no answer.
        version: Its own name for itself.
        pictures: Whether it shows the faces of cards as pictures; None for no answer.
    """

    colours: Colours = "auto"
    characters: Characters = "auto"
    widths: dict[str, int] = {}
    expected: dict[str, int] = {}
    light: bool | None = None
    synchronized: bool | None = None
    mouse: bool | None = None
    version: str = ""
    pictures: bool | None = None

    def is_as_reckoned(self, sample: str) -> bool:
        """Whether a sample is as wide as the screens reckon."""
        return sample in self.widths and self.widths[sample] == self.expected.get(sample)


def measure_emoji(widths: Sequence[int]) -> Measured:
    """Return the result of measuring an emoji and a chilli; everything else stays automatic."""
    samples = (EMOJI, CHILLI)
    return Measured(
        widths=dict(zip(samples, widths, strict=True)), expected={sample: cell_len(sample) for sample in samples}
    )


class Terminals:
    """Measured terminals in a file; None as path remembers nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @classmethod
    def of_user(cls) -> "Terminals":
        """Return those of the present user."""
        from platformdirs import user_cache_path

        try:
            return cls(user_cache_path("scoville", appauthor=False) / _FILE)
        except RuntimeError:  # ~ of a user without a home
            return cls(None)

    def find(self, environment: Mapping[str, str]) -> Measured:
        """Return the measured traits of an environment's terminal; nothing but autos if it never was."""
        return self._read().get(_name_terminal(environment), Measured())

    def remember(self, environment: Mapping[str, str], measured: Measured) -> bool:
        """Store the measured traits; returns whether that was possible."""
        if self._path is None:
            return False
        kept = self._read()
        # Out and in again, so that it counts among the newest.
        kept.pop(_name_terminal(environment), None)
        kept[_name_terminal(environment)] = measured
        newest = dict(list(kept.items())[-_MOST:])
        # Unsaved figures are measured again at the next start.
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, msgspec.json.encode(newest), mode=FOR_ALL)
            return True
        return False

    def _read(self) -> dict[str, Measured]:
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                return msgspec.json.decode(file.read(_LONGEST), type=dict[str, Measured])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):  # a cache: its contents are measured again
            return {}


def find_multiplexer(environment: Mapping[str, str]) -> str:
    """Return the program between client and terminal: tmux, screen or none."""
    return "tmux" if environment.get("TMUX") else "screen" if environment.get("STY") else ""


def find_ssh_address(environment: Mapping[str, str]) -> str:
    """Return the address of the user's computer when they have come by ssh; empty otherwise."""
    return (environment.get("SSH_CONNECTION") or environment.get("SSH_CLIENT") or "").partition(" ")[0]


def _name_terminal(environment: Mapping[str, str]) -> str:
    known = [f"{name}={environment[name]}" for name in _VARIABLES if environment.get(name)]
    return " ".join([*known, find_multiplexer(environment), find_ssh_address(environment)]).strip()
