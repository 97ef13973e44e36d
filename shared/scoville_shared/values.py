"""Types of values that the engine, the protocol, the journal and exported games have in common."""

from typing import Any, Literal

Plain = dict[str, Any]
"""A move, View, fact or options as plain data: a map of what JSON and MessagePack share (text keys, arrays, text, whole
numbers, booleans, None)."""

Mover = Literal["player", "clock", "bot"]
"""Who made a move: the player, the table's bot when the time ran out, or a bot that has the seat."""
