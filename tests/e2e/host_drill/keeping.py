"""Points 9 and 13 to 20: maintenance, backups, packaging, the community, personal data, documents and the log."""

import asyncio
import json
import os
import random
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL
from pathlib import Path

from scoville_runtime.clock import SYSTEM
from tests.e2e.host_drill.drill import (
    CannotRunError,
    Drill,
    Point,
    RunningServer,
    expect_held,
    run_program,
)
from tests.e2e.restarts.players import play_until
from tests.support.rpc import Refusal, RpcClient
from tests.support.tree import ROOT

SERVICE_USER = 10_001
NOBODY = 65_534
DAY_SECONDS = 86_400
PASSWORD = "correct horse battery staple"
CHEAP_PASSWORDS = "[accounts.hashing]\nmemory_kib = 8\n"
MOTD = {"en": "Tonight at eight", "de": "Heute um acht", "fr": "Ce soir à vingt heures"}

AS_SERVICE = f"""
import encodings.ascii, encodings.idna, importlib.readers, multiprocessing, os, pkgutil, pwd, sqlite3, sqlite3.dump
import tempfile, zipfile
for package in ("scoville_shared", "scoville_runtime", "scoville_server"):
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        importlib.import_module(found.name)
os.setgroups([])
os.setgid({SERVICE_USER})
os.setuid({SERVICE_USER})
"""
"""Runs before a server: it becomes the service's user, who perhaps may not read this installation."""

AS_NOBODY = """
import os, socket
os.setgroups([])
os.setgid({user})
os.setuid({user})
line = socket.socket(socket.AF_UNIX)
line.connect({path!r})
line.sendall({asked!r})
print(line.recv(4096).decode())
"""
"""Asks a control socket as another user of the machine."""

SHIFTED = """
import time
from pathlib import Path
import scoville_runtime.clock as clock
ahead = lambda: float(Path({file!r}).read_text() or 0)
clock.SYSTEM.seconds = lambda: time.monotonic() + ahead()
clock.SYSTEM.date_ms = lambda: int((time.time() + ahead()) * 1000)
import scoville_server.background.tasks as tasks
tasks.HOUR_SECONDS = 0.5
"""
"""Runs before a server whose clock is ahead by the seconds in a file, and whose hour takes half a second."""


async def maintain_as_root(drill: Drill) -> str:
    """Point 9."""
    if os.geteuid() != 0:
        raise CannotRunError("only root can do what a host does as root")
    drill.folder.chmod(0o755)
    folder = drill.make_folder("owned")
    os.chown(folder, SERVICE_USER, SERVICE_USER)
    server = await _start_as_service(drill, folder)
    async with RpcClient(server.port) as client:
        await client.hello("Anna")
        await client.call("account.claim_name", password=PASSWORD)
    await server.stop()
    data = ("--data", folder / "data")
    commands: tuple[tuple[object, ...], ...] = (
        ("backup", folder / "backup", *data),
        ("rotate-key", *data),
        ("recover", "Anna", *data),
        ("reset-clock", *data),
        ("restore", folder / "backup", "--force", *data),
        ("doctor", "--fix", "--config", folder / "server.toml"),
    )
    shown = commands if drill.whole else (commands[0], commands[1], commands[4])
    for command in shown:
        for _ in range(2 if drill.whole else 1):
            ran = await drill.run(*command)
            again = command[0] == "backup" and ran.status == 1  # the folder is not empty any more
            expect_held(ran.status == 0 or again or command[0] == "doctor", f"{command[0]} as root: {ran.err}")
            await (await _start_as_service(drill, folder)).stop()
    return f"{len(shown)} commands as root, and after each a start as user {SERVICE_USER}"


async def _start_as_service(drill: Drill, folder: Path) -> RunningServer:
    """Start a server as its own user; what root wrote before must not prevent that."""
    for name in ("server.toml", "server.log"):
        (folder / name).touch()
        os.chown(folder / name, SERVICE_USER, SERVICE_USER)
    return await drill.start(folder, tables=CHEAP_PASSWORDS, code=AS_SERVICE + drill.code)


