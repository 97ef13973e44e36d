"""An evening: who comes, how they sit together, what fails, and what all of them have seen."""

import asyncio
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

from scoville_client.transport.address import Address
from scoville_client.transport.known_servers import KnownServers
from scoville_runtime.clock import SYSTEM
from tests.e2e.cluster.__main__ import NODES, Cluster, Faults, run_cluster
from tests.e2e.cluster.load import describe_settings
from tests.e2e.evening.absences import Absentee, Reminders
from tests.e2e.evening.checker import Export, Found, check_evening
from tests.e2e.evening.members import (
    ClientUser,
    LinesUser,
    Member,
    PageUser,
    SshUser,
    has_ssh,
    name_nodes,
    start_door,
    write_key,
)
from tests.e2e.evening.programs import Pace, Program
from tests.e2e.evening.story import Story
from tests.e2e.kill.players import SHORT
from tests.support.warm_start import SERVER

FAULTS: Final = ("kill", "stop", "pause", "cut", "leader", "follower", "machine")
LANGUAGES: Final = ("en", "de")
SEATS: Final = 3
_DOOR_EVERY: Final = 5
"""At each fifth table somebody has come by a door, and at another one with the client."""
_SAME_NAME_EVERY: Final = 9
_CLAIM_EVERY: Final = 12
_ABSENTEES: Final = 3
"""Users beside those who play, who come and go; each has a friend who invites them."""
_END_SECONDS: Final = 180.0
"""Seconds in which games must end once nobody thinks any more."""


class Evening(NamedTuple):
    """What an evening was like."""

    stories: Sequence[Story]
    faults: Sequence[str]
    games: int
    moves: int
    found: Sequence[Found]


class Circle:
    """Users who play together, game after game. The first one has a program, and opens the tables."""

    def __init__(self, host: Program, others: Sequence[Member], chance: random.Random, report: list[str]) -> None:
        self.host, self.others = host, others
        self._chance, self._report = chance, report
        self._has_played = False
        self.doing = ""

    async def play_until(self, is_over: Callable[[], bool]) -> None:
        """Play until the evening is over."""
        while not is_over():
            await self._play_game()

    async def _play_game(self) -> None:
        everybody: list[Member] = [self.host, *self.others]
        has_programs = all(isinstance(each, Program) for each in everybody)
        self.doing = "opening a table"
        if has_programs and self._has_played:
            opened = await asyncio.gather(*(each.reopen_table() for each in everybody if isinstance(each, Program)))
            if len({info["table"] for info in opened}) > 1:
                self._report.append(f"one rematch is {[info['table'] for info in opened]}")
        else:
            # Keys that are pressed without looking play this game alone.
            at_doors = any(each.story.way in ("ssh", "web", "lines") for each in everybody)
            game = "no_thanks" if at_doors else self._chance.choice([*SHORT])
            opened = [await self.host.open_table(game, SEATS, SHORT[game])]
        table, code = opened[0]["table"], opened[0]["code"]
        self._has_played = True
        for each in everybody:
            self.doing = f"{each.story.user} ({each.story.way}) comes to {table}"
            await each.enter_table(table, code)
        self.doing = f"starting {table}"
        await self.host.start_game()
        self.doing = f"playing at {table}"
        await self.host.end_game()
        self.doing = f"ending {table}"
        await asyncio.gather(*(each.end_game() for each in self.others))


