"""Commands of the menu: practice, join, host."""

from typing import Literal

import msgspec

from scoville_client.i18n.lan_text import nothing_found, what, whose
from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import Command
from scoville_client.plain.commands.tables import enter, tables
from scoville_client.plain.commands.tutorial import tutorial
from scoville_client.plain.input.table_options import parse_table
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address, Destination, parse_destination


async def _practice(app: LineModeApp, after: list[str]) -> None:
    await app.begin(await _start_of(app, "practice", after))


async def _host(app: LineModeApp, after: list[str]) -> None:
    await app.begin(await _start_of(app, "host", after))


async def _start_of(app: LineModeApp, kind: Literal["practice", "host"], after: list[str]) -> Start:
    new = parse_table(after)
    password = await app.passwords.ask(tr("Type a password for the table.")) if new.password is None else new.password
    return msgspec.structs.replace(
        app.start,
        kind=kind,
        game=new.game,
        players=new.players,
        options=new.options,
        clock=new.clock,
        settings=new.settings,
        password=password,
    )


async def _join(app: LineModeApp, after: list[str]) -> None:
    if not after:
        return await _list_servers(app)
    if len(after) > 1:
        raise ValueError(tr("Type join and an address or a table code, such as: join 192.0.2.7"))
    address, code = await _destination(app, after[0])
    host, port, pin = address or Address("")
    await app.begin(msgspec.structs.replace(app.start, kind="join", host=host, port=port, pin=pin, code=code))
    if app.context == "lobby":
        await (enter(app, [code]) if code else tables(app, []))
    return None


async def _destination(app: LineModeApp, typed: str) -> Destination:
    """Return what is typed, or the server with that number in the last list."""
    if typed.isdecimal() and 0 < int(typed) <= len(app.found):
        return Destination(await app.reach(app.found[int(typed) - 1]))
    return parse_destination(typed)


async def _list_servers(app: LineModeApp) -> None:
    app.output.say("Searching the local network …")
    found = await app.search()
    for number, server in enumerate(found, 1):
        said = server.announcement
        app.output.say("{number}. {whose}: {what}", number=number, whose=whose(said), what=what(said))
    if found:
        app.output.say("Type join and the number of a server, or a table code.")
    else:
        app.output.say("{message}", message=nothing_found())


COMMANDS: tuple[Command, ...] = (
    Command(("tutorial",), "[GAME]", "learn a game in two guided rounds", ("menu",), tutorial),
    Command(
        ("practice",), "[GAME] [PLAYERS] [OPTION=VALUE ...]", "play against bots on this computer", ("menu",), _practice
    ),
    Command(
        ("join",),
        "[SERVER]",
        "list the servers on the local network, or connect to one by its number, address or a table code",
        ("menu",),
        _join,
    ),
    Command(
        ("host",),
        "[GAME] [PLAYERS] [OPTION=VALUE ...] [private] [...]",
        "host a table on this computer",
        ("menu",),
        _host,
    ),
)
