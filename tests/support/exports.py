"""Whole games of every kind, played by sensible bots and exported."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from scoville_shared.bots.registry import find_bot
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice, commit_to, nonce_hash, table_key
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame, Header, MoveLine, RecordedOutcome, Sitter, write_game

NAMES = ("Anna", "Paul", "Max")
SHORT = {"dicht_dran": {"cycles": 1}, "no_thanks": {}, "chilli_chase": {"points": 3}}
"""Options by which a game of each kind is soon over."""
TABLE = "0123456789ab"


@cache
def play_exported_game(slug: str, seed: bytes = bytes(32), dealer: Seat | None = None) -> ExportedGame:
    """Play a game of three to its end: Anna is a human with a nonce, the others are bots."""
    game = load_game(slug)
    options = game.codec.decode_options(SHORT.get(slug, {}))
    nonces = [b"share", b"", b""]
    dice = Dice(table_key(seed, TABLE, nonces))
    state, moves = game.deal(options, len(NAMES), dice, dealer), []
    while pending := sorted(game.pending(state)):
        seat, number = pending[0], len(moves) + 1
        move = find_bot(slug, "sensible")(game).choose_move(
            game.view(state, seat), Dice(seed).open_stream(f"bot/{number}")
        )
        step = play_move(game, state, seat, move)
        assert not isinstance(step, Refusal)
        state = step.state
        by: Any = "bot" if seat else "player"
        moves.append(MoveLine(n=number, seat=seat, move=game.codec.encode_plain(move), mover=by, at_ms=900 * number))
    outcome = game.outcome(state)
    assert outcome is not None
    header = Header(
        game=slug,
        rules_version=game.info.rules_version,
        options=game.codec.encode_plain(options),
        table=TABLE,
        seats=[Sitter(name=name, kind="bot" if number else "human") for number, name in enumerate(NAMES)],
        commitment="00" * 32,
        nonces=[nonce.hex() or None for nonce in nonces],
        nonce_hashes=[nonce_hash(TABLE, nonce).hex() if nonce else None for nonce in nonces],
        server_seed=seed.hex(),
        started=datetime(2026, 1, 31, 20, 15, tzinfo=UTC),
        dealer=UNSET if dealer is None else dealer,
    )
    header = replace(header, commitment=commit_to(seed, header.terms).hex())
    ending = RecordedOutcome(scores=[*outcome.scores], places=[*outcome.places], reason=outcome.reason)
    return ExportedGame(header=header, moves=moves, outcome=ending)


def lines_of(game: ExportedGame) -> list[str]:
    """Write a game as the lines of a file."""
    return write_game(game.header, game.moves, game.outcome)


def write_export(game: ExportedGame, path: Path) -> Path:
    """Write a game to a file."""
    path.write_text("".join(f"{line}\n" for line in lines_of(game)), encoding="utf-8")
    return path
