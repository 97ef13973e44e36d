"""Tests wait for events and never for real time; both ends read time and chance in one module."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.tree import ROOT, python_files

GUARD_SECONDS = 60
"""Real seconds from which on a limit guards against hanging, and asserts nothing about speed."""

REAL_TIME = {
    "tests/cluster/players.py": "users who rest in virtual time",
    "tests/cluster/serving.py": "users who rest in virtual time",
    "tests/e2e/soak/": "users who are on a server for minutes, and the memory that it takes meanwhile",
    "tests/e2e/lan/": "processes that find each other by real multicast DNS, run by scripts/lan alone",
    "tests/e2e/cluster/": "a cluster of other processes: says how long nobody served",
    "tests/e2e/evening/": "users of a cluster of other processes, who rest between their moves",
    "tests/e2e/corrupt/engines.py": "servers of NATS in other processes, which copy what they lack in their own time",
    "tests/e2e/systemd/": "a systemd in namespaces, which restarts services in its own time",
    "tests/e2e/kill/__main__.py": "says how long the kills took",
    "tests/e2e/kill/evenings.py": "players of a server in another process, who look every few milliseconds",
    "tests/e2e/host_drill/": "servers, commands and service managers in other processes, as a host has them",
    "tests/server/test_rough_restarts.py": "a process that gets a hundred signals a second while it starts again",
    "tests/e2e/restarts/": "players of a server in another process, who rest between moves, and measure their waits",
    "tests/fuzz/rounds.py": "fuzzes for as many minutes as wished",
    "tests/fuzz/keys/rounds.py": "types for as many minutes as wished",
    "tests/fuzz/watchdog.py": "measures the CPU time of each callback",
    "tests/fuzz/hostile/rounds.py": "as long as the minutes that the command line asks for",
    "tests/support/recording_session.py": "clients at a server in another process: their waits are a hundredth as long",
    "tests/server/journal/test_open_files.py": "dates that the file system gives to files",
    "tests/e2e/browser/": "a browser and two processes, for scripts/browser",
    "tests/e2e/strangers/": "a server in another process, whose users look every few milliseconds",
    "tests/server/journal/test_two_serving_nodes.py": "nodes look at a real server of NATS again and again",
    "tests/support/nats_server.py": "a process that tells its port in a file: its limit guards against hanging",
    "tests/e2e/browser/chromium.py": "a browser in another process, for scripts/browser",
    "tests/support/line_mode.py": "a process that is read line by line: its limit guards against hanging",
    "tests/support/process.py": "a process that opens a port, and tells nobody when",
    "tests/client/tui/screens/test_terminal.py": "a process on a terminal: its limit guards against hanging",
}
"""Files that may use real time, or folders of them, each with its reason."""

READS = {"monotonic", "perf_counter", "monotonic_ns", "perf_counter_ns", "time_ns"}
WAITED_BY = (*READS, "sleep", "pause(", "timeout", "wait_for")
"""What a test that waits must contain: most have none of it, and need not be parsed."""
TIMERS = {"set_timer", "set_interval"}
WAITING = {"sleep", "timeout", "timeout_at", "wait_for"}
ASKING = TIMERS | WAITING | {"call_later", "call_at", "time", "now", "utcnow", "today"}
"""Names of the calls that may ask for time."""
MAY_ASK = re.compile(rf"Timer|timeout|\b(?:{'|'.join(ASKING)})\b")
"""What a module that asks must contain, as `WAITED_BY` for tests."""
CLOCK = "shared/scoville_runtime/clock.py"
"""The only module that reads the time, sets timers and asks for chance."""
SEEDED = {
    "client/scoville_client/arena/series.py": "intervals are resampled with a fixed seed",
    "client/scoville_client/authoring/checks.py": "random tables have numbered seeds",
    "client/scoville_client/authoring/screens.py": "random moves have a fixed seed",
    "shared/scoville_laws/golden.py": "new golden games are played with the seed in their header",
    "shared/scoville_laws/law.py": "trials have numbered seeds",
    "shared/scoville_laws/laws.py": "seeds are drawn from that of the trial",
    "shared/scoville_laws/tables.py": "seeds are drawn from that of the trial",
    "shared/scoville_laws/values.py": "values are drawn with the seed of the trial",
}
"""Modules that use `random` and are no source of chance, each with its reason."""


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


TESTS = [path for path in python_files() if relative(path).startswith("tests/")]
SOURCES = [
    path
    for path in python_files()
    if relative(path).startswith(("client/", "server/", "shared/")) and relative(path) != CLOCK
]


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def constants(tree: ast.Module) -> dict[str, object]:
    """The values of the constants that a module defines."""
    plain = (node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
    return {name_of(node.targets[0]): node.value.value for node in plain}  # type: ignore[attr-defined]


def limits(call: ast.Call) -> Iterator[ast.expr]:
    """The time limits that a call sets."""
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "timeout")
    if name_of(call.func) == "timeout" and call.args:
        yield call.args[0]
    if name_of(call.func) == "wait_for" and len(call.args) > 1:
        yield call.args[1]


def is_short(limit: ast.expr, known: dict[str, object]) -> bool:
    value = limit.value if isinstance(limit, ast.Constant) else known.get(name_of(limit), GUARD_SECONDS)
    return isinstance(value, int | float) and 0 < value < GUARD_SECONDS


def sleeps(call: ast.Call) -> bool:
    """Whether a call waits: for more than a turn of the loop, or for a pilot's seconds."""
    if name_of(call.func) == "sleep":
        return not (call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0)
    return name_of(call.func) == "pause" and ast.unparse(call.func).endswith("pilot.pause") and bool(call.args)


