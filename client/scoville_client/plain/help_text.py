"""Help of the line mode: the most important commands, the others by subject, and one command in detail."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.i18n.language import render, tr
from scoville_client.plain.app import Context, LineModeApp
from scoville_client.plain.command import Command
from scoville_shared.engine.phrases import Phrase

FIRST: dict[Context, tuple[str, ...]] = {
    "menu": ("tutorial", "practice", "join", "host", "rules", "language", "settings", "help", "quit"),
    "lobby": ("quick", "tables", "join", "create", "enter", "users", "say", "rules", "help", "quit"),
    "waiting": ("start", "ready", "who", "invite", "say", "about", "rules", "leave", "help", "quit"),
    "playing": ("moves", "hand", "table", "scores", "who", "say", "rules", "leave", "help", "quit"),
    "finished": ("rematch", "scores", "review", "save", "profile", "say", "follow", "leave", "help", "quit"),
}
"""Commands for newcomers, at most ten per context."""

_MORE: dict[str, tuple[Phrase, ...]] = {
    "create": (
        Phrase("GAME is one of games, PLAYERS a number, OPTION an option of the game; all can be left out."),
        Phrase(
            "clock=30 is seconds a move, clock=300+5 seconds a game plus each move; absence=60 is how long "
            "a disconnected player's seat is kept."
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
    "look": (Phrase("To see that hand you need the commentators' key; type commentate."),),
    "chat": (Phrase("For example: chat 50, chat lobby, chat whispers."),),
    "quiet": (Phrase("You still get invitations, whispers, announcements and your turns."),),
    "claim": (
        Phrase("Then nobody else can use the name, or one that looks like it."),
        Phrase("Claimed names are marked as such at the seats and in the chat."),
    ),
}


class Group(NamedTuple):
    """Commands of one subject."""

    title: Phrase
    commands: tuple[Command, ...]


async def write_help(app: LineModeApp, after: list[str], groups: Sequence[Group]) -> None:
    """Write the possible commands, or the help of one command."""
    if after:
        _explain(app, after[0].casefold(), groups)
        return
    for name in FIRST[app.context]:
        _explain_command(app, _found(name, app.context, groups))
    if app.context == "playing":
        app.output.say("Anything else is a move: type its number or its name.")
    rest = [(group.title, names) for group in groups if (names := _further(group, app.context))]
    for title, names in rest:
        app.output.say("{title}: {names}.", title=render(title), names=names)
    if rest:
        app.output.say("Type help and a command for details, such as: help {command}", command=rest[0][1][0])


def _further(group: Group, context: Context) -> list[str]:
    first = FIRST[context]
    here = (command for command in group.commands if context in command.contexts)
    return [command.names[0] for command in here if not {*command.names} & {*first}]


def _found(name: str, context: Context, groups: Sequence[Group]) -> Command:
    return next(each for group in groups for each in group.commands if name in each.names and context in each.contexts)


def _explain(app: LineModeApp, name: str, groups: Sequence[Group]) -> None:
    meant = [each for group in groups for each in group.commands if name in each.names]
    if not meant:
        raise ValueError(tr("There is no command {typed}. Type help for a list.", typed=repr(name)))
    for command in [each for each in meant if app.context in each.contexts] or meant:
        _explain_command(app, command)
        if app.context not in command.contexts:
            app.output.say("This command does not work here.")
    app.output.write(_MORE.get(name, ()))


def _explain_command(app: LineModeApp, command: Command) -> None:
    names = f" {tr('or')} ".join(command.names)
    shown = f"{names} {tr(command.after) if command.after else ''}".rstrip()
    app.output.say("{shown}: {help}", shown=shown, help=tr(command.help))
