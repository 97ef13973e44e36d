"""What can be typed in the line mode: one table of commands, each with its place and its help."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, NamedTuple

import msgspec

from scoville_client.address import parse_address
from scoville_client.plain.choosing import listed, matching, named
from scoville_client.plain.desk import Desk, Place
from scoville_client.start import DEFAULT_GAME, USUAL_PLAYERS, Start
from scoville_client.table import AtTable
from scoville_client.telling import standings
from scoville_client.wishes import parse_option
from scoville_shared.kit.contract import Refusal
from scoville_shared.wire.messages import SeatInfo, TableInfo

LOG_LINES = 20
_WISH = "[GAME] [PLAYERS] [OPTION=VALUE ...]"
ANYWHERE: tuple[Place, ...] = ("menu", "lobby", "waiting", "playing", "finished")
AT_TABLE: tuple[Place, ...] = ("waiting", "playing", "finished")
WITH_VIEW: tuple[Place, ...] = ("playing", "finished")


class Command(NamedTuple):
    """A command: its names (the first is shown), what may follow, one line of help, where it works, what it does."""

    names: tuple[str, ...]
    after: str
    help: str
    places: tuple[Place, ...]
    run: Callable[[Desk, list[str]], Awaitable[None]]


def find(name: str, place: Place) -> Command | None:
    """Find the command that `name` means at `place`."""
    return next((command for command in COMMANDS if name in command.names and place in command.places), None)


async def obey(desk: Desk, line: str) -> None:
    """Do what a line says: a command, or a move.

    Raises ValueError, ScovilleError and LinkError, each with one sentence.
    """
    words = line.split()
    if not words:
        return
    command = find(words[0].casefold(), desk.place)
    if command is not None:
        await command.run(desk, words[1:])
    elif desk.place == "playing":
        await _play(desk, line)
    else:
        raise ValueError(f"There is no command {words[0]!r} here. Type ? for what you can do.")


async def _play(desk: Desk, typed: str) -> None:
    at = desk.table
    found = [written] if (written := _in_notation(at, typed)) else matching(at.game, listed(at.moves()), typed)
    if len(found) == 1:
        await desk.session.play(found[0])
    elif found:
        meant = ", ".join(named(at.game, move) for move in found)
        raise ValueError(f"That may mean {meant}. Type more of it.")
    else:
        desk.voice.say("{typed} is no command, and no move now.", typed=typed)
        desk.say_moves()


def _in_notation(at: AtTable, typed: str) -> Any:
    """Read a move in the game's own notation; None if it is not in one. Raises ValueError for a wrong one."""
    read = None if at.view is None else at.game.text.read(typed, at.view)
    if isinstance(read, Refusal):
        raise ValueError(at.game.text.refusal(read).render(at.names))
    return read


# --- anywhere ---------------------------------------------------------------------------------------


async def _help(desk: Desk, _: list[str]) -> None:
    for command in COMMANDS:
        if desk.place in command.places:
            shown = f"{' or '.join(command.names)} {command.after}".rstrip()
            desk.voice.say("{shown}: {help}", shown=shown, help=command.help)
    if desk.place == "playing":
        desk.voice.say("Anything else is a move: type its number or its name.")


async def _quit(desk: Desk, _: list[str]) -> None:
    desk.done = True


# --- from the menu ----------------------------------------------------------------------------------


async def _practice(desk: Desk, words: list[str]) -> None:
    await desk.begin(_start_of(desk, "practice", words))


async def _host(desk: Desk, words: list[str]) -> None:
    await desk.begin(_start_of(desk, "host", words))


def _start_of(desk: Desk, kind: Literal["practice", "host"], words: list[str]) -> Start:
    game, players, options = _wish(words)
    return msgspec.structs.replace(desk.start, kind=kind, game=game, players=players, options=options)


async def _connect(desk: Desk, words: list[str]) -> None:
    if len(words) != 1:
        raise ValueError("Type join and an address, such as: join 192.0.2.7")
    host, port = parse_address(words[0])
    await desk.begin(msgspec.structs.replace(desk.start, kind="join", host=host, port=port))
    await _tables(desk, [])


# --- in the lobby -----------------------------------------------------------------------------------


async def _tables(desk: Desk, _: list[str]) -> None:
    await desk.session.refresh()
    if not desk.session.tables:
        desk.voice.say("There are no tables yet. Type create to open one.")
    for number, table in enumerate(desk.session.tables, 1):
        desk.voice.say("{number}. {table}", number=number, table=_described(table))


async def _games(desk: Desk, _: list[str]) -> None:
    for game in desk.session.games:
        fewest, most = game.seats
        desk.voice.say(
            "{slug}: {title}, {fewest} to {most} players. Options: {options}.",
            slug=game.slug,
            title=game.title,
            fewest=fewest,
            most=most,
            options=", ".join(f"{name}={_shown(value)}" for name, value in game.options.items()) or "none",
        )


async def _create(desk: Desk, words: list[str]) -> None:
    game, players, options = _wish(words)
    table = await desk.session.create(game, players or USUAL_PLAYERS, options)
    await desk.session.join(table.table)


