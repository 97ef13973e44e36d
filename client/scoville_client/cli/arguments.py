"""Command-line arguments of `scoville`: commands, options and their help, and which options have no effect together.

Those are refused, so that nothing typed is ignored silently. Parsed by argparse: importing cyclopts, which the server
uses, takes a fifth of the time budget of the first screen.
"""

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from scoville_client.cli import argument_types as types
from scoville_client.cli.argument_types import FrontPage, Parser
from scoville_client.cli.common_options import (
    add_option,
    add_port,
    add_seed,
    as_sentence,
    ascii_only,
    deal_options,
    display_options,
    language_options,
    table_display,
    timing_options,
)
from scoville_client.cli.door_command import add_doors
from scoville_client.cli.exit_status import statuses_of_checks, statuses_of_reading
from scoville_client.i18n.language import is_language, tr
from scoville_client.session.new_table.option_input import parse_absence
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_client.settings.checks import parse_setting
from scoville_client.transport.address import parse_destination, parse_port
from scoville_shared import DEFAULT_PORT, __version__

_OF_A_DEAL = {"game": "GAME", "players": "--players", "option": "--option", "seed": "--seed", "peppers": "--peppers"}
"""Arguments that an exported game determines."""
_WITHOUT_NAMES = ("demo", "verify", "arena", "replay", "review")
"""Commands in which no user takes a seat."""


def find_conflict(asked: Namespace, command: str) -> str | None:
    """Return which options have no effect, and why; None if all have one."""
    if command in _WITHOUT_NAMES and getattr(asked, "name", None):
        return tr("{option} has no effect with {command}; remove it.", option="--name", command=command)
    if command == "practice":
        return _of_practice(asked)
    if command == "watch" and asked.big and getattr(asked, "plain", False):
        return tr("{one} and {other} cannot be combined; choose one of them.", one="--big", other="--plain")
    if (
        command in ("join", "watch")
        and asked.plain_text
        and (asked.destination is None or asked.destination.address is None)
    ):
        return tr("--plain-text needs the address of a server.")
    if command == "host":
        return _of_ports(asked)
    return _of_replay(asked) if command == "replay" else None


def _of_ports(asked: Namespace) -> str | None:
    options = {"--port": asked.port, "--ssh": asked.ssh, "--web": asked.web}
    taken: dict[int, str] = {}
    for option, port in options.items():
        if port and (other := taken.setdefault(port, option)) is not option:
            return tr(
                "{one} and {other} need ports of their own (both have {port}).", one=other, other=option, port=port
            )
    return None


def _of_practice(asked: Namespace) -> str | None:
    if asked.origin is None:
        if asked.move or asked.seat:
            return tr("--move and --seat need a game to resume; name it with --from FILE.")
        return _of_peppers(asked)
    given = [option for name, option in _OF_A_DEAL.items() if getattr(asked, name) not in (None, [])]
    given += ["--clock"] if asked.clock else []
    if not given:
        return None
    return tr("--from FILE brings its own game, players, options and seed; remove {options}.", options=", ".join(given))


def _of_peppers(asked: Namespace) -> str | None:
    if asked.peppers is None or (asked.game or DEFAULT_GAME) in asked.peppers:
        return None
    return tr("{option} has no effect with {command}; remove it.", option="--peppers", command=asked.game)


def _of_replay(asked: Namespace) -> str | None:
    text = "--text" if asked.text else "--plain" if getattr(asked, "plain", False) else ""
    if text and asked.cast is not None:
        return tr("{one} and {other} cannot be combined; choose one of them.", one=text, other="--cast")
    if text and asked.pace is not None:
        return tr("{option} has no effect with {command}; remove it.", option="--pace", command=text)
    if asked.cast is not None and getattr(asked, "ascii", False):
        return tr("{option} has no effect with {command}; remove it.", option="--ascii", command="--cast")
    if asked.cast is not None and getattr(asked, "no_color", False):
        return tr("{option} has no effect with {command}; remove it.", option="--no-color", command="--cast")
    return None


Run = Callable[[Namespace], int]


