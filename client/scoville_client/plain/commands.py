"""What can be typed in the line mode: one table of commands, each with its place and its help."""

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, Literal, NamedTuple

import msgspec

from scoville_client.address import parse_address
from scoville_client.clocks import clock_face
from scoville_client.language import LANGUAGES, speak, told, words
from scoville_client.plain.choosing import are_numbered, listed, matching, named, refused
from scoville_client.plain.desk import Desk, Place
from scoville_client.plain.rules import tell_rules
from scoville_client.replaying.afterwards import keep
from scoville_client.start import DEFAULT_GAME, USUAL_PLAYERS, Start
from scoville_client.table import AtTable
from scoville_client.telling import standings
from scoville_client.wishes import parse_absence, parse_clock, parse_option
from scoville_shared.kit.contract import Refusal
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import SeatInfo, TableInfo

LOG_LINES = 20
_STATUS = {"waiting": Phrase("waiting"), "playing": Phrase("playing"), "finished": Phrase("over")}
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
    typed = line.split()
    if not typed:
        return
    command = find(typed[0].casefold(), desk.place)
    if command is not None:
        await command.run(desk, typed[1:])
    elif desk.place == "playing":
        await _play(desk, line)
    else:
        raise ValueError(words("There is no command {typed} here. Type ? for what you can do.", typed=repr(typed[0])))


async def _play(desk: Desk, typed: str) -> None:
    at = desk.table
    found = [written] if (written := _in_notation(at, typed)) else _meant_moves(at, typed)
    if len(found) == 1:
        await desk.play(found[0])
    elif found:
        meant = ", ".join(named(at.game, move) for move in found)
        raise ValueError(words("That may mean {moves}. Type more of it.", moves=meant))
    elif at.seat is not None and (refusal := refused(at.game, at.view, at.seat, typed)):
        raise ValueError(told(at.game.text.refusal(refusal), at.names))
    elif at.my_turn:
        raise ValueError(words("{typed} is no command, and no move. Type moves or help.", typed=typed))
    else:
        desk.voice.say("{typed} is no command, and no move now. Type help for what you can do.", typed=typed)
        desk.say_moves()


def _meant_moves(at: AtTable, typed: str) -> list[Any]:
    """List the moves that may be meant: by their number in the list, or by name."""
    moves = listed(at.moves())
    if at.my_turn and typed in map(str, range(1, len(moves) + 1)) and are_numbered(at.game, moves):
        return [moves[int(typed) - 1]]
    return matching(at.game, moves, typed)


def _in_notation(at: AtTable, typed: str) -> Any:
    """Read a move in the game's own notation; None if it is not in one. Raises ValueError for a wrong one."""
    read = None if at.view is None else at.game.text.read(typed, at.view)
    if isinstance(read, Refusal):
        raise ValueError(told(at.game.text.refusal(read), at.names))
    return read


# --- anywhere ---------------------------------------------------------------------------------------


async def _help(desk: Desk, _: list[str]) -> None:
    for command in COMMANDS:
        if desk.place in command.places:
            names = f" {words('or')} ".join(command.names)
            shown = f"{names} {words(command.after) if command.after else ''}".rstrip()
            desk.voice.say("{shown}: {help}", shown=shown, help=words(command.help))
    if desk.place == "playing":
        desk.voice.say("Anything else is a move: type its number or its name.")


async def _rules(desk: Desk, after: list[str]) -> None:
    tell_rules(desk, after)


async def _language(desk: Desk, after: list[str]) -> None:
    if len(after) != 1 or after[0] not in LANGUAGES:
        raise ValueError(words("Say which language: {languages}.", languages=", ".join(LANGUAGES)))
    speak(after[0])
    desk.voice.say("This is English.")


async def _quit(desk: Desk, _: list[str]) -> None:
    desk.done = True


# --- from the menu ----------------------------------------------------------------------------------


async def _practice(desk: Desk, after: list[str]) -> None:
    await desk.begin(_start_of(desk, "practice", after))


async def _host(desk: Desk, after: list[str]) -> None:
    await desk.begin(_start_of(desk, "host", after))


def _start_of(desk: Desk, kind: Literal["practice", "host"], after: list[str]) -> Start:
    game, players, options, clock = _wish(after)
    return msgspec.structs.replace(desk.start, kind=kind, game=game, players=players, options=options, clock=clock)


async def _connect(desk: Desk, after: list[str]) -> None:
    if len(after) != 1:
        raise ValueError(words("Type join and an address, such as: join 192.0.2.7"))
    host, port = parse_address(after[0])
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
            options=", ".join(f"{name}={_shown(value)}" for name, value in game.options.items()) or words("none"),
        )


async def _create(desk: Desk, after: list[str]) -> None:
    game, players, options, clock = _wish(after)
    table = await desk.session.create(game, players or USUAL_PLAYERS, options, clock)
    await desk.session.join(table.table)


async def _join(desk: Desk, after: list[str]) -> None:
    await desk.session.join(await _meant(desk, after))


async def _watch(desk: Desk, after: list[str]) -> None:
    await desk.session.watch(await _meant(desk, after))


# --- at a table -------------------------------------------------------------------------------------