def waits(path: Path) -> Iterator[str]:
    """Yield the lines of a test that wait for real time; in virtual time, sleeping is free."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source if any(each in source for each in WAITED_BY) else "")
    known = constants(tree)
    virtual = any(isinstance(node, ast.ImportFrom) and "virtual_time" in ast.unparse(node) for node in tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and name_of(node) in READS:
            yield f"line {node.lineno} reads the time: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and (
            (sleeps(node) and not virtual) or any(is_short(limit, known) for limit in limits(node))
        ):
            yield f"line {node.lineno} waits: {ast.unparse(node)[:80]}"


def found_in(paths: Sequence[Path], look: Callable[[Path], Iterator[str]]) -> dict[str, list[str]]:
    """What a check finds in files, by file."""
    return {relative(path): found for path in paths if (found := list(look(path)))}


def test_only_listed_tests_wait_for_real_time() -> None:
    waiting = found_in(TESTS, waits)
    assert {path: lines for path, lines in waiting.items() if not path.startswith(tuple(REAL_TIME))} == {}
    idle = [allowed for allowed in REAL_TIME if not any(path.startswith(allowed) for path in waiting)]
    assert idle == [], "these need not be on the list any more"


def has_name(node: ast.ImportFrom, names: set[str]) -> bool:
    """Return whether an import takes one of these names."""
    return bool(names & {each.name for each in node.names})


def uses_of_time(path: Path) -> Iterator[str]:
    """The lines of a module that read the time, or ask the loop or Textual for some, by themselves."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source if MAY_ASK.search(source) else "")):
        if isinstance(node, ast.Import) and any(alias.name == "time" for alias in node.names):
            yield f"line {node.lineno} imports time"
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield f"line {node.lineno} imports from time"
        elif isinstance(node, ast.ImportFrom) and node.module == "threading" and has_name(node, {"Timer"}):
            yield f"line {node.lineno} imports a timer"
        elif isinstance(node, ast.ImportFrom) and node.module == "asyncio" and has_name(node, WAITING):
            yield f"line {node.lineno} imports a wait of asyncio"
        elif isinstance(node, ast.Call) and (name_of(node.func) in ASKING or any(limits(node))):
            written = ast.unparse(node.func)
            owner = written.rpartition(".")[0]
            of_the_loop = name_of(node.func) in {"call_later", "call_at", "time"} and "loop" in owner
            waiting = name_of(node.func) in {"timeout", "wait_for"} and owner == "asyncio" and bool(list(limits(node)))
            now = name_of(node.func) in {"now", "utcnow", "today"} and owner.rpartition(".")[2] in {"datetime", "date"}
            if (
                of_the_loop
                or waiting
                or now
                or name_of(node.func) in TIMERS
                or (owner == "asyncio" and (sleeps(node) or any(limits(node))))
            ):
                yield f"line {node.lineno}: {written}"


@pytest.mark.parametrize(
    "line",
    [
        "import time",
        "from time import monotonic",
        "from threading import Timer",
        "from asyncio import sleep",
        "loop.time()",
        "asyncio.get_running_loop().call_later(1, print)",
        "await asyncio.sleep(seconds)",
        "asyncio.wait_for(answer, 3)",
        "datetime.now()",
        "datetime.datetime.utcnow()",
        "date.today()",
        "self.set_timer(1, self.tick)",
    ],
)
def test_a_module_that_reads_the_time_by_itself_is_found(line: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(f"async def work():\n    {line}\n")
    assert len(list(uses_of_time(module))) == 1


def test_all_time_comes_from_the_clock() -> None:
    assert found_in(SOURCES, uses_of_time) == {}


def uses_of_random(path: Path) -> Iterator[str]:
    """The lines of a module that import `random`; secrets come from `secrets`, which no test predicts."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source if "random" in source else "")):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if "random" in ([node.module] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]):
            yield f"line {node.lineno} imports random"


def test_chance_comes_from_seeds_and_time_from_the_clock() -> None:
    assert set(found_in(SOURCES, uses_of_random)) == set(SEEDED)


def test_shared_code_has_no_chance_of_its_own() -> None:
    shared = [path for path in SOURCES if relative(path).startswith("shared/")]
    assert [relative(path) for path in shared if "import secrets" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(
    "line",
    [
        "import time",
        "from time import monotonic",
        "datetime.now()",
        "date.today()",
        "loop.time()",
        "self._loop.call_later(1, f)",
        "asyncio.get_running_loop().call_at(1, f)",
        "asyncio.sleep(1)",
        "asyncio.wait_for(event.wait(), seconds)",
        "asyncio.wait(futures, timeout=seconds)",
        "asyncio.timeout(seconds)",
    ],
)
def test_every_way_around_the_clock_is_found(line: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(line, encoding="utf-8")
    assert len(list(uses_of_time(module))) == 1


def test_to_yield_to_the_loop_takes_no_time(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("asyncio.sleep(0)\nclock.call_later(1, f)\nclock.wait(f, seconds=1)", encoding="utf-8")
    assert list(uses_of_time(module)) == []
