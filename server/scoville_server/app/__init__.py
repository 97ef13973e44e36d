"""The server as one object: a service behind a port, or inside another program."""

from scoville_server.app.server import Server
from scoville_server.config import Settings

__all__ = ["Server", "Settings"]
