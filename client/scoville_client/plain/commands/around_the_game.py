"""Commands at a table around its game: start, players, spectators, rematch."""

from scoville_client.i18n.language import words
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import AT_TABLE, Command
from scoville_client.plain.parsing import named, seat_of, whole_name
from scoville_client.plain.table_text import described, seat_line
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

_LOOK_ON = Phrase("{n} person looks on: {names}.", many="{n} people look on: {names}.")


async def _start(app: LineModeApp, _: list[str]) -> None:
    await app.session.start()


async def _ready(app: LineModeApp, _: list[str]) -> None:
    await app.session.table_actions.ready(app.table.id)


async def _unready(app: LineModeApp, _: list[str]) -> None:
    await app.session.table_actions.ready(app.table.id, ready=False)


async def _who(app: LineModeApp, _: list[str]) -> None:
    at = app.table
    for seat in range(len(at.info.seats)):
        app.output.say("Seat {number}: {told}.", number=seat + 1, told=seat_line(at, seat))


async def _about(app: LineModeApp, _: list[str]) -> None:
    app.output.say("{table}", table=described(app.session, app.table.info))


async def _watchers(app: LineModeApp, _: list[str]) -> None:
    names = app.table.spectators
    if not names:
        app.output.say("Nobody looks on.")
    else:
        app.output.tell([_LOOK_ON.of({"n": len(names), "names": names}, len(names))])


async def _kick(app: LineModeApp, after: list[str]) -> None:
    name, reason = named(app.session, after)
    await app.session.table_actions.kick(app.table.id, name, reason)


async def _host(app: LineModeApp, after: list[str]) -> None:
    await app.session.table_actions.transfer_host(app.table.id, seat_of(app.session, whole_name(app.session, after)))


async def _invite(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.table_actions.invite(app.table.id, name)
    app.output.say("{name} is invited.", name=name)


async def _look(app: LineModeApp, after: list[str]) -> None:
    at = app.table
    if after[:1] != ["from"]:
        raise ValueError(words("Type look from and a name, such as: look from Anna"))
    seat = seat_of(app.session, whole_name(app.session, after[1:]))
    if at.seat is not None:
        raise ValueError(words("You sit here and see with your own eyes; type hand or table."))
    if at.key:
        await app.session.watch(at.id, at.key, seat)
    else:
        at.viewpoint = Seat(seat)
        app.output.say("You look on from the place of {name}, whose cards stay hidden.", name=at.names[seat])


async def _commentate(app: LineModeApp, after: list[str]) -> None:
    if len(after) < 2:
        raise ValueError(words("Type commentate, the key and a name, such as: commentate k7f2 Anna"))
    at = app.table
    await app.session.watch(at.id, after[0], seat_of(app.session, whole_name(app.session, after[1:])))


async def _rematch(app: LineModeApp, _: list[str]) -> None:
    await app.session.rematch()
    await _follow(app, [])


async def _follow(app: LineModeApp, _: list[str]) -> None:
    if app.table.next is None:
        raise ValueError(words("Nobody plays again yet; type again to ask for it."))
    await app.session.follow()


async def _leave(app: LineModeApp, _: list[str]) -> None:
    await app.session.leave()
    app.output.say("You are back in the lobby.")


async def _lobby(app: LineModeApp, _: list[str]) -> None:
    seated = app.table.seat is not None
    await app.session.return_to_lobby()
    if seated:
        app.output.say("You are in the lobby. Your seat is kept; type next to go back.")
    else:
        app.output.say("You are back in the lobby.")


COMMANDS: tuple[Command, ...] = (
    Command(("start",), "", "start the game; bots take the seats that are open", ("waiting",), _start),
    Command(("ready",), "", "say that you are ready", ("waiting",), _ready),
    Command(("unready",), "", "say that you are not ready after all", ("waiting",), _unready),
    Command(("who",), "", "tell who sits where", AT_TABLE, _who),
    Command(("about",), "", "tell how this table plays, and its code", AT_TABLE, _about),
    Command(("invite",), "NAME", "invite somebody to this table", ("waiting", "playing"), _invite),
    Command(("again",), "", "play again with the same people", ("finished",), _rematch),
    Command(("follow",), "", "go along to the next game of these people", ("finished",), _follow),
    Command(("watchers",), "", "tell who looks on", AT_TABLE, _watchers),
    Command(("look",), "from NAME", "look on from somebody's place", AT_TABLE, _look),
    Command(("commentate",), "KEY NAME", "see somebody's hand by the commentators' key", AT_TABLE, _commentate),
    Command(("kick",), "NAME [REASON]", "send somebody away from your table", AT_TABLE, _kick),
    Command(("host",), "NAME", "make somebody else the host", ("waiting", "playing"), _host),
    Command(("lobby",), "", "go to the lobby and keep your seat", AT_TABLE, _lobby),
    Command(("leave",), "", "get up and go back to the lobby", AT_TABLE, _leave),
)
