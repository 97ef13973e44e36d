"""Condensed log: passes in a row become one sentence."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from scoville_client.tui.boards.no_thanks.words import declined
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import Passed
from scoville_shared.ids import Seat

_PASSED = GAME.text.fact(Passed(Seat(0), 0, 0)).text


def condense(log: Iterable[Phrase]) -> Iterator[Phrase]:
    """Join passes on one card; keep all other sentences."""
    for passes, phrases in groupby(log, key=lambda phrase: phrase.text == _PASSED):
        if passes:
            yield _together(list(phrases))
        else:
            yield from phrases


def _together(passes: list[Phrase]) -> Phrase:
    """Join passes to one sentence: each seat once, with the last count of the pot."""
    last = passes[-1]
    seats = dict.fromkeys(who.seat for each in passes if isinstance(who := each.fields["who"], Who))
    card, pot = last.fields["card"], last.fields["pot"]
    if len(seats) == 1 or not isinstance(card, int) or not isinstance(pot, int):
        return last
    return declined(list(seats), card, pot)
