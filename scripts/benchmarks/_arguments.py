"""Argument parser of the benchmarks: one shape of `--help` for all."""

import argparse


class _Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the description and shows the default of each option that has one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        shown = not isinstance(action.default, bool) and isinstance(action.default, int | float | str)
        return super()._get_help_string(action) if shown else action.help


def bench_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of `scripts/bench NAME`; options show their defaults, a suppressed default stays hidden."""
    return argparse.ArgumentParser(prog=f"scripts/bench {name}", description=description, formatter_class=_Help)


def add_rounds(parser: argparse.ArgumentParser, *, seconds: float, rounds: int) -> None:
    """Add `--seconds` and `--rounds`: how long one measurement takes, and how many there are of each."""
    parser.add_argument("--seconds", type=float, default=seconds, metavar="N", help="duration of one measurement")
    parser.add_argument("--rounds", type=int, default=rounds, metavar="N", help="measurements of each program")
