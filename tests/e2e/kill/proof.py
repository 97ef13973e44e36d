"""Comparison of an exported game with everything that the players saw, replayed without a server."""

from collections.abc import Iterator
from typing import Any

import msgpack

from scoville_shared import replay
from scoville_shared.engine import play as engine
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.replay.file import ExportedGame
from scoville_shared.replay.verify import dealer_of, dice_of


class Proof:
    """A finished game, checked against the commitment that was given when its table was opened."""

    def __init__(self, lines: list[str], commitment: str) -> None:
        self.exported: ExportedGame = replay.read_game(lines)
        verdict = replay.verify_game(self.exported)
        assert verdict.verified, verdict
        assert self.exported.header.commitment == commitment, "the seed is another one than before the kill"
        self._game = registry.load_game(self.exported.header.game)
        self._states = [*self._replayed()]

    def view(self, moves: int, seat: int | None) -> Any:
        """Show what a seat sees after so many moves, as it crosses the wire."""
        state = self._states[moves]
        plain = self._game.codec.encode_plain(self._game.view(state, None if seat is None else Seat(seat)))
        return msgpack.unpackb(msgpack.packb(plain))

    def move(self, seat: int, nth: int) -> Any:
        """Find the move that a seat made as its `nth`, counted from 0."""
        return [made.move for made in self.exported.moves if made.seat == seat][nth]

    @property
    def places(self) -> list[int]:
        """The places by seat at the end."""
        outcome = self._game.outcome(self._states[-1])
        assert outcome is not None, "the game is finished"
        return [*outcome.places]

    def _replayed(self) -> Iterator[Any]:
        header, codec = self.exported.header, self._game.codec
        options, dice, dealer = codec.decode_options(header.options), dice_of(header), dealer_of(header)
        moves = [(Seat(made.seat), codec.decode_move(made.move)) for made in self.exported.moves]
        yield self._game.deal(options, len(header.seats), dice, dealer)
        for step in engine.replay_moves(self._game, options, len(header.seats), dice, moves, dealer):
            yield step.state
