"""Watchers receive the same bytes whatever is hidden from them: law 3, through the real encoding.

Two tables that differ in everything hidden are played on side by side, each move chosen so that it looks alike to
one watcher; every byte that this watcher is sent must be the same. Spectators who see the game in rounds are sent
the same bytes by two games that agree up to the round they see, however different they are after it.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_server.tables.actions.enter import ListCommentator
from scoville_server.tables.actions.join import NonceReplaced
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause, Resume
from scoville_server.tables.actions.plan import Plan
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actions.transfer_host import TransferHost
from scoville_server.tables.actions.warn import Warned
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.records import Created, Played
from scoville_server.tables.model.table import Table, find_seats_to_move, table_for_spectators
from scoville_server.tables.state_machine import create_table, decide, evolve
from scoville_server.tables.watching.audience import Watcher, commentators_key, make_watcher
from scoville_server.tables.watching.watched_table import Watchers
from scoville_shared.engine.contract import Addressed, AnyGame
from scoville_shared.engine.dice import Dice
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat, TableId
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import (
    DAY_MS,
    ByeNotice,
    Notice,
    PlanLine,
    Reply,
    TableClock,
    TableSettings,
)
from tests.support.games import Deal, draw_deals, draw_dice, law, some, walk_table
from tests.support.tables import NOON, carry_out, join_as, user_of, watcher_of

PEOPLE = ("Anna", "Ben", "Cleo", "Dora", "Emil", "Ida", "Nora")
LATER = NOON + 3_000
SEEDS = st.binary(min_size=32, max_size=32)


class ByteLine:
    """A Peer that writes down what would be sent."""

    def __init__(self) -> None:
        self.address = ""
        self._connection = ServerConnection()

    def notify(self, notice: Notice) -> None:
        self._connection.notify(notice)

    def answer(self, answer: Reply | ScovilleError) -> None:
        """Answer the only request there is."""
        if isinstance(answer, ScovilleError):
            self._connection.refuse(1, answer)
        else:
            self._connection.reply(1, answer)

    def close(self, bye: ByeNotice | None = None) -> None:
        if bye is not None:
            self._connection.notify(bye)

    @property
    def sent(self) -> bytes:
        """Everything that went out."""
        return bytes(self._connection.out)


def table_of(deal: Deal, settings: TableSettings, seed: bytes) -> Table:
    """Seat users at Anna's table, and deal."""
    opened = Created(
        at_ms=NOON, table=TableId("t1"), game=deal.game.info.slug, rules_version=deal.game.info.rules_version,
        options=deal.game.codec.encode_plain(deal.options), seat_count=deal.seats, seed=seed, user=user_of("Anna"),
        clock=TableClock(bank_ms=600_000), settings=settings, creator="Anna",
    )  # fmt: skip
    table = carry_out(create_table(deal.game, opened), *(join_as(name) for name in PEOPLE[: deal.seats]))
    if settings.commentary:
        table = carry_out(table, ListCommentator(user=user_of("Yves"), name="Yves"))
    return carry_out(table, Start(user=user_of("Anna"), strength="random"))


def move_of(game: AnyGame, seat: Seat | None, move: Any) -> Played:
    assert seat is not None
    return Played(at_ms=LATER, seat=seat, move=game.codec.encode_plain(move), mover="player")


def played_on(deal: Deal, table: Table, luck: int, moves: int | None) -> Iterator[Table]:
    """Play random moves; yields the table after each."""
    for moment in islice(walk_table(deal, table.state, Random(luck)), moves):
        table = evolve(table, move_of(deal.game, moment.seat, moment.move))
        yield table


def table_at(deal: Deal, settings: TableSettings, seed: bytes, luck: int, moves: int) -> Table:
    begun = table_of(deal, settings, seed)
    return [begun, *played_on(deal, begun, luck, moves)][-1]


class Looking:
    """A watcher of a table, and all bytes that they receive."""

    def __init__(self, somebody: Watcher, table: Table) -> None:
        self.somebody, self.table, self.line, self._watchers = somebody, table, ByteLine(), Watchers()
        self._watchers.add_watcher(self.line, somebody)
        self.look()

    def look(self) -> None:
        """Send every request that reads the table."""
        self.line.answer(self._watchers.take_snapshot(self.table, self.somebody, 0, lambda _: True, LATER))

    def see(self, table: Table) -> None:
        """Receive the new state of the table, and send the requests again."""
        before, self.table = self.table, table
        self._watchers.publish_change(before, table)
        self.look()

    @property
    def sent(self) -> bytes:
        """The sent bytes, without the two values derived from the seed by a one-way function."""
        opened = self.table.opened
        sent = self.line.sent.replace(opened.commitment.encode(), b"#" * 64)
        key = commentators_key(opened).encode()
        return sent.replace(key, b"#" * len(key)) if key else sent


