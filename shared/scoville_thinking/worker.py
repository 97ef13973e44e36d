"""A process that answers questions of searching bots: tasks come in on stdin, thoughts go out on stdout.

It ends when its stdin does, so it does not outlive the process that started it.
"""

import os
import signal
import sys
from time import perf_counter
from typing import Final

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.search import Question, Thought, answer
from scoville_thinking.machines import machine
from scoville_thinking.messages import Task, receive, send

NICENESS: Final = 5
"""The server that asks comes first where both want the processor."""

_compiled: set[type[Question]] = set()


def answered(task: Task) -> Thought:
    """Answer a task on the fastest machine, until its time is over; compiling does not count."""
    fastest = machine()
    _compile(task.question, fastest)
    began = perf_counter()
    return answer(task.question, task.playouts, task.seed, fastest, lambda: perf_counter() - began > task.seconds)


def _compile(question: Question, fastest: Machine) -> None:
    """Have the kernel of a question compiled, or loaded from the disk, by its first playout."""
    if type(question) not in _compiled:
        question.compare(fastest, 1, fastest.numbers([1]), fastest.floats([0.0] * (3 * len(question.moves))))
        _compiled.add(type(question))


def main() -> None:
    """Answer tasks until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    while True:
        try:
            task = receive(sys.stdin.buffer)
        except EOFError:
            return
        assert isinstance(task, Task), "tasks alone are sent"
        send(sys.stdout.buffer, answered(task))


if __name__ == "__main__":
    main()