def language_option(typed: Sequence[str]) -> str | None:
    """Return the language of `--language`, before anything is parsed: the help is in that language, too."""
    return next((value for value in values_of("--language", typed) if is_language(value)), None)


def values_of(option: str, typed: Sequence[str]) -> list[str]:
    """Return every value of an option, before and after the command; argparse forgets those before it."""
    values = [after for before, after in pairwise(typed) if before == option]
    return values + [word.removeprefix(f"{option}=") for word in typed if word.startswith(f"{option}=")]


def make_parser(runs: Mapping[str, Run], typed: Container[str] | None = None) -> ArgumentParser:
    """Return the parser. The namespace that it returns holds the function of its command as `run`.

    Args:
        runs: The function of each command, by name; the empty name is for no command.
        typed: The words that will be parsed, of which one is the command: no other one gets its arguments, which would
            take a tenth of the time until the first screen. None for the arguments of all commands.
    """
    whole = Parser(
        prog="scoville",
        description=tr("A card table in the terminal. Without a command it opens the start screen."),
        epilog=_list_examples(),
        formatter_class=FrontPage,
        parents=[table_display()],
    )
    whole.add_argument("--version", action="version", help=tr("show the version"), version=f"scoville {__version__}")
    whole.set_defaults(run=runs[""], command="")
    commands = whole.add_subparsers(title=tr("commands"), metavar="COMMAND")

    def command(
        name: str,
        text: str,
        options: Sequence[Callable[[], Parser]],
        add_arguments: Callable[[ArgumentParser], None] = lambda _: None,
    ) -> None:
        is_typed = typed is None or name in typed
        parents = [make_options() for make_options in options] if is_typed else []
        made = commands.add_parser(name, help=text, description=as_sentence(text), parents=parents)
        made.set_defaults(run=runs[name], command=name)
        if is_typed:
            add_arguments(made)

    table, playing = [table_display], [deal_options, timing_options, table_display]
    command("tutorial", tr("learn a game in two guided rounds"), table, _add_tutorial)
    command("practice", tr("play against bots on this computer"), playing, _add_practising)
    command("join", tr("join a game on a server"), table, _add_joining)
    command("watch", tr("watch a table on a server, also on a television"), table, _add_watching)
    command("host", tr("host a table on this computer and take a seat"), playing, _add_hosting)
    watching_bots = tr("watch bots play a whole game, as lines of text; needs no terminal")
    command("demo", watching_bots, [deal_options, display_options], _add_demo)
    command("verify", tr("check exported games by replaying them"), [display_options], _add_verifying)
    command("rules", tr("print the rules of a game, or of all"), [language_options, ascii_only], _add_rules)
    command("arena", tr("let bots and programs play a series of matches and rate them"), [display_options], _add_arena)
    command("games", tr("list the installed games, and packages that are left out"), [display_options])
    command("new-game", tr("write the package of a new game from a template"), [display_options], _add_new_game)
    checking = tr("check the package of a game: rules, bots, texts, screens")
    command("check-game", checking, [display_options], _add_check_game)
    command("doctor", tr("measure what this terminal can do, and remember it"), [display_options])
    changing = tr("show your settings, where each comes from, and change them")
    command("settings", changing, [language_options], _add_settings)
    command("door", tr("let others play on a server without an installation"), [], add_doors)
    command("replay", tr("step through a finished game on its own board"), [display_options], _add_replay)
    reviewing = tr("find the errors of a finished game, and tell luck from skill")
    command("review", reviewing, [display_options], _add_review)
    return whole


def _list_examples() -> str:
    """Return the examples at the end of the help page."""
    shown = [
        ("scoville tutorial", tr("new here? two guided rounds")),
        ("scoville practice --players 3", tr("a game against two bots")),
        ("scoville host", tr("let others join; shows the address they type")),
        ("scoville join", tr("list the games on the local network")),
        ("scoville join 192.0.2.7", tr("join a game on a server")),
        ("scoville watch brave-otter --big", tr("show a table on a television")),
        ("scoville demo", tr("watch four bots play, as lines of text")),
        ("scoville verify game.jsonl", tr("check every card and move of a finished game")),
        ("scoville replay game.jsonl", tr("replay it on the board")),
        ("scoville review game.jsonl", tr("what was better, and why?")),
        (f"scoville arena {DEFAULT_GAME} sensible random ./bot.py", tr("which of them plays best?")),
    ]
    return "\n".join([tr("examples:"), *(f"  {typed:<31}  {does}" for typed, does in shown)])


