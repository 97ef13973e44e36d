"""Whole games of Dicht dran, played and exported for the tests."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice, Stream, commit_to, nonce_hash, table_key
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame, Header, MoveLine, RecordedOutcome, Sitter

NAMES = ("Anna", "Paul", "Max", "Linus", "Zoë")
STARTED = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)


def exported_game(
    seats: int = 3, seed: bytes = bytes(32), table: str = "0123456789ab", options: dict[str, Any] | None = None
) -> ExportedGame:
    """Play a game to its end with legal moves drawn from the seed, and export it."""
    chosen = GAME.codec.decode_options({"cycles": 1} | (options or {}))
    nonces = [b"", *(b"share of %d" % seat for seat in range(1, seats))]
    header = Header(
        game=GAME.info.slug,
        rules_version=GAME.info.rules_version,
        options=GAME.codec.encode_plain(chosen),
        table=table,
        seats=[Sitter(name=name, kind="human") for name in NAMES[:seats]],
        commitment="00" * 32,
        nonces=[nonce.hex() or None for nonce in nonces],
        nonce_hashes=[nonce_hash(table, nonce).hex() if nonce else None for nonce in nonces],
        server_seed=seed.hex(),
        started=STARTED,
    )
    header = replace(header, commitment=commit_to(seed, header.terms).hex())
    moves, outcome = _play(chosen, seats, Dice(table_key(seed, table, nonces)), Dice(seed).open_stream("choices"))
    return ExportedGame(header=header, moves=moves, outcome=outcome)


def _play(options: Any, seats: int, dice: Dice, choice: Stream) -> tuple[list[MoveLine], RecordedOutcome]:
    state = GAME.setup(options, seats, dice)
    lines: list[MoveLine] = []
    while pending := sorted(GAME.pending(state)):
        seat = pending[choice.draw_below(len(pending))]
        legal = list(GAME.moves(GAME.view(state, seat)))
        move = legal[choice.draw_below(len(legal))]
        step = play_move(GAME, state, Seat(seat), move)
        assert not isinstance(step, Refusal)
        state, number = step.state, len(lines) + 1
        lines.append(
            MoveLine(n=number, seat=seat, move=GAME.codec.encode_plain(move), mover="player", at_ms=900 * number)
        )
    end = GAME.outcome(state)
    assert end is not None
    return lines, RecordedOutcome(scores=list(end.scores), places=list(end.places), reason=end.reason)


games = st.builds(
    exported_game,
    seats=st.integers(2, 5),
    seed=st.binary(min_size=32, max_size=32),
    table=st.text("0123456789abcdef", min_size=12, max_size=12),
    options=st.fixed_dictionaries(
        {"cycles": st.integers(1, 2), "open_won": st.booleans(), "take_back": st.booleans()},
        optional={"peppers": st.lists(st.integers(1, 3), min_size=100, max_size=100)},
    ),
)
