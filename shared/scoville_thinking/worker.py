"""A process that answers questions of searching bots: requests come in on stdin, thoughts go out on stdout.

It ends when its stdin does, so it does not outlive the process that started it.
"""

import os
import signal
import sys
from typing import IO, Any, Final

from scoville_runtime.clock import THREADED, Clock
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import Question, SearchBot, Thought, answer_question, make_sums
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import load_game
from scoville_thinking.machines import fastest_machine
from scoville_thinking.messages import Task, WarmUp, Work, receive_message, send_message

NICENESS: Final = 5
"""The server that asks comes first where both want the processor."""

_compiled: set[type[Question]] = set()


def answer_task(task: Task, clock: Clock) -> Thought:
    """Answer a task on the fastest machine, until its time is over; compiling does not count."""
    fastest = fastest_machine()
    _compile_question(task.question, fastest)
    end = clock.seconds() + task.seconds
    return answer_question(task.question, task.playouts, task.seed, fastest, lambda: clock.seconds() > end)


def warm_up(order: WarmUp) -> None:
    """Compile the kernel of a level, by the first question of a game."""
    game = load_game(order.game)
    bot = find_bot(order.game, order.level)(game)
    if isinstance(bot, SearchBot):
        state = game.setup(game.codec.decode_options({}), game.info.official[0], Dice(bytes(SEED_BYTES)))
        _compile_question(bot.make_question(game.view(state, min(game.pending(state)))), fastest_machine())


def _compile_question(question: Question, fastest: Machine) -> None:
    """Have the kernel of a question compiled, or loaded from the disk, by its first playout."""
    if type(question) not in _compiled:
        question.compare_moves(fastest, 1, fastest.numbers([1]), make_sums(question, fastest))
        _compiled.add(type(question))


def give_way() -> None:
    """Leave the processor to the server that asks; at an inherited real-time priority niceness would mean nothing."""
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def main() -> None:
    """Answer requests until stdin ends."""
    # Ctrl+C reaches every process of a terminal; this one ends when the process that asks closes its stdin.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    give_way()
    answers = _take_stdout()
    while True:
        try:
            request: Any = receive_message(sys.stdin.buffer)
        # The process that asks has ended.
        except EOFError:
            return
        send_message(answers, answer_request(request))


def _take_stdout() -> IO[bytes]:
    """Keep stdout for answers: what the code of a bot prints goes to stderr, else nobody could read them."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def answer_request(request: "Task | WarmUp | Work") -> object:
    """Answer a request of any kind."""
    if isinstance(request, WarmUp):
        warm_up(request)
        return None
    return answer_task(request, THREADED) if isinstance(request, Task) else request.run(fastest_machine())


if __name__ == "__main__":
    main()