class _Guests:
    """Makes the users of an evening."""

    def __init__(self, cluster: Cluster, folder: Path, seed: int, pace: Pace) -> None:
        self._cluster, self._folder, self._seed, self._pace = cluster, folder, seed, pace
        self._known = KnownServers(folder / "known_servers")
        self._count = 0
        self.ssh = self.web = 0

    async def open_doors(self, stack: AsyncExitStack) -> None:
        """Start both doors."""
        cluster, folder = self._cluster, self._folder
        said = "\n".join(cluster.nodes[0].lines)
        pin = re.search(r" pin=(\S+)", said)
        assert pin is not None, said
        server = name_nodes(cluster.hosts, cluster.ports, pin[1])
        credential = ("--credential", str(cluster.data_of(0) / "door.credential"))
        self.ssh = await start_door(stack, folder, "ssh", server, *credential, "--host-key", str(folder / "host_key"))
        self.web = await start_door(stack, folder, "web", server, *credential, "--state", str(folder / "web"))

    async def make_member(self, way: str) -> Member:
        """Make the next user, who comes in one of the ways."""
        number, self._count = self._count, self._count + 1
        chance, language = random.Random(f"{self._seed}/{number}"), LANGUAGES[number % 2]
        name = "Anna" if number % _SAME_NAME_EVERY == 0 else f"User {number}"
        if way == "program":
            return self._make_program(number, name, chance, language)
        if way == "client":
            port = chance.choice(self._cluster.ports)
            return ClientUser(name, Address(self._cluster.hosts[0], port), self._known, self._pace, chance)
        if way == "web":
            return PageUser(f"Page {number}", language, self._pace, chance, self.web)
        key = await write_key(self._folder / f"key{number}")
        kind = SshUser if way == "ssh" else LinesUser
        return kind(f"{way} {number}", language, self._pace, chance, self.ssh, key, self._folder)

    def make_absentee(self) -> tuple[Absentee, Program]:
        """Make a user who comes and goes, and the friend who invites them."""
        number, self._count = self._count, self._count + 2
        friend = self._make_program(number, f"Friend {number}", random.Random(f"{self._seed}/{number}"), "")
        chance = random.Random(f"{self._seed}/{number + 1}")
        give = Reminders(self._cluster, friend, chance).give_something
        return Absentee(
            f"Absentee {number}", f"127.9.7.{1 + number % 250}", self._cluster, self._pace, chance, give
        ), friend

    def _make_program(self, number: int, name: str, chance: random.Random, language: str) -> Program:
        source = f"127.{2 + number // 250}.7.{1 + number % 250}"
        sentences = language if number % 4 < 2 else ""
        return Program(name, source, self._cluster.ports, self._pace, chance, sentences)


