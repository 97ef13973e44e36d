"""Points 1 to 12: settings, signals, what a host sees of a running server, proxies and restarts."""

import asyncio
import json
import re
import shutil
import signal
import socket
import struct
from contextlib import AsyncExitStack
from statistics import median

from scoville_runtime.clock import SYSTEM
from tests.e2e.host_drill.drill import Drill, Point, RunningServer, expect_held
from tests.e2e.restarts.__main__ import Load, measure_restarts
from tests.e2e.restarts.waits import Noticed, list_waits
from tests.support.rpc import Refusal, RpcClient

FAULTY = 'tabels = 3\nport = "many"\n[connections]\ntotl = 9\n[log]\nlevel = "loud"\n[games]\nfiles = -1\n'
HARMLESS = ("SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGWINCH", "SIGCHLD", "SIGCONT")
HOSTILE = ('"}\nevil 1', 'a{b="c"}', "\x1b[31mred", "'; DROP TABLE users;", "evil" * 5, "\u202eevil")
MOST_SERIES = 400
CHEAP_PASSWORDS = "[accounts.hashing]\nmemory_kib = 8\n"


async def begin_with_a_file(drill: Drill) -> str:
    """Point 1."""
    file = drill.make_folder("etc") / "server.toml"
    await drill.run_well("init", file)
    await drill.run_well("check-config", file)
    again = await drill.run("init", file)
    expect_held(again.status == 1, "a second init overwrites the file")
    return f"init and check-config of {len(file.read_text().splitlines())} lines; a second init is refused"


async def name_all_faults(drill: Drill) -> str:
    """Point 2."""
    file = drill.make_folder("etc") / "server.toml"
    file.write_text(FAULTY)
    checked, started = await drill.run("check-config", file), await drill.run("--config", file)
    expect_held(
        checked.status == started.status == 2, f"status {checked.status} of check-config, {started.status} of run"
    )
    expect_held(len(checked.lines) == 5, f"five faults are {len(checked.lines)} lines: {checked.lines}")
    for line in checked.lines:
        expect_held(re.match(re.escape(str(file)) + r":\d: [a-z_.]+: ", line), f"not file:line: setting: {line}")
    expect_held("did you mean tables?" in checked.lines[0], f"no near miss: {checked.lines[0]}")
    expect_held(all(line in started.err for line in checked.lines), f"run says something else: {started.err}")
    found = json.loads((await drill.run("check-config", file, "--json")).out)["faults"]
    expect_held([fault["text"] for fault in found] == checked.lines, "--json has other faults")
    return "five faults in five lines with file, line and setting, by check-config, --json and run"


async def show_origins(drill: Drill) -> str:
    """Point 3."""
    secret = drill.folder / "secret"
    secret.write_text("seven habaneros\n")
    given = {"SCOVILLE_CONNECTIONS__TOTAL": "9", "SCOVILLE_COMMUNITY__PASSWORD__FILE": str(secret)}
    shown = await drill.run_well("settings", "--effective", "--port", "7", **given)
    found = {line.split(" = ")[0]: line for line in shown.lines if " = " in line}
    expect_held(
        re.search(r"= 9 +# environment variable SCOVILLE_CON", found["connections.total"]), "no 9 with its origin"
    )
    expect_held("option --port" in found["port"] and "default" in found["host"], "no origin of an option or a default")
    expect_held("SCOVILLE_COMMUNITY__PASSWORD__FILE" in found["community.password"], "no secret from a file")
    expect_held("habaneros" not in shown.out, "the secret is shown")
    return "values of the environment, a secret's file, an option and the defaults, each with its origin"


