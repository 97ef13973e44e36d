"""Records: how a table was created, its moves, and the base of everything else that happens at it.

Records are facts of the past: once decided they are never refused, and the same records always make the same table.
The journal keeps the seed and what was done; everything else is derived from that. Moves and options are kept as the
plain data that crossed the wire. All but the two that a table holds itself stand with their actions.
"""

from functools import cached_property

from msgspec import UNSET, Struct, UnsetType

from scoville_server.tables.model.nights import ZoneOffsets
from scoville_shared.bots.search import Searched
from scoville_shared.engine.dice import DealTerms, commit_to
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import TableClock, TableSettings
from scoville_shared.values import Mover, Plain


# Decision 002: a record says what was decided, not what was requested, so a replay never asks what was allowed.
class Record(Struct, frozen=True, kw_only=True, tag_field="record"):
    """Base of all records; `at_ms` is wall time in milliseconds since 1970."""

    at_ms: int


class Reserved(Struct, frozen=True):
    """The seats that a `tournament` keeps at a table: their users by seat, an empty id for a bot."""

    tournament: str
    users: tuple[UserId, ...]


class Created(Record, frozen=True, kw_only=True, tag="created", dict=True):
    """A table was created by `user`, named `creator`, with a game, its options and the server's secret `seed`.

    The server creates default tables. `code` leads to the table; `password` is a salted hash, empty for none.
    `before` is the table of which this one is the rematch: `dealer` is then the seat that deals, in games where the
    dealer rotates, `admitted` are the users who may enter, and `watch_refusal` the kicked ones with the reasons.

    `shared_deal` names a deal that many tables share, each with one player and the same bots: it follows from this name
    in place of the table's id, and nobody is sent the seed before the server reveals it for all of them.

    `zone_offsets` say how local time in the zone of the table's night follows from UTC: those that were known then, so
    that a later law about summer time changes no running game.

    `commitment_signature` is the signature of the commitment by `server_key`, which the server had then.

    A tournament keeps the seats of its tables for those who are to play there, `reserved`.
    """

    table: TableId
    game: str
    rules_version: int
    options: Plain
    seat_count: int
    seed: bytes
    user: UserId
    clock: TableClock = TableClock()
    settings: TableSettings = TableSettings()
    code: str = ""
    password: bytes = b""
    creator: str = ""
    before: TableId | None = None
    dealer: Seat | None = None
    server_key: bytes = b""
    commitment_signature: bytes = b""
    admitted: tuple[UserId, ...] = ()
    watch_refusal: dict[UserId, str] = {}
    shared_deal: str | UnsetType = UNSET
    zone_offsets: ZoneOffsets | UnsetType = UNSET
    reserved: Reserved | UnsetType = UNSET

    @property
    def members(self) -> frozenset[UserId]:
        """The members of the club of the table's tournament at its opening: no other tournament admits anybody."""
        return frozenset() if self.reserved is UNSET else frozenset(self.admitted)

    @property
    def deal(self) -> str:
        """The name of a shared deal; empty for a deal of the table's own."""
        return "" if self.shared_deal is UNSET else self.shared_deal

    @property
    def deal_name(self) -> str:
        """Name from which the deal follows beside seed and nonces: the table's id, or the name of a shared deal."""
        return self.deal or self.table

    # Once: each line of the lobby and each snapshot shows it.
    @cached_property
    def commitment(self) -> str:
        """The commitment to the seed and to everything else that the deal follows from, hex."""
        return commit_to(self.seed, self.terms).hex()

    @property
    def terms(self) -> DealTerms:
        """The terms that the commitment binds beside the seed."""
        return DealTerms(
            table=self.deal_name,
            game=self.game,
            rules_version=self.rules_version,
            options=self.options,
            seats=self.seat_count,
            dealer=self.dealer,
        )


class Played(Record, frozen=True, kw_only=True, tag="played", omit_defaults=True):
    """A seat moved.

    `searched` says how far a searching bot got that had less than its budget, so that its move can be repeated.
    """

    seat: Seat
    move: Plain
    mover: Mover
    searched: Searched | None = None
