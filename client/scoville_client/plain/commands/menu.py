"""Commands of the menu: practice, join, host."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from scoville_client.i18n.lan_text import host_text, nothing_found, offer_text
from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.commands.playing import find_move
from scoville_client.replays.unfinished_games import UnfinishedFile, continue_game, list_unfinished
from scoville_client.session.commands.command import NEW_TABLE, Argument, Command, split_words
from scoville_client.session.commands.tables import enter_table, list_tables
from scoville_client.session.new_table.typed_table import name_game, parse_table
from scoville_client.session.start_options import DEFAULT_GAME, Start
from scoville_client.session.table.move_input import are_numbered, has_notation, list_moves, name_move
from scoville_client.session.table.table import AtTable
from scoville_client.transport.address import Address, Destination, parse_destination
from scoville_client.tutorial.guided_game import GuidedGame
from scoville_client.tutorial.lesson import games_with_lessons
from scoville_outside.guard import load_game
from scoville_shared.engine.phrases import Phrase


async def play_tutorial(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Play the guided rounds of a game; an empty line or `quit` ends them. Raises ValueError for an unknown game."""
    slug, known = name_game(" ".join(words)) or DEFAULT_GAME, games_with_lessons()
    if slug not in known:
        titles = [load_game(each).info.title for each in known]
        wanted = " ".join(words)
        raise ValueError(tr("There is no tutorial of {game}; there are those of {games}.", game=wanted, games=titles))
    game = GuidedGame(slug, app.start.name)
    at, written, described = game.at, 0, -1
    app.output.say("{game}, two guided rounds. Type quit to end them.", game=game.game.info.title)
    while True:
        entries = [entry.phrase for entry in at.log]
        app.output.write(at.game.text.condense_log(entries[written:]), at.names)
        written = len(entries)
        if described < game.rounds:
            described = game.rounds
            app.output.write([callout.text for callout in game.list_callouts()], at.names)
        if game.is_over:
            return [tr("Type practice {game} for a whole game.", game=slug.replace("_", " "))]
        describe_turn(app, at)
        if not await _play_typed(app, game):
            return [tr("The guided rounds are over.")]


def describe_turn(app: LineModeApp, at: AtTable, said: Sequence[Phrase] = ()) -> None:
    """Write the user's decision without what was `said` of the table, and the legal moves."""
    text = at.game.text
    turn = text.describe_hand(at.view) if has_notation(at.game) else text.describe_turn(at.view)
    app.output.write([phrase for phrase in turn if phrase not in said], at.names)
    if has_notation(at.game):
        app.output.say("Your turn.")
        return
    moves = list_moves(at.legal_moves())
    names = [name_move(at.game, move, at.names) for move in moves]
    if are_numbered(at.game, moves):
        names = [f"{number} {name}" for number, name in enumerate(names, 1)]
    app.output.say("Your turn. You can play: {moves}.", moves=names)


async def _play_typed(app: LineModeApp, game: GuidedGame) -> bool:
    """Play the next move that is typed; returns False when the user ends the guided rounds."""
    while True:
        line = await app.read_line()
        typed = "" if line is None else line.strip()
        if typed.casefold() in ("", "quit", "q"):
            return False
        try:
            move = find_move(game.at, typed)
        except ValueError as error:
            app.output.write_error(error)
            continue
        for _ in game.play_move(move):
            pass
        return True


async def _start_practice(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    await app.begin_session(await _start_of(app, "practice", words))
    return ()


async def _host_table(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    await app.begin_session(await _start_of(app, "host", words))
    return ()


async def _continue_practice(app: LineModeApp) -> Sequence[str]:
    kept = find_kept_game(app)
    if kept is None:
        return [tr("There is no practice game to continue.")]
    await app.begin_session(continue_game(kept.path, app.start))
    return ()


def find_kept_game(app: LineModeApp) -> UnfinishedFile | None:
    """Return the game against bots that was played last, if it is not over; users of a door have no files."""
    return None if app.is_hosted else next(iter(list_unfinished()), None)


async def _start_of(app: LineModeApp, kind: Literal["practice", "host"], words: Sequence[str]) -> Start:
    new = parse_table(words)
    password = (
        await app.passwords.ask_password(tr("Type a password for the table.")) if new.password is None else new.password
    )
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


async def _join_server(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    if not words:
        return await _list_servers(app)
    if len(words) > 1:
        raise ValueError(tr("Type join and an address or a table code, such as: join 192.0.2.7"))
    address, code = await _find_destination(app, words[0])
    host, port, pin = address or Address("")
    await app.begin_session(msgspec.structs.replace(app.start, kind="join", host=host, port=port, pin=pin, code=code))
    if app.context != "lobby":
        return ()
    return await (enter_table(app, code) if code else list_tables(app))


async def _find_destination(app: LineModeApp, typed: str) -> Destination:
    """Return the typed address, or that of the server with that number in the last list."""
    if typed.isdecimal() and 0 < int(typed) <= len(app.found):
        return Destination(await app.find_address(app.found[int(typed) - 1]))
    return parse_destination(typed)


async def _list_servers(app: LineModeApp) -> Sequence[str]:
    app.output.say("Searching the local network …")
    found = await app.search_servers()
    if not found:
        return [nothing_found()]
    rows = [
        f"{number}. {host_text(each.announcement)}: {offer_text(each.announcement)}"
        for number, each in enumerate(found, 1)
    ]
    return [*rows, tr("Type join and the number of a server, or a table code.")]


COMMANDS = (
    Command(
        ("tutorial",),
        (Argument("[GAME]", split_words, default=[]),),
        Phrase("Learn a game in two guided rounds."),
        play_tutorial,
        ("menu",),
    ),
    Command(
        ("practice",),
        (Argument("[GAME] [PLAYERS] [OPTION=VALUE ...]", split_words, default=[]),),
        Phrase("Play against bots on this computer."),
        _start_practice,
        ("menu",),
    ),
    Command(("continue",), (), Phrase("Continue your last game against bots."), _continue_practice, ("menu",)),
    Command(
        ("join",),
        (Argument("[SERVER]", split_words, default=[]),),
        Phrase("List the servers on the local network, or connect to one by its number, address or a table code."),
        _join_server,
        ("menu",),
    ),
    Command(("host",), (NEW_TABLE,), Phrase("Host a table on this computer."), _host_table, ("menu",)),
)
