"""Commands of the lobby: list, create, join and watch tables, invitations, games, users."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

from scoville_client.i18n.game_text import option_choices, option_name, value_name
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.option_text import add_equal_bots, level_name
from scoville_client.i18n.table_text import may_sit, next_table_of, sort_for_user
from scoville_client.session.commands.command import (
    ANY_GAME,
    AT_TABLE,
    NEW_TABLE,
    TABLE,
    Argument,
    Caller,
    Command,
    split_text,
    split_word,
)
from scoville_client.session.lobby import sits_at
from scoville_client.session.new_table.typed_table import check_options, name_game, parse_table
from scoville_client.session.start_options import find_usual_players
from scoville_client.session.table.table_text import describe_table
from scoville_shared.bots.registry import list_equal_levels
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    CreateRequest,
    EnterRequest,
    GameInfo,
    JoinRequest,
    LeaveRequest,
    QuickMatchRequest,
    TableInfo,
    WatchRequest,
)
from scoville_shared.protocol.messages.lobby import WatchLobbyRequest
from scoville_shared.protocol.messages.tables import ListTablesRequest

_HERE = Phrase("{n} user is here: {names}.", many="{n} users are here: {names}.")


async def list_tables(to: Caller) -> Sequence[str]:
    """Return a numbered list of the tables."""
    await to.session.lobby.refresh_tables()
    tables = sort_for_user(to.session.lobby.tables)
    to.numbered = [table.table for table in tables]
    rows = [f"{number}. {describe_table(table, to.session.games)}" for number, table in enumerate(tables, 1)]
    return rows or [tr("There are no tables yet. Type {command} to open one.", command=f"{to.mark}create")]


async def _list_games(to: Caller) -> Sequence[str]:
    lines = []
    for game in to.session.games:
        fewest, most = game.seat_range
        lines.append(
            tr(
                "{title}, {fewest} to {most} players. Options: {options}.",
                title=_name_as_typed(game),
                fewest=fewest,
                most=most,
                options=", ".join(_describe_option(game, *option) for option in game.options.items()) or tr("none"),
            )
        )
        lines += _describe_levels(game)
    return lines


def _name_as_typed(game: GameInfo) -> str:
    """Return the title of a game, which is also what users type; with its slug if they must type that."""
    return game.title if name_game(game.title) == game.slug else f"{game.slug}: {game.title}"


def _describe_levels(game: GameInfo) -> Iterator[str]:
    """Write the levels of a game's bots as they are typed, with their names, and which are equally strong."""
    if not game.levels:
        return
    named = [level if level == level_name(level) else f"{level} = {level_name(level)}" for level in game.levels]
    text = tr("Bots of {game}: {levels}.", game=game.title, levels=", ".join(named))
    fewest, most = game.seat_range
    for seats in range(fewest, most + 1):
        for level in list_equal_levels(game.slug, seats)[:1]:
            text = add_equal_bots(text, game.slug, seats, level)
    yield text


def _describe_option(game: GameInfo, key: str, value: object) -> str:
    """Write an option as it is typed, with its label and the names of its values."""
    named = [f"{each} = {value_name(game.slug, key, each)}" for each in option_choices(game.slug, key)]
    label = "; ".join([option_name(game.slug, key), *named])
    return f"{key}={_option_value(value)} ({label})"


def _option_value(value: object) -> str:
    match value:
        case True:
            return tr("yes")
        case False:
            return tr("no")
        case None:
            return tr("default")
        case _:
            return str(value)


async def _create_table(to: Caller, words: Sequence[str]) -> Sequence[str]:
    new = parse_table(words)
    check_options(new, to.session.games)
    password = await to.ask_password(tr("Type a password for the table.")) if new.password is None else new.password
    players = new.players or find_usual_players(to.session.games, new.game)
    table = await to.session.lobby.create_table(
        new.game, players, new.options, new.clock, new.settings, password=password
    )
    await to.session.join_table(table.table)
    lines = []
    if table.code:
        lines.append(tr("Others can join with: {command}", command=f"{to.mark}enter {table.code}"))
    if key := to.session.lobby.commentary_keys.get(table.table):
        lines.append(tr("The commentators' key is {key}.", key=key))
    return lines


async def _join_table(to: Caller, typed: str) -> Sequence[str]:
    return await _go_to_table(to, typed, to.session.join_table)


async def _watch_table(to: Caller, typed: str) -> Sequence[str]:
    return await _go_to_table(to, typed, to.session.watch_table)


async def _go_to_table(to: Caller, typed: str, go: Callable[[str], Awaitable[None]]) -> Sequence[str]:
    """Go to the table that is meant; where it refuses without its password, ask for that first."""
    table = await find_table(to, typed)
    try:
        await go(table)
    except ScovilleError as error:
        if error.code != Code.WRONG_PASSWORD:
            raise
        await _gain_access(to, table=table)
        await go(table)
    return ()


async def _give_up_seat(to: Caller, typed: str) -> Sequence[str]:
    await to.session.give_up_seat(await find_table(to, typed))
    return [tr("You have left the table.")]


async def enter_table(to: Caller, code: str, password: str = "") -> Sequence[str]:
    """Join the table with a code, and watch it where no seat is free."""
    info = await _gain_access(to, code=code, password=password)
    if may_sit(info):
        await to.session.join_table(info.table)
        return ()
    await to.session.watch_table(info.table)
    return [tr("No seat is free here, so you watch.")]


async def _gain_access(to: Caller, *, code: str = "", table: str = "", password: str = "") -> TableInfo:
    """Gain access to a table; ask for its password if it has one."""
    try:
        return await to.session.lobby.enter_table(code=code, table=table, password=password)
    except ScovilleError as error:
        if error.code != Code.WRONG_PASSWORD or password:
            raise
    typed = await to.ask_password(tr("This table has a password. Type it."))
    return await to.session.lobby.enter_table(code=code, table=table, password=typed)


