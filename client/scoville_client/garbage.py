"""Garbage collection around the start: off until the first pages are drawn, then only over newer objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (20_000, 20, 20)
"""New objects until a collection; each one in a screen's work is felt, and Python's own 700 makes many."""


def pause_collection() -> None:
    """Turn collections off: the start makes many objects that stay, and collections take a sixth of its time."""
    gc.disable()


def resume_collection() -> None:
    """Turn collections on again, if they are off, and exempt everything that the start has loaded."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()


@contextmanager
def resuming_collection() -> Iterator[None]:
    """Do the last work of the start, then turn collections on again."""
    try:
        yield
    finally:
        resume_collection()
