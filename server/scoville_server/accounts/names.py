"""Names of users and bots."""

import secrets
from collections.abc import Callable, Collection
from functools import partial
from itertools import count, islice

from scoville_server.accounts.model.naming.reserved import BOTS
from scoville_shared.text import LONGEST_NAME

_FRIENDLY = (
    "Paprika", "Cayenne", "Habanero", "Serrano", "Poblano", "Chipotle", "Ancho", "Piquin",
    "Tabasco", "Rocoto", "Aji", "Pimento", "Padron", "Scotch", "Tepin", "Guindilla",
)  # fmt: skip

_HIGHEST, _UNLIKELY = 2**20, 10**9


def free_name(wanted: str, taken: Callable[[str], bool]) -> str:
    """Find a free name for a user who wants `wanted` (cleaned; empty for a random friendly one)."""
    named = partial(_add_number, wanted) if wanted else partial(_in_rounds, _FRIENDLY, "{}")
    return named(_first_free(lambda number: taken(named(number))))


def _first_free(taken: Callable[[int], bool]) -> int:
    """Find a free number that follows a taken one, or 0, by doubling and halving.

    Trying one after the other would make the thousandth guest of a name cost a thousand times as much as the first.
    Where an attacker has taken all the numbers that doubling tries, a random one is found.
    """
    if not taken(0):
        return 0
    low, high = 0, 1
    while taken(high):
        low, high = high, 2 * high if high < _HIGHEST else secrets.randbelow(_UNLIKELY)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if taken(middle) else (low, middle)
    return high


def bot_names(number: int, taken: Collection[str]) -> list[str]:
    """Name bots unlike anybody at the table; always the same for the same table."""
    free = (name for name in map(partial(_in_rounds, BOTS, "Bot {}"), count()) if name not in taken)
    return list(islice(free, number))


def _add_number(name: str, number: int) -> str:
    tail = f" {number + 1}" if number else ""
    return name[: LONGEST_NAME - len(tail)].rstrip() + tail


def _in_rounds(names: tuple[str, ...], form: str, number: int) -> str:
    lap, place = divmod(number, len(names))
    return _add_number(form.format(names[place]), lap)
