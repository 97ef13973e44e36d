"""Exported games: a file that anybody can deal again, replay and verify; docs/replay-format.md describes it."""

from scoville_shared.replay.file import (
    FORMAT,
    BrokenFile,
    Ending,
    ExportedGame,
    FormerKeyLine,
    Header,
    MoveLine,
    ResultSignature,
    Sitter,
    digest_of,
    read_game,
    signature_line,
    write_game,
    write_lines,
)
from scoville_shared.replay.opening import Opening
from scoville_shared.replay.verify import Finding, Found, Verdict, dealer_of, dice_of, is_signed_game, verify_game

__all__ = [
    "FORMAT",
    "BrokenFile",
    "Ending",
    "ExportedGame",
    "Finding",
    "FormerKeyLine",
    "Found",
    "Header",
    "MoveLine",
    "Opening",
    "ResultSignature",
    "Sitter",
    "Verdict",
    "dealer_of",
    "dice_of",
    "digest_of",
    "is_signed_game",
    "read_game",
    "signature_line",
    "verify_game",
    "write_game",
    "write_lines",
]
