"""Invariants of a table under random commands at random times."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.condense import condense_table
from scoville_server.tables.actions.enter import MOST_ADMITTED, Enter, Invite
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause, Resume, ResumeDeserted
from scoville_server.tables.actions.play import Play, PlayForSeat
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.actions.rematch import Rematch
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import AutoStart, Reveal, Start
from scoville_server.tables.actions.transfer_host import ReplaceIdleHost, TransferHost
from scoville_server.tables.actions.void_start import REDRAW_MS
from scoville_server.tables.actions.warn import WarnOfAbsence
from scoville_server.tables.archive.export import export_game
from scoville_server.tables.model.action import Command, Refused
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import decide, pack_record, restore_table, unpack_record
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import TableClock, TableSettings
from tests.support.tables import NOON, any_game, open_table, user_of

NAMES = ("Anna", "Ben", "Cleo")
SHORT = {"heap": {"sticks": 4}, "high_card": {"rounds": 1}}
users = st.sampled_from([user_of(name) for name in NAMES])
seats = st.integers(0, 3)
table_settings = st.builds(
    TableSettings,
    private=st.booleans(),
    start=st.sampled_from(["host", "full", "ready"]),
    countdown_ms=st.integers(0, 10_000),
    fill_ms=st.sampled_from([None, None, 20_000]),
)
people_ask = st.one_of(
    st.builds(Enter, user=users),
    st.builds(Invite, user=users, guest=users, name=st.just("Somebody")),
    st.builds(Leave, user=users, reason=st.sampled_from(["left", "absent"])),
    st.builds(Kick, user=users, whom=users, name=st.just("Somebody"), reason=st.sampled_from(["", "rude"])),
    st.builds(TransferHost, user=users, seat=seats),
    st.builds(Rematch, user=users, table=st.sampled_from([TableId("t2"), TableId("t3")])),
)
house_asks = st.one_of(
    st.builds(ReplaceIdleHost, after_ms=st.sampled_from([0, 60_000]), here=st.frozensets(users)),
    st.builds(WarnOfAbsence, user=users, seconds=st.just(10.0)),
    st.builds(Restart),
    st.builds(ResumeDeserted),
)


class Life(RuleBasedStateMachine):
    """A state machine: users join, act and leave; time passes; the server sends its commands."""

    @initialize(
        game=st.sampled_from(sorted(SHORT)),
        count=st.integers(2, 3),
        seated=st.integers(0, 2),
        settings=table_settings,
        password=st.sampled_from([b"", b"", b"hash"]),
        clock=st.sampled_from([TableClock(), TableClock(move_ms=5000)]),
    )
    def open(
        self, game: str, count: int, seated: int, settings: TableSettings, password: bytes, clock: TableClock
    ) -> None:
        self.table = open_table(count, game, settings, password=password, clock=clock, options=SHORT[game])
        self.records: list[Record] = [self.table.opened]
        self.now_ms = NOON
        for name in NAMES[:seated]:
            self.sit_down(user_of(name), None, b"", True)

    def ask(self, command: Command) -> None:
        """Decide a command and apply its records; a refusal changes nothing."""
        before = self.table
        decision = decide(before, command, self.now_ms)
        assert before == restore_table(self.records, any_game), "to judge changes nothing"
        if not isinstance(decision, Refused):
            self.records += decision.records
            self.table = decision.after

    @rule(seconds=st.sampled_from([0, 1, 7, 30]))
    def wait(self, seconds: int) -> None:
        self.now_ms += 1000 * seconds

    @rule(user=users, seat=st.none() | seats, nonce=st.sampled_from([b"", b"a", b"b"]), let_in=st.booleans())
    def sit_down(self, user: UserId, seat: int | None, nonce: bytes, let_in: bool) -> None:
        if let_in:
            self.ask(Enter(user=user))
        hashed = nonce_hash(self.table.id, nonce) if nonce else b""
        self.ask(Join(user=user, name=user.title(), seat=seat, nonce_hash=hashed))

    @rule(user=users, nonce=st.sampled_from([b"a", b"b"]))
    def reveal(self, user: UserId, nonce: bytes) -> None:
        self.ask(Reveal(user=user, nonce=nonce))

    @rule(user=users, ready=st.booleans())
    def say_ready(self, user: UserId, ready: bool) -> None:
        self.ask(Ready(user=user, ready=ready))

    @rule(command=people_ask)
    def something_is_asked(self, command: Command) -> None:
        self.ask(command)

    @rule(command=house_asks)
    def the_house_sees_to_it(self, command: Command) -> None:
        self.ask(command)

    @rule(stranger=users)
    def start(self, stranger: UserId) -> None:
        host = self.table.host
        user = None if host is None else self.table.seats[host].user
        self.ask(Start(user=user or stranger, strength="random"))

    @rule()
    def start_by_itself(self) -> None:
        before, due = self.table, self.table.next_start_ms
        self.ask(AutoStart())
        if self.table.status == "waiting" and due is not None and self.now_ms >= due:
            redraws = bool(before.redrawing) and self.now_ms < before.voided_ms + REDRAW_MS
            assert (self.table.revealing is None) == (before.revealing is not None or redraws)

    @precondition(lambda self: self.table.status == "playing")
    @rule(command=st.one_of(st.builds(Pause, user=users), st.builds(Resume, user=users)))
    def talk_of_a_pause(self, command: Command) -> None:
        self.ask(command)

    @precondition(lambda self: self.table.pending)
    @rule(moves=st.integers(1, 5))
    def play_on(self, moves: int) -> None:
        for _ in range(moves):
            for seat in self.table.pending[:1]:
                self.move(seat)

    def move(self, seat: Seat) -> None:
        """Let a seat play its fallback move."""
        move = self.table.game.codec.encode_plain(
            self.table.game.fallback(self.table.game.view(self.table.state, seat))
        )
        user = self.table.seats[seat].user
        if self.table.seats[seat].human and user is not None:
            self.ask(Play(user=user, move=move))
        else:
            self.ask(PlayForSeat(seat=seat, move=move, nth=self.table.played[seat]))

    @precondition(lambda self: self.table.status == "waiting" and self.table.closed is None)
    @precondition(lambda self: self.table.revealing is None)
    @rule(kept=st.sampled_from([1, 3, 50]))
    def condense(self, kept: int) -> None:
        records = condense_table(self.table, self.now_ms, kept)
        again = restore_table(records, any_game)
        forgotten = {"recorded_events": (), "dropped": 0, "age": 0, "changed_ms": 0}
        assert replace(again, **forgotten) == replace(self.table, **forgotten)
        assert (again.seq, again.recorded_events) == (self.table.seq, self.table.recorded_events[-kept:])
        self.table, self.records = again, [*records]

    @rule(seldom=st.integers(0, 9))
    def close(self, seldom: int) -> None:
        if seldom == 7:
            self.ask(Close(reason="Good night."))

    @invariant()
    def the_host_is_a_person_who_sits_there(self) -> None:
        assert self.table.host in (self.table.human_seats or {None})

    @invariant()
    def each_user_has_one_seat_at_most(self) -> None:
        taken = [seat_state.user for seat_state in self.table.seats if seat_state.user is not None]
        assert len(taken) == len(set(taken))

    @invariant()
    def seated_users_may_join_and_kicked_ones_may_not(self) -> None:
        for user in map(user_of, NAMES):
            assert self.table.admits_user(user) or self.table.owned_seat(user) is None
            assert user not in self.table.kicked or not self.table.admits_user(user)
        assert len(self.table.admitted) <= MOST_ADMITTED

    @invariant()
    def only_people_who_wait_are_ready(self) -> None:
        assert self.table.ready <= (self.table.human_seats if self.table.status == "waiting" else set())

    @invariant()
    def it_counts_down_exactly_when_it_starts_by_itself(self) -> None:
        assert (self.table.countdown is not None) == _starts_by_itself(self.table)

    @invariant()
    def a_pause_has_the_consent_of_every_player(self) -> None:
        assert self.table.pausing <= self.table.human_seats
        assert not self.table.paused or self.table.human_seats or self.table.deserted or self.table.closed is not None

    @invariant()
    def events_are_numbered_without_gaps(self) -> None:
        first = self.table.dropped + 1
        assert [recorded.event.seq for recorded in self.table.recorded_events] == [*range(first, self.table.seq + 1)]

    @invariant()
    def a_table_that_was_closed_owes_nothing(self) -> None:
        if self.table.closed is not None:
            assert self.table.is_over
            assert self.table.pending == []
            assert not self.table.has_timers

    def teardown(self) -> None:
        """What was kept makes the same table, and a finished game can be written out whatever happened around it."""
        assert restore_table([unpack_record(pack_record(record)) for record in self.records], any_game) == self.table
        assert isinstance(export_game(self.table), list) == (self.table.status == "finished")


def _starts_by_itself(table: Table) -> bool:
    settings = table.opened.settings
    if table.status != "waiting" or table.revealing is not None or table.closed is not None:
        return False
    everybody = bool(table.human_seats) and all(seat in table.ready for seat in table.human_seats)
    full = all(seat_state.human for seat_state in table.seats)
    return (
        (settings.start == "full" and full)
        or (settings.start == "ready" and everybody)
        or bool(settings.fill_ms and table.human_seats)
    )


TestLife = Life.TestCase
TestLife.settings = settings(settings.default, stateful_step_count=40)
