"""What can be typed after `scoville`.

It is read with argparse: cyclopts, which the headless server uses, takes a fifth of the time that the first screen may
take to appear.
"""

from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    HelpFormatter,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from scoville_client.i18n.language import LANGUAGES, words
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_client.session.table.option_input import parse_absence, parse_clock, parse_option, parse_seed
from scoville_client.transport.address import DEFAULT_PORT, parse_address, parse_port
from scoville_shared import __version__

T = TypeVar("T")
Run = Callable[[Namespace], int]
LONGEST_NAME = 24
"""Characters of a name; the wire takes no longer ones."""
LONGEST_STEP = 60.0
"""Seconds that a step of a replay stays at most."""


class _Form(HelpFormatter):
    """A help page in the language that is spoken."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Begin with how the command is typed."""
        super().add_usage(usage, actions, groups, words("usage:") + " " if prefix is None else prefix)


class _FrontPage(_Form, RawDescriptionHelpFormatter):
    """The one with examples, a line each."""


class _Parser(ArgumentParser):
    """A parser whose errors are one sentence and a pointer to the help."""

    def __init__(self, *, add_help: bool = True, parents: Sequence[ArgumentParser] = (), **how: Any) -> None:
        super().__init__(add_help=False, **{"formatter_class": _Form, **how})
        self._positionals.title, self._optionals.title = words("arguments"), words("options")
        if add_help:
            self.add_argument("-h", "--help", action="help", default=SUPPRESS, help=words("show this page"))
        for parent in parents:
            self._add_container_actions(parent)

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002 - help is for stdout, whatever it can carry
        """Write the page."""
        from scoville_client.output import failure, write_line

        for line in self.format_help().splitlines():
            write_line(line)
        if failure():
            self.exit(1, f"{failure()}\n")

    def error(self, message: str) -> NoReturn:
        """Give up, with one sentence."""
        self.exit(2, f"{self.prog}: {message}\n{words('Try {command} --help.', command=self.prog)}\n")


def tongue(typed: Sequence[str]) -> str | None:
    """Find the language that is asked for, before anything else is read: the help is in it, too."""
    wishes = [after for option, after in pairwise(typed) if option == "--language"]
    wishes += [word.removeprefix("--language=") for word in typed if word.startswith("--language=")]
    return next((wish for wish in wishes if wish in LANGUAGES), None)


def parser(runs: Mapping[str, Run]) -> ArgumentParser:
    """Make the parser; what it reads says in `run` which of `runs` it is for, by the name of the command."""
    look = _look()
    whole = _Parser(
        prog="scoville",
        description=words("A card table in the terminal. Without a command it opens the start screen."),
        epilog=_examples(),
        formatter_class=_FrontPage,
        parents=[look],
    )
    whole.add_argument(
        "--version", action="version", help=words("show which version this is"), version=f"scoville {__version__}"
    )
    whole.set_defaults(run=runs[""], command="")
    commands = whole.add_subparsers(title=words("commands"), metavar="COMMAND")

    def command(name: str, text: str, parents: list[_Parser]) -> ArgumentParser:
        made = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=parents)
        made.set_defaults(run=runs[name], command=name)
        return made

    practising = command("practice", words("play against bots on this computer"), [_dealt(), _timed(), look])
    _add_peppers(practising)
    _add_origin(practising)
    joining = command("join", words("sit down at somebody's server"), [look])
    joining.add_argument(
        "address",
        metavar="HOST[:PORT]",
        type=_read(parse_address),
        help=words("where it is; the port is {port} if not given", port=DEFAULT_PORT),
    )
    hosting = command(
        "host", words("let others join a table on this computer, with a seat for you"), [_dealt(), _timed(), look]
    )
    hosting.add_argument(
        "--port",
        type=_read(lambda text: parse_port(text, lowest=0)),
        default=DEFAULT_PORT,
        help=words("the port to listen on, {port} if not given; 0 takes any free one", port=DEFAULT_PORT),
    )
    _add_keeping(hosting)
    _add_peppers(hosting)
    showing = command(
        "demo", words("watch programs play a whole game, as lines of text; needs no terminal"), [_dealt(), _drawn()]
    )
    showing.add_argument("--export", type=Path, metavar="FILE", help=words("write the finished game to FILE"))
    checking = command(
        "verify", words("deal finished games again, play them again, and say whether all of it holds"), [_drawn()]
    )
    checking.add_argument("file", nargs="+", metavar="FILE", help=words("an exported game; - reads what is piped in"))
    _add_arena(command("arena", words("let bots and programs play a series of matches, and rate them"), [_drawn()]))
    _add_replay(command("replay", words("step through a finished game on its own board"), [_drawn()]))
    return whole


def _examples() -> str:
    """Show what is typed most."""
    shown = [
        ("scoville practice --players 3", words("a game against two bots")),
        ("scoville host", words("let others join; says what they have to type")),
        ("scoville join 192.0.2.7", words("sit down at somebody's server")),
        ("scoville demo", words("watch four programs play, as lines of text")),
        ("scoville verify game.jsonl", words("check every card and move of a finished game")),
        ("scoville replay game.jsonl", words("see it again on the board")),
        ("scoville arena no_thanks greedy random ./bot.py", words("which of them plays best?")),
    ]
    return "\n".join([words("examples:"), *(f"  {typed:<31}  {told}" for typed, told in shown)])


def _add_keeping(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--absence",
        type=_read(parse_absence),
        default={},
        metavar="SECONDS",
        help=words("how long a seat waits for a lost line before a bot plays on, 60 if not given; 0 for ever"),
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=words(
            "the folder in which the table is kept, for the next time you host; the waiting room says which it is"
        ),
    )