def _add_tutorial(parser: ArgumentParser) -> None:
    about = tr("the game, {game} if not given", game=DEFAULT_GAME)
    parser.add_argument("game", nargs="?", default=DEFAULT_GAME, metavar="GAME", help=about)


def _add_practising(parser: ArgumentParser) -> None:
    _add_peppers(parser)
    _add_continuation(parser)
    # scripts/play has chosen this command for its user: it is the first that a new user sees.
    parser.add_argument("--welcome", action="store_true", help=SUPPRESS)


def _add_joining(joining: ArgumentParser) -> None:
    _add_destination(
        joining,
        tr(
            "the server's address; the port is {port} if not given, and the pin proves whose server it is. A table "
            "code finds its server on the local network, CODE@HOST joins that table, and nothing lists the servers",
            port=DEFAULT_PORT,
        ),
        nargs="?",
    )


def _add_watching(watching: ArgumentParser) -> None:
    _add_destination(
        watching,
        tr(
            "a table code, which finds its server on the local network; CODE@HOST on another server; or only the "
            "server's address, for its busiest public table"
        ),
        metavar="CODE|HOST[:PORT][#PIN]",
    )
    watching.add_argument(
        "--big",
        action="store_true",
        help=tr("large cards and figures for a television; goes on with the next game of the table"),
    )


def _add_destination(
    parser: ArgumentParser, about: str, *, nargs: str | None = None, metavar: str = "HOST[:PORT][#PIN]"
) -> None:
    """Add the argument that names a server or a table, and how to connect."""
    parser.add_argument(
        "destination", nargs=nargs, type=types.check_argument(parse_destination), help=about, metavar=metavar
    )
    parser.add_argument(
        "--plain-text",
        action="store_true",
        help=tr("connect without encryption, to a server that allows it and that you do not know yet"),
    )


def _add_demo(parser: ArgumentParser) -> None:
    parser.add_argument("--export", type=Path, metavar="FILE", help=tr("save the finished game in FILE"))


def _add_verifying(parser: ArgumentParser) -> None:
    parser.epilog = statuses_of_checks()
    parser.add_argument("file", nargs="+", metavar="FILE", help=tr("an exported game; - reads from standard input"))


