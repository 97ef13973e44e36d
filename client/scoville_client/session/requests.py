"""Interface by which parts of the session send requests and publish changes."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from scoville_client.session.changes import Change
from scoville_shared.protocol.messages import Params, Reply

R = TypeVar("R", bound=Reply)
Publish = Callable[[Change], None]


class Request(Protocol):
    """Sends requests. Raises ScovilleError for a refusal, and LinkError without an answer."""

    async def __call__(self, params: Params, kind: type[R], /) -> R:
        """Send a request and return its reply, which is of `kind`."""
