"""Regenerates all golden files; `git diff` then shows the effect of a changed rule."""

from scoville_laws.golden import write_golden
from scoville_shared.games.registry import list_slugs
from tests.golden.files import golden_files, name_of


def main() -> None:
    """Rewrite the files of all registered games, and say which ones changed."""
    for slug in list_slugs():
        for path in golden_files(slug):
            before = path.read_text(encoding="utf-8")
            after = write_golden(before)
            path.write_text(after, encoding="utf-8")
            print("same   " if after == before else "changed", name_of(path))


if __name__ == "__main__":
    main()
