"""The pool of puzzles that comes with each game: one file, written by the maker and checked when it is read.

A file is the line `scoville-puzzles 1`, the SHA-256 of what follows (32 bytes), and a `Pool` as MessagePack, deflated
(zlib). docs/puzzles.md describes its fields. Users are sent the question of a puzzle first, and its answer after an
attempt.
"""

import hashlib
import zlib
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.plausible import is_plausible
from scoville_shared.errors import ScovilleError
from scoville_shared.games.registry import is_ours, list_usable, load_game
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import PuzzleAnswer, PuzzleChoice, PuzzleInfo, PuzzleStep
from scoville_shared.puzzles.puzzle import Puzzle

MAGIC: Final = b"scoville-puzzles 1\n"
"""The first line of a file, with the version of its format."""
_DIGEST: Final = hashlib.sha256().digest_size
LONGEST: Final = 16 * 2**20
"""Bytes of a pool before it is deflated: ten times what a thousand puzzles have."""


class Pool(Struct, frozen=True, kw_only=True):
    """The puzzles of a game.

    `made_from` is the seed of the games that they come from, hex, and `games` how many of these were played: the maker
    goes on with the next one.
    """

    game: str
    rules_version: int
    made_from: str
    games: Annotated[int, Meta(ge=0)] = 0
    puzzles: list[Puzzle] = []

    def find_puzzle(self, wanted: str) -> Puzzle | None:
        """Return the puzzle with an id."""
        return next((puzzle for puzzle in self.puzzles if puzzle.id == wanted), None)


class BrokenPool(ValueError):
    """Bytes that are no pool; the message says what is wrong with them."""


def encode_pool(pool: Pool) -> bytes:
    """Return a pool as the content of a file."""
    packed = zlib.compress(msgspec.msgpack.encode(pool), 9)
    return MAGIC + hashlib.sha256(packed).digest() + packed


def decode_pool(content: bytes) -> Pool:
    """Read the content of a file. Raises BrokenPool."""
    head, packed = content[: len(MAGIC)], content[len(MAGIC) + _DIGEST :]
    if head != MAGIC:
        raise BrokenPool(f"it begins with {head!r} in place of {MAGIC!r}")
    if hashlib.sha256(packed).digest() != content[len(MAGIC) : len(MAGIC) + _DIGEST]:
        raise BrokenPool("its content does not have its SHA-256")
    try:
        # With a bound: a few kilobytes can inflate to gigabytes.
        inflating = zlib.decompressobj()
        plain = inflating.decompress(packed, LONGEST)
        if not inflating.eof:
            raise BrokenPool(f"it has more than {LONGEST} bytes")
        return msgspec.msgpack.decode(plain, type=Pool)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BrokenPool(str(error)) from error


def check_puzzle(game: AnyGame, puzzle: Puzzle) -> str:
    """Return the fault of a puzzle of a game; nothing of one that can be shown and answered."""
    try:
        view = game.codec.decode_view(puzzle.view)
        game.codec.decode_options(puzzle.options)
        for step in puzzle.history:
            game.codec.decode_facts(step.facts)
        legal = [game.codec.encode_plain(move) for move in game.moves(view)]
    except CodecError as error:
        return f"{puzzle.id}: {error}"
    if not 0 <= puzzle.seat < puzzle.seats or not is_plausible(game, view, Seat(puzzle.seat), puzzle.seats):
        return f"{puzzle.id}: no game can look like its View"
    offered = [move for choice in puzzle.choices for move in choice.moves]
    if len(offered) != len(legal) or any(move not in offered for move in legal):
        return f"{puzzle.id}: its choices are not the legal moves"
    return ""


@cache
def list_pools() -> tuple[Pool, ...]:
    """Return the pools of all games that have puzzles. Raises ScovilleError for a damaged one."""
    return tuple(pool for slug in list_usable() if (pool := load_pool(slug)).puzzles)


def load_pool(slug: str) -> Pool:
    """Read the pool of a game; an empty one of a game without puzzles, or with other rules than theirs.

    Raises ScovilleError for a damaged file.
    """
    file = files(__package__).joinpath("pools", f"{slug}.puzzles")
    empty = Pool(game=slug, rules_version=0, made_from="")
    if not is_ours(slug) or not file.is_file():
        return empty
    try:
        pool = decode_pool(file.read_bytes())
    except (BrokenPool, OSError) as error:
        raise ScovilleError(
            "broken_puzzles", f"The puzzles of {slug} cannot be used: {error}. Install Scoville again."
        ) from error
    return pool if pool.rules_version == load_game(slug).info.rules_version else empty


def describe_puzzle(pool: Pool, puzzle: Puzzle) -> PuzzleInfo:
    """Return the question of a puzzle."""
    return PuzzleInfo(
        id=puzzle.id,
        game=pool.game,
        rules_version=pool.rules_version,
        options=puzzle.options,
        seat_count=puzzle.seats,
        seat=puzzle.seat,
        view=puzzle.view,
        past_steps=[PuzzleStep(seat=step.seat, facts=step.facts) for step in puzzle.history],
    )


def make_answer(
    puzzle: Puzzle, place: int, *, puzzle_rating: int, before: int, after: int, rated: bool
) -> PuzzleAnswer:
    """Return the answer of a puzzle to a player who chose the choice at `place`, with the ratings of the attempt."""
    return PuzzleAnswer(
        place=place,
        choices=[PuzzleChoice(moves=each.moves, win=each.win, behind=each.behind) for each in puzzle.choices],
        reason=puzzle.reason,
        exact=puzzle.exact,
        puzzle_rating=puzzle_rating,
        before=before,
        after=after,
        rated=rated,
    )
