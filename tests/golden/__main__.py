"""Writes every golden file anew; `git diff` then shows what a change of the rules changes."""

from scoville_shared.games.registry import slugs
from tests.golden.playthrough import ROOT, golden_files, write


def main() -> None:
    """Rewrite the files of all registered games, and say which ones changed."""
    for slug in slugs():
        for path in golden_files(slug):
            before = path.read_text(encoding="utf-8")
            after = write(before)
            path.write_text(after, encoding="utf-8")
            print("same   " if after == before else "changed", path.relative_to(ROOT))


if __name__ == "__main__":
    main()