async def reload_by_signal(drill: Drill) -> str:
    """Point 4."""
    folder = drill.make_folder("reloaded")
    server = await drill.start(folder)
    file, users, reloads = folder / "server.toml", 200 if drill.whole else 5, 100 if drill.whole else 5
    good = file.read_text()
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(RpcClient(server.port)) for _ in range(users)]
        await asyncio.gather(*(client.hello(f"Guest {n}") for n, client in enumerate(clients)))
        file.write_text("tables = 4\nguests = 77777\n" + good)
        server.signal(signal.SIGHUP)
        seconds = await drill.until(lambda: len(changed_lines(server)) == 2, "no line for each change")
        expect_held(seconds <= 1.0 or not drill.whole, f"the reload took {seconds:.2f} s")
        file.write_text("tabels = 4\n" + good)
        server.signal(signal.SIGHUP)
        await drill.until(lambda: bool(server.list_events("config_reload_refused")), "no error for a broken file")
        [refused] = server.list_events("config_reload_refused")
        expect_held(refused["level"] == "error" and "did you mean tables?" in refused["reason"], f"{refused}")
        value = (await server.scrape()).value_of("scoville_config_last_reload_successful")
        expect_held(value == 0, "the metric of a refused reload is not 0")
        file.write_text("tables = 4\nguests = 77777\n" + good)
        for _ in range(reloads):
            server.signal(signal.SIGHUP)
            await clients[0].call("ping")
        for name in HARMLESS:
            server.signal(getattr(signal, name))
            await clients[-1].call("ping")
        for client in clients:
            await client.call("ping")
    return f"{seconds:.2f} s to the change, {reloads + 2} reloads, {len(HARMLESS)} signals, {users} connections stay"


def changed_lines(server: RunningServer) -> list[str]:
    """List what a reload has printed."""
    return [line for line in server.printed if "Changed: " in line]


async def notify_the_manager(drill: Drill) -> str:
    """Point 5."""
    folder = drill.make_folder("notified")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(folder / "notify"))
        notices.setblocking(False)
        heard: list[str] = []

        def has_heard(word: str) -> bool:
            while True:
                try:
                    heard.extend(notices.recv(4096).decode().splitlines())
                except BlockingIOError:
                    return any(line.startswith(word) for line in heard)

        manager = {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "3000000"}
        server = await drill.start(folder, environment=manager)
        await drill.until(lambda: has_heard("READY=1"), "READY does not come")
        await drill.until(lambda: heard.count("WATCHDOG=1") > 1 or has_heard("WATCHDOG=2"), "WATCHDOG does not come")
        server.signal(signal.SIGHUP)
        await drill.until(lambda: has_heard("RELOADING=1") and has_heard("MONOTONIC_USEC="), "RELOADING does not come")
        expect_held(await server.stop() == 0, "SIGTERM does not end it with status 0")
        await drill.until(lambda: has_heard("STOPPING=1"), "STOPPING does not come")
    wrong = await drill.run("--no-such-option")
    expect_held(wrong.status == 2, "wrong usage is not status 2, which the units do not start again")
    return "a notify socket gets READY, WATCHDOG twice, RELOADING with its time, STOPPING; wrong usage is status 2"


async def count_events(drill: Drill) -> str:
    """Point 6."""
    server = await drill.start(drill.make_folder("counted"), tables=CHEAP_PASSWORDS)
    before, guests = await server.scrape(), 50 if drill.whole else 6
    for n in range(guests):
        async with RpcClient(server.port) as client:
            await client.hello(HOSTILE[n % len(HOSTILE)])
            for each in HOSTILE:
                await expect_refusal(client.call("table.join", table=each))
    refused, begun = 0.0, SYSTEM.seconds()
    while refused < guests * len(HOSTILE) and SYSTEM.seconds() - begun < min(
        5.0, drill.patience
    ):  # a page is shown for a moment
        after = await server.scrape()
        refused = after.sum_of("scoville_refusals_total") - before.sum_of("scoville_refusals_total")
    expect_held(refused == guests * len(HOSTILE), f"{refused:g} refusals counted, not {guests * len(HOSTILE)}")
    hellos = after.value_of("scoville_events_total", kind="hello")
    expect_held(hellos == guests, f"{hellos:g} guests counted, not {guests}")
    expect_held(len(after.series) == len(before.series) <= MOST_SERIES, f"{len(after.series)} series")
    names = [str(series) for series in after.series if "evil" in str(series) or "DROP" in str(series)]
    expect_held(not names, f"names of users are labels: {names[:2]}")
    off = await drill.run_well("settings", "--json")
    expect_held(json.loads(off.out)["metrics.listen"]["value"] == "", "the port is on by default")
    said = f"{guests} guests and {refused:g} refusals counted to the unit, {len(after.series)} series, off by default"
    if shutil.which("promtool") is None:
        return said + "; promtool is not installed here"
    return said


async def expect_refusal(answer: "asyncio.Future[object] | object") -> None:
    """Wait for a request that must be refused."""
    try:
        await answer  # type: ignore[misc]
    except Refusal:
        return
    expect_held(held=False, sentence="a request for a table that does not exist is not refused")