def _add_rules(parser: ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", default="", metavar="GAME", help=tr("the game; all games if not given"))


def _add_settings(parser: ArgumentParser) -> None:
    parser.add_argument(
        "change",
        nargs="*",
        metavar="NAME=VALUE",
        type=types.check_argument(parse_setting),
        help=tr("a setting to change in the file"),
    )
    parser.add_argument("--keys", action="store_true", help=tr("list the actions whose keys can be changed"))


def _add_hosting(parser: ArgumentParser) -> None:
    add_port(parser, DEFAULT_PORT)
    parser.add_argument(
        "--absence",
        type=types.check_argument(parse_absence),
        default={},
        metavar="SECONDS",
        help=tr("seconds to wait for a disconnected player before a bot takes over, 60 if not given; 0 waits forever"),
    )
    parser.add_argument(
        "--ssh",
        type=types.check_argument(parse_port),
        metavar="PORT",
        help=tr("also let others play by ssh on this port; needs the extra ssh"),
    )
    parser.add_argument(
        "--web",
        type=types.check_argument(parse_port),
        metavar="PORT",
        help=tr("also let others play in a browser on this port, as guests; needs the extra web"),
    )
    parser.add_argument(
        "--no-announce", action="store_true", help=tr("do not announce the server on the local network")
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=tr("the folder that stores the table until you host again; the waiting room shows its path"),
    )
    _add_peppers(parser)


def _add_continuation(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="origin",
        metavar="FILE",
        help=tr("resume an exported game, with its own game, players, options and seed"),
    )
    _add_position(
        parser,
        tr("with --from: after move N"),
        tr("with --from: your seat, as a player's name or a number from 1"),
    )


def _add_position(parser: ArgumentParser, move_help: str, seat_help: str) -> None:
    """Add the options that choose a move and a seat of an exported game."""
    parser.add_argument("--move", type=types.move_number, default=0, metavar="N", help=move_help)
    parser.add_argument("--seat", default="", metavar="SEAT", help=seat_help)


def _add_arena(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=tr("the game"))
    parser.add_argument(
        "entrant",
        nargs="+",
        metavar="ENTRANT",
        help=tr("a contestant for each seat: a built-in bot such as sensible, or a program's command such as ./bot.py"),
    )
    parser.add_argument(
        "--deals",
        type=types.whole_number(1, 100_000),
        default=20,
        metavar="N",
        help=tr("least number of deals, 20 if not given; each is played once from every seat"),
    )
    parser.add_argument(
        "--seconds",
        type=types.parse_seconds,
        default=10.0,
        metavar="SECONDS",
        help=tr("seconds that a program may think about a move, 10 if not given; then a bot plays the move"),
    )
    parser.add_argument(
        "--jobs",
        type=types.whole_number(1, 64),
        default=2,
        metavar="N",
        help=tr("number of matches to play at the same time, 2 if not given"),
    )
    add_option(parser)
    add_seed(parser)
    parser.add_argument("--export", type=Path, metavar="DIR", help=tr("save every game in the folder DIR"))
    parser.add_argument("--json", type=Path, metavar="OUT", help=tr("write the result as JSON, too, in the file OUT"))
    parser.add_argument("--plot", type=Path, metavar="OUT", help=tr("draw the ratings as SVG in the file OUT"))


def _add_new_game(parser: ArgumentParser) -> None:
    parser.add_argument(
        "slug", metavar="SLUG", help=tr("the game's name for programs: small letters, digits and underscores")
    )
    parser.add_argument(
        "--dir", type=Path, metavar="DIR", help=tr("the folder of the package, one of its name if not given")
    )


def _add_check_game(parser: ArgumentParser) -> None:
    parser.add_argument("slug", metavar="SLUG", help=tr("the slug of an installed game"))
    parser.add_argument(
        "--record",
        action="store_true",
        help=tr("first play the golden games of the package again, and add new texts to its catalogs"),
    )
    parser.add_argument("--json", action="store_true", help=tr("print the result as JSON, and nothing else"))
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="CHECK",
        help=tr("run this check, and what it relies on; may be given several times"),
    )


def _add_replay(parser: ArgumentParser) -> None:
    parser.epilog = f"{tr('With --text or --cast:')} {statuses_of_checks()}"
    parser.add_argument("file", metavar="FILE", help=tr("an exported game; - reads from standard input"))
    _add_position(
        parser,
        tr("start after move N"),
        tr("the point of view: a player's name, a seat's number from 1, or 0 for a spectator"),
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--text", action="store_true", help=tr("print the game as lines of text instead"))
    how.add_argument("--cast", type=Path, metavar="OUT", help=tr("record it as an asciicast instead, in the file OUT"))
    parser.add_argument(
        "--pace",
        type=types.parse_seconds,
        metavar="SECONDS",
        help=tr("seconds that each step is shown, 1.3 if not given"),
    )


def _add_review(parser: ArgumentParser) -> None:
    parser.epilog = statuses_of_reading()
    parser.add_argument("file", metavar="FILE", help=tr("an exported game; - reads from standard input"))
    parser.add_argument(
        "--format",
        choices=("text", "json", "svg"),
        default="text",
        help=tr("the form of the review, text if not given"),
    )
    parser.add_argument(
        "--percent",
        type=types.whole_number(1, 1000),
        default=100,
        metavar="N",
        help=tr("percentage of the usual samples: fewer are faster, more find smaller errors"),
    )


def _add_peppers(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--peppers",
        type=types.parse_peppers,
        metavar="FILE",
        help=tr("the peppers of the cards 1 to 100: a text file of a hundred digits 1, 2 or 3"),
    )
