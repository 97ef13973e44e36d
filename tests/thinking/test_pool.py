"""The pool of thinking processes: answers, shares, failures, and its end."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from threading import Event
from typing import Any, ClassVar, NamedTuple

import pytest

from scoville_runtime.clock import Clock
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import SearchBot, Thought, answer_question
from scoville_shared.games.registry import load_game
from scoville_thinking.machines import fastest_machine
from scoville_thinking.messages import MOST_BYTES, Task, WarmUp
from scoville_thinking.pool import (
    FIRST_SECONDS,
    HANGING_SECONDS,
    LONGEST_SECONDS,
    Pool,
    PoolLimits,
    Process,
    RestartDelay,
)
from scoville_thinking.worker import answer_request, answer_task
from tests.shared.bots.bot_games import play_decisions

LONG = 60.0


def question() -> Any:
    """Ask for the first move of a game."""
    decision = next(play_decisions("no_thanks", ["random"] * 4, 3))
    bot = find_bot("no_thanks", "strong")(load_game("no_thanks"))
    assert isinstance(bot, SearchBot)
    return bot.make_question(decision.game.view(decision.state, decision.seat))


class Deadly(NamedTuple):
    """A question that no process survives."""

    moves: tuple[str, ...] = ("a", "b")
    ways: int = 1
    needed_errors: float = 2.0

    def compare_moves(self, *_: Any) -> None:
        raise SystemExit


def test_a_process_answers_alike_and_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    watch = Watch()
    pool = Pool(PoolLimits(idle_seconds=LONG), clock=watch.clock)
    task = Task(question(), 2_000, 5, LONG)
    pool.warm_up("no_thanks", "strong")
    assert pool.ask_question(task).result() == answer_question(task.question, 2_000, 5, fastest_machine())
    assert pool.processes == 1
    assert pool.ask_question(Task(Deadly(), 100, 1, LONG)).result() is None
    # An error that has no words is named.
    [said] = [record.getMessage() for record in caplog.records]
    assert said.removeprefix("a thinking process failed: ").strip()
    watch.pass_by(FIRST_SECONDS)
    assert pool.ask_question(task).result() is not None
    pool.close()
    assert not pool.processes


def test_a_task_is_cut_when_its_time_is_over() -> None:
    seconds = count()
    thought = answer_task(Task(question(), 2_000, 5, 3.0), Clock(seconds=lambda: next(seconds)))
    assert thought.cut
    assert 0 < thought.playouts < 2_000


class Watch:
    """A manual clock."""

    class Alarm:
        def __init__(self, at: float, do: Callable[[], object]) -> None:
            self.at, self.do, self.off = at, do, False

        def cancel(self) -> None:
            self.off = True

    def __init__(self) -> None:
        self.seconds = 0.0
        self.alarms: list[Watch.Alarm] = []
        self.clock = Clock(seconds=lambda: self.seconds, call_later=self.later)

    def later(self, seconds: float, do: Callable[[], object]) -> "Watch.Alarm":
        self.alarms.append(Watch.Alarm(self.seconds + seconds, do))
        return self.alarms[-1]

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        end = self.seconds + seconds
        while due := [alarm for alarm in self.alarms if not alarm.off and alarm.at <= end]:
            alarm = min(due, key=lambda alarm: alarm.at)
            alarm.off, self.seconds = True, alarm.at
            alarm.do()
        self.seconds = end


class FakeProcess(Process):
    """Answers in this process: with the move that a task names, after its gate has opened."""

    started: ClassVar[list["FakeProcess"]] = []
    first_task: ClassVar[Event]
    broken: ClassVar[bool]

    def __init__(self) -> None:
        self.started.append(self)
        self.gate, self.asked, self.ended = Event(), list[Any](), False

    def answer_request(self, request: Any) -> Thought | None:
        self.asked.append(request)
        self.first_task.set()
        assert self.broken or self.gate.wait(LONG)
        if self.broken or self.ended:
            raise EOFError
        return None if isinstance(request, WarmUp) else Thought(request.question, (), 1, cut=False)

    def end_process(self) -> None:
        self.ended = True
        self.gate.set()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def pool(watch: Watch) -> Iterator[Pool]:
    FakeProcess.started.clear()
    FakeProcess.first_task, FakeProcess.broken = Event(), False
    pool = Pool(PoolLimits(idle_seconds=LONG, waiting=4, quotas=(3,)), clock=watch.clock, start=FakeProcess)
    yield pool
    pool.close()
    assert not pool.processes


def ask(pool: Pool, name: str, asker: str = "anna") -> Any:
    return pool.ask_question(Task(name, 1, 1, 0.0), (asker,))  # type: ignore[arg-type]


def begun(pool: Pool) -> FakeProcess:
    """Wait until the first task is in its process."""
    ask(pool, "first", "first")
    assert FakeProcess.first_task.wait(LONG)
    return FakeProcess.started[0]


def test_askers_take_turns_within_a_quota(pool: Pool) -> None:
    process = begun(pool)
    answers = [ask(pool, f"guest {number}", "guest") for number in range(4)]
    assert answers[3].result() is None
    last = ask(pool, "anna")
    process.gate.set()
    assert last.result().move == "anna"
    assert [each.result().move for each in answers[:3]] == ["guest 0", "guest 1", "guest 2"]
    assert [task.question for task in process.asked] == ["first", "guest 0", "anna", "guest 1", "guest 2"]


def test_a_task_that_is_cancelled_makes_room(pool: Pool) -> None:
    process = begun(pool)
    answers = [ask(pool, str(number)) for number in range(3)]
    assert answers[1].cancel()
    late = ask(pool, "late")
    process.gate.set()
    assert late.result().move == "late"
    assert [task.question for task in process.asked] == ["first", "0", "2", "late"]


def test_processes_that_fail_are_started_again_after_longer_and_longer(pool: Pool, watch: Watch) -> None:
    def fails() -> bool:
        before = len(FakeProcess.started)
        assert ask(pool, "a question").result() is None
        return len(FakeProcess.started) > before

    FakeProcess.broken = True
    assert [fails(), fails()] == [True, False]
    watch.pass_by(FIRST_SECONDS)
    assert [fails(), fails()] == [True, False]
    watch.pass_by(FIRST_SECONDS)
    assert not fails()
    watch.pass_by(FIRST_SECONDS)
    assert fails()


def test_back_off_has_an_end_and_a_success_resets_it() -> None:
    watch = Watch()
    backoff, waits = RestartDelay(watch.clock.seconds), list[float]()
    for _ in range(9):
        backoff.note_failure()
        began = watch.seconds
        while not backoff.is_over:
            watch.pass_by(1.0)
        waits.append(watch.seconds - began)
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_SECONDS, LONGEST_SECONDS, LONGEST_SECONDS]
    backoff.note_failure()
    backoff.note_success()
    assert backoff.is_over


def test_a_process_that_hangs_is_killed(pool: Pool, watch: Watch) -> None:
    process = begun(pool)
    waiting = ask(pool, "a question")
    watch.pass_by(HANGING_SECONDS)
    assert process.ended
    assert waiting.result() is None


def test_no_task_takes_longer_than_the_most_seconds(watch: Watch) -> None:
    """A task of another package may ask for any time of its own."""
    FakeProcess.started.clear()
    FakeProcess.first_task, FakeProcess.broken = Event(), False
    pool = Pool(PoolLimits(most_seconds=10.0), clock=watch.clock, start=FakeProcess)
    answer = pool.ask_question(Task("forever", 1, 1, 1e9))  # type: ignore[arg-type]
    assert FakeProcess.first_task.wait(LONG)
    watch.pass_by(9.9)
    assert not FakeProcess.started[0].ended
    watch.pass_by(0.2)
    assert answer.result() is None
    assert FakeProcess.started[0].ended
    pool.close()


class Chatty(NamedTuple):
    """Work that prints, and may have a huge answer."""

    size: int
    seconds: float = LONG

    def run(self, _: Any) -> Any:
        print("printed by a bot", flush=True)
        return "x" * self.size


def test_output_of_a_bot_is_no_answer() -> None:
    pool = Pool(PoolLimits())
    assert pool.run_work(Chatty(3)).result() == "xxx"
    assert pool.run_work(Chatty(MOST_BYTES)).result() is None
    pool.close()


def test_processes_end_when_they_have_been_idle_for_long(pool: Pool, watch: Watch) -> None:
    process = begun(pool)
    process.gate.set()
    ask(pool, "one").result()
    watch.pass_by(LONG / 2)
    ask(pool, "two").result()
    watch.pass_by(LONG / 2)
    assert pool.processes == 1
    watch.pass_by(LONG / 2)
    assert not pool.processes
    assert process.ended


def test_a_kernel_is_compiled_once(pool: Pool) -> None:
    process = begun(pool)
    for _ in range(3):
        pool.warm_up("no_thanks", "strong", ("anna",))
    process.gate.set()
    ask(pool, "last").result()
    assert [type(request) for request in process.asked] == [Task, WarmUp, Task]


def test_a_closed_pool_gives_no_answers(pool: Pool) -> None:
    pool.close()
    assert ask(pool, "a question").result() is None


class Doubling(NamedTuple):
    """Work of another kind."""

    number: int
    seconds: float = LONG

    def run(self, machine: Any) -> int:
        return 2 * self.number


def test_a_process_does_other_work_too() -> None:
    assert answer_request(Doubling(21)) == 42


LEAVING = """
import atexit
from threading import Event
from scoville_thinking.pool import Pool, PoolLimits
from scoville_thinking.messages import WarmUp

asked, ended = Event(), Event()

class Silent:
    def answer_request(self, _):
        asked.set()
        ended.wait()
        raise EOFError

    def end_process(self):
        ended.set()

pool = Pool(PoolLimits(), start=Silent)
atexit.register(pool.close)
pool.run_work(WarmUp("no_thanks", "strong"))
asked.wait()
"""


def test_no_unanswered_question_holds_up_the_end_of_a_program() -> None:
    subprocess.run([sys.executable, "-c", LEAVING], check=True, timeout=LONG)
