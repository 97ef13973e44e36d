"""Identifiers of seats, tables and users."""

from typing import Final, NewType

Seat = NewType("Seat", int)
"""A seat at a table, counted clockwise from 0."""

MOST_SEATS: Final = 16
"""The most seats of a table."""

TableId = NewType("TableId", str)
"""A table's public id; part of the key of its randomness."""

UserId = NewType("UserId", str)
"""A user, whatever connection they use."""
