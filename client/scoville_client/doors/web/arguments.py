"""Arguments of the command `scoville door web`."""

from pathlib import Path
from typing import NamedTuple

from scoville_client.doors.hosting.process import LogOptions
from scoville_client.doors.upstream import ServerAddresses


class WebArguments(NamedTuple):
    """Arguments of the command.

    Attributes:
        place: The server: the path of its socket, or its addresses with a pin.
        credential: File with the door's credential.
        hosts: Addresses to listen on; an empty text means all.
        port: Port to listen on.
        origins: Addresses of the page, as browsers show them.
        proxies: Addresses and networks of reverse proxies.
        certificate: File of the door's own certificate, None for plain HTTP; and `key` of its private key.
        state: Folder of the door's secret and of its visitors' tokens.
        idle_seconds: Seconds without a key after which a session ends.
        supervised: Whether another process has started this one, and it ends with that.
        ssh_port: Port of an SSH door on the same host, which the page names; None for no door.
        log: Options of the log.
    """

    place: Path | ServerAddresses
    credential: Path
    hosts: tuple[str, ...]
    port: int
    origins: tuple[str, ...]
    proxies: tuple[str, ...]
    certificate: Path | None
    key: Path | None
    state: Path
    idle_seconds: float
    supervised: bool
    ssh_port: int | None = None
    log: LogOptions = LogOptions()
