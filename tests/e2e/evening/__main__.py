"""An evening at a cluster whose nodes all serve, on the command line: `scripts/cluster --evening`.

Users come over TCP, at the ssh door, at the browser door and in lines of text, in two languages; most are lean programs
that note every event and View. Every while something fails: a node is killed, stopped, hangs or is cut off from the
engine, a server of the engine is killed, or both together. At the end all is exported, and the story of each user is
compared with the export. The exit status is 1 if anything differs.
"""

import argparse
import asyncio
import gc
import resource
import sys
import tempfile
from pathlib import Path

import msgspec

from tests.e2e.evening.run import describe_evening, spend_evening, to_plain


def main() -> None:
    """Run an evening, and report."""
    parser = argparse.ArgumentParser(
        prog="scripts/cluster --evening", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=200, help="how many")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--every", type=float, default=20.0, help="seconds from one fault to the next")
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds before a move")
    parser.add_argument("--seed", type=int, default=1, help="of the faults, and of what users draw")
    parser.add_argument("--keep", type=Path, help="folder for the stories, the export and the logs of the doors")
    asked = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.disable()  # two hundred users in one process would wait for it, which no user at home does
    with tempfile.TemporaryDirectory(prefix="scoville-evening-") as temporary:
        folder = (asked.keep or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        evening = asyncio.run(spend_evening(asked.users, asked.minutes, asked.every, asked.seed, folder, asked.think))
        if asked.keep:
            (folder / "stories.json").write_bytes(msgspec.json.encode(to_plain(evening)))
    print(*describe_evening(evening), sep="\n")
    sys.exit(bool(evening.found))


if __name__ == "__main__":
    main()