async def _join(desk: Desk, words: list[str]) -> None:
    await desk.session.join(await _meant(desk, words))


async def _watch(desk: Desk, words: list[str]) -> None:
    await desk.session.watch(await _meant(desk, words))


# --- at a table -------------------------------------------------------------------------------------


async def _start(desk: Desk, _: list[str]) -> None:
    await desk.session.start()


async def _leave(desk: Desk, _: list[str]) -> None:
    await desk.session.leave()
    desk.voice.say("You are back in the lobby.")


async def _who(desk: Desk, _: list[str]) -> None:
    at = desk.table
    for number, seat in enumerate(at.info.seats):
        notes = ["you"] * (number == at.seat) + ["host"] * (number == at.info.host)
        told = [seat.name] * bool(seat.name) + notes + _state(seat)
        desk.voice.say("Seat {number}: {told}.", number=number + 1, told=told)


async def _table(desk: Desk, _: list[str]) -> None:
    desk.tell(desk.table.game.text.table(desk.table.view))


async def _hand(desk: Desk, _: list[str]) -> None:
    desk.tell(desk.table.game.text.hand(desk.table.view))


async def _scores(desk: Desk, _: list[str]) -> None:
    at = desk.table
    desk.tell(standings(at.result) if at.result is not None else at.game.text.scores(at.view))


async def _moves(desk: Desk, _: list[str]) -> None:
    desk.say_moves()


async def _log(desk: Desk, words: list[str]) -> None:
    phrases = [line.phrase for line in desk.table.log]
    wanted = len(phrases) if words[:1] == ["all"] else _number(words[0]) if words else LOG_LINES
    desk.tell(phrases[max(0, len(phrases) - wanted) :])


COMMANDS: tuple[Command, ...] = (
    Command(("practice",), _WISH, "play against bots on this computer", ("menu",), _practice),
    Command(("join",), "ADDRESS", "go to a server, such as: join 192.0.2.7", ("menu",), _connect),
    Command(("host",), _WISH, "let others join a table on this computer", ("menu",), _host),
    Command(("tables",), "", "list the tables", ("lobby",), _tables),
    Command(("games",), "", "list the games and their options", ("lobby",), _games),
    Command(("create",), _WISH, "open a table and sit down", ("lobby",), _create),
    Command(("join",), "TABLE", "sit down at a table, by its number or its id", ("lobby",), _join),
    Command(("watch",), "TABLE", "watch a table, by its number or its id", ("lobby",), _watch),
    Command(("start",), "", "start the game; bots take the seats that are open", ("waiting",), _start),
    Command(("table",), "", "describe the whole table", WITH_VIEW, _table),
    Command(("hand",), "", "tell what I hold", WITH_VIEW, _hand),
    Command(("moves",), "", "tell what I can play", ("playing",), _moves),
    Command(("scores",), "", "tell how everybody stands", WITH_VIEW, _scores),
    Command(("who",), "", "tell who sits where", AT_TABLE, _who),
    Command(("log", "review"), "[NUMBER or all]", f"tell the last {LOG_LINES} lines again, or more", AT_TABLE, _log),
    Command(("leave",), "", "get up and go back to the lobby", AT_TABLE, _leave),
    Command(("?", "help"), "", "list what can be typed here", ANYWHERE, _help),
    Command(("quit",), "", "leave the program", ANYWHERE, _quit),
)


# --- reading and showing ----------------------------------------------------------------------------


def _wish(words: list[str]) -> tuple[str, int | None, dict[str, Any]]:
    """Read `[GAME] [PLAYERS] [OPTION=VALUE ...]`, in any order."""
    game, players, options = DEFAULT_GAME, None, {}
    for word in words:
        if "=" in word:
            name, value = parse_option(word)
            options[name] = value
        elif word.isdecimal():
            players = int(word)
        else:
            game = word
    return game, players, options


def _shown(value: Any) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "usual"
        case _:
            return str(value)


def _number(word: str) -> int:
    if not word.isdecimal():
        raise ValueError(f"{word!r} is no number.")
    return int(word)


async def _meant(desk: Desk, words: list[str]) -> str:
    """Find the id of the table that is meant by its number in the list, or by the id itself."""
    if len(words) != 1:
        raise ValueError("Say which table; type tables to list them.")
    if not desk.session.tables:
        await desk.session.refresh()
    by_number = {str(number): table.table for number, table in enumerate(desk.session.tables, 1)}
    return by_number.get(words[0], words[0])


def _described(table: TableInfo) -> str:
    taken = [seat.name for seat in table.seats if seat.kind != "open"]
    still_open = len(table.seats) - len(taken)
    seats = ", ".join([*taken, f"{still_open} open"] if still_open else taken)
    return f"{table.game}, {table.status}: {seats}. Table {table.table}."


def _state(seat: SeatInfo) -> list[str]:
    match seat:
        case SeatInfo(kind="open"):
            return ["open"]
        case SeatInfo(kind="bot"):
            return ["bot"]
        case SeatInfo(connected=False):
            return ["away"]
        case _:
            return []