def _add_origin(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="origin",
        metavar="FILE",
        help=words("go on with an exported game; it brings its own game, players, options and seed"),
    )
    parser.add_argument("--move", type=_read(_number), default=0, metavar="N", help=words("with --from: after move N"))
    parser.add_argument(
        "--seat",
        default="",
        metavar="SEAT",
        help=words("with --from: the seat to take, a player's name or a number from 1"),
    )


def _add_arena(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=words("the game"))
    parser.add_argument(
        "entrant",
        nargs="+",
        metavar="ENTRANT",
        help=words(
            "who plays, one for each seat: a built-in bot such as greedy, or a program's command such as ./bot.py"
        ),
    )
    parser.add_argument(
        "--deals",
        type=_read(_deals),
        default=20,
        metavar="N",
        help=words("how many deals, 20 if not given; each is played once from every seat"),
    )
    parser.add_argument(
        "--seconds",
        type=_read(_seconds),
        default=10.0,
        metavar="SECONDS",
        help=words("how long a program may think about a move, 10 if not given; then a bot makes it"),
    )
    parser.add_argument(
        "--jobs", type=_read(_jobs), default=2, metavar="N", help=words("how many matches at a time, 2 if not given")
    )
    _add_option(parser)
    _add_seed(parser)
    parser.add_argument("--export", type=Path, metavar="DIR", help=words("write every game into the folder DIR"))


def _add_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--option",
        type=_read(parse_option),
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=words("an option of the game, such as cycles=1; may be given several times"),
    )


def _add_seed(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        type=_read(parse_seed),
        metavar="HEX",
        help=words("the server's seed, for a deal you want to see again; up to 32 bytes, filled up with zeros"),
    )


def _add_replay(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help=words("an exported game; - reads what is piped in"))
    parser.add_argument(
        "--seat",
        default="",
        metavar="SEAT",
        help=words("whose eyes to look through: a player's name, or a seat's number from 1; 0 is a spectator"),
    )
    parser.add_argument("--move", type=_read(_number), default=0, metavar="N", help=words("begin after move N"))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--text", action="store_true", help=words("tell the game in lines of text instead"))
    how.add_argument(
        "--cast", type=Path, metavar="OUT", help=words("record it as an asciicast instead, in the file OUT")
    )
    parser.add_argument(
        "--pace",
        type=_read(_seconds),
        metavar="SECONDS",
        help=words("how long a step stays, 1.3 if not given"),
    )


def _look() -> _Parser:
    """What every command that shows a table takes. Left out, an option leaves no trace, so it may precede a command."""
    look = _Parser(add_help=False, argument_default=SUPPRESS, parents=[_drawn()])
    look.add_argument(
        "--name", type=_read(_name), help=words("what you are called; without it you get a friendly name")
    )
    return look


def _drawn() -> _Parser:
    """How what is shown may be drawn."""
    drawn = _Parser(add_help=False, argument_default=SUPPRESS, parents=[_tongue()])
    drawn.add_argument(
        "--plain", action="store_true", help=words("lines of text instead of screens: for screen readers and pipes")
    )
    drawn.add_argument("--ascii", action="store_true", help=words("draw with ASCII characters only"))
    drawn.add_argument(
        "--no-color", action="store_true", help=words("draw without colours; NO_COLOR in the environment does the same")
    )
    return drawn


def _tongue() -> _Parser:
    """What every command that says something takes."""
    tongue = _Parser(add_help=False, argument_default=SUPPRESS)
    tongue.add_argument(
        "--language",
        choices=list(LANGUAGES),
        help=words("what is spoken; without it that of the environment (LANGUAGE, LC_ALL, LANG), else English"),
    )
    return tongue


def _timed() -> _Parser:
    """What every command takes that opens a table for people."""
    timed = _Parser(add_help=False)
    timed.add_argument(
        "--clock",
        type=_read(parse_clock),
        default={},
        metavar="SECONDS",
        help=words("thinking time: 30 for each move, 300+5 for the game and more with each move; off if not given"),
    )
    return timed


def _dealt() -> _Parser:
    """What every command that opens a table takes."""
    dealt = _Parser(add_help=False)
    dealt.add_argument(
        "game",
        nargs="?",
        metavar="GAME",
        help=words("the game, {game} if not given", game=DEFAULT_GAME),
    )
    dealt.add_argument("--players", type=_read(_players), metavar="N", help=words("how many sit at the table"))
    _add_option(dealt)
    _add_seed(dealt)
    return dealt


def _add_peppers(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--peppers",
        type=_read(_peppers),
        metavar="FILE",
        help=words("the peppers of Dicht dran's cards 1 to 100: a text file of a hundred digits 1, 2 or 3"),
    )


def _name(text: str) -> str:
    if len(text) > LONGEST_NAME:
        sentence = words("{text} is too long; a name has at most {n} characters.", text=repr(text), n=LONGEST_NAME)
        raise ValueError(sentence)
    return text


def _players(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(words("{text} is no number of players.", text=repr(text)))
    return int(text)


def _deals(text: str) -> int:
    return _between(text, 1, 100_000)


def _jobs(text: str) -> int:
    return _between(text, 1, 64)


def _between(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ValueError(words("{text} is no number from {least} to {most}.", text=repr(text), least=least, most=most))
    return int(text)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(words("{text} is no number of a move.", text=repr(text)))
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_STEP:
        sentence = words(
            "{text} is no time; write seconds, more than 0 and at most {most}.",
            text=repr(text),
            most=LONGEST_STEP,
        )
        raise ValueError(sentence)
    return seconds


def _peppers(text: str) -> tuple[int, ...]:
    from scoville_client.transport.in_process import read_peppers

    return read_peppers(Path(text))


def _read(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Make argparse show a parser's own sentence."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error

    return read
