"""Fuzzer on the command line: `scripts/fuzz`."""

import argparse
from importlib.util import find_spec

from tests.support.script_parser import add_seed, script_parser


def main() -> None:
    """Run the fuzzer that the arguments name; the first fault ends it with an error and the command that repeats it."""
    args = _arguments()
    if args.keys:
        from tests.fuzz.keys.rounds import try_keys

        try_keys(args.minutes, args.seed)
    elif args.lines:
        from tests.fuzz.keys.rounds import try_line_mode

        try_line_mode(args.minutes, args.seed)
    elif args.hostile_server:
        from tests.fuzz.hostile.rounds import try_hostile_servers

        try_hostile_servers(args.minutes, args.seed)
    elif not args.atheris:
        from tests.fuzz.rounds import try_crowds

        try_crowds(args.minutes, args.seed)
    elif find_spec("atheris") is None:
        print("atheris is not installed, so nothing was tested; requirements/fuzz.txt has it, for Linux on x86-64")
    else:
        from tests.fuzz.garbage import try_bytes

        try_bytes(args.minutes, args.seed)


def _arguments() -> argparse.Namespace:
    about = "Sends random requests to a real server and reports failures, hangs and lost data."
    parser = script_parser("fuzz", about)
    parser.add_argument("--minutes", type=float, default=5, metavar="N", help="duration")
    add_seed(parser)
    parser.add_argument("--keys", action="store_true", help="type random keys into the client's screens instead")
    parser.add_argument("--lines", action="store_true", help="type random lines into the line mode instead")
    parser.add_argument("--hostile-server", action="store_true", help="mutate the server's messages instead")
    parser.add_argument("--atheris", action="store_true", help="feed bytes to the decoder, guided by code coverage")
    return parser.parse_args()


if __name__ == "__main__":
    main()
