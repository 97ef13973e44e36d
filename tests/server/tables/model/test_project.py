"""Events for watchers: numbers without gaps, facts for the right seats, and nothing hidden."""

import msgspec
import pytest

from scoville_server.tables.actions.start import Start
from scoville_server.tables.archive.export import export_game
from scoville_server.tables.model.table import Table, find_seats_to_move
from scoville_server.tables.watching.project import list_events, project_events, project_snapshot
from scoville_shared.engine.dice import Dice
from scoville_shared.games import registry
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import Finished, Played
from tests.support.tables import SEED, carry_out, join_as, new_table, play_first, start_table, user_of
from tests.support.toys import TOYS


def here(user: UserId) -> bool:
    return user == user_of("Anna")


def finished(seed: bytes = SEED) -> Table:
    table = start_table("Anna", "Ben", seed=seed)
    for _ in range(3):
        table = carry_out(table, play_first("Anna", table))
        table = carry_out(table, play_first("Ben", table))
    return table


def packed_view(table: Table, seat: int | None) -> bytes:
    """All notices to a watcher with that point of view, as bytes."""
    place = None if seat is None else Seat(seat)
    return msgspec.msgpack.encode([project_events(table, 0, place), project_snapshot(table, 0, place, here)])


def test_events_are_numbered_from_one_without_gaps() -> None:
    table = finished()
    assert [event.seq for event in list_events(table, 0, None)] == list(range(1, table.seq + 1))


def test_watching_from_an_event_on_continues_without_a_gap() -> None:
    table = finished()
    whole = list_events(table, 0, Seat(1))
    assert all(whole[:since] + list_events(table, since, Seat(1)) == whole for since in range(table.seq + 1))
    assert list_events(table, table.seq + 5, None) == []


def test_a_fact_for_one_seat_reaches_that_seat_alone() -> None:
    table = start_table("Anna", "Ben")
    moved = carry_out(table, play_first("Anna", table))

    def facts(seat: Seat | None) -> list[str]:
        event = list_events(moved, table.seq, seat)[0]
        assert isinstance(event, Played)
        return [fact["fact"] for fact in event.facts]

    assert facts(Seat(0)) == ["chosen", "noted"]
    assert facts(Seat(1)) == ["chosen"]
    assert facts(None) == ["chosen"]


def test_hidden_changes_change_no_visible_byte() -> None:
    table = start_table("Anna", "Ben", "Cleo")
    anna, ben, cleo = table.state.hands

    def dealt(hand: tuple[int, ...]) -> Table:
        state = msgspec.structs.replace(table.state, hands=(hand, ben, cleo))
        held = msgspec.structs.replace(table, state=state)
        return carry_out(held, play_first("Anna", held), play_first("Ben", held))

    one, other = dealt(anna), dealt(tuple(sorted(set(range(1, 41)) - {*anna, *ben, *cleo}))[:3])
    assert packed_view(one, 0) != packed_view(other, 0)
    for stranger in (None, 1, 2):
        assert packed_view(one, stranger) == packed_view(other, stranger)


@pytest.mark.parametrize("game", [*TOYS, *registry.list_slugs()])
def test_hidden_cards_never_change_a_spectators_picture(game: str) -> None:
    table = start_table("Anna", "Ben", "Cleo", game=game)
    for watcher in (None, Seat(0), Seat(1), Seat(2)):
        view = table.game.view(table.state, watcher)
        for world in range(5):
            state = table.game.imagine(view, Dice(bytes([world]) * 32))
            imagined = msgspec.structs.replace(table, state=state, to_move=find_seats_to_move(table, state))
            assert packed_view(imagined, watcher) == packed_view(table, watcher)


def test_the_seed_is_reported_at_the_end_and_never_before() -> None:
    table = start_table("Anna", "Ben")
    for seat in (None, 0, 1):
        assert SEED.hex().encode() not in packed_view(table, seat)
        assert SEED not in packed_view(table, seat)
        assert SEED.hex().encode() in packed_view(finished(), seat)


def test_the_end_is_its_own_event() -> None:
    last, end = list_events(finished(), 0, None)[-2:]
    assert isinstance(last, Played)
    assert last.pending == []
    assert isinstance(end, Finished)
    assert sum(end.scores) == 3
    assert min(end.places) == 1
    assert end.reason == "played_out"


def test_before_the_start_nobody_sees_or_owes() -> None:
    shot = project_snapshot(carry_out(new_table(), join_as("Anna")), 0, Seat(0), here)
    assert (shot.view, shot.pending, shot.move_counts) == (None, [], [0, 0, 0])


def test_a_user_whose_connection_is_cut_is_not_connected() -> None:
    table = carry_out(
        new_table(seats=3), join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random")
    )
    seats = project_snapshot(table, 0, None, here).info.seats
    assert [seat.connected for seat in seats] == [True, False, True]


def test_only_finished_games_are_written_out() -> None:
    lines = export_game(finished())
    assert isinstance(lines, list)
    header, *moves, end = (msgspec.json.decode(line) for line in lines)
    assert (header["table"], header["server_seed"], header["started"]) == ("t1", SEED.hex(), "2026-05-28T20:26:40Z")
    assert [(move["n"], move["seat"], move["mover"]) for move in moves[:2]] == [(1, 0, "player"), (2, 1, "player")]
    assert len(moves) == 6
    assert end["outcome"]["reason"] == "played_out"
    assert not isinstance(export_game(start_table("Anna", "Ben")), list)
