"""Removal of archived games: the oldest of the user with most, and never one that is still needed."""

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.identity import ServerIdentity
from scoville_server.journal.base import Change
from scoville_server.journal.memory import MemoryJournal
from scoville_server.journal.stores import GameFile
from scoville_server.limits.live import Live
from scoville_server.tables.archive.archive import Archive, Creator
from scoville_server.tables.archive.index import BLOCK, ArchiveIndex, GameLimits, KeptGame
from scoville_server.tables.archive.signing import TableSigner
from scoville_shared.ids import UserId


def game(number: int, *creators: str, size: int = BLOCK) -> KeptGame:
    return KeptGame(f"t{number:05}.jsonl", size, creators)


def dropped(index: ArchiveIndex, *needed: str) -> list[str]:
    return [each.name[:6] for each in index.drop_surplus(lambda table: table in needed)]


@pytest.mark.parametrize("limits", [GameLimits(files=4, bytes=1_000_000), GameLimits(files=99, bytes=4 * BLOCK)])
def test_the_oldest_of_the_largest_creator_go_first(limits: GameLimits) -> None:
    index = ArchiveIndex(limits)
    for number, creator in enumerate(["ben", "anna", "anna", "anna", "cleo"]):
        index.add_game(game(number, creator))
    assert dropped(index) == ["t00001"]
    assert (len(index), index.bytes) == (4, 4 * BLOCK)


def test_guests_of_one_network_count_together() -> None:
    index = ArchiveIndex(GameLimits(files=4))
    for number, creators in enumerate(
        [("anna", "home"), ("anna", "home"), ("g1", "far"), ("g2", "far"), ("g3", "far")]
    ):
        index.add_game(game(number, *creators))
    assert dropped(index) == ["t00002"]


def test_files_are_counted_by_their_blocks() -> None:
    index = ArchiveIndex(GameLimits(bytes=6 * BLOCK))
    index.add_game(game(1, "anna", size=4 * BLOCK + 1))
    index.add_game(game(2, "ben", size=1))
    index.add_game(game(3, "ben", size=1))
    assert dropped(index) == ["t00001"]


def test_needed_games_stay_and_others_make_room() -> None:
    index = ArchiveIndex(GameLimits(files=3))
    for number, creator in enumerate(["anna", "anna", "anna", "ben", "ben"]):
        index.add_game(game(number, creator))
    assert dropped(index, "t00000", "t00001", "t00002") == ["t00003", "t00004"]


def test_when_everything_is_needed_nothing_goes_and_it_goes_later() -> None:
    index = ArchiveIndex(GameLimits(files=1))
    for number in range(3):
        index.add_game(game(number, "anna"))
    assert dropped(index, "t00000", "t00001", "t00002") == []
    assert dropped(index) == ["t00000", "t00001"]


def test_a_file_that_is_written_again_is_counted_once() -> None:
    index = ArchiveIndex(GameLimits(files=5))
    for _ in range(9):
        index.add_game(game(1, "anna", "home"))
    assert (len(index), index.bytes) == (1, BLOCK)
    index.drop_game("t00001.jsonl")
    index.drop_game("t00001.jsonl")
    assert (len(index), index.bytes, "t00001.jsonl" in index) == (0, 0, False)


def test_each_drop_takes_from_the_largest() -> None:
    chance = random.Random(8)
    index = ArchiveIndex(GameLimits(files=50))
    held: dict[str, str] = {}
    for number in range(2_000):
        creator = f"c{min(chance.randrange(9), chance.randrange(9))}"
        index.add_game(game(number, creator))
        held[game(number).name] = creator
        for each in index.drop_surplus(lambda _: False):
            counts = Counter(held.values())
            assert counts[held[each.name]] == max(counts.values())
            assert each.name == min(name for name, owner in held.items() if owner == held[each.name])
            del held[each.name]
    assert len(index) == 50


def test_the_order_of_creators_stays_as_small_as_their_number() -> None:
    index = ArchiveIndex(GameLimits(files=5_000))
    for number in range(20_000):
        index.add_game(game(number, f"u{number % 700}", f"n{number % 70}"))
        index.drop_surplus(lambda _: False)
    assert len(index) == 5_000
    assert len(index._largest) <= 4 * len(index._of) + 66


class EmptyStore:
    """A store of finished games that has none."""

    place = "nowhere"

    async def find_games(self, _noted: object) -> list[GameFile]:
        return []

    def is_missing(self) -> bool:
        return False


async def test_game_that_one_node_keeps_or_removes_is_known_at_the_other() -> None:
    journal, background = MemoryJournal(), BackgroundTasks()
    store: Any = EmptyStore()
    nodes = [Archive(store, Live(GameLimits()), journal, background, TableSigner(ServerIdentity())) for _ in range(2)]
    for node in nodes:
        await node.open_store(lambda _: None, lambda _: False)
    creator = Creator("anna", players=(UserId("anna"),), size=5)
    await journal.write([Change("games", "t1.jsonl", msgspec.msgpack.encode(creator))])
    found = [node.find_games_of("t1", UserId("anna")) for node in nodes]
    assert [[game.size for game in games] for games in found] == [[5], [5]]
    await journal.write([Change("games", "t1.jsonl", None)])
    assert [node.kept_games for node in nodes] == [0, 0]
    await background.close()
