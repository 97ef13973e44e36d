"""Argument parsers of the development scripts: one shape of `--help` for all."""

import argparse
import secrets


class _Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the description and shows the default of each option that has one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        shown = not isinstance(action.default, bool) and isinstance(action.default, int | float | str)
        return super()._get_help_string(action) if shown else action.help


def script_parser(name: str, description: str) -> argparse.ArgumentParser:
    """Return the parser of `scripts/NAME`, whose options show their defaults."""
    return argparse.ArgumentParser(prog=f"scripts/{name}", description=description, formatter_class=_Help)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add `--seed N`, a random number from 0 to 999,999 if it is not given."""
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        default=secrets.randbelow(10**6),
        help="seed of everything random; the same seed repeats a run",
    )
