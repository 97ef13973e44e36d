"""Commands of the menu: practice, join, host."""

from typing import Literal

import msgspec

from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import Command
from scoville_client.plain.commands.tables import tables
from scoville_client.plain.input.table_options import parse_table
from scoville_client.session.start_options import Start
from scoville_client.transport.address import parse_address


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
    if len(after) != 1:
        raise ValueError(tr("Type join and an address, such as: join 192.0.2.7"))
    host, port, pin = parse_address(after[0])
    await app.begin(msgspec.structs.replace(app.start, kind="join", host=host, port=port, pin=pin))
    if app.context == "lobby":
        await tables(app, [])


COMMANDS: tuple[Command, ...] = (
    Command(
        ("practice",), "[GAME] [PLAYERS] [OPTION=VALUE ...]", "play against bots on this computer", ("menu",), _practice
    ),
    Command(("join",), "ADDRESS", "connect to a server, such as: join 192.0.2.7", ("menu",), _join),
    Command(
        ("host",),
        "[GAME] [PLAYERS] [OPTION=VALUE ...] [private] [...]",
        "host a table on this computer",
        ("menu",),
        _host,
    ),
)
