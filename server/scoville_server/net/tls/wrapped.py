"""A transport on top of another one, which does everything but carry the data."""

import asyncio
from typing import Any


class WrappedTransport(asyncio.Transport):
    """Passes on what concerns the connection as a whole; a subclass writes and closes."""

    __slots__ = ("_transport",)

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def abort(self) -> None:
        """Cut the connection."""
        self._transport.abort()

    def pause_reading(self) -> None:
        """Read nothing more from the socket."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read from the socket again."""
        self._transport.resume_reading()

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that wait to be sent."""
        return self._transport.get_write_buffer_size()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what the socket's transport knows."""
        return self._transport.get_extra_info(name, default)
