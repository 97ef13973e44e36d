"""One rated game under a clock that stands still until somebody acts: the table's own deciders, records and bots."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.pause import EndPause, ResumeDeserted
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actions.start import AutoStart, Start
from scoville_server.tables.actions.vote import ExpireVote
from scoville_server.tables.actions.warn import WarnOfClock
from scoville_server.tables.bots import SeatBots, stream_of_move
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import Command, Refused
from scoville_server.tables.model.records import Created
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import create_table, decide
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import find_bot
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import TableClock, TableSettings

THINKING_MS = 3_000
"""How long players think about each move."""

GRACE_MS = 60_000
"""How long a game that all players have left waits for them."""

CLOCK = TableClock(move_ms=60_000, bank_ms=120_000)
"""The clock of quick matches."""


MOST_STEPS = 20_000
"""Steps after which a game counts as put off for ever."""

Act = Callable[["PlayedGame"], None]
"""What somebody does in a game beside moves; called before each step."""


class PlayedGame:
    """A game that players of given levels play move by move; `idle` are the seats whose players do nothing.

    Players draw their luck where the bots in their seats would: what a lever changes is its doing, and no other luck.
    """

    def __init__(self, table: Table, levels: Sequence[str], now_ms: int, idle: frozenset[Seat] = frozenset()) -> None:
        self.table, self.now_ms, self.idle = table, now_ms, idle
        self._levels = levels
        self._minds: dict[Seat, Bot] = {}
        self._told: dict[Seat, int] = {}
        self._bots = SeatBots()

    def copied(self) -> "PlayedGame":
        """Return the same game, to be played on in another way."""
        return PlayedGame(self.table, self._levels, self.now_ms, self.idle)

    def send(self, command: Command) -> Refused | None:
        """Carry out a command; returns the refusal, if it is one."""
        decision = decide(self.table, command, self.now_ms)
        if isinstance(decision, Refused):
            return decision
        self.table = decision.after
        return None

    def proceed(self) -> None:
        """Let the next thing happen: a move of a bot or of a player, or whatever is due by time."""
        table = self.table
        if table.bots_due:
            self._bots.choose_move(table, table.bots_due[0], self.send)
            return
        awake = [seat for seat in table.pending if table.seats[seat].human and seat not in self.idle]
        if awake and not table.paused:
            self.now_ms += THINKING_MS
            self._move(awake[0])
        else:
            self._let_time_pass()

    def finish(self, acts: Sequence[Act] = ()) -> Table:
        """Play the game to its end; before each step, each of the `acts` may do something."""
        for _ in range(MOST_STEPS):
            for act in acts:
                if self.table.running:
                    act(self)
            if not self.table.running:
                return self.table
            self.proceed()
        raise AssertionError("nobody ever ended this game")

    def _move(self, seat: Seat) -> None:
        table, user = self.table, self.table.seats[seat].user
        assert user is not None
        mind = self._minds.setdefault(seat, find_bot(table.opened.game, self._levels[seat])(table.game))
        for recorded in table.iterate_events_after(self._told.get(seat, 0)):
            for to, fact in recorded.facts:
                if to is None or to == seat:
                    mind.observe_fact(table.game.codec.decode_fact(fact))
        self._told[seat] = table.seq
        move = mind.choose_move(table.game.view(table.state, seat), stream_of_move(table, seat))
        refused = self.send(Play(user=user, move=table.game.codec.encode_plain(move)))
        assert refused is None, refused

    def _let_time_pass(self) -> None:
        """Advance to what is due next and do that."""
        table = self.table
        assert table.clocks is not None, "games are rated with a clock"
        dues = [due for due in (table.pause_ends_ms, clock.next_due_ms(table.clocks)) if due is not None]
        if table.ballot is not None:
            dues.append(table.ballot.until_ms)
        if table.deserted:
            dues.append(self.now_ms + GRACE_MS)
        self.now_ms = max(self.now_ms, min(dues))
        if table.deserted:
            self.send(ResumeDeserted())
        self.send(ExpireVote())
        self.send(EndPause())
        clocks = self.table.clocks
        if clocks is not None and not self.table.paused:
            for seat in clock.seats_to_warn(clocks, self.now_ms):
                self.send(WarnOfClock(seat=seat))
            for seat in clock.overdue_seats(clocks, self.now_ms):
                self._bots.choose_move(self.table, seat, self.send, by="clock")


def opened(
    game: str, users: Sequence[UserId], levels: Mapping[UserId, str], dealing: Random, number: int, now_ms: int
) -> PlayedGame:
    """Seat users at a rated table, the first as its host, and start. The host chooses the worst bots for the absent."""
    found = load_game(game)
    created = Created(
        at_ms=now_ms,
        table=TableId(f"t{number}"),
        game=game,
        rules_version=found.info.rules_version,
        options=found.codec.encode_plain(found.codec.decode_options({})),
        seat_count=len(users),
        seed=dealing.randbytes(32),
        user=users[0],
        clock=CLOCK,
        settings=TableSettings(absent_level="random"),
    )
    played = PlayedGame(create_table(found, created), [levels[user] for user in users], now_ms)
    for user in users:
        played.send(Join(user=user, name=user, claimed=True))
    played.send(Start(user=users[0], strength="random"))
    played.send(AutoStart())
    assert played.table.running, "everybody is there"
    assert played.table.rated, "nobody can make it another game"
    return played
