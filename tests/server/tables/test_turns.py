"""The turns of the event loop that a move needs: few, since other work comes between them."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any

import msgpack

from scoville_server.background.eventual import Eventual
from scoville_server.journal.base import Mark
from scoville_server.journal.memory import MemoryJournal
from scoville_server.tables.model.records import Played
from scoville_server.tables.state_machine import unpack_record
from scoville_shared.ids import TableId
from tests.server.net.doubles import RecordingTransport
from tests.support.server import toy_server, until


class SlowJournal(MemoryJournal):
    """A journal that keeps moves when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.moves: list[Eventual[Mark]] = []

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        kept = super().append(table, records, after, afresh=afresh)
        if not isinstance(unpack_record(records[0]), Played):
            return kept
        self.moves.append(Eventual())
        return self.moves[-1]


class Player:
    """A connection to a server, as bytes."""

    def __init__(self, server: Any) -> None:
        self.transport = RecordingTransport()
        self.transport.connect(server.make_protocol())
        self._number = 0

    def send(self, method: str, **params: Any) -> None:
        self._number += 1
        self.transport.protocol.data_received(msgpack.packb([0, self._number, method, [params]]))

    async def call(self, method: str, **params: Any) -> Any:
        self.send(method, **params)
        await until(lambda: self._answers() != [])
        ((_, _, error, reply),) = self._answers()
        assert error is None
        return reply

    def _answers(self) -> list[Any]:
        """List the replies to the latest request."""
        return [m for m in self.transport.messages() if m[:2] == [1, self._number]]


async def table_of_two(server: Any) -> tuple[str, list[Player]]:
    players = [Player(server), Player(server)]
    for player in players:
        await player.call("hello", protocol=1)
    table = (await players[0].call("table.create", game="high_card", seat_count=2))["info"]["table"]
    for player in players:
        await player.call("table.join", table=table)
        await player.call("table.watch", table=table)
    await players[0].call("table.start", table=table)
    for _ in range(20):
        await asyncio.sleep(0)
    return table, players


def card(player: Player) -> int:
    """Choose a card that a player may play, from the latest View."""
    views = [m[2][0]["view"] for m in player.transport.messages() if m[:2] == [2, "table.event"]]
    return int(views[-1]["hand"][0])


async def test_a_move_reaches_the_journal_in_its_turn() -> None:
    journal = SlowJournal()
    server = toy_server(journal=journal)
    table, (anna, _) = await table_of_two(server)
    anna.send("table.play", table=table, move={"card": card(anna)})
    assert len(journal.moves) == 1
    journal.moves[0].set_result(None)
    await server.close()


async def test_a_kept_move_is_sent_in_the_next_turn() -> None:
    journal = SlowJournal()
    server = toy_server(journal=journal)
    table, players = await table_of_two(server)
    players[0].send("table.play", table=table, move={"card": card(players[0])})
    for player in players:
        player.transport.writes.clear()
    journal.moves[0].set_result(None)
    await asyncio.sleep(0)
    assert [len(player.transport.writes) for player in players] == [1, 1]
    kinds = [[m[1] if m[0] == 2 else "answer" for m in player.transport.messages()] for player in players]
    assert kinds == [["table.event", "answer"], ["table.event"]]
    await server.close()


async def test_a_refused_move_is_answered_in_its_turn() -> None:
    server = toy_server(journal=SlowJournal())
    table, (anna, _) = await table_of_two(server)
    anna.transport.writes.clear()
    anna.send("table.play", table=table, move={"card": 999})
    ((kind, _, error, _),) = anna.transport.messages()
    assert kind == 1
    assert error["code"] == "card_not_held"
    await server.close()
