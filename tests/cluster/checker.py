"""The checker: what a cluster promises, as invariants over what users saw and what the engine has at the end.

I1 moves are linearizable · I2 one history, saved before it is shown · I3 nothing acknowledged is lost · I4 nothing is
done twice · I5 a table's owner ends before the next one writes · I6 nobody's table goes back · I7 nobody sees what
another seat has · I8 what is unique is unique · I9 each game counts once · I10 bans bind everywhere · I11 an honest
token is good · I12 time neither falls nor is charged for nothing · I13 everybody is served again · I14 the deal stays
as it was committed to · I15 who has heard of a successor lets nobody in. I0 are failures of the servers' own code.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec import msgpack

from scoville_server.accounts.model.account import Account
from scoville_server.accounts.model.naming.permitted import reduce_to_skeleton
from scoville_server.chat.model.messages import LOBBY, ChatMessage
from scoville_server.players.model.career import Career
from scoville_server.tables.watching.project import list_events, view_of
from scoville_shared.ids import Seat, TableId
from scoville_shared.protocol import messages as m
from tests.cluster.history import History, Op, Seen
from tests.cluster.truth import Damaged, Truth, read_truth

if TYPE_CHECKING:
    from tests.cluster.runs import ClusterInABox

BAN_SECONDS = 1.0
"""Seconds after which a ban binds at every node."""

SERVED_SECONDS = 8.0
"""Last seconds of a run, in which every user must have been served."""


class Found(NamedTuple):
    """A violation: which invariant, and what was seen."""

    invariant: str
    text: str


def check_run(box: "ClusterInABox") -> list[Found]:
    """List what a run has violated."""
    found: list[Found] = [Found("I0", fault) for fault in box.world.faults]
    truths: dict[str, Truth] = {}
    for table in {written.table for written in box.engine.log}:
        try:
            truths[table] = read_truth(box.engine, table)
        except Damaged as damaged:
            found.append(Found("I2", f"table {table}: {damaged}"))
    history = box.history
    rows = {name: {key: row.value for key, row in book.items()} for name, book in box.engine.store._books.items()}
    found += [Found("I1", text) for text in _moves_out_of_order(history, truths)]
    found += _check_shown(history, truths)
    found += [Found("I3", text) for text in (*_lost_at_tables(history, truths), *_lost_rows(history, rows))]
    found += [Found("I4", text) for text in _done_twice(history, truths, rows)]
    found += [Found("I5", text) for truth in truths.values() for text in truth.faults_of_owners()]
    found += [Found("I6", text) for text in _gone_back(history)]
    found += [Found("I8", text) for text in _not_unique(box, rows)]
    found += [Found("I9", text) for text in _counted_wrong(truths, rows, box.world.now)]
    found += [Found("I10", text) for text in _unbound_bans(box)]
    found += [Found("I11", text) for text in _bad_tokens(history)]
    found += [Found("I12", text) for truth in truths.values() for text in truth.faults_of_time()]
    found += [Found("I13", text) for text in _unserved(box)]
    found += [Found("I13", text) for text in _told_missing(box)]
    found += [Found("I14", text) for text in _other_deals(history, truths)]
    found += [Found("I15", text) for text in _let_in_late(box)]
    return found


def _told_missing(box: "ClusterInABox") -> Iterator[str]:
    """I13: nobody is told that there is no table, which is the end of it to them, that goes on elsewhere."""
    latest = {written.table: written.at for written in box.engine.log}
    for told in box.history.told_missing:
        at = latest.get(TableId(told.table), 0.0)
        if at > told.at:
            yield f"{told.user} was told at {told.at:.2f} that there is no {told.table}, which went on until {at:.2f}"


def _moves_out_of_order(history: History, truths: dict[str, Truth]) -> Iterator[str]:
    """I1: each acknowledged move is the event that its answer named, and later moves have higher numbers."""
    by_table: defaultdict[str, list[Op]] = defaultdict(list)
    for op in history.list_ops("play", "ok"):
        by_table[op.table].append(op)
    for table, ops in by_table.items():
        if table not in truths:
            continue
        moves = truths[table].moves
        for op in ops:
            assert op.seq is not None
            kept = moves.get(op.seq)
            if kept is None or (kept.seat, kept.nth, kept.move) != (op.seat, op.nth, op.move):
                yield f"table {table}: move {op.nth} of seat {op.seat} was acknowledged as {op.seq}; that is {kept}"
        latest = -1
        ended = sorted((op.returned or 0.0, op.seq or 0) for op in ops)
        position = 0
        for op in sorted(ops, key=lambda op: op.invoked):
            while position < len(ended) and ended[position][0] < op.invoked:
                latest, position = max(latest, ended[position][1]), position + 1
            if (op.seq or 0) <= latest:
                yield f"table {table}: event {op.seq} was asked for after event {latest} had been acknowledged"


def _check_shown(history: History, truths: dict[str, Truth]) -> Iterator[Found]:
    """I2 and I7: every event that was shown is that of the final records, saved before, for this seat alone."""
    for seen in history.seen:
        truth, seq = truths.get(seen.table), seen.event.seq
        if truth is None:
            continue
        label = f"{seen.user} was shown event {seq} of table {seen.table}"
        if seq not in truth.after:
            yield Found("I2", f"{label}, which does not exist: {seen.event}")
            continue
        if seen.at < truth.at[seq]:
            yield Found("I2", f"{label} at {seen.at:.3f}, before it was saved at {truth.at[seq]:.3f}")
        seat = None if seen.seat is None else Seat(seen.seat)
        mine = list_events(truth.after[seq], seq - 1, seat)[0]
        if seen.event != mine:
            others = {n for n in range(len(truth.after[seq].seats)) if n != seat}
            foreign = any(seen.event == list_events(truth.after[seq], seq - 1, Seat(n))[0] for n in others)
            yield Found("I7" if foreign else "I2", f"{label} as {seen.event}; it is {mine}")
        yield from _check_view(seen, truth, seat, label)


def _check_view(seen: Seen, truth: Truth, seat: Seat | None, label: str) -> Iterator[Found]:
    # At other events a seat may have just come or gone.
    if not seen.is_notice or not isinstance(seen.event, m.Started | m.Played | m.Finished):
        return
    # What was read back comes as one change, with the View after all of it.
    later = (seq for seq in truth.after if seq >= seen.event.seq and truth.at[seq] <= seen.at)
    if any(seen.view == view_of(truth.after[seq], seat) for seq in later):
        return
    views = [after for seq, after in truth.after.items() if seq >= seen.event.seq]
    others = [Seat(n) for n in range(len(truth.final.seats)) if n != seat]
    foreign = any(seen.view == view_of(after, other) for after in views for other in others)
    yield Found("I7" if foreign else "I2", f"{label} with another View: {seen.view}")


def _lost_at_tables(history: History, truths: dict[str, Truth]) -> Iterator[str]:
    """I3: acknowledged tables, seats and moves are there at the end."""
    for op in history.ops:
        if op.outcome != "ok" or op.kind not in ("open", "join", "play"):
            continue
        truth = truths.get(op.table)
        if truth is None:
            yield f"table {op.table} of an acknowledged {op.kind} does not exist"
        elif op.kind == "join" and (op.seat, op.user) not in truth.joined:
            yield f"{op.user} was given seat {op.seat} of table {op.table}, and did not join by the records"
        elif op.kind == "play" and (op.seat, op.nth) not in truth.numbered:
            yield f"table {op.table}: the acknowledged move {op.nth} of seat {op.seat} is lost"


def _lost_rows(history: History, rows: dict[str, dict[str, bytes]]) -> Iterator[str]:
    """I3: acknowledged messages, claims and bans are there at the end."""
    chat = _read_chat(rows)
    first = min((message.n for message in chat), default=1)
    texts = {(message.n, message.text) for message in chat}
    for op in history.list_ops("say", "ok"):
        if (op.number or 0) >= first and (op.number, op.text) not in texts:
            yield f"the acknowledged message {op.number} {op.text!r} is lost"
    owned = {account.name for account in _read_accounts(rows)}
    for op in history.list_ops("claim", "ok"):
        if op.text not in owned:
            yield f"the acknowledged claim of {op.text} is lost"
    banned = {msgpack.decode(value)["target"] for value in rows.get("bans", {}).values()}
    for op in history.list_ops("ban", "ok"):
        if op.text not in banned:
            yield f"the acknowledged ban of {op.text} is lost"


def _done_twice(history: History, truths: dict[str, Truth], rows: dict[str, dict[str, bytes]]) -> Iterator[str]:
    """I4: refused moves and messages were not made, and others once."""
    attempts: defaultdict[tuple[str, int | None, int | None], list[Op]] = defaultdict(list)
    for op in history.list_ops("play"):
        attempts[op.table, op.seat, op.nth].append(op)
    for (table, seat, nth), ops in attempts.items():
        kept = None if table not in truths else truths[table].numbered.get((seat, nth))
        if sum(op.outcome == "ok" for op in ops) > 1:
            yield f"table {table}: move {nth} of seat {seat} was acknowledged more than once"
        if kept is not None and kept.mover == "player" and all(op.outcome == "refused" for op in ops):
            yield f"table {table}: move {nth} of seat {seat} was refused ({ops[0].code}), and is there"
    counted = Counter(message.text for message in _read_chat(rows))
    yield from (f"the message {text!r} is there {n} times" for text, n in counted.items() if n > 1)
    for op in history.list_ops("say", "refused"):
        if counted[op.text]:
            yield f"the message {op.text!r} was refused ({op.code}), and is there"


def _gone_back(history: History) -> Iterator[str]:
    """I6: a user's events go on by one, and a new connection knows at least as much as the last."""
    latest: dict[tuple[str, str, int], int] = {}
    for snapshot in history.snapshots:
        latest[snapshot.user, snapshot.table, snapshot.connection] = snapshot.seq
        if snapshot.seq < snapshot.known:
            yield f"{snapshot.user} knew event {snapshot.known} of table {snapshot.table}, and was shown {snapshot.seq}"
    for seen in history.seen:
        key = seen.user, seen.table, seen.connection
        if seen.is_notice and key in latest:
            if seen.event.seq != latest[key] + 1:
                yield f"{seen.user} was shown event {seen.event.seq} of table {seen.table} after {latest[key]}"
            latest[key] = seen.event.seq


