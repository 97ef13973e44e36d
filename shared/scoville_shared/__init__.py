"""What server and client both know: games, wire and bots, without I/O."""

__version__ = "0.1.0"
