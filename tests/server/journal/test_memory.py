"""A table rebuilt from its packed records equals the live one."""

import pytest

from scoville_server.journal.memory import MemoryJournal
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.actions.start import Start
from scoville_server.tables.bots import SeatBots
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import decide, evolve, restore_table
from scoville_shared.games import registry
from tests.support.journals import append_records, kept_records
from tests.support.tables import NOON, any_game, join_as, new_table, records_of, user_of
from tests.support.toys import TOYS, find_toy


class Recorded:
    """A table whose every record goes to a journal."""

    def __init__(self, game: str, seats: int) -> None:
        self.table: Table = new_table(game, seats)
        self.journal = MemoryJournal()

    async def carry_out(self, *commands: object) -> None:
        for command in commands:
            records = records_of(self.table, command)
            await append_records(self.journal, self.table.id, records)
            for record in records:
                self.table = evolve(self.table, record)

    async def again(self) -> Table:
        return restore_table(await kept_records(self.journal, self.table.id), any_game)


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("game", [*TOYS, *registry.list_slugs()])
async def test_a_game_folds_equally_at_every_point(game: str, seats: int) -> None:
    live = Recorded(game, seats)
    await append_records(live.journal, live.table.id, [live.table.opened])
    await live.carry_out(join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random"))
    await live.carry_out(Leave(user=user_of("Ben")), Leave(user=user_of("Anna"), reason="absent"))
    bots, thoughts = SeatBots(), list[PlayForSeat]()
    while live.table.status == "playing":
        bots.choose_move(live.table, live.table.bots_due[0], thoughts.append)
        await live.carry_out(thoughts.pop())
        if len(live.table.moves).bit_count() == 1:  # each time twice as many: to restore a table plays all of them
            assert await live.again() == live.table
    assert live.table.moves
    assert await live.again() == live.table


async def test_a_refused_command_leaves_no_record() -> None:
    live = Recorded("heap", 2)
    decide(live.table, Leave(user=user_of("Anna")), NOON)
    assert await kept_records(live.journal, live.table.id) == []


async def test_a_retired_table_is_forgotten() -> None:
    live = Recorded("heap", 2)
    await live.carry_out(join_as("Anna"))
    _, mark = await live.journal.read(live.table.id)
    await live.journal.delete_records(live.table.id, mark)
    assert await kept_records(live.journal, live.table.id) == []


def test_records_without_an_opening_are_no_table() -> None:
    records = records_of(new_table(), join_as("Anna"))
    with pytest.raises(ValueError, match="the first record of a table creates it"):
        restore_table(records, find_toy)
