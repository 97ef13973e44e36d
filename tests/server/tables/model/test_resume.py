"""Continuing an exported game: the same deal and moves, recorded truthfully, with bots for absent players."""

import pytest

from scoville_server.tables.archive.export import export_game
from scoville_server.tables.factory import resumed_records
from scoville_server.tables.state_machine import restore_table
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import replay_moves
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat, UserId
from scoville_shared.replay import Opening, dice_of, read_game, verify_game
from tests.support.exports import SHORT, play_exported_game
from tests.support.tables import NOON

ME = UserId("me")
every_game = pytest.mark.parametrize("slug", SHORT)


@every_game
@pytest.mark.parametrize("moves", [0, 1, 8])
@pytest.mark.parametrize("seat", [Seat(0), Seat(2)])
def test_the_past_table_stands_after_its_moves(slug: str, moves: int, seat: Seat) -> None:
    game, origin = load_game(slug), play_exported_game(slug)
    table = restore_table(resumed_records(Opening(origin, moves, seat), ME, "Zoe", NOON), load_game)
    options = game.codec.decode_options(origin.header.options)
    dealt = game.setup(options, 3, dice_of(origin.header))
    played = [(Seat(line.seat), game.codec.decode_move(line.move)) for line in origin.moves[:moves]]
    states = [dealt, *(step.state for step in replay_moves(game, options, 3, dice_of(origin.header), played))]
    assert table.state == states[-1]
    assert [(made.seat, made.mover) for made in table.moves] == [
        (line.seat, line.mover) for line in origin.moves[:moves]
    ]
    assert table.status == "playing"


@every_game
def test_a_practice_user_hosts_with_bots(slug: str) -> None:
    table = restore_table(resumed_records(Opening(play_exported_game(slug), 2, Seat(1)), ME, "Zoe", NOON), load_game)
    assert [seat_state.human for seat_state in table.seats] == [False, True, False]
    assert table.names == ["Anna", "Zoe", "Max"]
    assert (table.seat_of(ME), table.host) == (1, 1)
    assert all(table.kept_for(UserId(other)) is None for other in ("", "me", "anna"))


@every_game
def test_the_game_that_comes_of_it_verifies(slug: str) -> None:
    records = list(resumed_records(Opening(play_exported_game(slug), 5, Seat(1)), ME, "Zoe", NOON))
    whole = list(
        resumed_records(
            Opening(play_exported_game(slug), len(play_exported_game(slug).moves), Seat(1)), ME, "Zoe", NOON
        )
    )
    table = restore_table(whole, load_game)
    assert table.status == "finished"
    lines = export_game(table)
    assert isinstance(lines, list)
    game = read_game(lines)
    assert verify_game(game).verified
    assert [line.move for line in game.moves] == [line.move for line in play_exported_game(slug).moves]
    assert [line.at_ms for line in game.moves] == [line.at_ms for line in play_exported_game(slug).moves]
    assert all(record.at_ms <= NOON for record in records)


def test_chance_continues_as_it_would_have() -> None:
    origin = play_exported_game("chilli_chase")
    table = restore_table(resumed_records(Opening(origin, 3, Seat(0)), ME, "Zoe", NOON), load_game)
    assert isinstance(dice_of(origin.header), Dice)
    assert table.nonces == [bytes.fromhex(nonce or "") for nonce in origin.header.nonces]
    assert table.opened.seed.hex() == origin.header.server_seed


def test_a_settled_dealer_deals_again() -> None:
    origin = play_exported_game("chilli_chase", dealer=Seat(2))
    table = restore_table(resumed_records(Opening(origin, 3, Seat(0)), ME, "Zoe", NOON), load_game)
    assert table.state.board.dealer == 2
