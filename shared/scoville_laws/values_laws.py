"""Every value of a game survives encoding for the wire and the disk."""

from typing import Any

import msgspec

from scoville_laws.law import Luck, demand, law
from scoville_laws.tables import draw_deal, draw_move, draw_position
from scoville_shared.engine.contract import AnyGame


def _send(plain: Any) -> Any:
    """Return plain data as it arrives at the other end of a connection."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(plain))


@law
def options_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    options = draw_deal(game, seats, luck).options
    again = game.codec.decode_options(_send(game.codec.encode_plain(options)))
    demand(again == options, f"{options} come back as {again}")


@law
def moves_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    move = draw_move(game, luck)
    again = game.codec.decode_move(_send(game.codec.encode_plain(move)))
    demand(again == move, f"{move} comes back as {again}")


@law
def views_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        again = game.codec.decode_view(_send(game.codec.encode_plain(view)))
        demand(again == view, f"{view} comes back as {again}")


@law
def facts_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    for step in draw_position(game, seats, luck, luck.longest).steps:
        for addressed in step.facts:
            again = game.codec.decode_fact(_send(game.codec.encode_plain(addressed.fact)))
            demand(again == addressed.fact, f"{addressed.fact} comes back as {again}")


@law
def states_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    packed = game.codec.pack_state(state)
    again = game.codec.unpack_state(packed)
    demand(again == state, f"{state} comes back as {again}")
    demand(game.codec.pack_state(again) == packed, f"{state} has other bytes once it was read")


@law
def the_same_key_and_moves_make_the_same_bytes(game: AnyGame, seats: int, luck: Luck) -> None:
    deal, moments = draw_position(game, seats, luck, luck.longest)
    state = deal.setup()
    for number, moment in enumerate(moments):
        if moment.seat is not None:
            state = game.apply(state, moment.seat, moment.move).state
        same = game.codec.pack_state(state) == game.codec.pack_state(moment.state)
        demand(same, f"after {number} moves the state is another one: chance comes from somewhere else than the dice")
