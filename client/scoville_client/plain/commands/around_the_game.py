"""Commands at a table, around its game: beginning, who sits there and looks on, and going on afterwards."""

from scoville_client.i18n.language import words
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import AT_TABLE, Command
from scoville_client.plain.parsing import named, seat_of, whole_name
from scoville_client.plain.table_text import described, seat_line
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

_LOOK_ON = Phrase("{n} person looks on: {names}.", many="{n} people look on: {names}.")


async def _start(desk: LineModeApp, _: list[str]) -> None:
    await desk.session.start()


async def _ready(desk: LineModeApp, _: list[str]) -> None:
    await desk.session.life.ready(desk.table.id)


async def _unready(desk: LineModeApp, _: list[str]) -> None:
    await desk.session.life.ready(desk.table.id, ready=False)


async def _who(desk: LineModeApp, _: list[str]) -> None:
    at = desk.table
    for seat in range(len(at.info.seats)):
        desk.voice.say("Seat {number}: {told}.", number=seat + 1, told=seat_line(at, seat))


async def _about(desk: LineModeApp, _: list[str]) -> None:
    desk.voice.say("{table}", table=described(desk.session, desk.table.info))


async def _watchers(desk: LineModeApp, _: list[str]) -> None:
    names = desk.table.spectators
    if not names:
        desk.voice.say("Nobody looks on.")
    else:
        desk.voice.tell([_LOOK_ON.of({"n": len(names), "names": names}, len(names))])


async def _kick(desk: LineModeApp, after: list[str]) -> None:
    name, reason = named(desk.session, after)
    await desk.session.life.kick(desk.table.id, name, reason)


async def _host(desk: LineModeApp, after: list[str]) -> None:
    await desk.session.life.make_host(desk.table.id, seat_of(desk.session, whole_name(desk.session, after)))


async def _invite(desk: LineModeApp, after: list[str]) -> None:
    name = whole_name(desk.session, after)
    await desk.session.life.invite(desk.table.id, name)
    desk.voice.say("{name} is invited.", name=name)


async def _look(desk: LineModeApp, after: list[str]) -> None:
    at = desk.table
    if after[:1] != ["from"]:
        raise ValueError(words("Type look from and a name, such as: look from Anna"))
    seat = seat_of(desk.session, whole_name(desk.session, after[1:]))
    if at.seat is not None:
        raise ValueError(words("You sit here and see with your own eyes; type hand or table."))
    if at.key:
        await desk.session.watch(at.id, at.key, seat)
    else:
        at.viewpoint = Seat(seat)
        desk.voice.say("You look on from the place of {name}, whose cards stay hidden.", name=at.names[seat])


async def _commentate(desk: LineModeApp, after: list[str]) -> None:
    if len(after) < 2:
        raise ValueError(words("Type commentate, the key and a name, such as: commentate k7f2 Anna"))
    at = desk.table
    await desk.session.watch(at.id, after[0], seat_of(desk.session, whole_name(desk.session, after[1:])))


async def _again(desk: LineModeApp, _: list[str]) -> None:
    await desk.session.again()
    await _follow(desk, [])


async def _follow(desk: LineModeApp, _: list[str]) -> None:
    if desk.table.next is None:
        raise ValueError(words("Nobody plays again yet; type again to ask for it."))
    await desk.session.follow()


async def _leave(desk: LineModeApp, _: list[str]) -> None:
    await desk.session.leave()
    desk.voice.say("You are back in the lobby.")


async def _lobby(desk: LineModeApp, _: list[str]) -> None:
    seated = desk.table.seat is not None
    await desk.session.step_out()
    if seated:
        desk.voice.say("You are in the lobby. Your seat is kept; type next to go back.")
    else:
        desk.voice.say("You are back in the lobby.")


COMMANDS: tuple[Command, ...] = (
    Command(("start",), "", "start the game; bots take the seats that are open", ("waiting",), _start),
    Command(("ready",), "", "say that you are ready", ("waiting",), _ready),
    Command(("unready",), "", "say that you are not ready after all", ("waiting",), _unready),
    Command(("who",), "", "tell who sits where", AT_TABLE, _who),
    Command(("about",), "", "tell how this table plays, and its code", AT_TABLE, _about),
    Command(("invite",), "NAME", "invite somebody to this table", ("waiting", "playing"), _invite),
    Command(("again",), "", "play again with the same people", ("finished",), _again),
    Command(("follow",), "", "go along to the next game of these people", ("finished",), _follow),
    Command(("watchers",), "", "tell who looks on", AT_TABLE, _watchers),
    Command(("look",), "from NAME", "look on from somebody's place", AT_TABLE, _look),
    Command(("commentate",), "KEY NAME", "see somebody's hand by the commentators' key", AT_TABLE, _commentate),
    Command(("kick",), "NAME [REASON]", "send somebody away from your table", AT_TABLE, _kick),
    Command(("host",), "NAME", "make somebody else the host", ("waiting", "playing"), _host),
    Command(("lobby",), "", "go to the lobby and keep your seat", AT_TABLE, _lobby),
    Command(("leave",), "", "get up and go back to the lobby", AT_TABLE, _leave),
)
