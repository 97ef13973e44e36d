"""Tables that a waiting node reads on as their records come: it takes over with the same ones, at once."""

from collections.abc import Iterator

import msgspec
import pytest

from scoville_runtime.events import write_event
from scoville_server.journal.base import START, StoredTable
from scoville_server.tables.actions.start import Start
from scoville_server.tables.model.records import Played, Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve, pack_record
from scoville_server.tables.storage import Ahead, read_ahead, read_table, restore_tables
from scoville_shared.engine.contract import AnyGame
from scoville_shared.games import registry
from scoville_shared.ids import TableId
from tests.support.tables import NOON, any_game, join_as, new_table, records_of, user_of

GAMES = ("dicht_dran", "no_thanks", "chilli_chase")


def record_game(slug: str) -> Iterator[Record]:
    """Yield the records of a game of two users and a bot, or its first sixty moves."""
    table = new_table(slug, 3)
    table = table_with(table, rules_version=table.game.info.rules_version)
    yield table.opened
    for command in (join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random")):
        for record in records_of(table, command):
            table = evolve(table, record)
            yield record
    for _ in range(60):
        if not table.pending:
            break
        seat = table.pending[0]
        move = table.game.fallback(table.game.view(table.state, seat))
        record = Played(at_ms=NOON, seat=seat, move=table.game.codec.encode_plain(move), mover="clock")
        table = evolve(table, record)
        yield record


def table_with(table: Table, rules_version: int) -> Table:
    return msgspec.structs.replace(table, opened=msgspec.structs.replace(table.opened, rules_version=rules_version))


@pytest.mark.parametrize("slug", GAMES)
def test_a_table_is_the_same_wherever_it_was_read_ahead(slug: str) -> None:
    packed = [pack_record(record) for record in record_game(slug)]
    assert len(packed) > 30
    whole = read_table(StoredTable(packed, START), any_game)
    ahead: object = None
    for count in (1, 2, 5, 6, 20, len(packed)):
        ahead = read_ahead(ahead, packed[:count])
        assert isinstance(ahead, Ahead)
        assert ahead.records == count
        assert read_table(StoredTable(packed, START, ahead), any_game) == whole


def test_what_was_read_ahead_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = [pack_record(record) for record in record_game("no_thanks")]
    ahead = read_ahead(None, packed[:-2])
    applied: list[object] = []
    game = registry.load_game("no_thanks")
    apply = game.apply
    monkeypatch.setattr(game, "apply", lambda *arguments: applied.append(1) or apply(*arguments))
    read_table(StoredTable(packed, START, ahead), any_game)
    assert len(applied) == 2


def test_a_server_that_guards_a_game_plays_it_itself() -> None:
    packed = [pack_record(record) for record in record_game("no_thanks")]
    other = type(any_game("no_thanks"))()
    found = read_table(StoredTable(packed, START, read_ahead(None, packed)), lambda _: other)
    assert found.game is other


@pytest.mark.parametrize("n", [0, 4, 20])
def test_what_cannot_be_read_is_left_to_the_node_that_takes_over(n: int, caplog: pytest.LogCaptureFixture) -> None:
    packed = [pack_record(record) for record in record_game("no_thanks")]
    packed[n] = packed[n][:-1]
    ahead = read_ahead(read_ahead(None, packed[:10]), packed)
    assert not isinstance(ahead, Ahead)
    assert not caplog.records
    assert restore_tables({TableId("t1"): StoredTable(packed, START, ahead)}, any_game, write_event) == []
    assert f"its record {n + 1} is not a record" in caplog.text


def test_games_of_other_packages_are_not_played_by_a_node_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = [pack_record(record) for record in record_game("no_thanks")]
    loaded: list[str] = []

    def load(slug: str) -> AnyGame:
        loaded.append(slug)
        return any_game(slug)

    monkeypatch.setattr(registry, "is_ours", lambda _: False)
    monkeypatch.setattr(registry, "load_game", load)
    assert not isinstance(read_ahead(None, packed), Ahead)
    assert not loaded