def _not_unique(box: "ClusterInABox", rows: dict[str, dict[str, bytes]]) -> Iterator[str]:
    """I8: owned names, numbers of messages, and connections of a user."""
    owners = Counter(reduce_to_skeleton(account.name) for account in _read_accounts(rows))
    yield from (f"the name {name!r} has {n} owners" for name, n in owners.items() if n > 1)
    numbers = sorted(message.n for message in _read_chat(rows))
    yield from (f"message {late} follows message {early}" for early, late in pairwise(numbers) if late != early + 1)
    running = [node for node in box.started if node.server is not None and node.process.state == "running"]
    users = [user for node in running for user in node.server._services.sessions.connected_users()]  # type: ignore[union-attr]
    here = Counter(user.id for user in users)
    names = {user.id: user.name for user in users}
    yield from (f"{names[user]} has {n} connections" for user, n in here.items() if n > 1)


def _counted_wrong(truths: dict[str, Truth], rows: dict[str, dict[str, bytes]], end: float) -> Iterator[str]:
    """I9: careers have each finished game once."""
    games: Counter[str] = Counter()
    recent: Counter[str] = Counter()
    for truth in truths.values():
        if truth.final.status == "finished" and truth.final.counts_for_careers:
            for seat in truth.final.seats:
                if seat.user is not None:
                    games[seat.user] += 1
                    recent[seat.user] += truth.last_at > end - SERVED_SECONDS
    careers = {key: msgpack.decode(value, type=Career) for key, value in rows.get("careers", {}).items()}
    for user, n in games.items():
        finished = careers[user].finished if user in careers else 0
        if not n - recent[user] <= finished <= n:
            yield f"user {user} has finished {n} games by the records, and {finished} by their career"


