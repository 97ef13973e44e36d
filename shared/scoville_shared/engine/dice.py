"""Verifiable randomness: labelled streams from one HMAC key.

docs/fairness.md documents the construction with test vectors. A label names each draw, so the order in which a game
draws never matters.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from struct import Struct as Layout
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")

SEED_BYTES = 32
NONCE_BYTES = 32
_COMMITMENT = b"scoville/commitment/1\0"
_NONCE = b"scoville/nonce/1\0"
# Sorted, so that the same options in another order are committed to by the same hash.
_TERMS = msgspec.json.Encoder(order="sorted")
_WORD_SPAN = 2**32
_EIGHT_WORDS = Layout(">8I")


class Dice(Struct, frozen=True):
    """All randomness of one game.

    `key` is 32 bytes: `table_key` derives it from the server's seed, the table's id and the players' nonces.

    >>> [Dice(bytes(32)).open_stream("coin").draw_below(1000) for _ in range(2)]
    [67, 67]
    """

    key: bytes

    def open_stream(self, label: str) -> "Stream":
        """Return the stream of the draw that `label` names, from its beginning."""
        return Stream(self.key, label)


class Stream:
    """Uniform random numbers of one label, in a fixed order."""

    def __init__(self, key: bytes, label: str) -> None:
        self._words = _draw_words(key, label.encode() + b"\0")

    def draw_below(self, bound: int) -> int:
        """Draw a whole number from 0 to `bound` - 1, uniformly. Raises ValueError for a bound beyond 2**32."""
        if not 0 < bound <= _WORD_SPAN:  # no word would ever be taken
            raise ValueError(f"a number is drawn below 1 to 2**32, not {bound}")
        fair = _fair_words(bound)
        for word in self._words:
            if word < fair:
                return word % bound
        raise AssertionError("a stream never ends")

    def shuffle_cards(self, cards: Iterable[T]) -> list[T]:
        """Return a shuffled copy of `cards` (Fisher-Yates from the back)."""
        pile = list(cards)
        draw = self._words.__next__
        # Every smaller word is fair for all bounds of this pile, so the exact bound is hardly ever computed.
        surely_fair = _WORD_SPAN - len(pile)
        for last in range(len(pile) - 1, 0, -1):
            word = draw()
            while word >= surely_fair and word >= _fair_words(last + 1):
                word = draw()
            other = word % (last + 1)
            pile[last], pile[other] = pile[other], pile[last]
        return pile


def table_key(server_seed: bytes, table: str, nonces: Sequence[bytes]) -> bytes:
    """Derive a table's key (32 bytes).

    Args:
        server_seed: The server's secret seed, 32 bytes.
        table: The table's public id.
        nonces: One per seat, up to 32 bytes each; b"" for none.

    Raises ValueError for a nonce longer than 32 bytes.
    """
    for seat, nonce in enumerate(nonces):
        if len(nonce) > NONCE_BYTES:
            raise ValueError(f"the nonce of seat {seat} has {len(nonce)} bytes; at most {NONCE_BYTES} count")
    # Each after its length: otherwise the nonces "a", "bc" and "ab", "c" would deal the same cards.
    prefixed = b"".join(bytes((len(nonce),)) + nonce for nonce in nonces)
    message = b"scoville/1\0" + table.encode() + b"\0" + prefixed
    return hmac.digest(server_seed, message, "sha256")


class DealTerms(Struct, frozen=True, kw_only=True):
    """Everything public that a deal follows from, beside the nonces. The commitment binds all of it.

    `options` are all of the game's options as plain data; `seats` is their number; `dealer` is the seat that deals,
    None where the game decides.
    """

    table: str
    game: str
    rules_version: int
    options: dict[str, Any]
    seats: int
    dealer: int | None


def nonce_hash(table: str, nonce: bytes) -> bytes:
    """Hash a nonce; a player publishes it before the server asks for the nonces, so that no nonce depends on others."""
    return hashlib.sha256(_NONCE + table.encode() + b"\0" + nonce).digest()


def commit_to(server_seed: bytes, terms: DealTerms) -> bytes:
    """Hash the server's seed and the terms; published before nonces are accepted, so that neither can change.

    Args:
        server_seed: The server's secret seed, 32 bytes.
        terms: Encoded as JSON with sorted keys and without blanks.

    Raises ValueError for a seed of another length, which could be confused with the beginning of the terms.
    """
    if len(server_seed) != SEED_BYTES:
        raise ValueError(f"a server's seed has {SEED_BYTES} bytes, not {len(server_seed)}")
    return hashlib.sha256(_COMMITMENT + server_seed + encoded_terms(terms)).digest()


def encoded_terms(terms: DealTerms) -> bytes:
    """Encode the terms as JSON with sorted keys and without blanks."""
    return _TERMS.encode(terms)


def signed_commitment(committed: bytes, terms: DealTerms) -> bytes:
    """Compose the text that a server signs about a commitment: the hash, and the terms, which it does not show."""
    return committed + encoded_terms(terms)


def _fair_words(bound: int) -> int:
    """Return how many words map evenly to the numbers below `bound`; larger words are skipped."""
    return bound * (_WORD_SPAN // bound)


def _draw_words(key: bytes, prefix: bytes) -> Iterator[int]:
    keyed, cut, index = hmac.new(key, prefix, "sha256"), _EIGHT_WORDS.unpack, 0
    while True:
        # The key and the label are hashed once for all blocks.
        block = keyed.copy()
        block.update(index.to_bytes(8))
        yield from cut(block.digest())
        index += 1
