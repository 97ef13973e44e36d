"""One run of random keys by a seeded typist, and the invariants of every screen."""

import asyncio
import gc
import os
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from textual._xterm_parser import XTermParser
from textual.events import Resize
from textual.geometry import Size

from scoville_client.i18n.language import ENGLISH, LANGUAGES, set_language
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.leave import LeaveDialog, StopDialog
from scoville_shared.errors import ScovilleError
from tests.fuzz.keys.scenes import Scene
from tests.fuzz.keys.typist import Action, Typist
from tests.support.clock import FakeClock
from tests.support.hostile import Corrupt, HostileProxy
from tests.support.idle import wait_until_idle
from tests.support.live_server import LiveServer, open_live_server
from tests.support.proxy import Proxy

_KEPT = 60
"""Actions that are shown when something fails, the last ones."""
_STEPS_OUT = 80
_TINY = (20, 6)


class Failure(NamedTuple):
    """The fault of the run with `seed`, and the last actions before it."""

    seed: int
    what: str
    actions: tuple[Action, ...]

    def __str__(self) -> str:
        shown = "\n".join(f"  {each.kind:8} {each.text[:200]!r} {each.size}" for each in self.actions)
        return f"--seed {self.seed}\n{shown}\n{self.what}"


class Stuck(AssertionError):
    """No plain key quits."""


class Course:
    """Types `steps` actions; the same seed types the same, as far as the client offers the same keys.

    With `corrupt` the server is hostile: it sends what `corrupt` makes of an honest one's messages.
    """

    def __init__(self, seed: int, steps: int, folder: Path, corrupt: Corrupt | None = None) -> None:
        self._corrupt = corrupt
        self._seed = seed
        self._steps = steps
        self._folder = folder
        self._chance = Random(seed)
        self._actions: deque[Action] = deque(maxlen=_KEPT)
        self._faults: list[str] = []
        self.typed = 0

    @property
    def last(self) -> tuple[Action, ...]:
        """The last actions."""
        return tuple(self._actions)

    async def run(self) -> Failure | None:
        """Run it; returns a fault, or an empty text."""
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self._faults.append(repr(context)))
        set_language(self._chance.choice([*LANGUAGES]))
        try:
            with _warnings_in(self._faults), _painted_only(), _own_folders(self._folder):
                # Users of a server that saves its data have a daily deal; a hostile one only changes messages.
                data = None if self._corrupt else self._folder / "server"
                async with open_live_server(data) as live_server, self._way_to(live_server) as proxy:
                    while self.typed < self._steps:
                        await self._visit(live_server, proxy)
                gc.collect()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            return Failure(self._seed, _told(error), self.last)
        finally:
            set_language(ENGLISH)
        return Failure(self._seed, "\n".join(self._faults), self.last) if self._faults else None

    def _way_to(self, live_server: LiveServer) -> Proxy:
        return Proxy(live_server.port) if self._corrupt is None else HostileProxy(live_server.port, self._corrupt)

    async def _visit(self, live_server: LiveServer, proxy: Proxy) -> None:
        """Open the client once, type until it ends or enough is typed, and leave by plain keys."""
        proxy.mend()
        clock = FakeClock()
        scene = Scene(self._chance, live_server, proxy.port, self._folder, clock.clock)
        app = await (scene.app() if self._corrupt is None else scene.app_of_a_server())
        self._actions.append(Action("wait", f"opens {app!r} {app._start!r}"))
        async with AsyncExitStack() as ending, app.run_test(size=(80, 24)):
            visit = Visit(app, clock, proxy, live_server)
            typist = Typist(self._chance, visit.bound)
            await visit.pass_time(1)
            if scene.first_keys:
                self._actions.append(Action("type", scene.first_keys))
                await visit.do(self._actions[-1])
            for _ in range(self._chance.randint(20, 200)):
                if app._exit or self.typed >= self._steps:
                    break
                self.typed += 1
                action = typist.next()
                self._actions.append(action)
                await visit.do(action)
            await visit.leave(tiny=self._chance.random() < 0.3)
            # The client ends within its own limits, also where a silent network takes no goodbye.
            await ending.enter_async_context(clock.passing_when_idle())


