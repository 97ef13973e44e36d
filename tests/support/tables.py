"""Pure tables for tests, in the words of the field."""

from typing import Any

from msgspec.structs import replace

from scoville_server.tables.actions.enter import Enter
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actions.start import Reveal, Start
from scoville_server.tables.model.action import Command, Refused
from scoville_server.tables.model.records import Created, Played, Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import Decided, create_table, decide, evolve
from scoville_server.tables.watching.audience import Watcher
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.games import registry
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import AnyTableEvent, TableClock, TableSettings
from scoville_shared.values import Mover
from tests.support.toys import TOYS, find_toy

SEED = bytes(range(32))
NOON = 1_780_000_000_000
"""A time, in milliseconds, at which test tables live."""


MINUTE = TableClock(move_ms=60_000)
"""A clock of rated tables: a minute for each move."""


def any_game(slug: str) -> AnyGame:
    """Find a toy or a game that is installed."""
    return find_toy(slug) if slug in TOYS else registry.load_game(slug)


def new_table(
    game: str = "high_card",
    seats: int = 3,
    seed: bytes = SEED,
    clock: TableClock | None = None,
    settings: TableSettings | None = None,
    password: bytes = b"",
    code: str = "",
    **options: Any,
) -> Table:
    """Open an empty table of a toy game."""
    found = any_game(game)
    full = found.codec.encode_plain(found.codec.decode_options(options))
    opened = Created(
        at_ms=NOON, table=TableId("t1"), game=game, rules_version=1, options=full, seat_count=seats, seed=seed,
        user=UserId("anna"), clock=clock or TableClock(), settings=settings or TableSettings(), password=password,
        code=code,
    )  # fmt: skip
    return create_table(found, opened)


def records_of(table: Table, command: Command, now_ms: int = NOON) -> tuple[Record, ...]:
    """Decide a command that must not be refused."""
    return decide_accepted(table, command, now_ms).records


def decide_accepted(table: Table, command: Command, now_ms: int = NOON) -> Decided:
    """Decide a command that must not be refused."""
    decision = decide(table, command, now_ms)
    assert not isinstance(decision, Refused), decision
    return decision


def carry_out(table: Table, *commands: Command, seconds: float = 0) -> Table:
    """Carry out commands, none of which may be refused, so many `seconds` after noon."""
    for command in commands:
        table = decide_accepted(table, command, NOON + round(seconds * 1000)).after
    return table


def refusal_of(table: Table, command: Command) -> str:
    """Name the code with which a command is refused."""
    answer = decide(table, command, NOON)
    assert isinstance(answer, Refused), f"expected a refusal of {command}"
    return answer.code


def join_as(name: str, seat: int | None = None, nonce_hash: bytes = b"") -> Join:
    """Somebody wants to sit down; their id is their name in small letters."""
    return Join(user=user_of(name), name=name, seat=seat, nonce_hash=nonce_hash)


def join_drawn(table: Table, name: str, nonce: bytes) -> Join:
    """Somebody wants to sit down, or has drawn another nonce."""
    return join_as(name, nonce_hash=nonce_hash(table.id, nonce))


def reveal_as(name: str, nonce: bytes) -> Reveal:
    """Somebody reveals their nonce."""
    return Reveal(user=user_of(name), nonce=nonce)


def user_of(name: str) -> UserId:
    """Return the user id of a name."""
    return UserId(name.lower())


def watcher_of(name: str) -> Watcher:
    """Somebody looks at a table."""
    return Watcher(user_of(name), name)


def play_first(name: str, table: Table, nth: int | None = None) -> Play:
    """Somebody lays the first card of their hand (High Card)."""
    seat = table.seat_of(user_of(name))
    assert seat is not None
    return Play(user=user_of(name), move={"card": table.state.hands[seat][0]}, nth=nth)


def start_table(*names: str, seats: int = 0, game: str = "high_card", **opened: Any) -> Table:
    """Seat players and start; the first is the host, bots fill the other seats."""
    table = new_table(game, max(seats, len(names)), **opened)
    let_in = (Enter(user=user_of(name)) for name in names)
    return carry_out(
        table, *let_in, *(join_as(name) for name in names), Start(user=user_of(names[0]), strength="random")
    )


def start_rated(*names: str, **opened: Any) -> Table:
    """Seat players at a table whose games are rated, and start."""
    return start_table(*names, **{"clock": MINUTE, **opened})


def play_out(table: Table) -> Table:
    """Let every seat play its fallback move until the game is over, those of users by themselves."""
    while pending := table.pending:
        table = move_by_clock(table, pending[0], "player" if table.seats[pending[0]].human else "bot")
    return table


def move_by_clock(table: Table, seat: Seat, mover: Mover = "clock") -> Table:
    """Let a seat make the move that a clock would make for it."""
    move = table.game.fallback(table.game.view(table.state, seat))
    return evolve(table, Played(at_ms=NOON, seat=seat, move=table.game.codec.encode_plain(move), mover=mover))


def open_table(seats: int = 3, game: str = "high_card", settings: TableSettings | None = None, **opened: Any) -> Table:
    """Open an empty table that lives as `settings` say; `opened` are more fields of its first record."""
    table = new_table(game, seats)
    return create_table(table.game, replace(table.opened, settings=settings or TableSettings(), **opened))


def latest_event(table: Table) -> AnyTableEvent:
    """The latest event."""
    return table.recorded_events[-1].event