async def keep_backups(drill: Drill) -> str:
    """Point 13."""
    server = await drill.start(drill.make_folder("kept"))
    games = server.data / "games"
    await finish_games(server, 3)
    series, config = drill.folder / "backups", server.data.parent / "server.toml"
    for _ in range(3):
        await drill.run_well("backup", series, "--keep", 2, "--config", config)
    kept = sorted(each for each in series.iterdir() if each.is_dir())
    expect_held(len(kept) == 2, f"--keep 2 keeps {len(kept)}")
    shared = [file for file in (kept[-1] / "games").rglob("*") if file.is_file() and file.stat().st_nlink > 1]
    expect_held(shared, "unchanged games take space again")
    await drill.run_well("verify-backup", kept[-1])
    flips, chance = (100 if drill.whole else 3), random.Random(23)
    files = sorted(file for file in kept[-1].rglob("*") if file.is_file() and file.stat().st_size)
    found = 0
    for _ in range(flips):
        file = chance.choice(files)
        good = file.read_bytes()
        bad = bytearray(good)
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        file.write_bytes(bad)
        found += (await drill.run("verify-backup", kept[-1])).status != 0
        file.write_bytes(good)
    expect_held(found == flips, f"{found} of {flips} flipped bits are found")
    half = drill.make_folder("half")
    for name in ("server.key", "CURRENT"):
        if (server.data / name).exists():
            shutil.copy(server.data / name, half)
    for path in server.data.rglob("journal.sqlite3"):
        (half / path.relative_to(server.data)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, half / path.relative_to(server.data))
    copied = await drill.run("doctor", "--data", half)
    started = await drill.run("backup", drill.folder / "of_half", "--data", half)
    expect_held(copied.status or started.status, f"a journal without its log passes: {copied.out} {started.out}")
    await drill.run_well("restore", kept[-1], "--data", drill.folder / "restored")
    await server.stop()
    count = sum(file.is_file() for file in games.rglob("*"))
    return (
        f"{count} files of games, 2 of 3 backups kept, with links, {found} of {flips} flipped bits found, half a copy "
        "is named"
    )


async def finish_games(server: RunningServer, games: int) -> None:
    """Let players play until some games are kept."""
    folder = server.data / "games"
    begun = SYSTEM.seconds()

    def is_over() -> bool:
        kept = sum(path.is_file() for path in folder.rglob("*")) if folder.exists() else 0
        return kept >= games or SYSTEM.seconds() - begun > 120

    await asyncio.gather(*(play_until(server.port, f"Player {n}", is_over, 0.0) for n in range(3)))
    expect_held(SYSTEM.seconds() - begun <= 120, "no games are kept")


