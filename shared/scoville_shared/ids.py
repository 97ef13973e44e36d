"""Who and where: the identifiers that cross every wall."""

from typing import NewType

Seat = NewType("Seat", int)
"""A place at a table, counted clockwise from 0."""

TableId = NewType("TableId", str)
"""A table's public id; part of the key from which its chance is drawn."""

UserId = NewType("UserId", str)
"""One person, whatever connection they sit at."""
