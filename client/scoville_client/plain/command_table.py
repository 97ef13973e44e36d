"""All commands of the line mode, the parsing of typed lines, and the help."""

from collections.abc import Sequence
from typing import Final

from scoville_client.i18n.language import is_language, list_languages, set_language, tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.commands import coach, credentials, menu, my_games, playing, puzzles, settings
from scoville_client.plain.commands.rules import write_rules
from scoville_client.session.commands import registry
from scoville_client.session.commands.command import (
    ANYWHERE,
    AT_TABLE,
    ONLINE,
    STAFF,
    Argument,
    Command,
    Context,
    Misuse,
    split_text,
    split_word,
    split_words,
)
from scoville_client.session.commands.registry import (
    Group,
    NameCompletion,
    explain_command,
    find_command,
    fitting_names,
    help_line,
    summarize_groups,
)
from scoville_client.session.hosting import count_other_users, on_the_server
from scoville_shared.engine.phrases import Phrase

FIRST: dict[Context, tuple[str, ...]] = {
    "menu": ("tutorial", "practice", "continue", "join", "host", "my games", "rules", "settings", "help", "quit"),
    "lobby": ("quick", "daily", "tables", "join", "create", "users", "say", "rules", "help", "quit"),
    "waiting": ("start", "ready", "who", "invite", "say", "about", "rules", "leave", "help", "quit"),
    "playing": ("moves", "hand", "table", "scores", "who", "say", "rules", "leave", "help", "quit"),
    "finished": ("rematch", "scores", "review", "save", "profile", "say", "follow", "leave", "help", "quit"),
}
"""Commands for newcomers, at most ten per context."""


ONE_KEY: Final = {"h": "hand", "s": "scores", "l": "last", "c": "clock", "w": "who"}
"""Questions at a table that one key asks, unless it is the beginning of a move."""
SYNONYMS: Final = {
    "advice": "coach",
    "agenda": "dates",
    "appointments": "dates",
    "beenden": "quit",
    "bye": "quit",
    "cards": "hand",
    "cartes": "hand",
    "coups": "moves",
    "events": "tournaments",
    "exit": "quit",
    "hint": "coach",
    "indice": "coach",
    "joueurs": "who",
    "karten": "hand",
    "list": "tables",
    "main": "hand",
    "new": "create",
    "players": "who",
    "points": "scores",
    "practise": "practice",
    "punkte": "scores",
    "q": "quit",
    "quitter": "quit",
    "regeln": "rules",
    "règles": "rules",
    "schedule": "dates",
    "score": "scores",
    "spieler": "who",
    "season": "club board",
    "seasons": "club board",
    "tip": "coach",
    "tipp": "coach",
    "tische": "tables",
    "verlassen": "leave",
    "züge": "moves",
}
"""Words that users try, in all languages, and the commands that they mean."""
CRIES: Final = (
    "help me",
    "help me please",
    "what now",
    "what can i do",
    "commands",
    "hilfe",
    "hilf mir",
    "aide",
    "aide-moi",
)
"""What users type who do not know what to type, in all languages."""


async def run_line(app: LineModeApp, line: str, *, due: bool = False) -> None:
    """Run a typed line: a command, or a move; `due` for a move that has waited for its turn.

    Raises ValueError, ScovilleError and LinkError, each with one sentence.
    """
    app.notices.on_typed()
    app.announcer.release_held()  # what happened before the question is said before the answer
    line = with_whole_names(app, line)
    if not line.split():
        _drop_moves(app)
        return
    line = _in_known_words(app, line)
    found = find_command(line, app.context, COMMANDS, admin=app.session.lobby.is_admin(app.session.name))
    # Only two in a row quit: the first one has asked.
    if found is None or found[0].run is not _quit_client:
        app.asked_to_quit = False
    if found is not None:
        command, rest = found
        app.output.write_answer(await command.run_typed(app, rest))
    elif app.context == "playing":
        await playing.play_typed(app, line, due=due)
    else:
        typed = line.split()[0]
        raise Misuse(tr("There is no command {typed} here. Type ? for help.", typed=repr(typed)))


def _in_known_words(app: LineModeApp, line: str) -> str:
    """Return a line whose first word is a command, where it is one key or another word for it and no move."""
    first, _, rest = line.strip().partition(" ")
    word = first.casefold()
    asks = not rest and app.context in AT_TABLE and word in ONE_KEY
    known = ONE_KEY[word] if asks else SYNONYMS.get(word)
    is_move = app.context == "playing" and bool(playing.matching_moves(app.table, line.strip()))
    if line.strip().casefold() in CRIES:
        return "help"
    if word in ("help", "?"):
        return f"{first} {SYNONYMS.get(rest.strip().casefold(), rest)}".strip()
    return line if known is None or is_move else f"{known} {rest}".strip()


