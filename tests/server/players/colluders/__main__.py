"""Colluders against honest raters on the command line: `scripts/colluders`."""

import sys

from tests.server.players.colluders.campaign import Interval, interval, results
from tests.server.players.colluders.levers import LEVERS
from tests.support.script_parser import add_seed, script_parser

ABOUT = """Lets two colluders play rated games against a population of honest raters, with everything that they can do
beside playing, and shows what each game does to their ratings (mu, both together), and how much of that comes from the
lever: the difference to the same game played to its end. Real tables, bots, clocks and ratings; nobody gets better."""


def main() -> None:
    """Play and report. Exit status 1: the colluders gain by some lever."""
    parser = script_parser("colluders", ABOUT)
    parser.add_argument("--games", type=int, default=1_000, metavar="N", help="rated games with every lever")
    parser.add_argument("--length", type=int, default=100, metavar="N", help="games after which new accounts begin")
    parser.add_argument("--each", type=int, default=0, metavar="N", help="games with each lever alone, after that")
    add_seed(parser)
    args = parser.parse_args()
    print(f"Repeat this run with --seed {args.seed}.")
    print(f"{'lever':26} {'games':>6}   {'gain per game':>24}   {'of that by the lever':>24}")
    gains = [_report("all", args.seed, args.games, args.length, tuple(LEVERS))]
    if args.each:
        gains += [_report(name, args.seed, args.each, args.length, (name,)) for name in LEVERS]
    sys.exit(any(gain.low > 0 for gain in gains))


def _report(title: str, seed: int, games: int, length: int, names: tuple[str, ...]) -> Interval:
    played = [*results(seed, games, length, names)]
    gain, lever = interval([each.gain for each in played]), interval([each.gain - each.without for each in played])
    print(f"{title:26} {len(played):6}   {_written(gain)}   {_written(lever)}", flush=True)
    return max(gain, lever, key=lambda each: each.low)


def _written(each: Interval) -> str:
    return f"{each.mean:+.3f} ({each.low:+.3f} to {each.high:+.3f})"


if __name__ == "__main__":
    main()
