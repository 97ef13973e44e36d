"""Options that several commands of `scoville` have: how to draw, which table, which deal."""

from argparse import SUPPRESS, ArgumentParser
from pathlib import Path

from scoville_client.cli import argument_types as types
from scoville_client.cli.argument_types import Parser
from scoville_client.i18n.language import LANGUAGES, tr
from scoville_client.session.new_table.option_input import parse_bots, parse_clock, parse_option, parse_seed
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_client.settings.checks import parse_setting
from scoville_client.transport.address import parse_port


def table_display() -> Parser:
    """Options of every command that shows a table. They have no default, so that they may precede the command."""
    look = Parser(add_help=False, argument_default=SUPPRESS, parents=[display_options()])
    look.add_argument(
        "--debug-log",
        type=Path,
        metavar="FILE",
        help=tr("append connection states and message names and sizes to FILE; it holds no secrets"),
    )
    look.add_argument("--name", type=types.user_name, help=tr("your name; otherwise you get a random one"))
    return look


def display_options() -> Parser:
    """Options of how to draw."""
    drawn = Parser(add_help=False, argument_default=SUPPRESS, parents=[language_options(), ascii_only()])
    drawn.add_argument(
        "--plain", action="store_true", help=tr("lines of text instead of screens, for screen readers and pipes")
    )
    drawn.add_argument(
        "--set",
        type=types.check_argument(parse_setting),
        action="append",
        metavar="NAME=VALUE",
        help=tr("a setting for this run, such as theme=light; can be repeated, and scoville settings lists all"),
    )
    drawn.add_argument(
        "--no-color", action="store_true", help=tr("draw without colours; NO_COLOR in the environment does the same")
    )
    return drawn


def ascii_only() -> Parser:
    """Options for the characters that are written."""
    letters = Parser(add_help=False, argument_default=SUPPRESS)
    letters.add_argument("--ascii", action="store_true", help=tr("draw with ASCII characters only"))
    return letters


def language_options() -> Parser:
    """Options of every command that writes text."""
    language = Parser(add_help=False, argument_default=SUPPRESS)
    language.add_argument(
        "--language",
        choices=types.LanguageChoices(),
        # Else argparse would ask for the choices at every start, and those of packages are in their folders: a help
        # page has them.
        metavar="{" + ",".join(LANGUAGES) + "}",
        help=tr("the language; otherwise that of the environment (LANGUAGE, LC_ALL, LANG) or English"),
    )
    return language


def timing_options() -> Parser:
    """Options of every command that opens a table in which users play."""
    timed = Parser(add_help=False)
    timed.add_argument(
        "--clock",
        type=types.check_argument(parse_clock),
        default={},
        metavar="SECONDS",
        help=tr("thinking time: 30 seconds a move, or 300+5 for a game plus each move; no clock if not given"),
    )
    timed.add_argument(
        "--bots",
        type=types.check_argument(parse_bots),
        default={},
        metavar="LEVEL",
        help=tr(
            "level of the bots, such as random or easy, or adaptive: you win about two games of five; sensible if not "
            "given; sensible,3:strong varies seat 3"
        ),
    )
    return timed


def deal_options() -> Parser:
    """Options of every command that opens a table."""
    dealt = Parser(add_help=False)
    dealt.add_argument(
        "game",
        nargs="?",
        metavar="GAME",
        help=tr("the game, {game} if not given", game=DEFAULT_GAME),
    )
    dealt.add_argument("--players", type=types.parse_players, metavar="N", help=tr("number of players at the table"))
    add_option(dealt)
    add_seed(dealt)
    return dealt


def add_option(parser: ArgumentParser) -> None:
    """Add the options of the game."""
    parser.add_argument(
        "--option",
        type=types.check_argument(parse_option),
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=tr("an option of the game, such as cycles=1; can be repeated"),
    )


def add_seed(parser: ArgumentParser) -> None:
    """Add the seed of the deal."""
    parser.add_argument(
        "--seed",
        type=types.check_argument(parse_seed),
        metavar="HEX",
        help=tr("the server's seed, to repeat a deal; up to 32 bytes, padded with zeros"),
    )


def as_sentence(text: str) -> str:
    """Return the description of a command, from its line in the list of commands."""
    return f"{text[0].upper()}{text[1:]}."


def add_port(parser: ArgumentParser, usual: int) -> None:
    """Add the port to listen on."""
    parser.add_argument(
        "--port",
        type=types.check_argument(lambda text: parse_port(text, lowest=0)),
        default=usual,
        help=tr("the port to listen on, {port} if not given; 0 picks any free port", port=usual),
    )