def name_completion(app: LineModeApp) -> NameCompletion:
    """Return the completion of names after the commands that take one."""
    return registry.name_completion(lambda: app.session, COMMANDS)


def with_whole_names(app: LineModeApp, line: str) -> str:
    """Complete the name before a Tab, which a terminal that hands over whole lines leaves in them.

    Raises Misuse, naming them, if several names fit.
    """
    begun, tab, rest = line.partition("\t")
    place = registry.place_of_name(COMMANDS)(begun) if tab else None
    if place is None:
        return line
    names = fitting_names(registry.other_names(app.session), place.typed)
    if len(names) > 1:
        raise Misuse(tr("That could be {moves}. Type a few more letters.", moves=", ".join(names)))
    return f"{place.before}{names[0] if names else place.typed} {rest.strip()}".rstrip()


def _drop_moves(app: LineModeApp) -> None:
    if app.ahead:
        app.ahead.drop_moves()
        app.output.say("The moves that you typed ahead are dropped.")


async def _explain_commands(app: LineModeApp, name: str) -> Sequence[str]:
    """Return the most important commands and the others by subject, or the help of one command."""
    if name:
        return explain_command(name, app.context, COMMANDS)
    here = [command for command in COMMANDS if app.context in command.contexts]
    first = [next(each for each in here if name in each.names) for name in FIRST[app.context]]
    lines = [help_line(command) for command in first]
    if app.context == "playing":
        lines.append(tr("Anything else is a move: type its number or its name."))
        lines.append(tr("One key asks: h hand, s scores, l last, c clock, w who."))
    # The commands of admins are listed by the command admin.
    rest = [each for each in here if each not in first and each.who not in STAFF]
    return [*lines, *summarize_groups(GROUPS, rest.__contains__)]


async def _set_language(app: LineModeApp, code: str) -> Sequence[str]:
    if not is_language(code):
        raise Misuse(tr("Name a language: {languages}.", languages=", ".join(list_languages())))
    set_language(code)
    await app.session.change_language()
    return [tr("The language is now English.")]


async def _set_quiet(app: LineModeApp, off: str) -> Sequence[str]:
    app.notices.quiet = off != "off"
    if app.notices.quiet:
        return [tr("Lobby messages are off, except those for you. Type quiet off to turn them on.")]
    return [tr("Lobby messages are on again.")]


async def _quit_client(app: LineModeApp) -> Sequence[str]:
    running = app.server.running
    if app.server.is_hosting and count_other_users(app.session, running) and not app.asked_to_quit:
        app.asked_to_quit = True
        connected = " ".join(on_the_server(app.session, running))
        return [connected, tr("Type quit again to stop your server and disconnect them.")]
    app.done = True
    return ()


_ALWAYS = (
    Command(
        ("rules",),
        (Argument("[PAGE or GAME]", split_words, default=[]),),
        Phrase("Show the rules: the page for this moment, or the one you name."),
        write_rules,
        ANYWHERE,
    ),
    *settings.COMMANDS,
    Command(
        ("language",),
        (Argument("LANGUAGE", split_word, Phrase("The language is missing.")),),
        Phrase("Change the language: en, de or fr."),
        _set_language,
        ANYWHERE,
    ),
    Command(
        ("?", "help"),
        (Argument("[COMMAND]", split_text),),
        Phrase("List the commands, or explain one of them."),
        _explain_commands,
        ANYWHERE,
    ),
    Command(("quit",), (), Phrase("Quit Scoville."), _quit_client, ANYWHERE),
)
_QUIET = Command(
    ("quiet",),
    (Argument("[off]", split_word),),
    Phrase("Turn messages from the lobby off, or on again."),
    _set_quiet,
    ONLINE,
    more=(Phrase("You still get invitations, whispers, announcements and your turns."),),
)

GROUPS = (
    Group(Phrase("Finding a game"), menu.COMMANDS),
    Group(Phrase("Your games"), my_games.COMMANDS),
    Group(Phrase("Puzzles"), puzzles.COMMANDS),
    registry.TABLES._replace(commands=(*registry.TABLES.commands, _QUIET)),
    registry.DAILY,
    registry.TOURNAMENTS,
    Group(Phrase("The game"), (*playing.COMMANDS, *coach.COMMANDS)),
    registry.TABLE,
    registry.CHAT,
    registry.CLUBS,
    registry.PLAYERS._replace(commands=(*registry.PLAYERS.commands, *credentials.COMMANDS)),
    registry.SERVER,
    Group(Phrase("At any time"), _ALWAYS),
)
COMMANDS = tuple(command for group in GROUPS for command in group.commands)
