"""A process that answers questions of searching bots: requests come in on stdin, thoughts go out on stdout.

It ends when its stdin does, so it does not outlive the process that started it.
"""

import os
import signal
import sys
from typing import Any, Final

from scoville_runtime.clock import THREADED, Clock
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import Question, SearchBot, Thought, answer
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import load
from scoville_thinking.machines import machine
from scoville_thinking.messages import Task, WarmUp, Work, receive, send

NICENESS: Final = 5
"""The server that asks comes first where both want the processor."""

_compiled: set[type[Question]] = set()


def answered(task: Task, clock: Clock) -> Thought:
    """Answer a task on the fastest machine, until its time is over; compiling does not count."""
    fastest = machine()
    _compile(task.question, fastest)
    end = clock.seconds() + task.seconds
    return answer(task.question, task.playouts, task.seed, fastest, lambda: clock.seconds() > end)


def warm_up(order: WarmUp) -> None:
    """Compile the kernel of a level, by the first question of a game."""
    game = load(order.game)
    bot = find_bot(order.game, order.level)(game)
    if isinstance(bot, SearchBot):
        state = game.setup(game.codec.options({}), game.info.official[0], Dice(bytes(SEED_BYTES)))
        _compile(bot.question(game.view(state, min(game.pending(state)))), machine())


def _compile(question: Question, fastest: Machine) -> None:
    """Have the kernel of a question compiled, or loaded from the disk, by its first playout."""
    if type(question) not in _compiled:
        question.compare(fastest, 1, fastest.numbers([1]), fastest.floats([0.0] * (3 * len(question.moves))))
        _compiled.add(type(question))


def give_way() -> None:
    """Leave the processor to the server that asks; at an inherited real-time priority niceness would mean nothing."""
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def main() -> None:
    """Answer requests until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    give_way()
    while True:
        try:
            request: Any = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(sys.stdout.buffer, response(request))


def response(request: "Task | WarmUp | Work") -> object:
    """Answer a request of any kind."""
    if isinstance(request, WarmUp):
        warm_up(request)
        return None
    return answered(request, THREADED) if isinstance(request, Task) else request.run(machine())


if __name__ == "__main__":
    main()
