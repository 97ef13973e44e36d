"""Any order of void starts, lost connections, dropped events, restarts and other devices.

An honest server, which is the real model of a table, is never accused. A hostile one, which says anything in any order
and knows every nonce that it was sent, is called verified only if every start among which it could choose is counted.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_client.i18n.own_words import FULL
from scoville_client.session.table import deal_check
from scoville_client.session.table.deal_record import DealRecord, DealStanding, DealVerdict, Observed
from scoville_client.session.table.pledge import Pledge
from scoville_client.session.table.start_record import (
    Accepted,
    Committed,
    ConnectionLost,
    HeldHash,
    Revealed,
    SeatNames,
)
from scoville_server.tables.actions.condense import condense_table
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import AutoStart, Reveal, Start
from scoville_server.tables.archive.export import make_header
from scoville_server.tables.model.action import Command, Refused
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import decide, restore_table
from scoville_server.tables.watching.project import list_events as events_of
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Finished,
    HostTransferred,
    Joined,
    Kicked,
    Left,
    NoncesRequested,
    SeatInfo,
    Started,
    StartVoided,
    TableSettings,
    UnknownEvent,
)
from tests.support.tables import NOON, new_table, play_out, user_of

ME, BEN, CLEO = user_of("Me"), user_of("Ben"), user_of("Cleo")
TERMS = new_table("high_card", 3).opened.terms


class Client:
    """What a client sends and receives at a table; it does as FairDeal does, one step at a time."""

    def __init__(self, pledge: Pledge | None = None) -> None:
        self.deal = DealRecord()
        self.pledge = pledge
        self.started: Started | None = None
        self.result: Finished | None = None
        self.requested: NoncesRequested | None = None
        self.voided = self.redrawn = self.seq = 0
        self.drawn = 0
        if pledge is not None:
            self.deal.start.restored = pledge.spent

    def receive(self, event: AnyTableEvent, *, live: bool = True) -> None:
        if event.seq <= self.seq:
            return
        self.seq = event.seq
        self.deal.start.add_entry(event)
        self.deal.events.append(Observed(event, None, b"view" if live else None))
        match event:
            case NoncesRequested():
                self.requested = event
            case StartVoided():
                self.requested, self.voided = None, event.seq
            case Started():
                self.requested, self.started = None, event
            case Finished():
                self.result = event

    def draw(self, number: int) -> None:
        """Draw a nonce where the last one was revealed, or may be known."""
        if self.pledge is None or self.pledge.revealed_for or self.voided > self.redrawn:
            nonce = number.to_bytes(32).hex()
            before = self.pledge or Pledge(commitment="", terms=TERMS, nonce=None)
            self.pledge = replace(before, nonce=nonce, revealed_for=())
            self.redrawn = self.voided

    def commit(self) -> str | None:
        """Send a hash; returns it."""
        hashed = None if self.pledge is None or self.pledge.revealed_for else self.pledge.nonce_hash
        if hashed is not None:
            self.deal.start.add_entry(Committed(hashed))
        return hashed

    def reveal(self, seat: int) -> str | None:
        """Send the nonce if it was requested rightly; returns it."""
        if self.requested is None or self.pledge is None or self.pledge.nonce is None:
            return None
        hashes = tuple(self.requested.nonce_hashes)
        if hashes[seat] != self.pledge.nonce_hash or self.pledge.revealed_for not in ((), hashes):
            return None
        self.pledge = self.pledge.with_spent(seat, hashes)
        self.deal.start.add_entry(Revealed(self.pledge.spent[-1]))
        return self.pledge.nonce

    def confirm(self) -> None:
        """Receive the answer to a reveal."""
        assert self.pledge is not None
        self.deal.start.add_entry(Accepted(self.pledge.spent[-1].hashes))
        self.pledge = self.pledge.with_last_spent(accepted=True)

    def lose_connection(self) -> None:
        self.deal.start.add_entry(ConnectionLost())

    def verdict(self, header: Any, seat: int | None, table_settings: TableSettings) -> DealVerdict:
        """Judge the start with the real functions; the game itself is not compared. Raises what accuses the server."""
        self.deal.pledge = self.pledge
        at = SimpleNamespace(
            seat=seat,
            started=self.started,
            result=self.result,
            seq=self.seq,
            deal=self.deal,
            info=SimpleNamespace(settings=table_settings),
        )
        start = deal_check._judge_start(cast("Any", at), header)
        deal_check._check_nonces(cast("Any", at), header, start)
        return deal_check._conclude_check(cast("Any", at), header, start)


# --- an honest server -----------------------------------------------------------------------------------


class HonestTable:
    """The real table, and a client at it that misses what happens while it is disconnected."""

    def __init__(self, *, rated: bool, kept: int) -> None:
        self.table: Table = new_table("high_card", 3, settings=TableSettings(private=not rated, rated=rated))
        self.kept = kept
        self.client = Client()
        self.online = True
        self.now = NOON
        self.nonces: dict[UserId, int] = {}
        self.count = 0

    def do(self, command: Command) -> bool:
        decision = decide(self.table, command, self.now)
        if isinstance(decision, Refused):
            return False
        self.table = decision.after
        if self.online:
            self.deliver(live=True)
        return True

    def deliver(self, *, live: bool) -> None:
        for event in events_of(self.table, self.client.seq, None):
            self.client.receive(event, live=live)

    @property
    def seat(self) -> int | None:
        return self.table.seat_of(ME)

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def step(self, what: str) -> None:
        getattr(self, what)()

    # what this client does

    def commit(self) -> None:
        if self.online and self.table.status == "waiting" and self.client.requested is None:
            self.client.draw(self.fresh())
            self.join(self.client.commit())

    def commit_lost(self) -> None:
        """Send a hash; the answer is lost with the connection."""
        if self.online and self.table.status == "waiting" and self.client.requested is None:
            self.client.draw(self.fresh())
            hashed, self.online = self.client.commit(), False
            self.do(Join(user=ME, name="Me", nonce_hash=bytes.fromhex(hashed or "")))
            self.client.lose_connection()

    def join(self, hashed: str | None) -> None:
        if self.do(Join(user=ME, name="Me", nonce_hash=bytes.fromhex(hashed or ""))) and self.seat is not None:
            self.client.deal.start.add_entry(HeldHash(self.seat, self.table.seats[self.seat].nonce_hash.hex() or None))

    def reveal(self) -> None:
        nonce = self.client.reveal(self.seat) if self.online and self.seat is not None else None
        if nonce is not None and self.do(Reveal(user=ME, nonce=bytes.fromhex(nonce))):
            self.client.confirm()

    def reveal_lost(self) -> None:
        """Send the nonce; it arrives, the answer is lost with the connection."""
        if self.online and self.seat is not None and (nonce := self.client.reveal(self.seat)) is not None:
            self.online = False
            self.do(Reveal(user=ME, nonce=bytes.fromhex(nonce)))
            self.client.lose_connection()

    def reveal_never_arrives(self) -> None:
        if self.online and self.seat is not None and self.client.reveal(self.seat) is not None:
            self.online = False
            self.client.lose_connection()

    def cut(self) -> None:
        if self.online:
            self.online = False
            self.client.lose_connection()

    def back(self) -> None:
        """Reconnect: take the seat again, then read what was missed, as far as the server has it."""
        if not self.online:
            self.online = True
            known, self.client.seq = self.client.seq, 2**40  # notices of rejoining come again with the snapshot
            if self.table.status != "finished":
                self.join(self.client.commit())
            self.client.seq = known
            self.deliver(live=False)
            self.client.deal.start.add_entry(SeatNames(tuple(info.name or None for info in self.table.seats)))

    def restart(self) -> None:
        """Start this client again: only its pledge is left."""
        self.client = Client(self.client.pledge)
        self.online = False
        self.back()

    def leave(self) -> None:
        if self.online and self.seat is not None and self.table.status == "waiting":
            pledge = self.client.pledge
            self.client = Client(None if pledge is None else pledge.with_last_spent(left=True))
            self.do(Leave(user=ME))

    def absent(self) -> None:
        """The server takes the seat from a disconnected player."""
        if not self.online and self.table.status == "waiting":
            self.do(Leave(user=ME, reason="absent"))

    # what others do

    def other_device(self) -> None:
        """Another device of this user takes over: it joins with a nonce of its own."""
        self.cut()
        number = self.nonces[ME] = self.fresh()
        self.do(Join(user=ME, name="Me", nonce_hash=nonce_hash(self.table.id, number.to_bytes(32))))

    def other_device_reveals(self) -> None:
        if not self.online and ME in self.nonces:
            self.do(Reveal(user=ME, nonce=self.nonces[ME].to_bytes(32)))

    def _comes(self, user: UserId, name: str) -> None:
        if self.table.status == "waiting":
            number = self.nonces[user] = self.fresh()
            self.do(Join(user=user, name=name, nonce_hash=nonce_hash(self.table.id, number.to_bytes(32))))

    def ben_comes(self) -> None:
        self._comes(BEN, "Ben")

    def cleo_comes(self) -> None:
        self._comes(CLEO, "Cleo")

    def ben_reveals(self) -> None:
        self.do(Reveal(user=BEN, nonce=self.nonces.get(BEN, 0).to_bytes(32)))

    def cleo_reveals(self) -> None:
        self.do(Reveal(user=CLEO, nonce=self.nonces.get(CLEO, 0).to_bytes(32)))

    def ben_leaves(self) -> None:
        if self.table.status == "waiting":
            self.do(Leave(user=BEN))

    def ben_is_kicked(self) -> None:
        host = self.table.host
        user = None if host is None else self.table.seats[host].user
        if user not in (None, BEN) and self.table.status == "waiting":
            self.do(Kick(user=cast("UserId", user), whom=BEN, name="Ben", reason="", code="", present=frozenset()))
            self.table = replace(self.table, kicked={})

    def start(self) -> None:
        host = self.table.host
        if host is not None and (user := self.table.seats[host].user) is not None:
            self.do(Start(user=user, strength="random"))

    def deadline(self) -> None:
        self.now += 6_000
        self.do(AutoStart())

    def forget(self) -> None:
        """The server drops the older events of a long wait, as it does when it condenses its records."""
        if self.table.status == "waiting" and self.table.revealing is None:
            self.table = restore_table(condense_table(self.table, self.now, self.kept), lambda _: self.table.game)

    def end(self) -> None:
        """Bring the game to its end, with this client at the table."""
        self.back()
        for what in ("cleo_comes", "ben_comes", "commit", "deadline", "start", "reveal", "ben_reveals", "cleo_reveals"):
            self.step(what)
        self.deadline()
        if self.table.status == "waiting":
            self.step("start")
            self.deadline()
        if self.table.status == "playing":
            self.table = play_out(self.table)
        self.deliver(live=True)


STEPS = [name for name in vars(HonestTable) if name not in ("do", "deliver", "seat", "fresh", "step", "join", "end")]
STEPS = [name for name in STEPS if not name.startswith("_")]


@settings(max_examples=600, deadline=None)
@given(rated=st.booleans(), kept=st.integers(1, 4), steps=st.lists(st.sampled_from(STEPS), min_size=15, max_size=60))
def test_an_honest_server_is_never_accused(rated: bool, kept: int, steps: list[str]) -> None:
    at = HonestTable(rated=rated, kept=kept)
    at.commit()
    for step in steps:
        at.step(step)
    at.end()
    if at.table.status != "finished" or at.client.started is None or at.client.result is None:
        return
    at.client.verdict(make_header(at.table), at.seat, at.table.opened.settings)


def test_the_simple_game_of_an_honest_server_is_verified() -> None:
    at = HonestTable(rated=True, kept=4)
    at.commit()
    at.end()
    assert at.client.verdict(make_header(at.table), at.seat, at.table.opened.settings).phrase == FULL


# --- a hostile server -----------------------------------------------------------------------------------


class HostileTable:
    """A server that numbers its events as it likes and says anything; `me` has seat 0."""

    def __init__(self, draw: Any) -> None:
        self.client = Client()
        self.draw = draw
        self.seq = 0
        self.count = 100
        self.hashes: list[str | None] = [None, None, None]
        self.spent: set[tuple[str | None, ...]] = set()
        self.known: set[str] = set()
        self.blamed = False
        """Whether this client saw a start void because of it after the server had confirmed its nonce."""
        self.accepted = False

    def send(self, kind: type[AnyTableEvent], **fields: Any) -> None:
        self.seq += self.draw(st.sampled_from([1, 1, 1, 1, 2, 5]))
        self.client.receive(kind(seq=self.seq, **fields), live=self.draw(st.booleans()))

    def step(self, what: str) -> None:
        getattr(self, what)()

    def commit(self) -> None:
        self.count += 1
        self.client.draw(self.count)
        hashed = self.client.commit()
        if self.draw(st.booleans()):
            seat = self.draw(st.sampled_from([0, 0, 0, 1, 15]))
            self.client.deal.start.add_entry(HeldHash(seat, self.draw(st.sampled_from([hashed, None, "00" * 32]))))

    def request(self) -> None:
        pledge = self.client.pledge
        mine = None if pledge is None else pledge.nonce_hash
        others = st.sampled_from([None, "11" * 32, "22" * 32, "33" * 32])
        self.hashes = [self.draw(st.sampled_from([mine, mine, mine, None])), self.draw(others), self.draw(others)]
        self.send(NoncesRequested, nonce_hashes=self.hashes, starts_in_ms=5_000)
        self.accepted = False

    def reveal(self) -> None:
        requested = self.client.requested
        if (nonce := self.client.reveal(0)) is not None and requested is not None:
            self.spent.add(tuple(requested.nonce_hashes))
            self.known.add(nonce)
            if self.draw(st.booleans()):
                self.client.confirm()
                self.accepted = True

    def void(self) -> None:
        missing = self.draw(st.lists(st.integers(0, 2), max_size=2))
        reason = self.draw(st.sampled_from(["missing", "left"]))
        self.blamed |= reason == "missing" and self.accepted and 0 in missing and self.client.requested is not None
        self.send(StartVoided, missing=missing, reason=reason)

    def left(self) -> None:
        self.send(Left, seat=self.draw(st.integers(0, 2)), name="Ben", host=0, reason="absent")

    def kicked(self) -> None:
        self.send(Kicked, seat=self.draw(st.integers(1, 2)), name="Ben", reason=None, host=0)

    def joined(self) -> None:
        self.send(Joined, seat=1, name="Ben", host=0)

    def other(self) -> None:
        self.send(UnknownEvent)

    def hosted(self) -> None:
        self.send(HostTransferred, host=0)

    def cut(self) -> None:
        self.client.lose_connection()

    def restart(self) -> None:
        """Let this client start again, and show it the events from any number on."""
        shown = [seen.event for seen in self.client.deal.events]
        self.client, self.blamed = Client(self.client.pledge), False
        for event in shown[self.draw(st.integers(0, len(shown))) :]:
            self.client.receive(event, live=False)

    def deal(self) -> None:
        pledge = self.client.pledge
        mine = None if pledge is None else pledge.nonce
        nonces = [self.draw(st.sampled_from([mine, *sorted(self.known), None])), None, None]
        missing = [seat for seat, hashed in enumerate(self.hashes) if hashed is not None and nonces[seat] is None]
        seats = [SeatInfo(name=name, kind="human") for name in ("Me", "Ben", "Bot")]
        self.send(Started, seats=seats, nonces=nonces, missing=missing, pending=[])
        self.send(Finished, scores=[1, 0, 0], places=[1, 2, 2], reason="", server_seed="")


HOSTILE_STEPS = [
    *("commit", "commit", "request", "request", "reveal", "reveal", "void", "void", "left", "kicked"),
    *("joined", "other", "hosted", "cut", "restart"),
]


def verdicts(draw: Any, steps: list[str]) -> Iterator[tuple[HostileTable, DealVerdict]]:
    """Judge what a hostile server did, where it is not accused."""
    at = HostileTable(draw)
    for step in ("commit", *steps, "deal"):
        at.step(step)
    started = at.client.started
    assert started is not None
    hashes = draw(st.sampled_from([at.hashes, *sorted(map(list, at.spent), key=str)]))
    hashes = [*hashes]
    for seat, nonce in enumerate(started.nonces):
        if nonce is not None and draw(st.booleans()):
            hashes[seat] = nonce_hash(TERMS.table, bytes.fromhex(nonce)).hex()
    header = SimpleNamespace(nonces=started.nonces, nonce_hashes=hashes, table=TERMS.table)
    try:
        verdict = at.client.verdict(header, 0, TableSettings(private=True))
    except deal_check._Contradiction:
        return
    if verdict.standing is DealStanding.VERIFIED:
        yield at, verdict


@settings(max_examples=1000, deadline=None)
@given(data=st.data(), steps=st.lists(st.sampled_from(HOSTILE_STEPS), max_size=25))
def test_hostile_servers_verify_only_with_all_choices_counted(data: Any, steps: list[str]) -> None:
    for at, verdict in verdicts(data.draw, steps):
        counted = sum(note.number for note in verdict.notes if note.text == deal_check.VOID_STARTS.text)
        started = at.client.started
        assert started is not None
        assert len(at.spent) <= 1 + counted, "the server could choose among these starts"
        assert not at.blamed, "the server had confirmed the nonce that it says was missing"
        assert at.client.pledge is not None
        assert started.nonces[0] == at.client.pledge.nonce, "the deal has the latest nonce of this client"
        assert verdict.phrase != FULL or (not verdict.notes and len(at.spent) == 1)


@pytest.mark.parametrize("reason", ["missing", "left"])
@pytest.mark.parametrize("gap", [0, 1, 7])
@pytest.mark.parametrize("blamed", [0, 1])
@pytest.mark.parametrize("cut", [True, False])
def test_a_start_is_void_after_all_nonces_are_known(*, reason: str, gap: int, blamed: int, cut: bool) -> None:
    """The server has all nonces, deals in its head, and does not like the deal."""
    client, hashes = Client(), ["", "11" * 32, "22" * 32]
    client.draw(1)
    hashes[0] = client.commit() or ""
    client.receive(Joined(seq=1, seat=1, name="Ben", host=0))
    client.receive(NoncesRequested(seq=2, nonce_hashes=[*hashes], starts_in_ms=5_000))
    assert client.reveal(0)
    client.confirm()
    if cut:
        client.lose_connection()
    client.receive(StartVoided(seq=3 + gap, missing=[blamed], reason=cast("Any", reason)), live=not cut)
    client.draw(2)
    hashes[0] = client.commit() or ""
    client.receive(NoncesRequested(seq=4 + gap, nonce_hashes=[*hashes], starts_in_ms=5_000))
    nonce = client.reveal(0)
    client.confirm()
    seats = [SeatInfo(name=name, kind="human") for name in ("Me", "Ben", "Cleo")]
    nonces = [nonce, None, None]
    client.receive(Started(seq=5 + gap, seats=seats, nonces=nonces, missing=[1, 2], pending=[]))
    client.receive(Finished(seq=6 + gap, scores=[1, 0, 0], places=[1, 2, 2], reason="", server_seed=""))
    header = SimpleNamespace(nonces=nonces, nonce_hashes=hashes, table=TERMS.table)
    try:
        verdict = client.verdict(header, 0, TableSettings(private=True))
    except deal_check._Contradiction:
        assert gap == 0 or reason == "left"
        return
    if (reason, gap, blamed) == ("missing", 0, 1):
        void = deal_check.VOID_STARTS.with_fields({"n": 1, "players": ["Ben"]}, 1)
        missing = deal_check.MISSING_NONCES.with_fields({"n": 2, "players": ["Ben", "Cleo"]}, 2)
        assert verdict == (DealStanding.VERIFIED, deal_check.FROM_THE_DEAL, (void, missing))
    else:
        assert verdict.standing is DealStanding.OPEN
