"""Pools of puzzles: made game by game, with progress, and checked with ten times the playouts."""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec.structs import replace

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.registry import find_coach
from scoville_shared.engine.contract import AnyGame
from scoville_shared.games.registry import list_slugs, load_game
from scoville_shared.puzzles import pool as pools
from scoville_shared.puzzles.maker import Made, confirm_answer, make_puzzle
from scoville_shared.puzzles.pool import Pool, check_puzzle, decode_pool, encode_pool
from scoville_thinking.machines import fastest_machine

FOLDER: Final = Path(pools.__file__).with_name("pools")
SEED: Final = "5c0f17e5"
WRITTEN_EACH: Final = 10
EASY: Final = 5
"""One puzzle of so many may be one that every bot solves."""
MOST_OF_A_REASON: Final = 0.45
"""Not more than this part of a pool has the same reason."""
AGREEING: Final = 0.98


def path_of(slug: str) -> Path:
    """Return the file of a game's puzzles."""
    return FOLDER / f"{slug}.puzzles"


def make_pool(game: AnyGame, seed: str, count: int, machine: Machine, *, again: bool) -> None:
    """Play games until a pool has `count` puzzles; write it on the way."""
    slug, path = game.info.slug, path_of(game.info.slug)
    pool = Pool(game=slug, rules_version=game.info.rules_version, made_from=seed)
    if path.exists() and not again:
        kept = decode_pool(path.read_bytes())
        if (kept.made_from, kept.rules_version) == (seed, game.info.rules_version):
            pool = kept
    easy = sum(each.rating < easiest_rating() for each in pool.puzzles)
    began, written = monotonic(), len(pool.puzzles)
    while len(pool.puzzles) < count:
        made = make_puzzle(game, bytes.fromhex(seed), pool.games, machine)
        pool = replace(pool, games=pool.games + 1)
        if made is not None and is_wanted(pool, made, easy, count):
            fault = check_puzzle(game, made.puzzle)
            if fault:
                raise AssertionError(fault)
            easy += made.puzzle.rating < easiest_rating()
            pool = replace(pool, puzzles=[*pool.puzzles, made.puzzle])
        done = len(pool.puzzles)
        said = f"{slug}: {done} of {count} puzzles, {pool.games} games, {monotonic() - began:.0f} s"
        print(f"\r\033[K{said}" if sys.stderr.isatty() else said, end="" if sys.stderr.isatty() else "\n",
              file=sys.stderr, flush=True)  # fmt: skip
        if done >= written + WRITTEN_EACH or done == count:
            path.write_bytes(encode_pool(pool))
            written = done
    ratings = sorted(each.rating for each in pool.puzzles)
    print(f"\n{slug}: {len(pool.puzzles)} puzzles of {pool.games} games, {path.stat().st_size} bytes, ratings "
          f"{ratings[0]} to {ratings[-1]}, median {ratings[len(ratings) // 2]}, "
          f"{sum(each.exact for each in pool.puzzles)} exact")  # fmt: skip
    for reason, number in Counter(each.reason for each in pool.puzzles).most_common():
        print(f"  {number:4} × {reason}")


def easiest_rating() -> int:
    """Return a rating that only puzzles are below which every bot solves."""
    from scoville_shared.puzzles.maker import RATINGS, rate_by_levels

    return rate_by_levels(list(RATINGS)) + 1


def is_wanted(pool: Pool, made: Made, easy: int, count: int) -> bool:
    """Whether a puzzle makes the pool more varied: it is new, seldom too easy, and not of the most frequent kind."""
    if pool.find_puzzle(made.puzzle.id) is not None:
        return False
    if made.puzzle.rating < easiest_rating() and easy >= count // EASY:
        return False
    alike = sum(each.reason == made.puzzle.reason for each in pool.puzzles)
    return alike < count * MOST_OF_A_REASON


def check_pool(game: AnyGame, asked: Namespace, machine: Machine) -> bool:
    """Ask for every best move again and report how many agree; return whether that is enough."""
    pool = decode_pool(path_of(game.info.slug).read_bytes())
    chosen = pool.puzzles[asked.first :][: asked.count]
    began, agreed, other = monotonic(), 0, []
    for number, puzzle in enumerate(chosen, 1):
        fault = check_puzzle(game, puzzle)
        if fault:
            print(f"\n{fault}")
        elif confirm_answer(game, puzzle, machine):
            agreed += 1
        if len(other) + agreed < number:
            other.append(puzzle.id)
        print(f"\r\033[K{game.info.slug}: {agreed} of {number} agree, {monotonic() - began:.0f} s", end="",
              file=sys.stderr, flush=True)  # fmt: skip
    exact = sum(puzzle.exact for puzzle in chosen)
    print(f"\n{game.info.slug}: {agreed} of {len(chosen)} agree, {exact} of them exact; others: {other or 'none'}")
    return agreed >= AGREEING * len(chosen)


def main() -> None:
    """Make or check pools."""
    parser = ArgumentParser("scripts/puzzles", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="slug of a game")
    parser.add_argument("--count", type=int, default=100, metavar="N", help="puzzles of a game")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="with --check: begin at this puzzle")
    parser.add_argument("--seed", default=SEED, metavar="HEX", help="seed of the games")
    parser.add_argument("--again", action="store_true", help="begin anew")
    parser.add_argument("--check", action="store_true", help="check in place of making")
    asked = parser.parse_args()
    slugs = asked.games or [slug for slug in list_slugs() if find_coach(slug) is not None]
    machine, good = fastest_machine(), True
    for slug in slugs:
        if asked.check:
            good = check_pool(load_game(slug), asked, machine) and good
        else:
            make_pool(load_game(slug), asked.seed, asked.count, machine, again=asked.again)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