def _unbound_bans(box: "ClusterInABox") -> Iterator[str]:
    """I10: nothing that a banned user asks for is granted a second after the ban, except by a node that is cut off."""

    def hears_of_bans(op: Op) -> bool:
        return not any(op.machine == n and begin < op.invoked < end + BAN_SECONDS for n, begin, end in box.cuts)

    for ban in box.history.list_ops("ban", "ok"):
        for op in box.history.ops:
            late = op.invoked > (ban.returned or 0.0) + BAN_SECONDS
            if op.user == ban.text and op.outcome == "ok" and late and hears_of_bans(op):
                yield f"{op.user}, banned at {ban.returned:.2f}, was granted {op.kind} at {op.invoked:.2f}"


def _bad_tokens(history: History) -> Iterator[str]:
    """I11: a user who has a seat or a name, and sends the token they were given last, is the same user."""
    durable: set[str] = set()
    for op in history.ops:
        if op.outcome != "ok":
            continue
        if op.kind in ("join", "claim"):
            durable.add(op.user)
        if op.kind == "hello" and op.shown and op.user in durable and (op.reused or not op.resumed):
            yield f"{op.user} has lost their session at {op.invoked:.2f} (reused: {op.reused})"


def _unserved(box: "ClusterInABox") -> Iterator[str]:
    """I13: everybody is served again when everything is repaired."""
    end = box.ended_at
    banned = {op.text for op in box.history.list_ops("ban")}
    served = {op.user for op in box.history.ops if op.outcome == "ok" and (op.returned or 0.0) > end - SERVED_SECONDS}
    for user in sorted({op.user for op in box.history.ops} - served - banned):
        codes = Counter(op.code for op in box.history.ops if op.user == user and op.invoked > end - SERVED_SECONDS)
        yield f"{user} is not served at the end: {dict(codes)}"


