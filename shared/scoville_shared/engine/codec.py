"""Codecs between a game's typed values and plain data or bytes.

Moves are maps distinguished by a key that only their kind has, as in exported games: `{"card": 63}`, `{"take_back":
true}`. Facts are maps tagged by `"fact"`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, get_args

import msgspec

from scoville_shared.decoders import describe_fault, prepare_types
from scoville_shared.engine import options
from scoville_shared.values import Plain

O = TypeVar("O")  # noqa: E741 - options
S = TypeVar("S")
M = TypeVar("M")
V = TypeVar("V")
F = TypeVar("F")
T = TypeVar("T")


class CodecError(ValueError):
    """Invalid data; the message says what is wrong and where."""


class Codec(Generic[O, S, M, V, F]):
    """The five types of one game, with conversion from and to plain data.

    `moves` lists the kinds of move; the first field of each must be a key that no other kind has. `fact` is a struct,
    or a union of structs tagged by `fact`. Every method that reads raises CodecError for invalid data.
    """

    def __init__(
        self, *, options: type[O], state: type[S], moves: tuple[type[M], ...], view: type[V], fact: Any
    ) -> None:
        self.options_type = options
        self.state_type = state
        self.move_types = moves
        self.view_type = view
        self.fact_type = fact
        kinds = get_args(fact) or (fact,)
        self._fact_names = frozenset(str(kind.__struct_config__.tag) for kind in kinds)
        self._moves = {_distinctive_key(kind): kind for kind in moves}
        prepare_types(options, state, *moves, view, fact)  # threads check finished games

    def decode_options(self, data: Plain) -> O:
        """Read options; missing keys take their defaults, unknown ones are refused. Raises CodecError."""
        try:
            return _convert_plain(data, self.options_type)
        except CodecError as error:
            # The decoder names a path such as `$.cycles`; a host needs the option's name and what it may be.
            raise CodecError(options.find_fault(data, self.options_type) or str(error)) from error

    def decode_move(self, data: Plain) -> M:
        """Read a move. Raises CodecError."""
        if not isinstance(data, Mapping):
            raise CodecError("a move is a map")
        # By the key and not by trial: the error then is about the kind of move that was meant.
        for key, kind in self._moves.items():
            if key in data:
                return _convert_plain(data, kind)
        raise CodecError(f"a move has one of the keys {', '.join(self._moves)}")

    def decode_view(self, data: Plain) -> V:
        """Read a View. Raises CodecError."""
        return _convert_plain(data, self.view_type)

    def decode_fact(self, data: Plain) -> F:
        """Read a fact. Raises CodecError."""
        fact: F = _convert_plain(data, self.fact_type)
        return fact

    def decode_facts(self, data: Sequence[Plain]) -> list[F]:
        """Read the facts of a move. Facts and fields that only a later version of the game has are passed over.

        Raises CodecError for a map that is no fact, or a known one that is not complete.
        """
        return [self.decode_fact(fact) for fact in data if self._is_known(fact)]

    def check_names(self, facts: Sequence[Plain]) -> None:
        """Check that facts have names, known ones or those of a later version. Raises CodecError."""
        for fact in facts:
            self._is_known(fact)

    def _is_known(self, fact: Plain) -> bool:
        name = fact.get("fact")
        if not isinstance(name, str):
            raise CodecError("a fact has its name in the key fact")
        return name in self._fact_names

    def encode_plain(self, value: O | M | V | F) -> Plain:
        """Convert options, a move, a View or a fact to plain data."""
        plain: Plain = msgspec.to_builtins(value)
        return plain

    def pack_state(self, state: S) -> bytes:
        """Encode a whole state; equal states give equal bytes."""
        return msgspec.msgpack.encode(state)

    def unpack_state(self, data: bytes) -> S:
        """Decode a state that `pack_state` encoded. Raises CodecError."""
        try:
            return msgspec.msgpack.decode(data, type=self.state_type)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CodecError(describe_fault(error).sentence) from error


def _distinctive_key(kind: type[Any]) -> str:
    return str(msgspec.structs.fields(kind)[0].encode_name)


def _convert_plain(data: Plain, kind: type[T]) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise CodecError(describe_fault(error).sentence) from error