def watchers_of(table: Table) -> list[tuple[Watcher, Seat | None]]:
    """List all kinds of watchers of the present table, each with its point of view."""
    key = commentators_key(table.opened)
    seated = [(watcher_of(PEOPLE[seat]), Seat(seat)) for seat in range(len(table.seats))]
    commentators = [make_watcher(table, user_of("Yves"), "Yves", key, seat) for _, seat in seated]
    return [(watcher_of("Zoe"), None), *seated, *zip(commentators, range(len(table.seats)), strict=True)]


def in_another_world(table: Table, point_of_view: Seat | None, seed: bytes, chance: Dice) -> Table:
    """Change everything that is hidden from `point_of_view`: cards, picks, decks, the seed."""
    state = table.game.imagine(table.game.view(table.state, point_of_view), chance)
    to_move = find_seats_to_move(table, state)
    return replace(table, state=state, to_move=to_move, opened=replace(table.opened, seed=seed))


class Looks(NamedTuple):
    """A watcher's share of a move: facts, View, pending seats, and the round."""

    facts: list[Any]
    view: Any
    pending: frozenset[Seat]
    round: tuple[int, ...]


def looks(game: AnyGame, state: Any, seat: Seat, move: Any, point_of_view: Seat | None) -> tuple[Looks, Any]:
    step = game.apply(state, seat, move)
    facts = [
        addressed.fact
        for addressed in step.facts
        if isinstance(addressed, Addressed) and addressed.to in (None, point_of_view)
    ]
    return Looks(
        facts, game.view(step.state, point_of_view), game.pending(step.state), game.round(step.state)
    ), step.state


def alike(
    deal: Deal, one: Table, other: Table, point_of_view: Seat | None, luck: Random
) -> Iterator[tuple[Table, Table]]:
    """Continue two games as long as there are moves that look alike to `point_of_view`."""
    game = deal.game
    while pending := sorted(game.pending(one.state)):
        seat = luck.choice(pending)
        mine = some(game.moves(game.view(one.state, seat)))
        yours = some(game.moves(game.view(other.state, seat)))
        luck.shuffle(mine)
        luck.shuffle(yours)
        seen = [(looks(game, other.state, seat, move, point_of_view)[0], move) for move in yours[:12]]
        pair = next(
            (
                (move, twin)
                for move in mine[:12]
                for shown, twin in seen
                if shown == looks(game, one.state, seat, move, point_of_view)[0]
            ),
            None,
        )
        if pair is None:
            return
        one = evolve(one, move_of(game, seat, pair[0]))
        other = evolve(other, move_of(game, seat, pair[1]))
        if one.status == "finished":  # the seed is addressed
            return
        yield one, other


