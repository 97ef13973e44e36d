"""Commands at a table around its game: start, players, spectators, rematch."""

from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import in_words
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import AT_TABLE, Command
from scoville_client.plain.input.parsing import named, seat_of, whole_name
from scoville_client.plain.table_text import described, seat_line
from scoville_client.session.table.deal_text import describe_deal
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.vote import read_vote
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

_LOOK_ON = Phrase("{n} spectator: {names}.", many="{n} spectators: {names}.")


async def _start(app: LineModeApp, _: list[str]) -> None:
    await app.session.table_actions.start()


async def _ready(app: LineModeApp, _: list[str]) -> None:
    await app.session.table_actions.ready(app.table.id)


async def _unready(app: LineModeApp, _: list[str]) -> None:
    await app.session.table_actions.ready(app.table.id, ready=False)


async def _who(app: LineModeApp, _: list[str]) -> None:
    at = app.table
    for seat in range(len(at.info.seats)):
        app.output.say("Seat {number}: {occupant}.", number=seat + 1, occupant=seat_line(at, seat))


async def _about(app: LineModeApp, _: list[str]) -> None:
    app.output.say("{table}", table=described(app.session, app.table.info))


async def _deal(app: LineModeApp, _: list[str]) -> None:
    for line in describe_deal(app.table):
        app.output.say("{message}", message=line)


async def _watchers(app: LineModeApp, _: list[str]) -> None:
    if app.table.commentators:
        app.output.say("These users have seen hands: {names}.", names=_in_words(app.table, app.table.commentators))
    names = _in_words(app.table, app.table.spectators)
    if not names:
        app.output.say("There are no spectators.")
    else:
        app.output.write([_LOOK_ON.of({"n": len(names), "names": names}, len(names))])


def _in_words(at: AtTable, names: list[str]) -> list[str | Phrase]:
    return [in_words(name, claimed=name in at.claimed_audience) for name in names]


async def _kick(app: LineModeApp, after: list[str]) -> None:
    name, reason = named(app.session, after)
    await app.session.table_actions.kick(app.table.id, name, reason)


async def _vote(app: LineModeApp, after: list[str]) -> None:
    at = app.table
    against, agree = read_vote(at.vote, " ".join(after), [seat.name or "" for seat in at.info.seats])
    await app.session.table_actions.vote(at.id, against, agree=agree)


async def _host(app: LineModeApp, after: list[str]) -> None:
    await app.session.table_actions.transfer_host(app.table.id, seat_of(app.session, whole_name(app.session, after)))


async def _invite(app: LineModeApp, after: list[str]) -> None:
    if not after:
        return _write_invitation(app)
    name = whole_name(app.session, after)
    await app.session.table_actions.invite(app.table.id, name)
    app.output.say("{name} has been invited.", name=name)
    return None


def _write_invitation(app: LineModeApp) -> None:
    """Write every way in which others join."""
    lines = app.invitation().lines or [tr("Nobody else can join.")]
    for line in lines:
        app.output.say("{message}", message=line)


async def _look(app: LineModeApp, after: list[str]) -> None:
    at = app.table
    if after[:1] != ["from"]:
        raise ValueError(tr("Type look from and a name, such as: look from Anna"))
    seat = seat_of(app.session, whole_name(app.session, after[1:]))
    if at.seat is not None:
        raise ValueError(tr("You are a player here and see your own cards; type hand or table."))
    if at.key:
        await app.session.watch(at.id, at.key, seat)
    else:
        at.viewpoint = Seat(seat)
        app.output.say("You are watching from the seat of {name}, whose cards stay hidden.", name=at.names[seat])


async def _commentate(app: LineModeApp, after: list[str]) -> None:
    if len(after) < 2:
        raise ValueError(tr("Type commentate, the key and a name, such as: commentate k7f2 Anna"))
    at = app.table
    await app.session.watch(at.id, after[0], seat_of(app.session, whole_name(app.session, after[1:])))


async def _rematch(app: LineModeApp, _: list[str]) -> None:
    await app.session.table_actions.rematch()
    await _follow(app, [])


async def _follow(app: LineModeApp, _: list[str]) -> None:
    if app.table.next is None:
        raise ValueError(tr("Nobody has asked for a rematch yet; type rematch to ask for one."))
    await app.session.follow()


async def _join_again(app: LineModeApp, _: list[str]) -> None:
    at = app.table
    if at.seat is not None:
        raise ValueError(tr("You have a seat at this table already."))
    await app.session.join(at.id)


async def _leave(app: LineModeApp, _: list[str]) -> None:
    await app.session.leave()
    app.output.say("You are back in the lobby.")


async def _lobby(app: LineModeApp, _: list[str]) -> None:
    seated = app.table.seat is not None
    await app.session.return_to_lobby()
    if seated:
        app.output.say("You are in the lobby and keep your seat; type next to go back.")
    else:
        app.output.say("You are back in the lobby.")


COMMANDS: tuple[Command, ...] = (
    Command(("start",), "", "start the game; bots take the free seats", ("waiting",), _start),
    Command(("ready",), "", "mark yourself as ready", ("waiting",), _ready),
    Command(("unready",), "", "mark yourself as not ready", ("waiting",), _unready),
    Command(("join",), "", "take a seat here, or your seat back from the bot", AT_TABLE, _join_again),
    Command(("who",), "", "list the seats and their players", AT_TABLE, _who),
    Command(("about",), "", "show the settings and the code of this table", AT_TABLE, _about),
    Command(
        ("deal",), "", "show the commitment and the random numbers, to compare them with other players", AT_TABLE, _deal
    ),
    Command(("invite",), "[NAME]", "invite a user to this table, or show how others join", AT_TABLE, _invite),
    Command(("rematch",), "", "start a rematch with the same players", ("finished",), _rematch),
    Command(("follow",), "", "join the rematch of this game", ("finished",), _follow),
    Command(("watchers",), "", "list the spectators", AT_TABLE, _watchers),
    Command(("look",), "from NAME", "watch the game from a player's seat", AT_TABLE, _look),
    Command(("commentate",), "KEY NAME", "see a player's hand with the commentators' key", AT_TABLE, _commentate),
    Command(("kick",), "NAME [REASON]", "kick a user from your table", AT_TABLE, _kick),
    Command(
        ("vote",), "NAME, yes or no", "start a vote to kick a player, or vote in the one that runs", ("playing",), _vote
    ),
    Command(("host",), "NAME", "make another player the host", ("waiting", "playing"), _host),
    Command(("lobby",), "", "go to the lobby and keep your seat", AT_TABLE, _lobby),
    Command(("leave",), "", "leave the table and go back to the lobby", AT_TABLE, _leave),
)
