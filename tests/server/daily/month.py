"""A month of daily deals in virtual time, over two servers that are killed in turn; longer ones than in the tests.

    python -m tests.server.daily.month [--days 31] [--months 3] [--seed 1]

At the end another computation, from what users were answered alone, must find the same streaks, percentages and deals.
"""

import argparse
import asyncio
import random
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from scoville_server.journal.base import JournalError
from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.replay import read_game, verify_game
from tests.server.daily.machine import DAY, HOUR, PASSWORD, Machine, begin, first_move, new_user, show
from tests.server.tournaments.host import CrashingJournal
from tests.support.idle import IdleLoop, wait_until_idle
from tests.support.server import Caller

START_MS: Final = 1_767_604_000_000
"""Monday 2026-01-05, before noon in UTC."""
_HOME: Final = "203.0.113.7:1"
"""The address of Anna, and of the second account with which she looks at the deals beforehand."""
_USERS: Final = {
    "Anna": _HOME,
    "Annas Spy": _HOME,
    "East": "198.51.100.1:1",
    "West": "198.51.100.2:1",
    "Twin One": "198.51.100.3:1",
    "Twin Two": "198.51.100.4:1",
    "Gaps": "198.51.100.5:1",
    "Leaver": "198.51.100.6:1",
    "Ghost": "198.51.100.7:1",
}
_PATIENCE: Final = 60
"""Seconds without a move after which the server counts as gone."""


