"""All commands of the line mode, and the parsing of typed lines."""

from scoville_client.i18n.language import LANGUAGES, set_language, tr
from scoville_client.plain.app import Context, LineModeApp
from scoville_client.plain.command import ANYWHERE, Command
from scoville_client.plain.commands import account, admin, at_table, chat, coach, menu, playing, settings, tables
from scoville_client.plain.commands.rules import write_rules
from scoville_client.plain.help_text import Group, write_help
from scoville_client.plain.input.parsing import known_names
from scoville_client.session.completion import NameCompletion, after_command, fitting
from scoville_client.session.stop_text import on_the_server, others_connected
from scoville_shared.engine.phrases import Phrase


def find(name: str, context: Context) -> Command | None:
    """Return the command with a name that is allowed in a context."""
    return next((command for command in COMMANDS if name in command.names and context in command.contexts), None)


async def obey(app: LineModeApp, line: str, *, due: bool = False) -> None:
    """Run a typed line: a command, or a move; `due` for a move that has waited for its turn.

    Raises ValueError, ScovilleError and LinkError, each with one sentence.
    """
    app.notices.on_typed()
    line = with_whole_names(app, line)
    typed = line.split()
    if not typed:
        _drop_moves(app)
        return
    command = find(typed[0].casefold(), app.context)
    if command is None or command.run is not _quit:
        app.asked_to_quit = False
    if command is not None:
        await command.run(app, typed[1:])
    elif app.context == "playing":
        await playing.play(app, line, due=due)
    else:
        raise ValueError(tr("There is no command {typed} here. Type ? for help.", typed=repr(typed[0])))


def completion(app: LineModeApp) -> NameCompletion:
    """Return the completion of names after the commands that take one."""

    def others() -> list[str]:
        return [name for name in known_names(app.session) if name and name != app.session.name]

    return NameCompletion(others, after_command(_NAMING))


def with_whole_names(app: LineModeApp, line: str) -> str:
    """Complete the name before a Tab, which a terminal that hands over whole lines leaves in them.

    Raises ValueError, naming them, if several names fit.
    """
    begun, tab, rest = line.partition("\t")
    place = after_command(_NAMING)(begun) if tab else None
    if place is None:
        return line
    names = fitting([name for name in known_names(app.session) if name != app.session.name], place.typed)
    if len(names) > 1:
        raise ValueError(tr("That could be {moves}. Type a few more letters.", moves=", ".join(names)))
    return f"{place.before}{names[0] if names else place.typed} {rest.strip()}".rstrip()


def _drop_moves(app: LineModeApp) -> None:
    if app.ahead:
        app.ahead.drop()
        app.output.say("The moves that you typed ahead are dropped.")


async def _help(app: LineModeApp, after: list[str]) -> None:
    await write_help(app, after, GROUPS)


async def _rules(app: LineModeApp, after: list[str]) -> None:
    write_rules(app, after)


async def _language(app: LineModeApp, after: list[str]) -> None:
    if len(after) != 1 or after[0] not in LANGUAGES:
        raise ValueError(tr("Name a language: {languages}.", languages=", ".join(LANGUAGES)))
    set_language(after[0])
    app.output.say("The language is now English.")


async def _quit(app: LineModeApp, _: list[str]) -> None:
    running = app.server.running
    if app.server.hosts and others_connected(app.session, running) and not app.asked_to_quit:
        app.asked_to_quit = True
        app.output.say("{message}", message=" ".join(on_the_server(app.session, running)))
        app.output.say("Type quit again to stop your server and disconnect them.")
    else:
        app.done = True


_ALWAYS: tuple[Command, ...] = (
    Command(
        ("rules",), "[PAGE or GAME]", "show the rules: the page for this moment, or the one you name", ANYWHERE, _rules
    ),
    *settings.COMMANDS,
    Command(("language",), "LANGUAGE", "change the language: en, de or fr", ANYWHERE, _language),
    Command(("?", "help"), "[COMMAND]", "list the commands, or explain one of them", ANYWHERE, _help),
    Command(("quit",), "", "quit Scoville", ANYWHERE, _quit),
)

GROUPS = (
    Group(Phrase("Finding a game"), menu.COMMANDS),
    Group(Phrase("Tables"), tables.COMMANDS),
    Group(Phrase("The game"), (*playing.COMMANDS, *coach.COMMANDS)),
    Group(Phrase("At the table"), at_table.COMMANDS),
    Group(Phrase("Chat"), chat.COMMANDS),
    Group(Phrase("Players"), account.COMMANDS),
    Group(Phrase("The server"), admin.COMMANDS),
    Group(Phrase("At any time"), _ALWAYS),
)
COMMANDS = tuple(command for group in GROUPS for command in group.commands)
_NAMING = tuple(command.names[0] for command in COMMANDS if command.after.lstrip("[").startswith("NAME"))
"""Commands that are followed by a name."""
