"""The table at which people play again after a finished game."""

from collections.abc import Sequence

from msgspec.structs import replace

from scoville_server.table.model import Table
from scoville_server.table.records import AnyRecord, Opened, SatDown
from scoville_shared.ids import PersonId, Seat, TableId


def following(table: Table, wisher: PersonId, new: TableId, seed: bytes, code: str, now_ms: int) -> Sequence[AnyRecord]:
    """Begin the table `new` as `table` was, with everybody who still sits there, and the `wisher`, in the same seats.

    Its deal is the next dealer's, in a game that has one. Who sat down by these records gives their share of the chance
    by joining once more; whoever was let in or sent away, is it here as well.
    """
    host = table.host if table.host is not None else Seat(0)
    round_the_table = (host, *table.clockwise_from(host))
    seated = [seat for seat in round_the_table if _comes_along(table, seat, wisher)]
    return [_opened(table, new, seed, code, now_ms), *(_sat_down(table, seat, now_ms) for seat in seated)]


def _comes_along(table: Table, seat: Seat, wisher: PersonId) -> bool:
    return table.chairs[seat].human or table.place_of(wisher) == seat


def _opened(table: Table, new: TableId, seed: bytes, code: str, now_ms: int) -> Opened:
    people = {chair.person for chair in table.chairs if chair.person is not None}
    return replace(
        table.opened,
        at_ms=now_ms,
        table=new,
        seed=seed,
        code=code,
        before=table.id,
        dealer=table.game.next_dealer(table.state),
        admitted=tuple(sorted((table.admitted | people) - table.kicked.keys())),
        barred=dict(table.kicked),
    )


def _sat_down(table: Table, seat: Seat, now_ms: int) -> SatDown:
    chair = table.chairs[seat]
    assert chair.person is not None, "only people come along"
    return SatDown(at_ms=now_ms, seat=seat, person=chair.person, name=chair.name, nonce=b"")
