"""Every value of a game survives encoding for the wire and the disk."""

import msgspec

from tests.support.games import deals, law, moves_like, positions


def over_the_wire(plain):
    return msgspec.msgpack.decode(msgspec.msgpack.encode(plain))


@law
def test_options_come_back_as_they_were(game, seats, data):
    options = data.draw(deals(game, seats)).options
    assert game.codec.decode_options(over_the_wire(game.codec.encode_plain(options))) == options


@law
def test_moves_come_back_as_they_were(game, seats, data):
    move = data.draw(moves_like(game))
    assert game.codec.decode_move(over_the_wire(game.codec.encode_plain(move))) == move


@law
def test_views_come_back_as_they_were(game, seats, data):
    position = data.draw(positions(game, seats))
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        assert game.codec.decode_view(over_the_wire(game.codec.encode_plain(view))) == view


@law
def test_facts_come_back_as_they_were(game, seats, data):
    for moment in data.draw(positions(game, seats)).moments[1:]:
        for addressed in moment.step.facts:
            assert game.codec.decode_fact(over_the_wire(game.codec.encode_plain(addressed.fact))) == addressed.fact


@law
def test_states_come_back_as_they_were(game, seats, data):
    state = data.draw(positions(game, seats)).state
    packed = game.codec.pack_state(state)
    assert game.codec.unpack_state(packed) == state
    assert game.codec.pack_state(game.codec.unpack_state(packed)) == packed


@law
def test_the_same_key_and_moves_make_the_same_bytes(game, seats, data):
    deal, moments = data.draw(positions(game, seats))
    state = deal.setup()
    for moment in moments[1:]:
        state = game.apply(state, moment.seat, moment.move).state
    assert game.codec.pack_state(state) == game.codec.pack_state(moments[-1].state)