def plan_ways(users: int) -> list[tuple[str, ...]]:
    """Say by which ways the users of each table come, beside its first one, who has a program."""
    doors = ("ssh", "web", "lines") if has_ssh() else ("web",)
    ways = list[tuple[str, ...]]()
    for circle in range(users // SEATS):
        door = (doors[circle // _DOOR_EVERY % len(doors)], "program", "client")[min(circle % _DOOR_EVERY, 2)]
        second = ("client", "web", "program")[circle % SEATS] if circle % _DOOR_EVERY == 0 else "program"
        ways.append((door if circle % _DOOR_EVERY < 3 else "program", second))
    return ways


async def spend_evening(users: int, minutes: float, every: float, seed: int, folder: Path, think: float) -> Evening:
    """Let users play at a cluster, let something fail again and again, and check what everybody has seen.

    Args:
        users: How many.
        minutes: How long.
        every: Seconds from one fault to the next.
        seed: Of what fails, and of what users draw.
        folder: For keys, logs and the export.
        think: Mean seconds before a move.
    """
    chance, pace = random.Random(seed), Pace(think)
    victims = [0]
    lines = [*describe_settings(), "[limits]", "per_user = 100", "per_address = 1_000"]
    printed = list[str]()

    def show(name: str, line: str) -> None:
        printed.append(f"{name}: {line}")

    running = run_cluster(lines, choose_node=lambda: victims[-1], options=["--doors"], show=show)
    async with AsyncExitStack() as stack:
        cluster, faults, _ = await stack.enter_async_context(running)
        guests = _Guests(cluster, folder, seed, pace)
        await guests.open_doors(stack)
        report = list[str]()
        circles = [await _make_circle(guests, ways, chance, report) for ways in plan_ways(users)]
        pairs = [guests.make_absentee() for _ in range(_ABSENTEES)]
        absentees = [absentee for absentee, _ in pairs]
        members = [each for circle in circles for each in (circle.host, *circle.others)]
        members += [each for pair in pairs for each in pair]
        for each in members:
            if isinstance(each, Program):
                each.start()
        lives = [asyncio.create_task(circle.play_until(lambda: pace.hurries)) for circle in circles]
        claims = [asyncio.create_task(_claim_later(each, n)) for n, each in enumerate(members) if n % _CLAIM_EVERY == 0]
        happened, began = list[str](), SYSTEM.seconds()
        while SYSTEM.seconds() < began + 60 * minutes and not report:
            until = min(SYSTEM.seconds() + every, began + 60 * minutes)
            victims.append(chance.randrange(NODES))
            happened += await _let_fail(faults, chance.choice(FAULTS), report)
            print(f"{SYSTEM.seconds() - began:.0f} s: {happened[-1:]} of node{victims[-1]}", file=sys.stderr)
            await SYSTEM.sleep(max(0.0, until - SYSTEM.seconds()))
            report += _list_failed(circles, lives)
        pace.hurries = True
        await asyncio.wait(lives, timeout=_END_SECONDS)
        report += _list_failed(circles, lives)
        for circle, life in zip(circles, lives, strict=True):
            if not life.done():
                report.append(f"does not end: {circle.doing}, {circle.host.seats}, event {circle.host._seq}")
                life.cancel()
        for claim in claims:
            claim.cancel()
        await asyncio.gather(*lives, *claims, return_exceptions=True)
        report += await _await_absentees(absentees)
        await _end_all_users(members)
        stories = [each.story for each in members]
        export = Export(await _export_cluster(cluster, folder / "export"))
        found = [*(Found("users", text) for text in dict.fromkeys(report)), *check_evening(stories, export)]
        found += [Found("servers", line) for line in printed if "Traceback" in line or " error " in line]
        await asyncio.to_thread((folder / "nodes.log").write_text, "\n".join(printed), "utf-8")
        moves = sum(tried.outcome == "ok" for story in stories for tried in story.moves)
        return Evening(stories, happened, len(export.games), moves, found)


async def _let_fail(faults: Faults, how: str, report: list[str]) -> list[str]:
    """Let something fail; if that itself fails, what users have seen until then is checked all the same."""
    try:
        await faults.fail(how)
    except Exception as error:  # noqa: BLE001 - a busy machine answers late in many ways
        report.append(f"the fault {how} itself has failed: {error!r}")
        return []
    return [how]


def _list_failed(circles: Sequence[Circle], lives: Sequence[asyncio.Task[None]]) -> list[str]:
    """List the circles that play no more, since something was not as their users expect."""
    failed = [(circle, life.exception()) for circle, life in zip(circles, lives, strict=True) if life.done()]
    return [f"{circle.doing}: {error!r}" for circle, error in failed if error is not None]


async def _make_circle(guests: _Guests, ways: Sequence[str], chance: random.Random, report: list[str]) -> Circle:
    host = await guests.make_member("program")
    assert isinstance(host, Program)
    return Circle(host, [await guests.make_member(way) for way in ways], random.Random(chance.random()), report)


async def _await_absentees(absentees: Sequence[Absentee]) -> list[str]:
    """Wait until those who come and go have stayed; returns who has not."""
    stays = [asyncio.create_task(each.has_stayed.wait()) for each in absentees]
    await asyncio.wait(stays, timeout=_END_SECONDS)
    for stay in stays:
        stay.cancel()
    return [f"{each.story.user} cannot stay" for each in absentees if not each.has_stayed.is_set()]


async def _claim_later(member: Member, number: int) -> None:
    if isinstance(member, Program):
        await SYSTEM.sleep(5 + number / 10)
        await member.claim_name()


async def _end_all_users(members: Sequence[Member]) -> None:
    programs = [each for each in members if isinstance(each, Program)]
    await asyncio.wait([asyncio.create_task(each.read_lobby()) for each in programs[:3]], timeout=30)
    for each in members:
        await each.end_connection()
        if isinstance(each, PageUser):
            await each.close_shared()


async def _export_cluster(cluster: Cluster, target: Path) -> Path:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVER, "export", str(target), "--config", str(cluster.folder / "node0.toml")),
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert await process.wait() == 0, "the cluster cannot be exported"
    return target


def describe_evening(evening: Evening) -> list[str]:
    """Describe an evening in some lines."""
    ways = Counter(story.way for story in evening.stories)
    waits = sorted(wait for story in evening.stories for wait in story.waits) or [0.0]
    said = sum(len(story.said) for story in evening.stories)
    counts = Counter(found.promise for found in evening.found)
    waited = (
        f"{waits[len(waits) // 2]:.2f} s in the median, {waits[int(len(waits) * 0.99)]:.2f} s at the 99th percentile"
    )
    lines = [
        f"{len(evening.stories)} users: {', '.join(f'{count} {way}' for way, count in ways.most_common())}",
        f"{len(evening.faults)} faults: {', '.join(f'{n} {how}' for how, n in Counter(evening.faults).most_common())}",
        f"{evening.games} games, {evening.moves} acknowledged moves, {said} messages",
        f"moves waited {waited}, {waits[-1]:.1f} s at most",
    ]
    lines += [f"violated: {promise}, {count} times" for promise, count in counts.items()]
    lines += [f"  {found.promise}: {found.text[:1500]}" for found in evening.found[:40]]
    return lines if evening.found else [*lines, "nothing lost, doubled, shown to others or left behind"]


def to_plain(evening: Evening) -> Any:
    """Return the stories as they are written to a file."""
    return [*evening.stories]
