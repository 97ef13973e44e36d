"""Planted faults: what a broken cluster does, each with the invariants by which the checker must find it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

from msgspec import msgpack
from msgspec.structs import replace

from scoville_server.journal.base import Change, Mark, Revision, Row
from scoville_server.tables.actions.close import Closed
from scoville_server.tables.model.records import Created, Played
from scoville_server.tables.state_machine import pack_record, unpack_record
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from tests.cluster.plans import Fault
from tests.cluster.runs import ClusterInABox
from tests.cluster.world import Process


def leave_alone(_: ClusterInABox) -> None:
    """Plant nothing."""


class Planted(NamedTuple):
    """A planted fault: before the run, or in what the run has left behind."""

    name: str
    found_as: frozenset[str]
    prepare: Callable[[ClusterInABox], object] = leave_alone
    tamper: Callable[[ClusterInABox], object] = leave_alone
    faults: Sequence[Fault] = ()


@contextmanager
def tampered(box: ClusterInABox, tamper: Callable[[ClusterInABox], object]) -> Iterator[None]:
    """Tamper with what a run has left behind, and put it back in the end: the next fault needs no run of its own."""
    history, store, nodes = box.history, box.engine.store, box.started
    lists = [history.ops, history.seen, history.snapshots, history.gaps, history.told_missing, box.engine.log]
    lists += [*box.engine.retired.values(), *store._kept.values()]
    former = [(each, [*each]) for each in lists]
    books: list[tuple[dict[Any, Any], dict[Any, Any]]] = [
        (book, {**book}) for book in (store._kept, box.engine.retired, store._books, *store._books.values())
    ]
    followed = [node.courier.followed_at for node in nodes]
    tamper(box)
    try:
        yield
    finally:
        for each, items in former:
            each[:] = items
        for book, rows in books:
            book.clear()
            book.update(rows)
        for node, at in zip(nodes, followed, strict=True):
            node.courier.followed_at = at


def _go_on_when_deposed(box: ClusterInABox) -> None:
    """Let former owners write to their tables, and the engine keep it, whatever the tables have by now."""
    append = box.engine.append

    def append_anyway(process: Process, table: TableId, records: Sequence[bytes], after: Mark, afresh: bool) -> Mark:
        return append(process, table, records, box.engine.store._marks.get(table, after), afresh)

    def go_on() -> None:
        for table in box.engine.store._kept:
            writers = [written.process for written in box.engine.log if written.table == table]
            for node in box.started:
                if node.process in writers and node.process is not writers[-1] and node.process.state == "running":
                    closed = pack_record(
                        Closed(at_ms=unpack_record(box.engine.store._kept[table][-1]).at_ms, reason="")
                    )
                    node.process.run_soon(partial(node.journal.append, table, [closed], Mark(b"old")))

    box.engine.append = append_anyway  # type: ignore[method-assign]
    for at in (11.0, 17.0, 23.0):
        box.world.call_at(at, go_on)


def _rows_with_moves(box: ClusterInABox, game: str = "heap") -> tuple[list[bytes], list[int]]:
    """Return the records of the table of a game with the most moves, and where the moves are."""
    tables = [*box.engine.retired.values(), *box.engine.store._kept.values()]
    kept = [records for records in tables if _created(records).game == game]

    def moves_of(records: list[bytes]) -> list[int]:
        return [n for n, record in enumerate(records) if isinstance(unpack_record(record), Played)]

    records = max(kept, key=lambda records: len(moves_of(records)))
    return records, moves_of(records)


def _created(records: list[bytes]) -> Created:
    created = unpack_record(records[0])
    assert isinstance(created, Created)
    return created


def _drop_row(box: ClusterInABox) -> None:
    records, moves = _rows_with_moves(box)
    del records[moves[-1]]


def _swap_pair(box: ClusterInABox) -> None:
    """Swap the first moves of two seats that move at once, so that the records still make a table."""
    records, moves = _rows_with_moves(box, "high_card")
    one, two = moves[:2]
    records[one], records[two] = records[two], records[one]


def _double_message(box: ClusterInABox) -> None:
    chat = box.engine.store._books["chat"]
    message = msgpack.decode([*chat.values()][-1].value)
    message["n"] += 1
    chat["again"] = Row(msgpack.encode(message), Revision(b"again"))


def _drop_message(box: ClusterInABox) -> None:
    chat = box.engine.store._books["chat"]
    del chat[[*chat][len(chat) // 2]]


def _acknowledge_without_saving(box: ClusterInABox) -> None:
    """Acknowledge chat messages that the engine has not kept."""
    write = box.engine.write

    def keep_half(changes: Sequence[Change]) -> None:
        if not (changes[0].book == "chat" and box.chance() < 0.5):
            write(changes)

    box.engine.write = keep_half  # type: ignore[method-assign]


def _show_before_saving(box: ClusterInABox) -> None:
    seen = next(n for n, each in enumerate(box.history.seen) if isinstance(each.event, m.Played))
    box.history.seen[seen] = replace(box.history.seen[seen], at=0.0)


def _show_to_another_seat(box: ClusterInABox) -> None:
    seen = next(n for n, e in enumerate(box.history.seen) if isinstance(e.event, m.Started) and e.is_notice)
    other = next(
        e
        for e in box.history.seen
        if e.event == box.history.seen[seen].event and e.user != box.history.seen[seen].user and e.is_notice
    )
    box.history.seen[seen] = replace(box.history.seen[seen], view=other.view)


def _skip_notice(box: ClusterInABox) -> None:
    seen = next(n for n, each in enumerate(box.history.seen) if isinstance(each.event, m.Played) and each.is_notice)
    del box.history.seen[seen]


def _own_name_twice(box: ClusterInABox) -> None:
    accounts = box.engine.store._books["accounts"]
    accounts["another"] = next(iter(accounts.values()))


def _count_game_twice(box: ClusterInABox) -> None:
    careers = box.engine.store._books["careers"]
    for key, row in careers.items():
        career = msgpack.decode(row.value)
        career["finished"] += 1
        careers[key] = Row(msgpack.encode(career), row.revision)


def _forget_bans(box: ClusterInABox) -> None:
    """Let every node's bans go as soon as they are made."""
    write = box.engine.write

    def lose_bans(changes: Sequence[Change]) -> None:
        if changes[0].book != "bans":
            write(changes)

    box.engine.write = lose_bans  # type: ignore[method-assign]


