"""Attempts at daily deals, and how they compare."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.accounts.model.naming.permitted import bot_names
from scoville_server.daily.model.calendar import Span
from scoville_server.daily.model.deals import DrawnDeal
from scoville_server.tables.actions.join import Joined
from scoville_server.tables.actions.start import Started
from scoville_server.tables.model.records import Created, Played, Record
from scoville_server.tables.model.table import Table
from scoville_shared.bots.registry import USUAL
from scoville_shared.engine.contract import Outcome
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import TableClock, TableSettings
from scoville_shared.values import Plain

BOT_PACE_MS = 700
"""Milliseconds that a bot lets pass after the move before: one can follow, and a game takes minutes."""

State = Literal["running", "finished", "unfinished"]


class MadeMove(Struct, frozen=True, array_like=True):
    """A move of an attempt, so many milliseconds after its beginning."""

    seat: int
    move: Plain
    ms: int


class Attempt(Struct, frozen=True, kw_only=True):
    """A user's game of a deal, at a table of their own.

    `id` names it to others. A user who was erased is left without number and name. `origin` stands for the network
    from which it was begun. `moves` are kept of the first results of a day only.
    """

    id: str
    day: int
    deal: str
    table: TableId
    user: UserId
    name: str
    claimed: bool
    begun_ms: int
    origin: int | None = None
    state: State = "running"
    ended_ms: int = 0
    scores: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    moves: tuple[MadeMove, ...] = ()

    @property
    def key(self) -> str:
        """The key of its row: one for each user, so that there is no second attempt."""
        return f"{self.deal}/{self.user or self.id}"

    def with_result(self, table: Table, outcome: Outcome, *, keep_moves: bool) -> "Attempt":
        """Return the attempt with the result of its table."""
        moves = [MadeMove(made.seat, made.move, max(0, made.at_ms - self.begun_ms)) for made in table.moves]
        return replace(
            self,
            state="finished",
            ended_ms=table.latest_ms,
            scores=outcome.scores,
            places=outcome.places,
            moves=tuple(moves) if keep_moves else (),
        )

    def without_user(self) -> "Attempt":
        """Return the attempt without its user."""
        return replace(self, user=UserId(""), name="", claimed=False, origin=None)


class DailyPlayer(Struct, frozen=True, kw_only=True):
    """The days on which a user has finished the deal, and their longest streak."""

    played: tuple[Span, ...] = ()
    best_streak: int = 0


def first_records(attempt: Attempt, deal: DrawnDeal) -> list[Record]:
    """Return the first records of an attempt's table: its player sits there, and the game has started.

    Only the player can see it, and it waits for them as long as the deal can be played.
    """
    at_ms, seats = attempt.begun_ms, len(deal.levels)
    bots = [seat for seat in map(Seat, range(seats)) if seat != deal.player]
    # The user's name is avoided: two players of one name could not be told apart.
    names = dict(zip(bots, bot_names(len(bots), [attempt.name]), strict=True))
    return [
        Created(
            at_ms=at_ms,
            table=attempt.table,
            game=deal.game,
            rules_version=deal.rules_version,
            options=deal.options,
            seat_count=seats,
            seed=deal.seed,
            user=attempt.user,
            creator=attempt.name,
            shared_deal=deal.name,
            server_key=deal.server_key,
            commitment_signature=deal.commitment_signature,
            clock=TableClock(absence_ms=None),
            # Without a host: nobody may change the terms of a deal that all play.
            settings=TableSettings(
                private=True, spectating="nobody", rated=False, hostless=True, bot_pace_ms=BOT_PACE_MS
            ),
        ),
        Joined(at_ms=at_ms, seat=deal.player, user=attempt.user, name=attempt.name, claimed=attempt.claimed),
        Started(at_ms=at_ms, strength=USUAL, bots=names, levels={seat: deal.levels[seat] for seat in bots}),
    ]


def all_records(attempt: Attempt, deal: DrawnDeal) -> Iterator[Record]:
    """Yield the records that make the table of a finished attempt again."""
    yield from first_records(attempt, deal)
    for made in attempt.moves:
        yield Played(
            at_ms=attempt.begun_ms + made.ms,
            seat=Seat(made.seat),
            move=made.move,
            mover="player" if made.seat == deal.player else "bot",
        )


class RankedAttempt(NamedTuple):
    """A finished attempt in short: enough to rank it without reading its moves."""

    id: str
    key: str
    user: UserId
    place: int
    score: int
    rank: tuple[int, int]
    """Orders results: the smaller one is better."""


def rank_result(scores: Sequence[int], places: Sequence[int], seat: Seat) -> tuple[int, int]:
    """Return how good a result is, the smaller the better: by the place, then by the points.

    Whether more points are better is read off the places of the seats.
    """
    better = sum(
        (scores[one] - scores[other]) * (places[other] - places[one])
        for one in range(len(scores))
        for other in range(one)
    )
    return places[seat], -scores[seat] if better >= 0 else scores[seat]


def percentage_behind(mine: tuple[int, int], others: Iterable[tuple[int, int]]) -> int | None:
    """Return the percentage of others whose result is worse, equal ones as half; None without others."""
    ranks = [*others]
    if not ranks:
        return None
    return round(100 * sum((rank > mine) + (rank == mine) / 2 for rank in ranks) / len(ranks))


def find_parting(mine: Sequence[MadeMove], other: Sequence[MadeMove], seat: Seat) -> int | None:
    """Return how many moves of the player's seat are the same before the first other one; None if all are.

    The bots answer equal plays equally, so nothing else can part two games; the order in which several seats choose at
    the same time does not count.
    """
    own, theirs = ([made.move for made in moves if made.seat == seat] for moves in (mine, other))
    # Not strict: games of different lengths can be the same as far as both go.
    same = next((n for n, (one, two) in enumerate(zip(own, theirs, strict=False)) if one != two), None)
    if same is None and len(own) != len(theirs):
        return min(len(own), len(theirs))
    return same
