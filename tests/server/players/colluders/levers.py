"""What colluders can do in a rated game beside playing it; each lever is pulled at a moment that they choose."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple, Protocol

from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause, Resume
from scoville_server.tables.actions.transfer_host import TransferHost
from scoville_server.tables.actions.vote import Vote
from scoville_shared.ids import Seat, UserId
from tests.server.players.colluders.played_game import GRACE_MS, PlayedGame


class Sides(NamedTuple):
    """The seats of both sides."""

    colluders: Sequence[Seat]
    honest: Sequence[Seat]


class Lever(Protocol):
    """Begins or goes on with a trick; called before each step from its moment on."""

    def __call__(self, played: PlayedGame, sides: Sides, chance: Random) -> None: ...


def user_of(played: PlayedGame, seat: Seat) -> UserId:
    """Return the user who owns a seat."""
    user = played.table.seats[seat].user
    assert user is not None, "only users play rated games"
    return user


def vote_out(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Vote the honest player out who is worst for them: any one."""
    for against in sides.honest:
        for seat in sides.colluders:
            if played.table.running:
                played.send(Vote(user=user_of(played, seat), against=against))


def vote_out_and_leave(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Vote, then leave as the last ones who are there."""
    vote_out(played, sides, chance)
    leave(played, sides, chance)


def kick(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Kick as the host, also after the role was handed over."""
    for seat in sides.colluders:
        for against in sides.honest:
            whom = user_of(played, against)
            played.send(Kick(user=user_of(played, seat), whom=whom, name=whom))
        played.send(TransferHost(user=user_of(played, seat), seat=sides.colluders[-1]))


def stall(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Stop moving."""
    played.idle |= frozenset(sides.colluders)


def stall_and_come_back(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Stop moving, and take the seat back each time when a bot has taken it over."""
    stall(played, sides, chance)
    for seat in sides.colluders:
        user = user_of(played, seat)
        if not played.table.seats[seat].human:
            played.send(Join(user=user, name=user, claimed=True))


def stall_until_alone(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Stop moving until the honest players have lost their patience and left, then play on against their bots."""
    if any(played.table.seats[seat].human for seat in sides.honest):
        stall_and_come_back(played, sides, chance)
        return
    played.idle -= frozenset(sides.colluders)
    for seat in sides.colluders:
        played.send(Join(user=user_of(played, seat), name=user_of(played, seat), claimed=True))


def leave(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Leave, one after the other."""
    for seat in sides.colluders:
        played.send(Leave(user=user_of(played, seat)))


def one_leaves(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """One of them leaves, and the other one plays on."""
    played.send(Leave(user=user_of(played, sides.colluders[0])))


def lose_the_connection(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Disconnect for longer than the grace, both of them at the same time."""
    for seat in sides.colluders:
        played.send(Leave(user=user_of(played, seat), reason="absent", gone_ms=GRACE_MS))


def come_and_go(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Let a bot play most moves, come back for a moment, and be gone again."""
    seat = chance.choice(sides.colluders)
    user = user_of(played, seat)
    if played.table.seats[seat].human:
        played.send(Leave(user=user, reason="absent", gone_ms=GRACE_MS))
    else:
        played.send(Join(user=user, name=user, claimed=True))


def pause(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Pause the game whenever that is possible."""
    for seat in sides.colluders:
        played.send(Pause(user=user_of(played, seat)))


def pause_and_leave(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Pause the game and leave it like this."""
    pause(played, sides, chance)
    leave(played, sides, chance)


def resume(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """End every pause, also those for players who are gone."""
    for seat in sides.colluders:
        played.send(Resume(user=user_of(played, seat)))


def take_back(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Change a move that was made already, where the game lets them."""
    from scoville_server.tables.actions.play import Play

    table = played.table
    for seat in sides.colluders:
        if table.running and seat not in table.pending and table.seats[seat].human and not table.paused:
            moves = table.game.moves(table.game.view(table.state, seat))
            if moves:
                move = table.game.codec.encode_plain(chance.choice(moves))
                played.send(Play(user=user_of(played, seat), move=move))


def claim(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Leave as soon as no honest player is there, as one who may."""
    if not any(played.table.seats[seat].human for seat in sides.honest):
        leave(played, sides, chance)


def leave_when_they_hesitate(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Leave when the clock has made a move of an honest player."""
    if any(played.table.overruns.get(seat, 0) for seat in sides.honest):
        leave(played, sides, chance)


def nothing(played: PlayedGame, sides: Sides, chance: Random) -> None:
    """Play on."""


LEVERS: Mapping[str, Lever] = {
    lever.__name__: lever
    for lever in (
        vote_out, vote_out_and_leave, kick, stall, stall_and_come_back, stall_until_alone, leave, one_leaves,
        lose_the_connection, come_and_go, pause, pause_and_leave, resume, take_back, claim, leave_when_they_hesitate,
        nothing,
    )
}  # fmt: skip
"""Every lever by its name. Deleting an account, and choosing the opponents of a rematch, are in `campaign`."""