async def answer_for_health(drill: Drill) -> str:
    """Point 7."""
    folder = drill.make_folder("healthy")
    server = await drill.start(folder)

    async def ask_ready() -> int:
        return await server.ask_health("/readyz")

    async def ask_alive() -> int:
        return await server.ask_health("/healthz")

    expect_held((await ask_alive(), await ask_ready()) == (200, 200), "a healthy server is not ready")
    # A folder that takes a commit along is lost for good; the server's own writes at its start are such commits.
    await drill.until_asked(lambda: has_saved(server), True, "what the start writes is not on the disk")
    (folder / "data").rename(folder / "elsewhere")
    vanished = await drill.until_asked(ask_ready, 503, "a vanished folder is not noticed")
    expect_held(await ask_alive() == 200, "a server without its folder counts as dead")
    (folder / "elsewhere").rename(folder / "data")
    back = await drill.until_asked(ask_ready, 200, "a folder that is back is not noticed")
    async with RpcClient(server.port) as client:
        await client.hello("Anna")
        await drill.run_well("drain", "--in", "2s", "--reason", "drill", "--data", folder / "data")
        await drill.until_asked(ask_ready, 503, "a server that drains is ready")
    expect_held(await server.process.wait() == 0, "a drained server does not end with status 0")
    return f"vanished folder 503 after {vanished:.1f} s and 200 {back:.1f} s after its return, 503 while it drains"


async def has_saved(server: RunningServer) -> bool:
    """Whether everything is on the disk that a server has to write by now."""
    page = await server.scrape()
    waiting = page.value_of("scoville_queue_length", queue="writes")
    return page.value_of("scoville_journal_writes_total") > 0 and waiting == 0


async def say_how_it_is(drill: Drill) -> str:
    """Point 8."""
    folder = drill.make_folder("asked")
    none = await drill.run("status", "--data", folder)
    expect_held(none.status == 3, f"status of no server is {none.status}, not 3")
    server = await drill.start(folder)
    shown = json.loads((await drill.run_well("status", "--json", "--data", server.data)).out)
    expect_held(shown["ready"] and shown["people"]["total"] == 0, "status is not ready, or makes a guest")
    (folder / "data").rename(folder / "elsewhere")
    await drill.until_asked(lambda: server.ask_health("/readyz"), 503, "a vanished folder is not noticed")
    gone = await drill.run("status", "--data", folder / "elsewhere")
    expect_held(gone.status == 1, f"status of a server that is not ready is {gone.status}, not 1")
    (folder / "elsewhere").rename(folder / "data")
    server.data.chmod(0o777)
    found = await drill.run("doctor", "--config", folder / "server.toml")
    expect_held(found.status == 1 and str(server.data) in found.out, f"the doctor does not see mode 777: {found.out}")
    await drill.run("doctor", "--fix", "--config", folder / "server.toml")
    expect_held(server.data.stat().st_mode & 0o7 == 0, "doctor --fix does not mend the mode")
    return "status is 3 without a server, 0 ready, 1 with its folder gone; the doctor finds and mends mode 777"


async def log_through_a_flood(drill: Drill) -> str:
    """Point 10."""
    server = await drill.start(drill.make_folder("flooded"), tables=CHEAP_PASSWORDS)
    refusals = 10_000 if drill.whole else 300
    async with RpcClient(server.port, "127.0.0.2") as noisy, RpcClient(server.port, "127.0.0.3") as guessing:
        await noisy.hello("Noise")
        await guessing.hello("Guess")
        for begin in range(0, refusals, 100):
            answers = [noisy.send("table.join", table=f"none {begin + n}") for n in range(100)]
            await asyncio.gather(*answers, return_exceptions=True)
        for _ in range(5):
            await expect_refusal(guessing.call("account.login", name="Nobody", password="a wrong password"))

        def list_wrong() -> list[dict[str, object]]:
            return [each for each in server.list_events("wrong_login") if each["address"].startswith("127.0.0.3:")]

        # A thread writes the log: the answer to a user does not wait for it.
        await drill.until(lambda: len(list_wrong()) >= 5, "not all of 5 wrong log-ins come into the log")
        expect_held(len(list_wrong()) == 5, f"{len(list_wrong())} of 5 wrong log-ins are in the log")
    await server.stop()
    written = len(server.list_events("refusal"))
    counted = sum(each["count"] for each in server.list_events("suppressed") if each["kind"] == "refusal")
    expect_held(written + counted == refusals, f"{written} lines and {counted} counted are not {refusals} refusals")
    return f"{refusals} refusals of one address: {written} lines and {counted} in summaries; 5 of 5 wrong log-ins"