async def act_on_a_server(drill: Drill) -> str:
    """Point 16."""
    server = await drill.start(drill.make_folder("controlled"))
    data = ("--data", server.data)
    async with RpcClient(server.port) as anna, RpcClient(server.port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        await anna.call("table.create", game="no_thanks", seat_count=3)
        for listed, name in (("users", "Anna"), ("tables", "no_thanks")):
            expect_held(name in (await drill.run_well(listed, *data)).out, f"{listed} does not list {name}")
        await drill.run_well("reports", *data)
        acts: tuple[tuple[object, ...], ...] = (
            ("announce", "The tournament begins."),
            ("warn", "Anna"),
            ("kick", "Ben"),
            ("ban", "192.0.2.0/24", "--for", "1h"),
            ("maintenance", "on"),
            ("maintenance", "off"),
            ("drain", "--in", "10m"),
            ("drain", "--cancel"),
        )
        for act in acts:
            given = () if act[0] == "announce" else ("--reason", "a drill")
            await drill.run_well(*act, *data, *given)
        await drill.until(ben.closed.is_set, "a kicked user stays")
        heard = [params for method, params in anna.notices if "tournament" in str(params)]
        expect_held(heard, "nobody hears the announcement")
        await anna.call("ping")
    entries = json.loads((await drill.run_well("audit", "--json", *data)).out)["entries"]
    expect_held(len(entries) == len(acts), f"{len(acts)} acts are {len(entries)} lines of the audit log")
    uid = f"(uid {os.getuid()}, control socket)"
    expect_held(all(uid in entry["by"] for entry in entries), f"not {uid}: {entries}")
    expect_held(all(entry["reason"] == "a drill" for entry in entries[1:]), f"not all reasons: {entries}")
    said = f"{len(acts)} acts, each in the audit log with {uid}"
    if os.geteuid() != 0:
        return said
    asked = json.dumps({"command": "users", "arguments": {}}).encode() + b"\n"
    knock = AS_NOBODY.format(user=NOBODY, path=str(server.data / "control.sock"), asked=asked)
    server.data.chmod(0o755)  # the folder is not what keeps them out
    drill.folder.chmod(0o755)
    server.data.parent.chmod(0o755)
    stranger = await run_program(sys.executable, "-c", knock, environment={})
    expect_held(
        stranger.status != 0 and "PermissionError" in stranger.err, f"another user gets an answer: {stranger.out}"
    )
    return said + "; another user of the machine is refused"


async def greet_in_three_languages(drill: Drill) -> str:
    """Point 17."""
    lines = [f'{"motd" if language == "en" else "motd_" + language} = "{text}"' for language, text in MOTD.items()]
    lines[-1] = lines[-1].removesuffix('"') + '\\u001b[31mrouge"'
    server = await drill.start(drill.make_folder("greeting"), tables="[community]\n" + "\n".join(lines) + "\n")
    for language, text in MOTD.items():
        said = await drill.say_in_lines(server, "motd\nquit\n", language)
        expect_held(text in said, f"the message in {language} is not shown: {said[-400:]}")
        expect_held("\x1b[31m" not in said, "a message of the day escapes")
    file = server.data.parent / "server.toml"
    file.write_text(file.read_text().replace(MOTD["en"], "Tomorrow at nine"))
    server.signal(signal.SIGHUP)
    await drill.until(
        lambda: any("Changed: community.motd" in line for line in server.printed), "no reload of the message"
    )
    expect_held("Tomorrow at nine" in await drill.say_in_lines(server, "motd\nquit\n"), "the former message is shown")
    return "the message of the day in three languages, changed by a reload, with a sequence of a terminal in it"


async def forget_a_user(drill: Drill) -> str:
    """Point 18, data of a user."""
    server = await drill.start(drill.make_folder("forgetting"), tables=CHEAP_PASSWORDS)
    name = "Quetzalcoatlina"
    async with RpcClient(server.port) as client:
        await client.hello(name)
        await client.call("account.claim_name", password=PASSWORD)
        exported = await client.call("account.export")
        expect_held(name in str(exported), "the export lacks the name")
        await drill.until(lambda: bool(find_word(name, server.data)), "a name is not saved")
        before = len(find_word(name, server.data))
        await client.call("account.confirm", password=PASSWORD)
        await client.call("account.delete")
    await drill.until(lambda: len(find_word(name, server.data)) <= 1, "the name stays in several files")
    backup = drill.folder / "after"
    await drill.run_well("backup", backup, "--data", server.data)
    kept = [*find_word(name, server.data), *find_word(name, backup)]
    expect_held(all("journal" in path for path in kept), f"the name is in {kept}")
    times = count_word(name, backup)
    expect_held(times <= 1, f"the next backup has the name {times} times, not once as a retired name")
    return f"export of {len(exported)} fields; the name was in {before} files, and is retired for 30 days, nothing else"


async def forget_old_data(drill: Drill) -> str:
    """Point 18, retention."""
    folder, ahead = drill.make_folder("old"), drill.folder / "ahead"
    ahead.write_text("0")
    days = "[retention]\naudit_days = 7\nchat_days = 7\nreport_days = 7\n"
    server = await drill.start(folder, tables=days, code=SHIFTED.format(file=str(ahead)) + drill.code)
    word = "Wurzelbehandlung"
    data = ("--data", server.data)
    async with RpcClient(server.port) as anna, RpcClient(server.port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        await anna.call("chat.say", text=word)
        await anna.call("player.report", name="Ben", text=word)
        await drill.run_well("announce", word, *data)
        await drill.run_well("announce", "The newest entry always stays.", *data)
    ahead.write_text(str(5 * DAY_SECONDS))
    for _ in range(3):  # each look takes longer than the server's hour
        expect_held(await count_old(drill, server, word) == 3, "something is deleted before its time")
    ahead.write_text(str(11 * DAY_SECONDS))
    await drill.until_asked(lambda: count_old(drill, server, word), 0, "after eleven days there is still something")
    return "message, report and entry are there after five days, and gone after eleven of a clock that runs ahead"


async def count_old(drill: Drill, server: RunningServer, word: str) -> int:
    """Count the message, the report and the entry that are still listed."""
    data = ("--data", server.data)
    async with RpcClient(server.port) as client:
        await client.hello("Cleo")
        history = await client.call("chat.read")
    listed = [str(history), (await drill.run_well("reports", *data)).out, (await drill.run_well("audit", *data)).out]
    return sum(word in text for text in listed)


async def forget_user(drill: Drill) -> str:
    """Point 18."""
    return f"{await forget_a_user(drill)}; {await forget_old_data(drill)}"


def find_word(word: str, folder: Path) -> list[str]:
    """List the files in a folder that have a word in them."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def count_word(word: str, folder: Path) -> int:
    """Count how often a word is in the files of a folder."""
    return sum(path.read_bytes().count(word.encode()) for path in folder.rglob("*") if path.is_file())


async def build_documents(drill: Drill) -> str:
    """Point 19."""
    helped = await drill.run_well("--help")
    expect_held("check-config" in helped.out and "backup" in helped.out, "the help lacks commands")
    if not drill.whole:
        return "the help lists the commands"
    built = await run_program(str(ROOT / "scripts" / "site"), environment={})
    expect_held(built.status == 0, f"the site does not build: {built.err[-500:]}")
    return "the site builds without a warning"


async def write_little(drill: Drill) -> str:
    """Point 20."""
    folder, wanted = drill.make_folder("quiet"), 1_000 if drill.whole else 60
    server = await drill.start(folder, environment={"SCOVILLE_LOG__FORMAT": "text"})
    begun, moves, people = SYSTEM.seconds(), 0.0, 10

    def is_over() -> bool:
        return moves >= wanted or SYSTEM.seconds() - begun > 300

    playing = [asyncio.ensure_future(play_until(server.port, f"Player {n}", is_over, 0.0)) for n in range(people)]
    await drill.until(lambda: server.log.read_text().count(" hello ") == people, "the players do not come")
    before, played = server.log.stat().st_size, (await server.scrape()).sum_of("scoville_moves_total")
    written = 0
    while not is_over():
        await SYSTEM.sleep(0.2)
        written = server.log.stat().st_size - before  # first: no more than what these moves have written
        moves = (await server.scrape()).sum_of("scoville_moves_total") - played
    await asyncio.gather(*playing)
    per_thousand = written * 1000 / moves
    expect_held(not drill.whole or per_thousand <= 10_240, f"{written} bytes of log for {moves:g} moves")
    await server.stop()
    shaped = await drill.start(drill.make_folder("shaped"))
    async with RpcClient(shaped.port) as client:
        await client.hello("Anna")
    await shaped.stop()
    fields = {"time", "level", "program", "process", "event"}
    expect_held(len(shaped.list_events()) >= 5, "the log in JSON lacks events")
    expect_held(
        all(fields <= event.keys() for event in shaped.list_events()), "a line without the fields of every line"
    )
    settings = (folder / "server.toml").read_text().replace('format = "json"', 'format = "json"\nfile = "/dev/full"')
    (folder / "server.toml").write_text(settings)
    await play_with_closed_output(drill, folder, server.monitoring)
    return f"{written} bytes for {moves:g} moves; a full log disk and closed output change nothing"


async def play_with_closed_output(drill: Drill, folder: Path, monitoring: int) -> None:
    """Run a server whose log is on a full disk and whose output nobody reads, and connect to it."""
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", drill.code, "--config", str(folder / "server.toml")),
        stdin=DEVNULL,
        stdout=writing,
        stderr=writing,
    )
    os.close(writing)
    os.close(reading)
    server = RunningServer(process, folder / "data", folder / "server.log", monitoring)
    try:
        ready = False
        begun = SYSTEM.seconds()
        while not ready:
            expect_held(process.returncode is None, "a server without a log ends")
            expect_held(SYSTEM.seconds() - begun < 60, "a server without a log does not start")
            ready = await server.ask_health("/readyz") == 200
        shown = json.loads((await drill.run_well("status", "--json", "--data", server.data)).out)
        async with RpcClient(shown["port"]) as client:
            await client.hello("Anna")
            try:
                await client.call("table.join", table="none")
            except Refusal:
                await client.call("ping")
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        expect_held(await process.wait() == 0, "a server without a log does not end with status 0")


POINTS = (
    Point(
        9,
        "maintenance as root leaves a folder usable",
        maintain_as_root,
        ("tests/server/doctor/test_root_maintenance.py",),
    ),
    Point(
        13,
        "backups are whole, and an upgrade has a way back",
        keep_backups,
        (
            "tests/server/journal/test_backup_series.py",
            "tests/server/journal/test_copies.py",
            "tests/documentation/test_rollback.py",
        ),
    ),
    Point(14, "the image runs as its user with a read-only root", None, ("tests/packaging/test_container.py",)),
    Point(15, "a renewed certificate is used at once", None, ("tests/client/doors/web/test_certificate.py",)),
    Point(16, "a host acts from a shell", act_on_a_server, ("tests/server/control",)),
    Point(17, "the host's words reach users", greet_in_three_languages, ("tests/server/moderation",)),
    Point(18, "personal data go", forget_user, ("tests/server/moderation/test_retention.py",)),
    Point(
        19,
        "documents and completions are true",
        build_documents,
        ("tests/packaging/test_man.py", "tests/documentation"),
    ),
    Point(20, "the log is small, and nothing needs it", write_little, ("tests/server/test_hostile_log_lines.py",)),
)
