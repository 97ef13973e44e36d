"""The mutants that are known to survive, as docs/mutation.md lists and explains them."""

import re
from functools import cache

from tests.mutation.mutants import Change
from tests.support.tree import ROOT

PAGE = ROOT / "docs/mutation.md"
_BLOCK = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)


@cache
def listed() -> frozenset[Change]:
    """Read the list: each block of `diff` holds a file's name and the lines before and after, or several of these."""
    blocks = _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return frozenset(_change(part) for block in blocks for part in re.split(r"^--- ", block, flags=re.MULTILINE)[1:])


def _change(part: str) -> Change:
    file, *lines = part.splitlines()
    before, after = (tuple(line[2:] for line in lines if line.startswith(sign)) for sign in "-+")
    return Change(file, before, after)
