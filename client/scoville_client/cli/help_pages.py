"""Argument parser and help pages of the command line, translated."""

from argparse import SUPPRESS, ArgumentParser, HelpFormatter, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any, NoReturn

from scoville_client.i18n.language import tr


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
        for parent in parents:
            self._add_container_actions(parent)

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002 - always stdout, in characters that it can encode
        """Write the help page to stdout."""
        from scoville_client.output import failure, write_line

        for line in self.format_help().splitlines():
            write_line(line)
        if failure():
            self.exit(1, f"{failure()}\n")

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and one sentence on stderr."""
        self.exit(2, f"{self.prog}: {message}\n{tr('Try {command} --help.', command=self.prog)}\n")
