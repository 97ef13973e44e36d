"""Names of users and bots."""

from collections.abc import Callable, Collection, Iterator
from itertools import count, islice

from scoville_server.accounts.model.naming.reserved import BOTS
from scoville_shared.text import LONGEST_NAME

_FRIENDLY = (
    "Paprika", "Cayenne", "Habanero", "Serrano", "Poblano", "Chipotle", "Ancho", "Piquin",
    "Tabasco", "Rocoto", "Aji", "Pimento", "Padron", "Scotch", "Tepin", "Guindilla",
)  # fmt: skip


def free_name(wanted: str, taken: Callable[[str], bool]) -> str:
    """Find a free name for a user who wants `wanted` (cleaned; empty for a random friendly one)."""
    candidates = _numbered(wanted) if wanted else _rounds(_FRIENDLY, "{}")
    return next(name for name in candidates if not taken(name))


def bot_names(number: int, taken: Collection[str]) -> list[str]:
    """Name bots unlike anybody at the table; always the same for the same table."""
    free = (name for name in _rounds(BOTS, "Bot {}") if name not in taken)
    return list(islice(free, number))


def _numbered(name: str) -> Iterator[str]:
    yield name
    for number in count(2):
        tail = f" {number}"
        yield name[: LONGEST_NAME - len(tail)].rstrip() + tail


def _rounds(names: tuple[str, ...], form: str) -> Iterator[str]:
    for lap in count(1):
        for name in names:
            yield form.format(name) if lap == 1 else f"{form.format(name)} {lap}"
