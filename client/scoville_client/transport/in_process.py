"""The line to a server inside this process: practice and hosting run the real authority, through the same bytes.

The only file of the client that knows the server.
"""

from pathlib import Path

from msgspec.structs import replace

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import words
from scoville_client.transport.base import LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_client.transport.memory import connect
from scoville_server.config import BadSettings, Settings, read_pepper_file
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.net.interfaces import lan_addresses as _lan_addresses
from scoville_server.server import Server
from scoville_shared.protocol.messages import Params, Reply
from scoville_shared.replay import Opening


class LocalLink:
    """A line to `server`, which has been started."""

    def __init__(self, server: Server, clock: Clock = REAL) -> None:
        self._server = server
        self._clock = clock
        self._caller: Caller | None = None

    @property
    def place(self) -> str:
        """Name the server: it is here."""
        return words("this computer")

    async def open(self, listener: Listener) -> None:
        """Join this end to a new one of the server's."""
        self._caller = Caller(listener, self.place, clock=self._clock)
        connect(self._caller, self._server.protocol())

    async def call(self, params: Params) -> Reply:
        """Ask and wait for the answer. Raises ScovilleError or LinkError."""
        if self._caller is None:
            raise LinkError(words("There is no line to a server."))
        return await self._caller.call(params)

    async def close(self) -> None:
        """Hang up."""
        if self._caller is not None:
            await self._caller.hang_up()


def lan_addresses() -> list[str]:
    """List the addresses of this machine that others on the network can use, the likeliest first."""
    return _lan_addresses()


def usual_folder() -> Path:
    """Find where this system keeps the tables that its user hosts."""
    from platformdirs import user_data_path

    return user_data_path("scoville", appauthor=False) / "hosted"


def read_peppers(path: Path) -> tuple[int, ...]:
    """Read a host's own pepper file. Raises ValueError with a sentence that names the file and the line."""
    try:
        return read_pepper_file(path)
    except BadSettings as error:
        raise ValueError(error.message) from error


async def serve(
    *,
    host: str = "",
    port: int | None = None,
    seed: bytes | None = None,
    peppers: tuple[int, ...] | None = None,
    opening: Opening | None = None,
    data: Path | None = None,
) -> Server:
    """Start a server in this process that others can reach at `host`:`port`; None for this process alone.

    An empty host is every address of the machine, port 0 any free one. The first table goes on with `opening`, if there
    is one. `data` is the folder in which tables outlive the process, None to keep nothing. Raises LinkError.
    """
    settings = Settings(host=host, port=port, seed=seed, peppers=peppers, opening=opening, data=data)
    if port is None:  # nobody else waits for this table
        settings = replace(settings, idle_seconds=0, finished_seconds=0)
    server = Server(settings)
    try:
        await server.start()
    except FolderTaken:
        await server.close()
        raise LinkError(
            words(
                "Somebody hosts from {folder} already. Beside it: scoville host --data FOLDER --port 0",
                folder=str(data),
            )
        ) from None
    except JournalError as error:
        await server.close()
        raise LinkError(error.message) from error
    except OSError:
        await server.close()
        raise LinkError(
            words("Port {port} of this computer is in use; choose another one with --port.", port=str(port))
        ) from None
    return server
