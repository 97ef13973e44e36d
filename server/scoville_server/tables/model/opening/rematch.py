"""The table of a rematch."""

from collections.abc import Sequence

from msgspec.structs import replace

from scoville_server.tables.model.records import AnyRecord, Created, Joined
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, TableId, UserId


def following(table: Table, user: UserId, new: TableId, seed: bytes, code: str, now_ms: int) -> Sequence[AnyRecord]:
    """Return the records of the rematch `new`: the players still seated and the `user`, same seats, same host.

    In games with a dealer, the next dealer deals. Players who are seated by these records give their nonces by
    joining once more. Admitted and kicked users are the same; the rematch of a default table belongs to the `user`.
    """
    host = table.host if table.host is not None else Seat(0)
    round_the_table = (host, *table.clockwise_from(host))
    seats = [seat for seat in round_the_table if table.seats[seat].human or table.owned_seat(user) == seat]
    opened = replace(
        _owned(table, user),
        at_ms=now_ms,
        table=new,
        seed=seed,
        code=code,
        before=table.id,
        # In the record and the exported file, so that an independent checker deals the same cards.
        dealer=table.game.next_dealer(table.state),
        admitted=_admitted_users(table),
        watch_refusal=dict(table.kicked),
    )
    return [opened, *(_joined(table, seat, now_ms) for seat in seats)]


def _owned(table: Table, user: UserId) -> Created:
    seat = table.owned_seat(user)
    if table.opened.creator or seat is None:
        return table.opened
    return replace(table.opened, user=user, creator=table.seats[seat].name)


def _admitted_users(table: Table) -> tuple[UserId, ...]:
    users = {seat_state.user for seat_state in table.seats if seat_state.user is not None}
    return tuple(sorted((table.admitted | users) - table.kicked.keys()))


def _joined(table: Table, seat: Seat, now_ms: int) -> Joined:
    seat_state = table.seats[seat]
    assert seat_state.user is not None, "only users come along"
    return Joined(at_ms=now_ms, seat=seat, user=seat_state.user, name=seat_state.name, claimed=seat_state.claimed)