async def believe_proxies(drill: Drill) -> str:
    """Point 11."""
    trusting = await drill.start(drill.make_folder("proxied"), top='proxies = ["127.0.0.2"]\nplain_text = true\n')
    text = b"PROXY TCP4 203.0.113.9 192.0.2.1 50412 5757\r\n"
    names = bytes([203, 0, 113, 9, 192, 0, 2, 1]) + struct.pack("!HH", 50412, 5757)
    binary = b"\r\n\r\n\x00\r\nQUIT\n" + struct.pack("!BBH", 0x21, 0x11, len(names)) + names
    for header in (text, binary):
        async with ProxiedClient(trusting.port, "127.0.0.2", header) as user:
            await user.hello("Anna")
            listed = await drill.run_well("users", "--json", "--data", trusting.data)
            [found] = json.loads(listed.out)["users"]
            expect_held(found["address"].startswith("203.0.113.9"), f"the user's address is {found['address']}")
    for source, header in (("127.0.0.3", text), ("127.0.0.2", b"")):
        async with ProxiedClient(trusting.port, source, header) as user:
            try:
                await user.hello("Anna")
            except (Refusal, asyncio.CancelledError):
                continue
            expect_held(held=False, sentence=f"{source} with the header {header!r} is not refused")
    return "v1 and v2 of a trusted proxy name the user; a stranger's header, and a proxy without one, are refused"


class ProxiedClient(RpcClient):
    """A client whose connection begins with the header of a proxy."""

    def __init__(self, port: int, source: str, header: bytes) -> None:
        super().__init__(port, source)
        self._header = header

    async def __aenter__(self) -> "ProxiedClient":
        await super().__aenter__()
        self._writer.write(self._header)
        return self


async def restart_under_play(drill: Drill) -> str:
    """Point 12."""
    players, restarts, sessions = (200, 20, 40) if drill.whole else (4, 2, 2)
    found = await measure_restarts(Load(players, restarts, rest=3.0 if drill.whole else 0.5, pause=0.4), sessions)
    lost, refused = sum(each.lost for each in found.played), sum(len(each.refused) for each in found.played)
    expect_held(not (lost or refused or found.closed or found.silent), describe_restarts(found))
    if drill.whole:
        for in_place in (False, True):
            waits = list_waits(found, in_place=in_place)
            expect_held(waits[-1] <= 1.0 and median(waits) <= 0.3, f"in place {in_place}: {describe_restarts(found)}")
    return describe_restarts(found)


def describe_restarts(found: Noticed) -> str:
    """Say what players have noticed."""
    waits = sorted([*list_waits(found, in_place=False), *list_waits(found, in_place=True)]) or [0.0]
    moves, lost = sum(len(each.waits) for each in found.played), sum(each.lost for each in found.played)
    refused = sum(len(each.refused) for each in found.played)
    return (
        f"{len(found.restarts)} restarts, {moves} moves, {lost} lost, {refused} refused, {found.closed} sessions of "
        f"doors closed, {found.silent} silent; waits {median(waits):.2f} s median, {waits[-1]:.2f} s at most"
    )


POINTS = (
    Point(1, "a settings file is made and correct", begin_with_a_file, ("tests/documentation/test_shell_blocks.py",)),
    Point(2, "all faults of settings are named at once", name_all_faults, ("tests/server/settings/test_agreement.py",)),
    Point(3, "each value says where it comes from", show_origins, ("tests/server/settings/test_sources.py",)),
    Point(4, "a reload changes limits and loses nobody", reload_by_signal, ("tests/server/test_signals.py",)),
    Point(5, "a service manager is notified of changes", notify_the_manager, ("tests/packaging/test_systemd.py",)),
    Point(
        6,
        "metrics count what happens, in few series",
        count_events,
        ("tests/server/observation/test_metrics.py", "tests/server/observation/test_monitoring_files.py"),
    ),
    Point(7, "health and readiness are reported", answer_for_health, ("tests/server/observation/test_health.py",)),
    Point(8, "status and doctor say how it is", say_how_it_is, ("tests/server/doctor/test_doctor.py",)),
    Point(10, "no flood hides anything in the log", log_through_a_flood, ("tests/runtime/test_events.py",)),
    Point(11, "proxies name their users", believe_proxies, ("tests/server/net/test_proxied.py",)),
    Point(12, "nobody notices a restart", restart_under_play, ("tests/server/test_restarts.py",)),
)
