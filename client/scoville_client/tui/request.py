"""Requests in the background: awaited by a worker while the screens go on; a refusal becomes one sentence."""

import inspect
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, Generic, TypeVar

from textual.css.query import NoMatches
from textual.dom import DOMNode

from scoville_client.tui.textual_hooks.app import HookedApp, call_at_end

A = TypeVar("A")


class Request(Generic[A]):
    """Passes the answer of `awaited` to `on_answer`, or the sentence of a refusal or lost connection to `on_error`.

    The client may end before the worker begins; then `awaited` is dropped without a trace.
    """

    def __init__(
        self, awaited: Awaitable[A], on_answer: Callable[[A], object], on_error: Callable[[str], object]
    ) -> None:
        self._awaited = awaited
        self._on_answer = on_answer
        self._on_error = on_error
        self._node: DOMNode | None = None

    def __await__(self) -> Generator[Any, Any, None]:
        return self._wait_for_answer().__await__()

    def start_worker(self, node: DOMNode) -> None:
        """Wait in a worker of `node`; if `node` is removed first, the worker ends."""
        self._node = node
        # A fault of our own ends the client with a report: it must not vanish in a worker.
        call_at_end(node.run_worker(self, exit_on_error=True), self._drop_unbegun)

    def _drop_unbegun(self, _: object) -> None:
        if inspect.iscoroutine(self._awaited):
            self._awaited.close()

    async def _wait_for_answer(self) -> None:
        try:
            await self._pass_on_answer()
        except NoMatches:
            # A client that ends mounts no widgets any more, and removes them before it cancels its requests.
            app = None if self._node is None else self._node.app
            if not isinstance(app, HookedApp) or not app.is_ending:
                raise

    async def _pass_on_answer(self) -> None:
        from scoville_client.i18n.errors import error_text
        from scoville_client.i18n.language import InputError
        from scoville_client.transport.base import LinkError
        from scoville_shared.errors import ScovilleError

        try:
            answer = await self._awaited
        except InputError as fault:
            self._on_error(str(fault))
        except LinkError as error:
            self._on_error(error.message)
        except ScovilleError as error:
            self._on_error(error_text(error))
        else:
            self._on_answer(answer)


class Submission:
    """Changes that a screen sends, one at a time: a key pressed twice sends it once."""

    def __init__(self) -> None:
        self._is_under_way = False

    def start_request(
        self,
        node: DOMNode,
        act: Callable[[], Awaitable[A]],
        on_answer: Callable[[A], object],
        on_error: Callable[[str], object],
    ) -> None:
        """Do an act in a worker of `node` as `Request` does; does nothing while the one before is under way."""
        if self._is_under_way:
            return
        self._is_under_way = True

        def finish_with(show: Callable[[Any], object], shown: object) -> None:
            self._is_under_way = False
            show(shown)

        Request(act(), partial(finish_with, on_answer), partial(finish_with, on_error)).start_worker(node)
