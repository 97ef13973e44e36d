"""Code shared by server and client: games, protocol, bots and replays, without I/O."""

__version__ = "0.1.0"
DEFAULT_PORT = 5757
"""The port of a server, which addresses need not name."""
HIGHEST_PORT = 65_535
