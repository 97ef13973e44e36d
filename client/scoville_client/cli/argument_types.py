"""Parser, help pages and types of command-line arguments, translated.

Each type is made from a parser whose ValueError has a sentence for the user.
"""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, HelpFormatter, RawDescriptionHelpFormatter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from scoville_client.i18n.language import is_language, list_languages, tr
from scoville_shared.text import LONGEST_NAME


class HelpPage(HelpFormatter):
    """Help page in the language of the user interface."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Add the usage line with a translated prefix."""
        super().add_usage(usage, actions, groups, tr("usage:") + " " if prefix is None else prefix)


class FrontPage(HelpPage, RawDescriptionHelpFormatter):
    """Help page that keeps the line breaks of the examples."""


class Parser(ArgumentParser):
    """Argument parser with translated headings, whose errors are one sentence and a pointer to the help."""

    def __init__(self, *, add_help: bool = True, parents: Sequence[ArgumentParser] = (), **how: Any) -> None:
        super().__init__(add_help=False, **{"formatter_class": HelpPage, **how})
        self._positionals.title, self._optionals.title = tr("arguments"), tr("options")
        if add_help:
            self.add_argument("-h", "--help", action="help", default=SUPPRESS, help=tr("show this help"))
        # Only now, so that help stays first; and argparse joins groups of parents by their titles, which are translated
        # here.
        for parent in parents:
            self._add_container_actions(parent)

    def format_help(self) -> str:
        """Format the help page, with the languages of installed packages among those that can be chosen."""
        for action in self._actions:
            if isinstance(action.choices, LanguageChoices):
                action.metavar = "{" + ",".join(action.choices) + "}"
        return super().format_help()

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002 - always stdout, in characters that it can encode
        """Write the help page to stdout."""
        from scoville_client.output import describe_failure, write_line

        for line in self.format_help().splitlines():
            write_line(line)
        if describe_failure():
            self.exit(1, f"{describe_failure()}\n")

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and one sentence on stderr."""
        self.exit(2, f"{self.prog}: {message}\n{tr('Try {command} --help.', command=self.prog)}\n")


T = TypeVar("T")
LONGEST_STEP = 60.0
"""Seconds that a step of a replay stays at most."""


def check_argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Wrap a parser so that argparse shows the sentence of its ValueError."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error

    return read


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return the type of numbers from `least` to `most`."""

    @check_argument
    def read(text: str) -> int:
        if not (_is_number(text) and least <= int(text) <= most):
            raise ValueError(
                tr("{text} is not a number from {least} to {most}.", text=repr(text), least=least, most=most)
            )
        return int(text)

    return read


class LanguageChoices(Container[str], Iterable[str]):
    """The codes of languages that can be chosen, those of installed packages among them; read when needed."""

    def __contains__(self, code: object) -> bool:
        return isinstance(code, str) and is_language(code)

    def __iter__(self) -> Iterator[str]:
        return iter(list_languages())


@check_argument
def user_name(text: str) -> str:
    """Return a name of at most `LONGEST_NAME` characters."""
    if len(text) > LONGEST_NAME:
        sentence = tr("{text} is too long; a name can have at most {n} characters.", text=repr(text), n=LONGEST_NAME)
        raise ValueError(sentence)
    return text


@check_argument
def parse_players(text: str) -> int:
    """Return a number of players; each game checks its own bounds."""
    if not _is_number(text):
        raise ValueError(tr("{text} is not a number of players; give a whole number such as 4.", text=repr(text)))
    return int(text)


@check_argument
def move_number(text: str) -> int:
    """Return the number of a move, 0 for the position before the first one."""
    if not _is_number(text):
        raise ValueError(tr("{text} is not the number of a move; give a whole number such as 12.", text=repr(text)))
    return int(text)


@check_argument
def parse_seconds(text: str) -> float:
    """Return seconds above 0, up to `LONGEST_STEP`."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= LONGEST_STEP:
        sentence = tr(
            "{text} is not a duration; enter seconds, more than 0 and at most {most}.",
            text=repr(text),
            most=LONGEST_STEP,
        )
        raise ValueError(sentence)
    return value


@check_argument
def parse_peppers(text: str) -> dict[str, dict[str, Any]]:
    """Return the peppers of cards 1 to 100 from a file, by game and option."""
    from scoville_client.transport.in_process import read_host_option

    return read_host_option("peppers", Path(text))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
