"""Queue of moves typed before their turn."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.plain.input.stdin import TypedLines

MOVES_AHEAD = 32
"""Most moves that wait for their turn."""


class Typed(NamedTuple):
    """A line to obey, None at the end of the input; `due` for a move that has waited for its turn."""

    line: str | None
    due: bool = False


class TypedAhead:
    """Lines in the order in which they are obeyed: moves that were typed too early come when they are due.

    While a move waits, the lines behind it in a pipe or file wait as well. A terminal is read on, so that a player can
    look at the table, talk or quit while moves wait.

    Args:
        reader: The typed lines.
        must_wait: Whether a move cannot be played yet; asked again after each `note_change`.
    """

    def __init__(self, reader: TypedLines, must_wait: Callable[[], bool]) -> None:
        self._reader = reader
        self._must_wait = must_wait
        self._moves: deque[str] = deque()
        self._changed = asyncio.Event()

    def __bool__(self) -> bool:
        """Whether a move waits."""
        return bool(self._moves)

    def keep_move(self, move: str) -> None:
        """Keep a move until its turn. Raises ValueError when `MOVES_AHEAD` wait already."""
        if len(self._moves) >= MOVES_AHEAD:
            raise ValueError(tr("{n} moves are already waiting; {move} is not saved.", n=MOVES_AHEAD, move=repr(move)))
        self._moves.append(move)

    def drop_moves(self) -> None:
        """Forget the moves that wait."""
        self._moves.clear()

    def note_change(self) -> None:
        """Look again whether a move must wait: something has changed."""
        self._changed.set()

    async def wait_for_change(self) -> None:
        """Wait for the next `note_change`."""
        self._changed.clear()
        await self._changed.wait()

    async def next_line(self) -> Typed:
        """Return the next line to obey."""
        if not self._moves:
            return Typed(await self._reader.read_next())
        # The next lines of a pipe are meant for the time after this move.
        if not self._reader.is_terminal:
            await self._until_due()
            return Typed(self._moves.popleft(), due=True)
        return await self._next_or_due()

    async def _next_or_due(self) -> Typed:
        typed = asyncio.ensure_future(self._reader.read_next())
        due = asyncio.ensure_future(self._until_due())
        try:
            await asyncio.wait((typed, due), return_when=asyncio.FIRST_COMPLETED)
            # The typed line first: it may drop the moves that wait.
            return Typed(typed.result()) if typed.done() else Typed(self._moves.popleft(), due=True)
        finally:
            typed.cancel()
            due.cancel()

    async def _until_due(self) -> None:
        while self._must_wait():
            await self.wait_for_change()