async def _start(desk: Desk, _: list[str]) -> None:
    await desk.session.start()


async def _pause(desk: Desk, _: list[str]) -> None:
    await desk.session.pause()


async def _resume(desk: Desk, _: list[str]) -> None:
    await desk.session.resume()


async def _leave(desk: Desk, _: list[str]) -> None:
    await desk.session.leave()
    desk.voice.say("You are back in the lobby.")


async def _who(desk: Desk, _: list[str]) -> None:
    at = desk.table
    for number, seat in enumerate(at.info.seats):
        notes = [words("you")] * (number == at.seat) + [words("host")] * (number == at.info.host)
        told = [seat.name] * bool(seat.name) + notes + _state(seat) + _time(at, number)
        desk.voice.say("Seat {number}: {told}.", number=number + 1, told=told)


async def _table(desk: Desk, _: list[str]) -> None:
    desk.tell(desk.table.game.text.table(desk.table.view))


async def _hand(desk: Desk, _: list[str]) -> None:
    desk.tell(desk.table.game.text.hand(desk.table.view))


async def _scores(desk: Desk, _: list[str]) -> None:
    at = desk.table
    desk.tell(standings(at.result) if at.result is not None else at.game.text.scores(at.view))


async def _save(desk: Desk, after: list[str]) -> None:
    await keep(desk.session, lambda sentence: desk.voice.say("{message}", message=sentence), " ".join(after))


async def _moves(desk: Desk, _: list[str]) -> None:
    desk.say_moves()


async def _log(desk: Desk, after: list[str]) -> None:
    phrases = [line.phrase for line in desk.table.log]
    wanted = len(phrases) if after[:1] == ["all"] else _number(after[0]) if after else LOG_LINES
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
    Command(("save",), "[FILE]", "save the game as a new file, in this folder if you name none", ("finished",), _save),
    Command(("who",), "", "tell who sits where", AT_TABLE, _who),
    Command(("log", "review"), "[NUMBER or all]", "tell the last lines again, 20 or more", AT_TABLE, _log),
    Command(("rules",), "[PAGE or GAME]", "tell the rules: the page that fits, or the one you name", ANYWHERE, _rules),
    Command(("language",), "LANGUAGE", "speak another language: en, de or fr", ANYWHERE, _language),
    Command(("pause",), "", "ask for a pause, or agree to one", ("playing",), _pause),
    Command(("resume",), "", "end the pause", ("playing",), _resume),
    Command(("leave",), "", "get up and go back to the lobby", AT_TABLE, _leave),
    Command(("?", "help"), "", "list what can be typed here", ANYWHERE, _help),
    Command(("quit",), "", "leave the program", ANYWHERE, _quit),
)


# --- reading and showing ----------------------------------------------------------------------------


def _wish(after: list[str]) -> tuple[str, int | None, dict[str, Any], dict[str, float]]:
    """Read `[GAME] [PLAYERS] [OPTION=VALUE ...]`, in any order.

    The options `clock` and `absence` are the table's, not the game's.
    """
    game, players, options = DEFAULT_GAME, None, {}
    clock: dict[str, float] = {}
    for word in after:
        if word.startswith("clock="):
            clock |= parse_clock(word.removeprefix("clock="))
        elif word.startswith("absence="):
            clock |= parse_absence(word.removeprefix("absence="))
        elif "=" in word:
            name, value = parse_option(word)
            options[name] = value
        elif word.isdecimal():
            players = int(word)
        else:
            game = word
    return game, players, options, clock


def _shown(value: Any) -> str:
    match value:
        case True:
            return words("yes")
        case False:
            return words("no")
        case None:
            return words("usual")
        case _:
            return str(value)


def _number(word: str) -> int:
    if not word.isdecimal():
        raise ValueError(words("{typed} is no number.", typed=repr(word)))
    return int(word)


async def _meant(desk: Desk, after: list[str]) -> str:
    """Find the id of the table that is meant by its number in the list, or by the id itself."""
    if len(after) != 1:
        raise ValueError(words("Say which table; type tables to list them."))
    if not desk.session.tables:
        await desk.session.refresh()
    by_number = {str(number): table.table for number, table in enumerate(desk.session.tables, 1)}
    return by_number.get(after[0], after[0])


def _described(table: TableInfo) -> str:
    taken = [seat.name for seat in table.seats if seat.kind != "open"]
    still_open = len(table.seats) - len(taken)
    seats = ", ".join([*taken, words("{n} open", n=still_open)] if still_open else taken)
    return words(
        "{game}, {status}: {seats}. Table {table}.",
        game=table.game,
        status=told(_STATUS[table.status]),
        seats=seats,
        table=table.table,
    )


def _time(at: AtTable, seat: int) -> list[str]:
    left = clock_face(at, seat, monotonic()) if at.info.status == "playing" else ""
    return [words("{time} left", time=left)] * bool(left)


def _state(seat: SeatInfo) -> list[str]:
    match seat:
        case SeatInfo(kind="open"):
            return [words("open")]
        case SeatInfo(kind="bot"):
            return [words("bot")]
        case SeatInfo(connected=False):
            return [words("away")]
        case _:
            return []
