"""Commands about tables: list, create, join, watch."""

from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import for_me, may_sit, wanted
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import AT_TABLE, ONLINE, Command
from scoville_client.plain.input.parsing import one
from scoville_client.plain.input.table_options import TypedTable, parse_table
from scoville_client.plain.table_text import described
from scoville_client.session.lobby import sits_at
from scoville_client.session.start_options import USUAL_PLAYERS
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import TableInfo

_HERE = Phrase("{n} user is here: {names}.", many="{n} users are here: {names}.")


async def tables(app: LineModeApp, _: list[str]) -> None:
    """Write a numbered list of the tables."""
    await app.session.lobby.refresh()
    app.numbered = [table.table for table in for_me(app.session.lobby.tables)]
    if not app.numbered:
        app.output.say("There are no tables yet. Type create to open one.")
    for number, table in enumerate(for_me(app.session.lobby.tables), 1):
        app.output.say("{number}. {table}", number=number, table=described(app.session, table))


async def _games(app: LineModeApp, _: list[str]) -> None:
    for game in app.session.games:
        fewest, most = game.seat_range
        app.output.say(
            "{slug}: {title}, {fewest} to {most} players. Options: {options}.",
            slug=game.slug,
            title=game.title,
            fewest=fewest,
            most=most,
            options=", ".join(f"{name}={_shown(value)}" for name, value in game.options.items()) or tr("none"),
        )


async def _create(app: LineModeApp, after: list[str]) -> None:
    new = parse_table(after)
    password = await app.passwords.ask(tr("Type a password for the table.")) if new.password is None else new.password
    table = await app.session.lobby.create(
        new.game, new.players or _usual_players(app, new), new.options, new.clock, new.settings, password=password
    )
    await app.session.join(table.table)
    if table.code and new.settings.get("private"):
        app.output.say("Others can join with: enter {code}", code=table.code)
    if key := app.session.lobby.commentary_keys.get(table.table):
        app.output.say("The commentators' key is {key}.", key=key)


def _usual_players(app: LineModeApp, new: TypedTable) -> int:
    """Return four, or the nearest official number of the game."""
    official = next((game.official_range for game in app.session.games if game.slug == new.game), None)
    return USUAL_PLAYERS if official is None else min(max(USUAL_PLAYERS, official[0]), official[1])


async def _join(app: LineModeApp, after: list[str]) -> None:
    table = await table_argument(app, after)
    try:
        await app.session.join(table)
    except ScovilleError as error:
        if error.code != Code.WRONG_PASSWORD:
            raise
        await _come_in(app, table=table)
        await app.session.join(table)


async def _watch(app: LineModeApp, after: list[str]) -> None:
    table = await table_argument(app, after)
    try:
        await app.session.watch(table)
    except ScovilleError as error:
        if error.code != Code.WRONG_PASSWORD:
            raise
        await _come_in(app, table=table)
        await app.session.watch(table)


async def _leave_from_lobby(app: LineModeApp, after: list[str]) -> None:
    await app.session.give_up_seat(await table_argument(app, after))
    app.output.say("You have left the table.")


async def enter(app: LineModeApp, after: list[str]) -> None:
    """Join the table with a code, and watch it where no seat is free."""
    if not after:
        raise ValueError(tr("Type enter and the code of the table, such as: enter brave-otter"))
    info = await _come_in(app, code=after[0], password=" ".join(after[1:]))
    await (app.session.join(info.table) if may_sit(info) else app.session.watch(info.table))


async def _come_in(app: LineModeApp, *, code: str = "", table: str = "", password: str = "") -> TableInfo:
    """Gain access to a table; ask for its password if it has one."""
    try:
        return await app.session.lobby.enter(code=code, table=table, password=password)
    except ScovilleError as error:
        if error.code != Code.WRONG_PASSWORD or password:
            raise
    typed = await app.passwords.ask(tr("This table has a password. Type it."))
    return await app.session.lobby.enter(code=code, table=table, password=typed)