def _other_deals(history: History, truths: dict[str, Truth]) -> Iterator[str]:
    """I14: the commitment that users were shown, and the seed, are those of the table's beginning."""
    for table, truth in truths.items():
        if len(truth.seeds) > 1:
            yield f"table {table} has had {len(truth.seeds)} seeds"
    for snapshot in history.snapshots:
        if snapshot.table in truths and snapshot.commitment != truths[snapshot.table].final.opened.commitment:
            yield f"{snapshot.user} was shown another commitment of table {snapshot.table}"


def _let_in_late(box: "ClusterInABox") -> Iterator[str]:
    """I15: no node lets somebody in that has heard a beat of its successor."""
    heard = {node.process.name: node.courier.followed_at for node in box.started}
    for op in box.history.list_ops("hello", "ok"):
        if op.invoked > heard[op.process]:
            label = f"{op.user} was let in at {op.invoked:.2f} by {op.process}"
            yield f"{label}, which had heard of its successor {op.invoked - heard[op.process]:.2f} s before"


def _read_chat(rows: dict[str, dict[str, bytes]]) -> list[ChatMessage]:
    messages = (msgpack.decode(value, type=ChatMessage) for value in rows.get("chat", {}).values())
    return [message for message in messages if message.channel == LOBBY]


def _read_accounts(rows: dict[str, dict[str, bytes]]) -> list[Account]:
    return [msgpack.decode(value, type=Account) for value in rows.get("accounts", {}).values()]
