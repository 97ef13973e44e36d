"""Players with the project's own client, who play one game after the other and note how long each move waited."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink
from scoville_runtime.clock import SYSTEM
from scoville_shared.errors import ScovilleError

GAME, SEATS = "no_thanks", 3


class Played(NamedTuple):
    """What a player has seen: acknowledged moves, the longest time between two, lost moves, and refusals."""

    moves: int
    longest: float
    lost: int
    refused: list[str]


async def play_until(port: int, name: str, is_over: Callable[[], bool], pause: float) -> Played:
    """Play against bots until `is_over`; a player rests for `pause` seconds between moves."""
    session = Session()
    changed = asyncio.Event()
    session.subscribe(lambda _: changed.set())
    await session.connect(TcpLink("127.0.0.1", port), name)
    moves, longest, lost, refused = 0, 0.0, 0, list[str]()
    at_table, since = 0, SYSTEM.seconds()
    while not is_over():
        table = session.table
        try:
            if table is None or table.result is not None:
                if table is not None and table.seat is not None:
                    lost += max(0, at_table - table.played[table.seat])
                    await session.leave_table()
                info = await session.lobby.create_table(GAME, SEATS, {})
                await session.join_table(info.table)
                await session.table_actions.start_game()
                at_table = 0
            elif table.my_turn:
                await session.play_move(next(iter(table.game.moves(table.view))))
                at_table, moves = at_table + 1, moves + 1
                longest, since = max(longest, SYSTEM.seconds() - since), SYSTEM.seconds()
                await SYSTEM.sleep(pause)
                since += pause
                continue
        except LinkError:
            pass  # it comes back by itself
        except ScovilleError as error:
            if not session.connection.offline and error.code not in ("slow_down", "not_your_turn", "not_seated"):
                refused.append(f"{error.code}: {error.message}")
        changed.clear()
        try:
            async with asyncio.timeout(0.05):
                await changed.wait()
        except TimeoutError:
            pass
        if table is not None and not table.my_turn:
            since = SYSTEM.seconds()  # others move: nobody makes this player wait
    await session.close()
    return Played(moves, longest, lost, refused)