async def _quick(app: LineModeApp, after: list[str]) -> None:
    await app.session.quick_match(after[0] if after else "")


async def _next(app: LineModeApp, _: list[str]) -> None:
    at = app.session.table
    table = wanted(filter(sits_at, app.session.lobby.tables), None if at is None else at.id)
    if table is None:
        app.output.say("No other table is waiting for you.")
    else:
        await app.session.join(table.table)


async def _invitations(app: LineModeApp, _: list[str]) -> None:
    invitations = app.session.lobby.invitations
    if not invitations:
        app.output.say("You have no invitations.")
    for each in invitations:
        app.output.say("{name} invites you: {table}", name=each.by, table=described(app.session, each.info))


async def _users(app: LineModeApp, _: list[str]) -> None:
    if not app.session.lobby.watched:
        await app.session.lobby.watch()
    lobby = app.session.lobby
    names = [_user_row(app, name) for name in sorted(lobby.users, key=str.casefold)]
    app.output.write([_HERE.of({"n": lobby.here, "names": names}, lobby.here)])


def _user_row(app: LineModeApp, name: str) -> str:
    user = app.session.lobby.users[name]
    notes = [tr("you")] * (name == app.session.name) + [tr("admin")] * user.admin
    return f"{name} ({', '.join(notes)})" if notes else name


async def _quiet(app: LineModeApp, after: list[str]) -> None:
    app.notices.quiet = after[:1] != ["off"]
    if app.notices.quiet:
        app.output.say("Lobby messages are off, except those for you. Type quiet off to turn them on.")
    else:
        app.output.say("Lobby messages are on again.")


async def table_argument(app: LineModeApp, after: list[str]) -> str:
    """Return the id of the table that is meant, by number in the last list, code or id."""
    word = one(after, tr("Name a table; type tables to list them."))
    if not app.numbered:
        await app.session.lobby.refresh()
        app.numbered = [table.table for table in for_me(app.session.lobby.tables)]
    if word.isdecimal() and 0 < int(word) <= len(app.numbered):
        return app.numbered[int(word) - 1]
    by_code = next((table.table for table in app.session.lobby.tables if table.code == word.casefold()), None)
    if by_code is None and "-" in word:
        return (await _come_in(app, code=word)).table
    return by_code or word


def _shown(value: object) -> str:
    match value:
        case True:
            return tr("yes")
        case False:
            return tr("no")
        case None:
            return tr("default")
        case _:
            return str(value)


WISH = "[GAME] [PLAYERS] [OPTION=VALUE ...]"

COMMANDS: tuple[Command, ...] = (
    Command(("tables",), "", "list the tables", ("lobby",), tables),
    Command(("quick",), "[GAME]", "take a seat at any table that is waiting for players", ("lobby",), _quick),
    Command(
        ("create",),
        "[GAME] [PLAYERS] [OPTION=VALUE ...] [private] [...]",
        "open a table and take a seat",
        ("lobby",),
        _create,
    ),
    Command(("join",), "TABLE", "join a table by its number, code or ID", ("lobby",), _join),
    Command(("enter",), "CODE [PASSWORD]", "join a private table by its code", ("lobby",), enter),
    Command(("watch",), "TABLE", "watch a table by its number, code or ID", ("lobby",), _watch),
    Command(("leave",), "TABLE", "give up your seat at a table", ("lobby",), _leave_from_lobby),
    Command(("next",), "", "go to the table that is waiting for you", ONLINE, _next),
    Command(("invitations",), "", "list your invitations", ONLINE, _invitations),
    Command(("games",), "", "list the games and their options", ONLINE, _games),
    Command(("users", "who"), "", "list the users in the lobby", ("lobby",), _users),
    Command(("users",), "", "list the users in the lobby", AT_TABLE, _users),
    Command(("quiet",), "[off]", "turn messages from the lobby off, or on again", ONLINE, _quiet),
)
