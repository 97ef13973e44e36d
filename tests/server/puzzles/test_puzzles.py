"""Puzzles of a server: one each day, attempts once whatever happens, ratings, and no answer before the attempt."""

import asyncio
from collections.abc import Awaitable, Iterator, Sequence

import msgspec
import pytest

from scoville_server.journal.base import Change, JournalError
from scoville_server.puzzles.model import PuzzleDay, choose_daily, is_kept_back
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.puzzles.pool import Pool, list_pools
from tests.server.daily.machine import DAY, PASSWORD, Machine, come_back, new_user
from tests.shared.puzzles.samples import sample_pool, with_pools
from tests.support.server import Caller, core_of

MONDAY = 1_759_752_000_000
RATINGS = tuple(range(1_000, 2_000, 40))


@pytest.fixture(autouse=True)
def pools() -> Iterator[tuple[Pool, ...]]:
    made = sample_pool("chilli_chase", *RATINGS), sample_pool("no_thanks", *RATINGS)
    with with_pools(*made):
        yield made


async def pose(caller: Caller, *, daily: bool = False, game: str | None = None) -> m.PosePuzzleReply:
    reply: m.PosePuzzleReply = await caller.call(m.PosePuzzleRequest(daily=daily, game=game))
    return reply


async def attempt(caller: Caller, posed: m.PuzzleInfo | None, *, right: bool) -> m.PuzzleAnswer:
    """Attempt a puzzle of these pools, whose best move is the first legal one."""
    assert posed is not None
    pool = next(each for each in list_pools() if each.game == posed.game)
    puzzle = pool.find_puzzle(posed.id)
    assert puzzle is not None
    move = puzzle.choices[0 if right else -1].moves[0]
    answer: m.PuzzleAnswer = await caller.call(m.AnswerPuzzleRequest(puzzle=posed.id, move=move))
    return answer


async def refusal(asking: Awaitable[object]) -> str:
    """Return the code with which a request is refused."""
    with pytest.raises(ScovilleError) as refused:
        await asking
    return refused.value.code


async def show(caller: Caller) -> m.ShowPuzzlesReply:
    reply: m.ShowPuzzlesReply = await caller.call(m.ShowPuzzlesRequest())
    return reply


async def test_puzzle_of_the_day_is_the_same_for_all_users() -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        anna, ben = await new_user(server, "Anna"), await new_user(server, "Ben")
        one, other = await pose(anna, daily=True), await pose(ben, daily=True)
        assert one == other
        assert one.answer is None
        sent = msgspec.to_builtins(one.posed)
        assert not {"choices", "reason", "exact", "rating"} & sent.keys()
        assert (await show(anna)).daily_state == "open"
        answer = await attempt(anna, one.posed, right=True)
        assert answer.place == 0
        assert (await show(anna)).daily_state == "solved"
        assert (await pose(anna, daily=True)).answer == answer
        assert (await pose(ben, daily=True)).answer is None
        assert (await show(ben)).daily_solved_count == 0, "how many solved it may help"
        await attempt(ben, other.posed, right=False)
        shown = await show(ben)
        assert (shown.daily_state, shown.daily_tried_count, shown.daily_solved_count) == ("failed", 2, 1)


async def test_second_attempt_gets_the_first_answer_after_a_crash() -> None:
    machine = Machine(MONDAY)
    server = await machine.start()
    anna = await new_user(server, "Anna")
    posed = (await pose(anna, daily=True)).posed
    wrong = await attempt(anna, posed, right=False)
    # Killed: nothing is closed, and the next server starts on what the journal has.
    async with machine.run() as following:
        back = await come_back(following, anna)
        assert await attempt(back, posed, right=True) == wrong
        shown = await show(back)
        assert (shown.daily_state, shown.attempt_count, shown.your_rating) == ("failed", 1, wrong.after)
        assert (await pose(back, daily=True)).posed == posed, "the day keeps its puzzle"
    await server.close()


async def test_attempts_at_the_same_moment_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        users = [await new_user(server, name) for name in ("Anna", "Ben", "Cleo")]
        posed = [(await pose(user, daily=True)).posed for user in users]
        write = machine.journal.write

        async def write_slowly(changes: Sequence[Change]) -> None:
            await asyncio.sleep(0)
            await write(changes)

        monkeypatch.setattr(machine.journal, "write", write_slowly)
        await asyncio.gather(*(attempt(user, each, right=True) for user, each in zip(users, posed, strict=True)))
        shown = await show(users[0])
        assert (shown.daily_tried_count, shown.daily_solved_count) == (3, 3)


async def test_figures_of_many_attempts_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, written = Machine(MONDAY), list[str]()
    async with machine.run() as server:
        users = [await new_user(server, f"User {n}") for n in range(12)]
        posed = (await pose(users[0], daily=True)).posed
        write = machine.journal.write

        async def write_slowly(changes: Sequence[Change]) -> None:
            written.extend(change.book for change in changes)
            for _ in range(100):
                await asyncio.sleep(0)
            await write(changes)

        monkeypatch.setattr(machine.journal, "write", write_slowly)
        await asyncio.gather(*(attempt(user, posed, right=True) for user in users))
        assert written.count("puzzles.players") == len(users)
        assert written.count("puzzles.figures") <= 2, "nobody waits for more than the write under way and their own"
        assert (await show(users[0])).daily_tried_count == len(users)


async def test_attempt_that_another_node_has_noted_is_not_overwritten() -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        first, posed = (await pose(anna)).posed, (await pose(anna, daily=True)).posed
        await attempt(anna, first, right=True)
        ((user, row),) = machine.journal._books["puzzles.players"].items()
        # This node has not heard of it.
        noted = machine.journal._apply_change(Change("puzzles.players", user, row.value))
        assert await refusal(attempt(anna, posed, right=True)) == Code.NOT_SAVED
        assert machine.journal._books["puzzles.players"][user] == noted