@law
def test_hidden_cards_change_no_byte_of_watchers(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    settings = TableSettings(commentary=True)
    table = table_at(deal, settings, data.draw(SEEDS), data.draw(st.integers(0, 99)), data.draw(st.integers(0, 30)))
    if table.status == "finished":
        return
    somebody, point_of_view = data.draw(st.sampled_from(watchers_of(table)))
    other = in_another_world(table, point_of_view, data.draw(SEEDS), data.draw(draw_dice()))
    here, there = Looking(somebody, table), Looking(somebody, other)
    assert here.sent == there.sent
    for one, two in islice(alike(deal, table, other, point_of_view, Random(data.draw(st.integers(0, 99)))), 12):
        here.see(one)
        there.see(two)
        assert here.sent == there.sent


@law
def test_a_plan_changes_no_byte_for_anybody(game, seats, data):
    """Neither while it waits, nor while others play, nor for commentators, who see all hands."""
    deal = data.draw(draw_deals(game, seats))
    settings = TableSettings(commentary=True, spectating=data.draw(st.sampled_from(["anybody", "rounds"])))
    begun = table_at(deal, settings, data.draw(SEEDS), data.draw(st.integers(0, 99)), data.draw(st.integers(0, 30)))
    table = replace(begun, opened=replace(begun.opened, clock=TableClock(move_ms=2 * DAY_MS)))
    planners = [seat for seat in range(seats) if seat not in table.pending]
    if table.status == "finished" or not planners:
        return
    planner = user_of(PEOPLE[data.draw(st.sampled_from(planners))])
    moves = some(game.moves(game.view(table.state, table.pending[0])))
    lines = tuple(PlanLine(when={"n": n}, move=game.codec.encode_plain(move)) for n, move in enumerate(moves[:3]))
    planned = carry_out(table, Plan(user=planner, lines=(*lines, PlanLine(move=None)), most=3))
    assert planned.plans
    somebody, _ = data.draw(st.sampled_from(watchers_of(table)))
    here, there = Looking(somebody, table), Looking(somebody, planned)
    luck = data.draw(st.integers(0, 99))
    for one, two in zip(played_on(deal, table, luck, 6), played_on(deal, planned, luck, 6), strict=True):
        here.see(one)
        there.see(two)
        assert here.sent == there.sent


@law
def test_before_the_deal_seeds_change_no_byte(game, seats, data):
    deal = data.draw(draw_deals(game, seats))

    def sent(name: str, seed: bytes, nonce: bytes) -> bytes:
        opened = replace(table_of(deal, TableSettings(), seed).opened)
        line = Looking(watcher_of(name), create_table(game, opened))
        for seat in range(seats - 1):
            line.see(carry_out(line.table, join_as(PEOPLE[seat], seat, b"mine" if PEOPLE[seat] == name else nonce)))
        if name != "Ben" and seats > 2:
            line.see(evolve(line.table, NonceReplaced(at_ms=NOON, seat=Seat(1), nonce_hash=nonce[::-1])))
        return line.sent

    name = data.draw(st.sampled_from(["Anna", "Zoe"]))
    assert sent(name, *data.draw(st.tuples(SEEDS, SEEDS))) == sent(name, *data.draw(st.tuples(SEEDS, SEEDS)))


@law
def test_a_hidden_round_changes_no_byte_and_no_moment(game, seats, data):
    """Nothing at all is sent while it lasts, so there is no moment to learn from either."""
    deal = data.draw(draw_deals(game, seats))
    settings = TableSettings(spectating="rounds", rounds_behind=data.draw(st.integers(0, 3)))
    table = table_at(deal, settings, data.draw(SEEDS), data.draw(st.integers(0, 99)), data.draw(st.integers(0, 30)))
    zoe = Looking(watcher_of("Zoe"), table)
    begun = zoe.sent
    lucks = data.draw(st.tuples(st.integers(0, 99), st.integers(0, 99)))
    other = in_another_world(table, None, table.opened.seed, data.draw(draw_dice()))
    for start, luck in zip((table, other), lucks, strict=True):
        quiet = Looking(watcher_of("Zoe"), start)
        for one in played_on(deal, start, luck, 40):
            if table_for_spectators(one).seq != table_for_spectators(start).seq:
                break
            before = len(quiet.sent)
            quiet.see(one)
            assert quiet.sent[before:] == begun, "an answer, the same as at first, and no notice"


@law
def test_a_round_has_the_same_bytes_whatever_comes_after_it(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    table = table_of(
        deal, TableSettings(spectating="rounds", rounds_behind=data.draw(st.integers(0, 2))), data.draw(SEEDS)
    )
    common = [table, *played_on(deal, table, data.draw(st.integers(0, 99)), data.draw(st.integers(0, 40)))]
    if common[-1].status == "finished":
        return

    def sent(luck: int) -> bytes:
        """The notices about the rounds that both games share."""
        zoe, heard = Looking(watcher_of("Zoe"), table), b""
        for one in (*common[1:], *played_on(deal, common[-1], luck, 60)):
            if one.status == "finished" or table_for_spectators(one).seq > common[-1].seq:
                break
            known, before = table_for_spectators(zoe.table).seq, len(zoe.sent)
            zoe.see(one)
            heard += zoe.sent[before:] if table_for_spectators(one).seq > known else b""
        return heard

    one, other = (sent(data.draw(st.integers(0, 99))) for _ in range(2))
    shorter = min(len(one), len(other))
    assert one[:shorter] == other[:shorter]


@law
def test_warnings_pauses_and_connections_reveal_nothing_of_their_round(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    table = table_of(deal, TableSettings(spectating="rounds"), data.draw(SEEDS))
    zoe = Looking(watcher_of("Zoe"), table)
    begun, seat = zoe.sent, data.draw(st.sampled_from(table.pending))
    zoe.see(evolve(table, Warned(at_ms=LATER, seat=seat, reason="clock", acts_in_ms=10_000)))
    zoe.see(carry_out(zoe.table, Pause(user=user_of("Anna")), Leave(user=user_of("Ben"))))
    assert zoe.sent == begun * 3


@law
def test_spectators_are_refused_in_constant_words(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    table = table_at(
        deal, TableSettings(), data.draw(SEEDS), data.draw(st.integers(0, 99)), data.draw(st.integers(0, 30))
    )
    other = in_another_world(table, None, data.draw(SEEDS), data.draw(draw_dice()))
    zoe = user_of("Zoe")
    seat = table.pending[0] if table.pending else Seat(0)
    moves = some(game.moves(game.view(table.state, seat)))[:5]
    commands = [
        *(Play(user=zoe, move=game.codec.encode_plain(move)) for move in moves),
        Play(user=zoe, move={"card": "none"}),
        Leave(user=zoe), Start(user=zoe, strength="random"), Pause(user=zoe), Resume(user=zoe),
        Ready(user=zoe, ready=True), Kick(user=zoe, whom=user_of("Anna"), name="Anna"),
        TransferHost(user=zoe, seat=0),
    ]  # fmt: skip
    for command in commands:
        answer = decide(table, command, LATER)
        assert isinstance(answer, Refused)
        assert answer.code == "not_seated"
        assert decide(other, command, LATER) == answer