class Month:
    """Days of some users, whose chances follow from a seed."""

    def __init__(self, days: int, seed: int) -> None:
        self.machine = Machine(START_MS)
        self._journal = CrashingJournal()
        self._journal.left = 1_000_000_000
        self.machine.journal = self._journal
        self._days = days
        self._chance = random.Random(f"month/{seed}")
        self._server: Server
        self.users: dict[str, Caller] = {}
        self.kills = 0
        self.games = 0
        self.level = 0
        """Pairs of games of one deal in which the players made the same moves."""
        self.seen: defaultdict[str, set[int]] = defaultdict(set)
        """The days on which each user has seen the end of their game."""
        self.begun: defaultdict[str, set[int]] = defaultdict(set)
        self.promised: dict[int, list[str]] = {}
        self._erased = False

    async def play(self) -> None:
        self._server = await self.machine.start()
        for name, address in _USERS.items():
            self.users[name] = await new_user(self._server, name, address=address)
        await self._wait_until(4.5)
        for number in range(self._days):
            await self._play_day(number)
        await self.machine.clock.elapse(2.2 * DAY)
        await check_month(self)
        await self._server.close()

    async def _play_day(self, number: int) -> None:
        shown = await show(self.users["East"])
        self.promised |= {each.day: [*each.commitments] for each in shown.upcoming}
        await self._check_spy()
        for name in ("East", "Twin One"):
            await self._play_as(name)
        await self._wait_until(10)
        if number:  # it is still yesterday for who flew west
            await self._play_as("West", shown.today - 1)
        await self._wait_until(16)
        await self._play_as("Anna")
        await self._play_as("Twin Two")
        if self._chance.random() < 0.8:
            await self._play_as("Gaps")
        await self._play_as("Leaver", most=self._chance.choice((0, 1, 2, 1_000)))
        if not self._erased:
            await self._play_as("Ghost")
        if not self._erased and number == self._days // 2:
            await self._erase_ghost()
        if self._chance.random() < 0.3:
            await self._jump_at_midnight(shown.today)
        await self._wait_until(4.5)

    async def _play_as(self, name: str, day: int | None = None, most: int = 1_000) -> None:
        """Let a user play a deal, at times over a kill."""
        if self._chance.random() < 0.25:
            self._journal.left = self._chance.randrange(40)
        for _ in range(3):
            is_done = False
            with suppress(JournalError):
                try:
                    is_done = await self._try_to_play(name, day, most)
                except ScovilleError as error:
                    is_done = error.code in (Code.DEAL_PLAYED, Code.DEAL_OVER)
            if self._journal.left < 1_000:
                await self._kill()
            if is_done:
                return
        raise AssertionError(f"{name} cannot play")

    async def _try_to_play(self, name: str, day: int | None, most: int) -> bool:
        """Play on; returns whether the user has done what they wanted."""
        caller = self.users[name]
        played = (await show(caller)).today if day is None else day
        self.begun[name].add(played)
        table = await begin(caller, played)
        made = 0
        choose = first_move if name.startswith("Twin") else random.Random(f"{name}/{played}").choice
        waited = 0
        while waited < _PATIENCE:
            await wait_until_idle()
            seen: m.TableSnapshot = await caller.call(m.PollRequest(table=table))
            if seen.info.status == "finished":
                self.seen[name].add(played)
                self.games += 1
                await caller.call(m.LeaveRequest(table=table))
                return True
            if seen.seat in seen.pending:
                if made == most:
                    caller.hang_up()
                    await self._connect(name)
                    return True
                moves: Sequence[Any] = (await caller.call(m.MovesRequest(table=table))).moves
                await caller.call(m.PlayRequest(table=table, move=choose(moves)))
                made, waited = made + 1, 0
            else:
                waited += 1
                await self.machine.clock.elapse(1)
        return False

    async def _kill(self) -> None:
        """Kill the server in the middle of what it writes; the other one takes over on the same journal."""
        self._journal.left = 0
        await self._server.close()
        self._journal.left = 1_000_000_000
        self._server = await self.machine.start()
        self.kills += 1
        for name in self.users:
            await self._connect(name)

    async def _connect(self, name: str) -> None:
        caller = self.users[name]
        assert caller.welcome is not None
        back = await Caller(self._server, _USERS[name]).hello(token=caller.welcome.token)
        self.users[name] = back

    async def _check_spy(self) -> None:
        """Let the second account play first: on rated days it must not get the deal of the first one."""
        await self._play_as("Annas Spy")
        mine, other = [(await show(self.users[name])).deals[0] for name in ("Anna", "Annas Spy")]
        assert mine.day == other.day
        if mine.deal_count > 1:
            assert mine.deal != other.deal, "a second account of the same network gets another deal"

    async def _erase_ghost(self) -> None:
        self._erased = True
        ghost = self.users.pop("Ghost")
        playing = [deal.table for deal in (await show(ghost)).deals if deal.table is not None]
        for table in playing:
            await ghost.call(m.LeaveRequest(table=table))
        await ghost.call(m.ConfirmRequest(password=PASSWORD))
        await ghost.call(m.DeleteAccountRequest())
        await self.machine.clock.elapse(60)

    async def _jump_at_midnight(self, today: int) -> None:
        """Set the machine's clock over the beginning of the next day, and back."""
        await self._wait_until(3.9)
        for hours in (0.2, -0.25, 0.05):
            self.machine.set_clock(hours)
            assert (await show(self.users["East"])).today in (today, today + 1)
        await self.machine.clock.elapse(0.3 * HOUR)

    async def _wait_until(self, hour: float) -> None:
        """Let the time pass until the next such hour of UTC."""
        ahead = (hour * HOUR - self.machine.date_ms / 1000) % DAY
        await self.machine.clock.elapse(ahead)


async def check_month(month: Month) -> None:
    """Compute everything again from the replies that users get at the end, and the documents."""
    last = (await show(month.users["East"])).today
    names = defaultdict(list)
    for name, caller in month.users.items():
        days = {*(await caller.call(m.ExportAccountRequest())).daily_days}
        assert month.seen[name] <= days <= month.begun[name], name
        shown = await show(caller)
        assert (shown.streak, shown.best_streak) == count_streak(days, min(month.promised) - 1, last), name
        for day in range(min(month.promised), last - 2):
            await month.machine.clock.elapse(60)  # nobody acts too fast
            reply = await caller.call(m.CompareDailyRequest(day=day))
            names[reply.daily_deal.deal].append(name)
            month.level += await check_results(caller, day, reply, month.promised[day])
    assert month.level > 0, "nobody played as another one did"


