"""Writes the generated pages that are not current, or names them. Run by scripts/pages."""

import sys

from tests.pages import list_outdated
from tests.shared.protocol.shape import list_lost
from tests.support.script_parser import script_parser
from tests.support.tree import ROOT

_ABOUT = """Writes every page and file that is generated from the code: tables, index and bytes of the protocol, its
schema and shape, the actions at a table, settings, events, findings of the doctor, the reference for authors of games,
thresholds of bots, man pages and completions. Run it after a change of a message, a setting, an event, a finding, a
policy of bots or an option."""


def main() -> int:
    """Write or check the pages; return the exit status."""
    parser = script_parser("pages", _ABOUT)
    parser.add_argument("--check", action="store_true", help="write nothing, name what is not current, and exit with 1")
    args = parser.parse_args()
    outdated = list_outdated()
    lost = list_lost()
    for name in lost:
        print(f"A program of this version of the protocol would miss {name}.", file=sys.stderr)
    for path, text in outdated.items():
        print(f"{'not current' if args.check else 'written'}: {path.relative_to(ROOT)}")
        if not args.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if args.check and (outdated or lost) else 0


if __name__ == "__main__":
    sys.exit(main())