class Visit:
    """One run of the client, with random actions."""

    def __init__(self, app: ScovilleApp, clock: FakeClock, proxy: Proxy, live_server: LiveServer) -> None:
        self._app = app
        self._clock = clock
        self._proxy = proxy
        self._town = live_server
        self._parser = XTermParser()

    def bound(self) -> list[str]:
        """Name the keys that do something just now."""
        if not self._app.screen_stack:
            return []
        chain = self._app.screen._modal_binding_chain
        return sorted({key for _, bindings in chain for key in bindings.key_to_bindings})

    async def do(self, action: Action) -> None:
        """Do one action."""
        match action.kind:
            case "type":
                self._type(action.text)
            case "resize":
                self._resize(action.size)
            case "settle":
                await wait_until_idle()
            case "wait":
                await self.pass_time(action.seconds)
                await self._move_marie()
            case "language":
                if self._app.screen_stack:
                    self._app.settings.show_next_language()
            case "cut":
                self._proxy.cut()
            case "silence":
                self._proxy.silence()
            case "mend":
                self._proxy.mend()

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, with all due timers."""
        self._clock.advance(seconds)
        await wait_until_idle()
        kinds = [isinstance(screen, Dialog) for screen in self._app.screen_stack[1:]]
        assert kinds == sorted(kinds), f"a page covers a dialog: {self._app.screen_stack}"

    async def leave(self, *, tiny: bool) -> None:
        """Quit by plain keys: Esc out of what is open, q, and y to a question. Raises Stuck."""
        self._resize(_TINY if tiny else (80, 24))
        self._parser = XTermParser()
        for step in range(_STEPS_OUT):
            await self.pass_time(1 if step > _STEPS_OUT // 2 else 0)
            if self._app._exit:
                return
            question = isinstance(self._app.screen, LeaveDialog | StopDialog)
            key = "y" if question else "q" if tiny or step % 3 else "\x1b"
            self._type("g" if question and step % 2 else key)
        raise Stuck(f"{self._app.screen_stack}: {self._app.screen.size}, up to date: {self._app.up_to_date}")

    def _type(self, text: str) -> None:
        driver = self._app._driver
        assert driver is not None
        for event in [*self._parser.feed(text), *self._escape(text)]:
            event.set_sender(self._app)
            driver.process_message(event)

    def _escape(self, text: str) -> list[Any]:
        """Let the time pass after which a lone Esc is a key."""
        if not text.endswith("\x1b") or self._parser._timeout_time is None:
            return []
        self._parser._timeout_time = 0.0
        return [*self._parser.tick()]

    def _resize(self, size: tuple[int, int]) -> None:
        wanted = Size(*size)
        self._app._driver._size = wanted  # type: ignore[union-attr, assignment]
        self._app.post_message(Resize(wanted, wanted))

    async def _move_marie(self) -> None:
        """Let Marie do the due action at her table."""
        marie = self._town.marie
        with suppress(ScovilleError):
            if marie.table is not None and marie.table.my_turn:
                await marie.play_move(next(iter(marie.table.legal_moves())))
            elif marie.table is not None and marie.table.info.status == "waiting":
                await marie.table_actions.start_game()


@contextmanager
def _own_folders(folder: Path) -> Iterator[None]:
    """Keep the user's data, and save files, in folders of the course."""
    before, data = Path.cwd(), os.environ.get("XDG_DATA_HOME")
    (work := folder / "work").mkdir(exist_ok=True)
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.chdir(work)
    try:
        yield
    finally:
        os.chdir(before)
        if data is None:
            del os.environ["XDG_DATA_HOME"]
        else:
            os.environ["XDG_DATA_HOME"] = data


@contextmanager
def _painted_only() -> Iterator[None]:
    """Fail for a move whose keys had another meaning on the visible screen."""
    decide = Board.decide_move

    def checked(board: Board, move: object) -> None:
        app = board.app
        assert isinstance(app, ScovilleApp)
        assert app.up_to_date, f"{move} is decided on, and the screen shows something else"
        decide(board, move)

    Board.decide_move = checked  # type: ignore[method-assign]
    try:
        yield
    finally:
        Board.decide_move = decide  # type: ignore[method-assign]


@contextmanager
def _warnings_in(faults: list[str]) -> Iterator[None]:
    """Collect warnings, such as coroutines that were never awaited."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield
        gc.collect()
    faults += [f"{each.category.__name__}: {each.message}" for each in warned if each.category is RuntimeWarning]


def _told(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error))[-6_000:]
