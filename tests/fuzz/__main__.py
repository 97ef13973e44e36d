"""The long form of the fuzzer: `scripts/fuzz`."""

import argparse
import secrets
from importlib.util import find_spec


def main() -> None:
    """Run what the arguments ask for; ends with an error, and how to come by it again, at the first fault."""
    wish = _arguments()
    if wish.keys:
        from tests.fuzz.keys.rounds import try_keys

        try_keys(wish.minutes, wish.seed)
    elif wish.lines:
        from tests.fuzz.keys.rounds import try_line_mode

        try_line_mode(wish.minutes, wish.seed)
    elif not wish.atheris:
        from tests.fuzz.rounds import try_crowds

        try_crowds(wish.minutes, wish.seed)
    elif find_spec("atheris") is None:
        print("atheris is not installed here, so no bytes were tried: .venv/bin/pip install -e '.[fuzz]'")
    else:
        from tests.fuzz.garbage import try_bytes

        try_bytes(wish.minutes, wish.seed)


def _arguments() -> argparse.Namespace:
    about = "Lets clients ask a real server anything in any order, and looks for what fails, hangs or is lost."
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=about)
    parser.add_argument("--minutes", type=float, default=5, help="for how long")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="the chance of the first round")
    parser.add_argument("--keys", action="store_true", help="random keys for the client's screens instead")
    parser.add_argument("--lines", action="store_true", help="random lines for the line mode instead")
    parser.add_argument("--atheris", action="store_true", help="bytes instead, led by the lines of code they reach")
    return parser.parse_args()


if __name__ == "__main__":
    main()
