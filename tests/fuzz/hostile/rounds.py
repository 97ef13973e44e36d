"""Runs against a hostile server: a bare session, the line mode, the screens."""

import asyncio
import io
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from scoville_client.plain.main import obey_lines
from scoville_client.session.session import Session
from scoville_shared.errors import ScovilleError
from scoville_shared.text import visible_line
from tests.fuzz.hostile.mutation import Mutator
from tests.fuzz.hostile.visitor import Visitor
from tests.fuzz.keys.course import Course
from tests.fuzz.keys.lines import line as typed_line
from tests.fuzz.keys.scenes import GAMES, sit_down
from tests.support import frames as frames  # Textual without waits
from tests.support.hostile import HostileProxy, list_disturbances
from tests.support.idle import IdleLoop
from tests.support.live_server import open_live_server
from tests.support.screens import NARROW, WIDE, at_the_screen
from tests.support.terminal_screen import record_terminal

STEPS = 300
_RATES = (3, 8, 25)
"""One message in so many is mutated: with few of them a client gets far."""
LONGEST = 240.0
"""Seconds after which a course counts as stuck: one takes a few."""


def try_session(seed: int, steps: int) -> str:
    """Run a session against a hostile server; returns a fault, or an empty text."""
    return _run(f"session, seed {seed}", _session(Random(seed), steps))


def try_hostile_lines(seed: int, steps: int) -> str:
    """Type lines into the line mode of a client of a hostile server."""
    return _run(f"line mode, seed {seed}", _lines(Random(seed), steps))


def try_screens(seed: int, steps: int) -> str:
    """Press keys in a client of a hostile server, whose terminal records every byte."""
    with TemporaryDirectory(prefix="scoville-keys-", ignore_cleanup_errors=True) as folder, record_terminal() as tape:
        course = Course(seed, steps, Path(folder), Mutator(Random(seed), Random(seed).choice(_RATES)))
        found = _run(f"screens, seed {seed}", _screens(course))
        if not found:
            tape.check()
        return found


def try_boards(seed: int, steps: int) -> str:
    """Play a game on its board while the server changes Views, facts and moves."""
    with record_terminal() as tape:
        found = _run(f"boards, seed {seed}", _boards(Random(seed), steps))
        if not found:
            tape.check()
        return found


def try_hostile_servers(minutes: float, first: int) -> None:
    """Run for some minutes; the first fault ends it with an error and the command that repeats it."""
    end, number = time.monotonic() + 60 * minutes, first
    while time.monotonic() < end:
        print(f"--hostile-server --seed {number}", flush=True)
        for course in (try_session, try_hostile_lines, try_screens, try_boards):
            if fault := course(number, STEPS):
                sys.exit(fault)
        number += 1
    print(f"{number - first} courses of each kind, and nothing was wrong.")


def _run(what: str, course: "asyncio.Future[str] | object") -> str:
    try:
        with asyncio.Runner(loop_factory=IdleLoop) as runner:
            found = runner.run(asyncio.wait_for(course, LONGEST))  # type: ignore[arg-type, var-annotated]
    except TimeoutError:
        return f"{what}: it hangs"
    return f"{what}: {found}" if found else ""


async def _session(chance: Random, steps: int) -> str:
    faults: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(_described(context)))
    async with (
        open_live_server() as live_server,
        HostileProxy(live_server.port, Mutator(chance, chance.choice(_RATES))) as proxy,
    ):
        await sit_down(live_server.marie, chance.choice([*GAMES]), start=False)
        visitor = Visitor(chance, live_server, proxy)
        try:
            await visitor.run(steps)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            faults.append(_described({"exception": error}))
    return "\n".join([*faults, *visitor.faults])


async def _lines(chance: Random, steps: int) -> str:
    faults: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(_described(context)))
    source = io.TextIOWrapper(io.BytesIO(b"".join(typed_line(chance) for _ in range(steps))), errors="replace")
    written: list[str] = []
    async with (
        open_live_server() as live_server,
        HostileProxy(live_server.port, Mutator(chance, chance.choice(_RATES))) as proxy,
    ):
        await sit_down(live_server.marie, chance.choice([*GAMES]), start=False)
        try:
            await obey_lines(proxy.way(), source, written.append)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            faults.append(_described({"exception": error}))
    return "\n".join(
        [*faults, *(f"{line[:200]!r} is written" for line in written if list_disturbances(visible_line(line)))]
    )


async def _boards(chance: Random, steps: int) -> str:
    faults: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(_described(context)))
    mutator = Mutator(chance, chance.choice((2, 5)))
    try:
        async with open_live_server() as live_server, HostileProxy(live_server.port, mutator.in_game) as proxy:
            await sit_down(live_server.marie, chance.choice([*GAMES]), start=False)
            size = chance.choice((WIDE, NARROW))
            async with at_the_screen(proxy.way(), size=size, pace=chance.choice((0, 1))) as paul:
                await paul.until(lambda: paul.where == "lobby")
                await paul.press("enter")
                await paul.until(lambda: paul.where in ("waiting", "guest"))
                await live_server.marie.table_actions.start_game()
                for _ in range(steps):
                    await paul.press(chance.choice(("enter", "enter", "enter", "right", "l", "escape", "t")))
                    paul.clock.advance(chance.choice((0.1, 1, 20)))
                    await act(live_server.marie)
                    if paul.where in ("lobby", "start"):
                        break
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        faults.append(_described({"exception": error}))
    return "\n".join(faults)


async def act(marie: Session) -> None:
    """Let Marie do the due action at her table."""
    with suppress(ScovilleError):
        if marie.table is not None and marie.table.my_turn:
            await marie.play_move(next(iter(marie.table.legal_moves())))


async def _screens(course: Course) -> str:
    failure = await course.run()
    return "" if failure is None else str(failure)


def _described(context: dict[str, object]) -> str:
    import traceback

    error = context.get("exception")
    if isinstance(error, BaseException):
        return "".join(traceback.format_exception(error))[-4_000:]
    return repr(context)[:2_000]
