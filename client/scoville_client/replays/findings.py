"""Findings of a verification as translated sentences."""

from typing import Any

from scoville_client.i18n.language import is_own_english, render
from scoville_shared.engine.phrases import Phrase
from scoville_shared.replay import ExportedGame
from scoville_shared.replay.verify import Finding, Found

_SENTENCES = {
    Found.COMMITMENT_HOLDS: Phrase("The seed, the game and its options match the commitment made before the deal."),
    Found.NONCES_HOLD: Phrase("Every nonce matches the hash published before the deal."),
    Found.NONCE_MISMATCH: Phrase("The nonce of seat {seat} does not match the hash published before the deal."),
    Found.MOVES_LEGAL: Phrase("The deal matches the seed, and all {moves} moves are legal."),
    Found.OUTCOME_HOLDS: Phrase("The result matches the moves."),
    Found.COMMITMENT_SIGNED: Phrase("The commitment is signed by the server with the key {pin}."),
    Found.RESULT_SIGNED: Phrase("The result is signed by the server with the key {pin}."),
    Found.COMMITMENT_NOT_SIGNED: Phrase("The server's signature of the commitment is missing or wrong."),
    Found.RESULT_NOT_SIGNED: Phrase("The server's signature of the result is missing or wrong."),
    Found.COMMITMENT_MISMATCH: Phrase(
        "The seed, the game or its options do not match the commitment made before the deal."
    ),
    Found.UNKNOWN_GAME: Phrase("The game {game} is not installed here."),
    Found.OTHER_RULES_VERSION: Phrase(
        "The game was played with version {played} of its rules; this Scoville has version {known}."
    ),
    Found.BAD_SEATS: Phrase("This game does not allow {seats} seats."),
    Found.BAD_OPTIONS: Phrase("The game does not accept these options. In English: {message}"),
    Found.BAD_MOVE: Phrase("Move {move} is not a move of this game."),
    Found.ILLEGAL_MOVE: Phrase("Move {move}, by {who}, breaks the rules."),
    Found.OUTCOME_MISMATCH: Phrase("The result in the file does not match the moves. In English: {message}"),
    Found.INCOMPLETE: Phrase("The file has no result: the game is not finished, or its end is missing."),
}


def finding_text(finding: Finding, exported: ExportedGame) -> str:
    """Return a finding as a sentence."""
    if is_own_english():
        return finding.sentence
    return render(
        _SENTENCES[finding.code].with_fields(
            {**_game_fields(exported), **_finding_fields(finding, exported), **finding.data}
        )
    )


def _game_fields(exported: ExportedGame) -> dict[str, Any]:
    return {"game": exported.header.game, "moves": len(exported.moves), "seats": len(exported.header.seats)}


def _finding_fields(finding: Finding, exported: ExportedGame) -> dict[str, Any]:
    seat = finding.data.get("seat")
    who = exported.header.seats[seat].name if isinstance(seat, int) and 0 <= seat < len(exported.header.seats) else ""
    return {"message": finding.sentence, "who": who}
