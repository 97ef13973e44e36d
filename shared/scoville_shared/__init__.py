"""Code shared by server and client: games, protocol, bots and replays, without I/O."""

__version__ = "0.1.0"
