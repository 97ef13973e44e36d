"""How parts of the session ask the server, and tell what they heard."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from scoville_client.session.changes import Change
from scoville_shared.protocol.messages import Params, Reply

R = TypeVar("R", bound=Reply)
Tell = Callable[[Change], None]


class Ask(Protocol):
    """Asks the server. Raises ScovilleError with its refusal, and LinkError when it does not answer."""

    async def __call__(self, params: Params, kind: type[R], /) -> R:
        """Give the answer, which is of `kind`."""
