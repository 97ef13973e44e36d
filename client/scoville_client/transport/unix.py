"""Link to a server on this computer over its Unix socket."""

import asyncio
from pathlib import Path

from scoville_client.i18n.language import tr
from scoville_client.transport.base import CALL_SECONDS, LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_client.transport.stream_link import StreamLink
from scoville_client.transport.tcp import OPEN_SECONDS
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.short_paths import short_path_to


class UnixLink(StreamLink):
    """A connection that does not leave this computer, to the socket at `path`."""

    def __init__(self, path: Path, seconds: float = CALL_SECONDS, clock: Clock = SYSTEM) -> None:
        super().__init__()
        self._path = path
        self._seconds = seconds
        self._clock = clock

    @property
    def server_name(self) -> str:
        """The server in a sentence; its path says nothing to users."""
        return tr("this computer")

    @property
    def local(self) -> bool:
        return True

    async def _connect(self, listener: Listener) -> Caller:
        loop = asyncio.get_running_loop()
        try:
            async with self._clock.limit(OPEN_SECONDS):
                with short_path_to(self._path) as short:
                    _, caller = await loop.create_unix_connection(
                        lambda: Caller(listener, self.server_name, self._seconds, self._clock), short
                    )
                return caller
        except OSError:  # a TimeoutError is one as well
            raise LinkError(tr("The server does not answer. Is it running?")) from None