def count_streak(days: set[int], first: int, last: int) -> tuple[int, int]:
    """Count a streak as docs/playing.md says it: two days of each month are free."""
    streak = best = 0
    missed: defaultdict[str, int] = defaultdict(int)
    for day in range(first, last + 1):
        if day in days:
            streak += 1
            best = max(best, streak)
        elif streak and day < last - 1:  # the deals of today and yesterday are open
            month = datetime.fromtimestamp(day * DAY, UTC).strftime("%Y-%m")
            missed[month] += 1
            if missed[month] > 2:
                streak = 0
    return streak, best


async def check_results(caller: Caller, day: int, reply: m.CompareDailyReply, promised: list[str]) -> int:
    """Check the results of a deal, and that it was promised a day before; returns how many games were the same."""
    deal = reply.daily_deal
    assert deal.commitment in promised
    mine = [each for each in reply.results if each.you]
    others = [each for each in reply.results if not each.you]
    names = [each.name for each in others if each.name is not None]
    assert len(names) == len({*names}), "nobody has two results"
    if deal.state != "finished":
        assert not mine
        return 0
    assert len(mine) == 1
    if others:
        worse = [rank_of(each, deal.your_seat) > rank_of(mine[0], deal.your_seat) for each in others]
        level = [rank_of(each, deal.your_seat) == rank_of(mine[0], deal.your_seat) for each in others]
        assert deal.percentile == round(100 * (sum(worse) + sum(level) / 2) / len(others))
    return await check_games(caller, day, reply.results, deal)


async def check_games(caller: Caller, day: int, results: Sequence[m.DailyResult], deal: m.DailyDeal) -> int:
    """Check that games part where the traveller says, and that equal plays met equal answers; returns how many did."""
    games: list[list[list[Any]]] = []
    for result in results:
        exported = read_game((await caller.call(m.ExportDailyRequest(day=day, result=result.id))).lines)
        assert verify_game(exported).verified, "the revealed seed gives the cards of the game"
        seats = range(len(deal.levels))
        games.append([[move.move for move in exported.moves if move.seat == seat] for seat in seats])
    level = 0
    for game, result in zip(games[1:], results[1:], strict=True):
        mine, theirs = games[0][deal.your_seat], game[deal.your_seat]
        if mine == theirs:
            assert game == games[0]
            assert (result.same_move_count, result.scores) == (None, results[0].scores)
            level += 1
        else:
            pairs = enumerate(zip(mine, theirs, strict=False))
            same = next((n for n, (one, other) in pairs if one != other), min(len(mine), len(theirs)))
            assert result.same_move_count == same
    return level


def rank_of(result: m.DailyResult, seat: int) -> tuple[int, int]:
    """Return the place, then the points, of which the places tell whether fewer are better."""
    pairs = [(s, o) for s in range(len(result.scores)) for o in range(s)]
    fewer = sum((result.scores[s] - result.scores[o]) * (result.places[s] - result.places[o]) for s, o in pairs)
    return result.places[seat], result.scores[seat] if fewer > 0 else -result.scores[seat]


def main() -> None:
    parser = argparse.ArgumentParser(description="Play months of daily deals in virtual time.")
    parser.add_argument("--days", type=int, default=31)
    parser.add_argument("--months", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for seed in range(arguments.seed, arguments.seed + arguments.months):
        month = Month(arguments.days, seed)
        with asyncio.Runner(loop_factory=IdleLoop) as runner:
            runner.run(month.play())
        said = f"{month.games} games, {month.level} pairs alike, {month.kills} kills"
        print(f"seed {seed}: {said}; all follows from the replies", flush=True)


if __name__ == "__main__":
    main()
