"""Answers of the server, awaited while the screens go on: what is refused becomes one sentence."""

import inspect
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

from textual.dom import DOMNode

A = TypeVar("A")


class Answered(Generic[A]):
    """The work of a worker: it awaits `asked`, and shows the answer; a refusal or a lost connection is said instead.

    The client may end before the worker begins; then `asked` is dropped without a trace.
    """

    def __init__(self, asked: Awaitable[A], show: Callable[[A], object], say: Callable[[str], object]) -> None:
        self._asked = asked
        self._show = show
        self._say = say

    def __await__(self) -> Generator[Any, Any, None]:
        return self._wait().__await__()

    def begin(self, node: DOMNode) -> None:
        """Wait in a worker of `node`, which may end before it begins."""
        task = node.run_worker(self, exit_on_error=True)._task  # noqa: SLF001 - only the task says that it ended unbegun
        if task is not None:
            task.add_done_callback(self._drop)

    def _drop(self, _: object) -> None:
        if inspect.iscoroutine(self._asked):
            self._asked.close()

    async def _wait(self) -> None:
        from scoville_client.i18n.errors import said
        from scoville_client.i18n.exceptions import Fault
        from scoville_client.transport.base import LinkError
        from scoville_shared.errors import ScovilleError

        try:
            answer = await self._asked
        except Fault as fault:
            self._say(str(fault))
        except LinkError as error:
            self._say(error.message)
        except ScovilleError as error:
            self._say(said(error))
        else:
            self._show(answer)