async def test_an_answer_that_cannot_be_written_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        posed = (await pose(anna)).posed
        assert posed is not None

        async def refuse(changes: object) -> None:
            raise JournalError("The disk is full.")

        with monkeypatch.context() as full:
            full.setattr(machine.journal, "write", refuse)
            assert await refusal(attempt(anna, posed, right=True)) == Code.NOT_SAVED
        assert (await show(anna)).attempt_count == 0


async def test_the_day_is_the_servers_and_brings_another_puzzle() -> None:
    machine = Machine(MONDAY)
    seen = []
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        for _ in range(7):
            daily = await pose(anna, daily=True)
            assert daily.posed is not None
            seen.append(daily.posed)
            await attempt(anna, daily.posed, right=True)
            shown = await show(anna)
            assert 0 < shown.next_in_ms <= DAY * 1000
            await machine.clock.elapse(DAY)
        assert len({puzzle.id for puzzle in seen}) == 7
        assert len({puzzle.game for puzzle in seen}) == 2
        today = (await show(anna)).today
        machine.set_clock(-30)
        assert (await show(anna)).today == today, "it never goes back"


async def test_ratings_follow_attempts_and_pose_what_fits(pools: tuple[Pool, ...]) -> None:
    machine = Machine(MONDAY)
    ratings = {puzzle.id: puzzle.rating for pool in pools for puzzle in pool.puzzles}
    async with machine.run() as server:
        anna, ben = await new_user(server, "Anna"), await new_user(server, "Ben")
        given: dict[str, list[int]] = {}
        for caller, right in ((anna, True), (ben, False)):
            for _ in range(6):
                posed = (await pose(caller)).posed
                assert posed is not None
                answer = await attempt(caller, posed, right=right)
                assert (answer.after > answer.before) is right
                given.setdefault(str(right), []).append(ratings[posed.id])
        assert (await show(anna)).your_rating > 1_500 > (await show(ben)).your_rating
        assert max(given["True"]) > max(given["False"])
        assert min(given["True"]) > min(given["False"])
        shown = await show(anna)
        assert shown.provisional
        assert sum(each.tried_count for each in shown.puzzle_counts) == 6
        only = (await pose(anna, game="no_thanks")).posed
        assert only is not None
        assert only.game == "no_thanks"
        assert (await pose(anna, game="hearts")).posed is None


async def test_puzzles_of_days_are_kept_back(pools: tuple[Pool, ...]) -> None:
    machine = Machine(MONDAY)
    kept = [puzzle for pool in pools for puzzle in pool.puzzles if is_kept_back(puzzle)]
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        today = (await pose(anna, daily=True)).posed
        assert today is not None
        other = next(puzzle for puzzle in kept if puzzle.id != today.id)
        code = await refusal(anna.call(m.AnswerPuzzleRequest(puzzle=other.id, move=other.choices[0].moves[0])))
        assert code == Code.NO_PUZZLE
        posed = set()
        while (found := (await pose(anna)).posed) is not None:
            posed.add(found.id)
            await attempt(anna, found, right=True)
            await machine.clock.elapse(5)  # as fast as anybody may act
        assert posed == {puzzle.id for pool in pools for puzzle in pool.puzzles} - {puzzle.id for puzzle in kept}


async def test_unknown_puzzle_or_move_is_refused() -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        posed = (await pose(anna)).posed
        assert posed is not None
        for puzzle, move, code in (
            ("nothing", {"action": "take"}, Code.NO_PUZZLE),
            (posed.id, {"dance": 1}, Code.BAD_MOVE),
        ):
            assert await refusal(anna.call(m.AnswerPuzzleRequest(puzzle=puzzle, move=move))) == code
        assert (await show(anna)).attempt_count == 0


async def test_guests_move_no_puzzles_rating() -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        guest, anna = await new_user(server, "Guest", owns_name=False), await new_user(server, "Anna")
        posed = (await pose(guest)).posed
        first = await attempt(guest, posed, right=True)
        assert first.after > first.before
        same = await attempt(anna, posed, right=True)
        assert same.puzzle_rating == first.puzzle_rating


async def test_attempts_are_exported_and_erased_with_the_account() -> None:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        posed = (await pose(anna)).posed
        answer = await attempt(anna, posed, right=True)
        exported: m.ExportAccountReply = await anna.call(m.ExportAccountRequest())
        assert posed is not None
        [past] = exported.past_puzzles
        assert (past.puzzle, past.right, past.before, past.after) == (posed.id, True, answer.before, answer.after)
        await anna.call(m.ConfirmRequest(password=PASSWORD))
        await anna.call(m.DeleteAccountRequest())
        await core_of(server).background.finish_tasks()
    assert machine.journal_rows("puzzles.players") == []


def test_days_get_harder_and_repeat_no_puzzle_early(pools: tuple[Pool, ...]) -> None:
    day = 20_367  # a Monday
    used: list[str] = []
    ratings = {puzzle.id: puzzle.rating for pool in pools for puzzle in pool.puzzles}
    means = []
    for number in range(14):
        chosen = choose_daily(pools, day + number, used)
        assert chosen is not None
        used.append(chosen.puzzle)
        means.append(ratings[chosen.puzzle])
    assert sum(means[5:7] + means[12:]) > sum(means[:2] + means[7:9])
    assert choose_daily([], day, ()) is None
    assert choose_daily(pools, day, ()) == choose_daily(pools, day, ()), "no server draws it by chance"
    assert isinstance(chosen, PuzzleDay)
