"""A game on the screens of the client, without a terminal: its board, its keys, its guided rounds, a television."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any, Final, cast

from scoville_client.authoring.recorded import list_languages_of
from scoville_client.i18n.language import set_language
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.tutorial import TutorialScreen
from scoville_client.tutorial.lesson import has_lesson
from scoville_runtime.clock import SYSTEM
from scoville_shared.games.registry import load_game

SIZES: Final = ((80, 24), (46, 19), (200, 50))
"""Windows; each shows another language."""
_GAME_SECONDS: Final = 6.0
"""How long a game is played in a window."""
_WAIT_SECONDS: Final = 4.0
_STEP: Final = 0.02
_BOARDS: Final = "scoville_client.tui.boards"
_MOST_KEYS: Final = 60
"""Keys of the guided rounds, at most."""

KeepAlive = Callable[[], None]


def check_screens(slug: str, keep_alive: KeepAlive) -> list[str]:
    """Play on the screens; returns what is wrong, in one sentence each."""
    with _collect_warnings() as found:
        find_board(slug)
        for trial in _list_trials(slug, keep_alive):
            keep_alive()
            fault = asyncio.run(trial)
            if fault:
                found.append(fault)
            if found:
                break
    return list(dict.fromkeys(found))


def _list_trials(slug: str, keep_alive: KeepAlive) -> Iterator[Coroutine[Any, Any, str]]:
    for size, language in zip(SIZES, list_languages_of(slug), strict=False):
        set_language(language)
        yield _play_in_window(slug, size, keep_alive)
    if has_lesson(slug):
        yield _play_guided_rounds(slug, keep_alive)


@contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    """Collect the sentences of the guard of boards about a package."""
    found: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raised = record.exc_info[1] if record.exc_info else None
            found.append(record.getMessage() + (f" {type(raised).__name__}: {raised}" if raised else ""))

    handler, logger = Collector(logging.WARNING), logging.getLogger(_BOARDS)
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


async def _play_in_window(slug: str, size: tuple[int, int], keep_alive: KeepAlive) -> str:
    """Play a game in a window; returns its faults, if any."""
    start = Start(kind="practice", name="Anna", game=slug, players=load_game(slug).info.seats[0], seed=bytes(32))
    app = ScovilleApp(start, Platform(SettingsFile(None)), pace=0)
    async with app.run_test(size=size) as pilot:
        board = await _wait_for(app, lambda: next(iter(app.screen.query(Board)), None))
        if board is None:
            return _describe_failure(app, f"no table is shown in a window of {size[0]} columns and {size[1]} rows")
        if size == SIZES[-1]:
            await _show_on_television(board, pilot)
        until, luck = SYSTEM.seconds() + _GAME_SECONDS, Random(0)
        while board.at.result is None and SYSTEM.seconds() < until:
            keep_alive()
            await _wait_for(app, lambda: board.at.my_turn or board.at.result is not None)
            if not board.at.my_turn:
                break
            # Every key of its own before a move is made: they must not fail in any state of the board.
            played = board.at.played[board.at.seat or 0]
            for key in _own_keys(board):
                await pilot.press(key)
            if board.at.my_turn and board.at.played[board.at.seat or 0] == played:
                board.play_move(luck.choice(list(board.at.legal_moves()[:200])))
            await _wait_for(app, partial(_has_moved, board, played))
        await pilot.pause()
        return _describe_failure(app, "")


async def _show_on_television(board: Board, pilot: Any) -> None:
    """Draw the picture for a television once."""
    board.big = True
    board.repaint()
    await pilot.pause()
    board.big = False


def _own_keys(board: Board) -> list[str]:
    return [key for action in board.own_actions for key in action.keys.split(",") if key]


async def _play_guided_rounds(slug: str, keep_alive: KeepAlive) -> str:
    """Go through the guided rounds; returns its faults, if any."""
    app = ScovilleApp(Start(kind="tutorial", name="Anna", game=slug), Platform(SettingsFile(None)), pace=0)
    async with app.run_test(size=SIZES[0]) as pilot:
        screen = await _wait_for(app, lambda: app.screen if isinstance(app.screen, TutorialScreen) else None)
        if not isinstance(screen, TutorialScreen):
            return _describe_failure(app, "the guided rounds do not open")
        for _ in range(_MOST_KEYS):
            keep_alive()
            if (callout := screen.callout) is not None:
                canvas = screen.board.draw_table(screen.board.size.width, screen.board.size.height)
                if callout.mark not in canvas.marks:
                    known = ", ".join(sorted(canvas.marks)) or "none"
                    return f"a callout points at {callout.mark!r}, which the board does not mark; it marks {known}"
                if screen.is_over:
                    break
                await pilot.press("enter")
            elif screen.board.at.my_turn and not screen.board.animating:
                screen.board.play_move(screen.board.at.legal_moves()[0])
            await pilot.pause()
            if app.screen is not screen:
                return _describe_failure(app, "the guided rounds have closed before they were over")
        return _describe_failure(app, "")


def _has_moved(board: Board, played: int) -> bool:
    return board.at.result is not None or board.at.played[board.at.seat or 0] > played


async def _wait_for(app: ScovilleApp, met: Callable[[], Any]) -> Any:
    """Wait until something is so; returns it, or None after a while."""
    until = SYSTEM.seconds() + _WAIT_SECONDS
    while SYSTEM.seconds() < until and not _describe_failure(app, ""):
        if answer := met():
            return answer
        await SYSTEM.sleep(_STEP)
    return None


def _describe_failure(app: ScovilleApp, otherwise: str) -> str:
    """Describe the error that has ended the client, if any."""
    error = cast("BaseException | None", app._exception)  # noqa: SLF001 - what Textual reports at the end
    return otherwise if error is None else f"the client has crashed: {type(error).__name__}: {error}"
