"""One worker process, as the pool sees it."""

import subprocess
import sys
from contextlib import suppress
from typing import Final

from scoville_thinking.messages import Task, WarmUp, Work, receive_message, send_message

COMMAND: Final = (sys.executable, "-m", "scoville_thinking.worker")


class Process:
    """One worker process. Raises OSError if it cannot be started."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def answer_request(self, request: Task | WarmUp | Work) -> object:
        """Send a request and wait for its answer. Raises OSError and EOFError if the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        send_message(self._process.stdin, request)
        return receive_message(self._process.stdout)

    def end_process(self) -> None:
        """End the process, even in the middle of a task."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
