"""Every total that a card can reach, with all the formulas that lead there (C14)."""

from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from scoville_shared.games.chilli_chase.arithmetic import signed, total_made, written
from scoville_shared.games.chilli_chase.options import Options
from scoville_shared.games.chilli_chase.state import BASIC_OPS, Left, Op, Play, Reason

_REMEMBERED = 4_096
_COMMUTE = (Op.PLUS, Op.TIMES)


class Reach(NamedTuple):
    """One total within a card's reach: one choice, however many plays make it."""

    total: int
    plays: tuple[Play, ...]

    def formulas(self, before: int) -> list[str]:
        """Write out what would be called on the total `before`: each formula once, sums and products one way round."""
        return [f"{formula} = {signed(self.total)}" for formula in self.ways(before)]

    def ways(self, before: int) -> list[str]:
        """Write the same formulas without what they make."""
        told = (play for play in self.plays if play.op not in _COMMUTE or play.left is Left.TOTAL)
        return list(dict.fromkeys(written(play, before) for play in told))


@lru_cache(_REMEMBERED)
def reach(card: int, total: int, options: Options) -> tuple[Reach, ...]:
    """List what `card` can make of `total`, the smallest first; never empty (C12)."""
    found: defaultdict[int, list[Play]] = defaultdict(list)
    for play in plays(card, options):
        made = total_made(play, total, options)
        if not isinstance(made, Reason):
            found[made].append(play)
    return tuple(Reach(made, tuple(found[made])) for made in sorted(found))


def plays(card: int, options: Options) -> tuple[Play, ...]:
    """List every way to write `card` and a total with the operations of this table."""
    return _written_ways(card, options.extended)


@lru_cache
def _written_ways(card: int, extended: bool) -> tuple[Play, ...]:
    ops = tuple(Op) if extended else BASIC_OPS
    return tuple(Play(card, op, left) for op in ops for left in Left)
