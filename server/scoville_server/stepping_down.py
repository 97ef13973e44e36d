"""The end of serving: another node has taken over, and this one sends its users on and writes nothing more."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from scoville_server.errors import server_moved
from scoville_server.net.service import Peer
from scoville_server.services import Services
from scoville_shared.protocol.messages import ByeNotice

_log = logging.getLogger(__name__)

STEP_DOWN_SECONDS: Final = 1.0
"""Most seconds for the answers that are under way: no longer, since everybody else waits to be sent on."""


class StepDown:
    """Ends what `services` do for the users of this node when another node serves.

    Args:
        services: Those of this node.
        connections: Its connections, with and without a user.
        on_done: Is called when all users were sent on.
    """

    def __init__(
        self, services: Services, connections: Mapping[Any, Peer], on_done: Callable[[], object] = lambda: None
    ) -> None:
        self._on_done = on_done
        self._services = services
        self._connections = connections

    def begin_step_down(self) -> None:
        """Begin to step down: refuse everything from this moment on."""
        _log.warning("Another server process serves now; this one sends its users on, and saves nothing more.")
        services = self._services
        services.permits.send_users_on()
        services.stop_own_activity()
        services.registry.move_tables()
        services.background.stop_retrying()
        services.pulse.cancel_beats()
        services.background.start_task(self._send_users_on())

    async def _send_users_on(self) -> None:
        """Wait for the answers that are under way, then close all connections."""
        services = self._services
        finishing = services.background.start_task(services.registry.wait_for_moved())
        await services.clock.wait(finishing, seconds=STEP_DOWN_SECONDS)
        moved = server_moved()
        bye = ByeNotice(code=moved.code, message=moved.message)
        for peer in tuple(self._connections.values()):
            peer.close(bye)
        self._on_done()
