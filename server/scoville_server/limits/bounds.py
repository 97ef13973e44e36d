"""Bounded types of settings: msgspec checks them when it reads a settings file."""

from typing import Annotated

from msgspec import Meta

LARGEST = 1_000_000_000_000
"""The upper bound of every number: larger ones are typing mistakes."""

Number = Annotated[int, Meta(ge=0, le=LARGEST)]
"""A number that may be 0."""
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
"""A number without which no server could run."""
Seconds = Annotated[float, Meta(ge=0, le=LARGEST)]
"""A time that may be 0."""
Moment = Annotated[float, Meta(ge=0.00001, le=LARGEST)]
"""A time that may be short, but not 0."""
Wait = Annotated[float, Meta(ge=0.1, le=LARGEST)]
"""A time within which another program must be able to act."""
Share = Annotated[float, Meta(ge=0.01, le=1)]
"""A share of the server's time."""
