"""Pledges: the commitment and nonce of this client at each table, stored before the nonce's hash is sent.

A client that was killed reveals the nonce it had committed to. A nonce is revealed for one request only: a server
that asks again with other hashes has rewound the table and may know the first answer.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_client.session.table.start_record import Hashes, Spent, digest_of
from scoville_runtime.atomic_files import replace_file
from scoville_shared.engine.dice import DealTerms, nonce_hash
from scoville_shared.protocol.messages import TableInfo

MOST = 64
"""Most pledges that are kept; the oldest make room."""
_LONGEST = 1024 * 1024
_MOST_SPENT = 16
"""Spent nonces that are kept for each table, the oldest and the newest ones; a usual game has one."""


class Pledge(Struct, frozen=True, kw_only=True):
    """The commitment that a client pinned at a table, hex, the terms that it binds, and the client's nonce, hex.

    `nonce` is None for a player who leaves all randomness to the server. `revealed_for` are the hashes of all seats
    for which the nonce was revealed, empty until then. `spent` are all nonces that were revealed at this table, the
    present one last: after a restart the server still has to account for them. `rated` says that a missing nonce makes
    a start between users void here, as the table was described when this client came to it.
    """

    commitment: str
    terms: DealTerms
    nonce: str | None
    revealed_for: tuple[str | None, ...] = ()
    spent: tuple[Spent, ...] = ()
    rated: bool = False

    @property
    def nonce_hash(self) -> str | None:
        """The hash that commits to the nonce, hex."""
        return None if self.nonce is None else nonce_hash(self.terms.table, bytes.fromhex(self.nonce)).hex()

    def with_spent(self, seat: int, hashes: Hashes) -> "Pledge":
        """Return the pledge of a client that is about to reveal its nonce for the hashes of all seats."""
        spent = Spent(seat=seat, hashes=digest_of(hashes))
        if self.revealed_for and self.spent:
            return self  # the same nonce for the same start, sent again
        kept = (*self.spent, spent)
        # The first stays: a server that rewinds the table again and again must not push out the nonce that it knew
        # first.
        kept = kept if len(kept) <= _MOST_SPENT else (kept[0], *kept[-_MOST_SPENT + 1 :])
        return replace(self, revealed_for=tuple(hashes), spent=kept)

    def with_last_spent(self, *, accepted: bool = False, left: bool = False) -> "Pledge":
        """Return the pledge after the server has confirmed the revealed nonce, or this client has left the table."""
        if not self.revealed_for or not self.spent:
            return self
        last = self.spent[-1]
        last = replace(last, accepted=accepted or last.accepted, left=left or last.left)
        return replace(self, spent=(*self.spent[:-1], last))


def deal_terms(info: TableInfo) -> DealTerms:
    """Return the terms that determine the deal at a table, from its description."""
    return DealTerms(
        table=info.deal or info.table,
        game=info.game,
        rules_version=info.rules_version,
        options=info.options,
        seats=len(info.seats),
        dealer=info.dealer,
    )


def needs_all_nonces(info: TableInfo) -> bool:
    """Return whether a missing nonce makes a start between users void at a table."""
    settings = info.settings
    return settings.rated and not (settings.private or settings.commentary or settings.coach)


class Pledges(Protocol):
    """The pledges of one user at one server, by table id."""

    def find_pledge(self, table: str) -> Pledge | None:
        """Return the pledge at a table, or None."""

    def keep_pledge(self, pledge: Pledge) -> None:
        """Store a pledge, in place of an earlier one at its table."""

    def drop_pledge(self, table: str) -> None:
        """Forget the pledge at a table."""


class MemoryPledges:
    """Pledges of a client without storage, which a later one cannot continue."""

    def __init__(self, kept: dict[str, Pledge] | None = None, saved: Callable[[], None] = lambda: None) -> None:
        self._kept = kept or {}
        self._saved = saved

    @property
    def all(self) -> dict[str, Pledge]:
        """All pledges, oldest first."""
        return self._kept

    def find_pledge(self, table: str) -> Pledge | None:
        """Return the pledge at a table, or None."""
        return self._kept.get(table)

    def keep_pledge(self, pledge: Pledge) -> None:
        """Store a pledge, in place of an earlier one at its table."""
        # Out and in again, so that the pledge in use is the newest and does not make room for others.
        self._kept.pop(pledge.terms.table, None)
        self._kept[pledge.terms.table] = pledge
        while len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]
        self._saved()

    def drop_pledge(self, table: str) -> None:
        """Forget the pledge at a table."""
        if self._kept.pop(table, None) is not None:
            self._saved()


def file_pledges(path: Path) -> Pledges:
    """Read the pledges of a file, which is replaced as a whole at each change; a damaged file counts as empty.

    Where it cannot be written, the pledges last as long as the process.
    """
    pledges = MemoryPledges(_read_file(path), lambda: _write_file(path, pledges.all))
    return pledges


def _read_file(path: Path) -> dict[str, Pledge]:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_LONGEST), type=dict[str, Pledge])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _write_file(path: Path, pledges: dict[str, Pledge]) -> None:
    with suppress(OSError):
        replace_file(path, msgspec.json.encode(pledges), locked=True)