async def find_table(to: Caller, typed: str) -> str:
    """Return the id of the table that is meant, by number in the last list, code or id."""
    if typed.isdecimal() and not to.numbered:
        await list_tables(to)
    if typed.isdecimal() and 0 < int(typed) <= len(to.numbered):
        return to.numbered[int(typed) - 1]
    by_code = next((table.table for table in to.session.lobby.tables if table.code == typed.casefold()), None)
    # Codes have hyphens; that of a private table is in no list.
    if by_code is None and "-" in typed:
        return (await _gain_access(to, code=typed)).table
    return by_code or typed


async def _quick_match(to: Caller, game: str) -> Sequence[str]:
    await to.session.quick_match(game)
    return ()


async def _go_to_next(to: Caller) -> Sequence[str]:
    at, lobby = to.session.table, to.session.lobby
    here = None if at is None else at.id
    table = next_table_of(filter(sits_at, lobby.tables), here, lobby.deadline_of)
    if table is None:
        # The server gathers changes of the lobby: a seat that was just taken may not be listed yet.
        await lobby.refresh_tables()
        table = next_table_of(filter(sits_at, lobby.tables), here, lobby.deadline_of)
    if table is None:
        return [tr("No other table is waiting for you.")]
    await to.session.join_table(table.table)
    return ()


async def _list_invitations(to: Caller) -> Sequence[str]:
    session = to.session
    lines = [
        tr("{name} invites you: {table}", name=each.by, table=describe_table(each.info, session.games))
        for each in session.lobby.invitations
    ]
    return lines or [tr("You have no invitations.")]


async def _list_users(to: Caller) -> Sequence[str]:
    lobby = to.session.lobby
    if not lobby.watched:
        await lobby.watch_lobby()
    names = [_user_row(to, name) for name in sorted(lobby.users, key=str.casefold)]
    return [render(_HERE.with_fields({"n": lobby.here, "names": names}, lobby.here))]


def _user_row(to: Caller, name: str) -> str:
    lobby = to.session.lobby
    notes = [tr("you")] if name == to.session.name else []
    notes += [role] if (role := lobby.describe_role(name)) else []
    return f"{name} ({', '.join(notes)})" if notes else name


_USERS = (Phrase("List the users in the lobby."), _list_users)

COMMANDS = (
    Command(("tables",), (), Phrase("List the tables."), list_tables, ("lobby",), sends=(ListTablesRequest,)),
    Command(
        ("quick",),
        (ANY_GAME,),
        Phrase("Take a seat at a waiting table; bots soon fill the rest."),
        _quick_match,
        ("lobby",),
        sends=(QuickMatchRequest,),
    ),
    Command(
        ("create",),
        (NEW_TABLE,),
        Phrase("Open a table and take a seat."),
        _create_table,
        ("lobby",),
        sends=(CreateRequest,),
        more=(
            Phrase("GAME is one of games, PLAYERS a number, OPTION an option of the game; all can be left out."),
            Phrase(
                "clock=30 is seconds a move, clock=300+5 seconds a game plus each move; absence=60 is how long "
                "a disconnected player's seat is kept."
            ),
            Phrase(
                "clock=3d is three days a move (1, 2, 3 or 7): a game by correspondence, whose seats are kept while "
                "players are away; night=22-7 or night=22-7@Europe/Berlin: hours in which no clock runs."
            ),
            Phrase("private: only players with the code can join. password=WORD, or password alone to type it unseen."),
            Phrase(
                "spectators=anybody, nobody or rounds; behind=2 with rounds; talk=no mutes them; "
                "commentary creates a key that shows all hands."
            ),
            Phrase(
                "start=host, full or ready; countdown=5 seconds; fill=60: bots take the free seats after "
                "60 seconds; bots=easy: they play like beginners; rated=no."
            ),
            Phrase("coach: every player may type coach during the game; the game is not rated."),
            Phrase("hostless: nobody starts the game or kicks; it starts when everybody is ready."),
        ),
    ),
    Command(
        ("join",),
        (TABLE,),
        Phrase("Join a table by its number, code or ID."),
        _join_table,
        ("lobby",),
        sends=(JoinRequest,),
    ),
    Command(
        ("enter",),
        (
            Argument("CODE", split_word, Phrase("The code of the table is missing, such as brave-otter.")),
            Argument("[PASSWORD]", split_text),
        ),
        Phrase("Join a table by its code."),
        enter_table,
        ("lobby",),
        sends=(EnterRequest,),
    ),
    Command(
        ("watch",),
        (TABLE,),
        Phrase("Watch a table by its number, code or ID."),
        _watch_table,
        ("lobby",),
        sends=(WatchRequest,),
    ),
    Command(
        ("leave",),
        (TABLE,),
        Phrase("Give up your seat at a table."),
        _give_up_seat,
        ("lobby",),
        sends=(LeaveRequest,),
    ),
    Command(
        ("next",),
        (),
        Phrase("Go to a table where it is your turn or where you have a seat."),
        _go_to_next,
        sends=(JoinRequest,),
    ),
    Command(("invitations",), (), Phrase("List your invitations."), _list_invitations),
    Command(("games",), (), Phrase("List the games and their options."), _list_games),
    Command(("users", "who"), (), *_USERS, ("lobby",), sends=(WatchLobbyRequest,)),
    # At a table `who` lists its seats.
    Command(("users",), (), *_USERS, AT_TABLE, sends=(WatchLobbyRequest,)),
)