def _forget_sessions(box: ClusterInABox) -> None:
    write = box.engine.write

    def lose_sessions(changes: Sequence[Change]) -> None:
        kept = [change for change in changes if change.book != "sessions"]
        if kept:
            write(kept)

    box.engine.write = lose_sessions  # type: ignore[method-assign]


def _let_time_fall(box: ClusterInABox) -> None:
    records, moves = _rows_with_moves(box)
    move = unpack_record(records[moves[0]])
    records[moves[0]] = pack_record(replace(move, at_ms=move.at_ms - 1_000_000))


def _hang_at_the_end(box: ClusterInABox) -> None:
    """Let everything hang for the rest of the run, and start nothing else."""
    box.world.call_at(40, lambda: [node.process.hang() for node in box.started])
    box.world.call_at(40, lambda: setattr(box, "start_node", lambda _: None))


def _deal_again(box: ClusterInABox) -> None:
    kept = {**box.engine.retired, **box.engine.store._kept}
    for written in box.engine.log:
        created = unpack_record(written.records[0])
        if isinstance(created, Created):
            kept[written.table][0] = pack_record(replace(created, seed=bytes(32)))


def _hear_of_successor(box: ClusterInABox) -> None:
    box.started[0].courier.followed_at = 0.4


def _break_code(box: ClusterInABox) -> None:
    box.world.call_at(5, lambda: box.started[0].process.run_soon(lambda: 1 // 0))


_HANG = tuple(Fault(kind="hang", at=at, seconds=2.5) for at in (8.0, 14.0, 20.0))
_STOP = (Fault(kind="stop", at=28.0),)

PLANTED: Final = (
    Planted("a deposed owner that goes on", frozenset({"I5"}), prepare=_go_on_when_deposed, faults=_HANG),
    Planted("a dropped row", frozenset({"I3"}), tamper=_drop_row),
    Planted("a swapped pair", frozenset({"I1", "I2"}), tamper=_swap_pair),
    Planted("a doubled message", frozenset({"I4"}), tamper=_double_message),
    Planted("a dropped message", frozenset({"I3", "I8"}), tamper=_drop_message),
    Planted("messages acknowledged and not saved", frozenset({"I3"}), prepare=_acknowledge_without_saving),
    Planted("an event shown before it is saved", frozenset({"I2"}), tamper=_show_before_saving),
    Planted("another seat's View", frozenset({"I7"}), tamper=_show_to_another_seat),
    Planted("a skipped notice", frozenset({"I6"}), tamper=_skip_notice),
    Planted("a name with two owners", frozenset({"I8"}), tamper=_own_name_twice),
    Planted("a game that counts twice", frozenset({"I9"}), tamper=_count_game_twice),
    Planted("bans that are not kept", frozenset({"I3", "I10"}), prepare=_forget_bans, faults=_STOP),
    Planted("sessions that are not kept", frozenset({"I11"}), prepare=_forget_sessions, faults=_STOP),
    Planted("a time that falls", frozenset({"I12"}), tamper=_let_time_fall),
    Planted("servers that hang for good", frozenset({"I13"}), prepare=_hang_at_the_end),
    Planted("a former owner that lets users in", frozenset({"I15"}), tamper=_hear_of_successor),
    Planted("another deal", frozenset({"I14"}), tamper=_deal_again),
    Planted("a failure of the server", frozenset({"I0"}), prepare=_break_code),
)
