"""Exported games: a file that anybody can deal again, replay and verify; docs/replay-format.md describes it."""

from scoville_shared.replay.file import (
    FORMAT,
    BrokenFile,
    Ending,
    ExportedGame,
    Header,
    MoveLine,
    Sitter,
    read,
    write,
    write_lines,
)
from scoville_shared.replay.opening import Opening
from scoville_shared.replay.verify import Finding, Found, Verdict, dealer_of, dice_of, verify

__all__ = [
    "FORMAT",
    "BrokenFile",
    "Ending",
    "ExportedGame",
    "Finding",
    "Found",
    "Header",
    "MoveLine",
    "Opening",
    "Sitter",
    "Verdict",
    "dealer_of",
    "dice_of",
    "read",
    "verify",
    "write",
    "write_lines",
]
