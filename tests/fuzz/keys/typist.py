"""Random terminal input: keys, pastes, mouse reports and focus changes."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, NamedTuple

Kind = Literal["type", "resize", "settle", "cut", "silence", "mend", "language", "wait"]

_SPECIAL = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "space": " ",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "slash": "/",
    "question_mark": "?",
    "plus": "+",
    "minus": "-",
    "ctrl+q": "\x11",
    "ctrl+c": "\x03",
}
_FRAGMENTS = (
    "\x1b",
    "\x1b[",
    "\x1b[<",
    "\x1bO",
    "\x1b[1;",
    "\x1b[200~",
    "\x1b[201~",
    "\x1b]0;",
    "\x1bP",
    "\x1b[?1;",
    "\x9b",
)
_LETTERS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:!?/+-*^()[]{}@#$%&'\"\\äöüßéè€漢😀\u200d\u0301"
)
_COMMANDS = (
    "/help",
    "/w Marie hi",
    "/me",
    "/who",
    "/kick Marie",
    "/mute x 5",
    "//",
    "/ban",
    "/nothing 1 2 3",
    "/ignore Marie",
)
_SIZES = (
    (80, 24),
    (46, 19),
    (120, 40),
    (300, 100),
    (45, 18),
    (20, 6),
    (10, 3),
    (4, 3),
    (3, 2),
    (1, 1),
    (2, 50),
    (200, 1),
)
_RARE = frozenset({"q", "ctrl+q", "ctrl+c", "y"})
"""Keys that end a course; pressed one time in ten that they come up."""


class Action(NamedTuple):
    """The next action: input `text` of the terminal, a new window `size`, or `seconds` of time."""

    kind: Kind
    text: str = ""
    size: tuple[int, int] = (80, 24)
    seconds: float = 0.0


class Typist:
    """Chooses random input; `bound` returns the keys that are bound just now."""

    def __init__(self, chance: Random, bound: Callable[[], Sequence[str]]) -> None:
        self._chance = chance
        self._bound = bound

    def next(self) -> Action:
        """Choose one action; most are keys that do something."""
        roll = self._chance.random()
        if roll < 0.60:
            return Action("type", "".join(self._key() for _ in range(self._burst())))
        if roll < 0.78:
            return Action("settle")
        if roll < 0.84:
            return Action("type", self._letters(self._chance.choice((1, 3, 12))))
        if roll < 0.88:
            return Action("resize", size=self._size())
        if roll < 0.95:
            return Action("type", self._oddity())
        kind = self._chance.choice(("cut", "silence", "mend", "mend", "language", "wait", "wait", "wait", "wait"))
        return Action(kind, seconds=self._chance.choice((0.05, 0.5, 2.0, 20.0)) if kind == "wait" else 0.0)

    def _burst(self) -> int:
        return self._chance.choice((1, 1, 1, 1, 2, 2, 3, 5, 12))

    def _key(self) -> str:
        bound = self._bound()
        name = (
            self._chance.choice(bound) if bound and self._chance.random() < 0.85 else self._chance.choice([*_SPECIAL])
        )
        if name in _RARE and self._chance.random() < 0.9:
            name = "enter"
        return _SPECIAL.get(name, name if len(name) == 1 else "\r")

    def _letters(self, count: int) -> str:
        return "".join(self._chance.choices(_LETTERS, k=count))

    def _size(self) -> tuple[int, int]:
        if self._chance.random() < 0.6:
            return self._chance.choice(_SIZES)
        return self._chance.randint(1, 300), self._chance.randint(1, 100)

    def _mouse(self) -> str:
        """A click somewhere on a usual screen, or any report of a mouse, also from outside of the screen."""
        if self._chance.random() < 0.7:
            place = f"{self._chance.randint(1, 80)};{self._chance.randint(1, 24)}"
            return f"\x1b[<0;{place}M\x1b[<0;{place}m"
        button = self._chance.choice((0, 2, 32, 35, 64, 65))
        place = f"{self._chance.randint(1, 310)};{self._chance.randint(1, 110)}"
        return f"\x1b[<{button};{place}{self._chance.choice('Mm')}"

    def _oddity(self) -> str:
        kind = self._chance.randrange(7)
        if kind == 0:
            return self._chance.choice(_FRAGMENTS)
        if kind == 1:
            return f"\x1b[200~{self._letters(self._chance.choice((1, 40, 3_000)))}\x1b[201~"
        if kind == 2:
            return self._chance.choice(("\x1b[I", "\x1b[O"))
        if kind == 3:
            return self._mouse()
        if kind == 4:
            return self._chance.choice(_COMMANDS) + "\r"
        if kind == 5 and self._chance.random() < 0.15:
            return self._letters(10_000)  # a paste that is not marked as one
        return "".join(chr(self._chance.randrange(256)) for _ in range(self._chance.randint(1, 8)))
