"""One game twice with other hidden cards: watchers receive the same bytes from a real server."""

from typing import Any

import msgpack
import pytest

from scoville_server.identity import ServerKey
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    CreateRequest,
    JoinRequest,
    MovesRequest,
    PlayRequest,
    PollRequest,
    StartRequest,
    TableSettingsParams,
)
from tests.server.net.doubles import HELLO, RecordingTransport
from tests.support.core import connect_user
from tests.support.server import Caller, until

SEED = b"\x2a" * 32


@pytest.fixture(autouse=True)
def one_code_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables get the same code, servers the same key: both are drawn by chance, and tell nothing of a game."""
    monkeypatch.setattr("scoville_server.accounts.model.word_codes.draw_free_code", lambda _: "brave-otter")
    monkeypatch.setattr(ServerKey, "new_key", lambda: ServerKey(SEED))


class Onlooker:
    """A spectator on a raw connection, who requests hidden information."""

    def __init__(self, server: Server) -> None:
        self.transport = RecordingTransport()
        self.transport.connect(server.make_protocol())
        self._asked = 0
        self._ask(HELLO)

    def ask(self, method: str, **params: Any) -> None:
        self._asked += 1
        self._ask([0, self._asked, method, [params]])

    def _ask(self, message: list[Any]) -> None:
        self.transport.protocol.data_received(msgpack.packb(message))  # type: ignore[attr-defined]

    @property
    def heard(self) -> bytes:
        return b"".join(self.transport.writes)

    @property
    def messages(self) -> list[Any]:
        unpacker = msgpack.Unpacker()
        unpacker.feed(self.heard)
        return list(unpacker)


async def move(server: Server, table: str, user: Caller, which: int) -> None:
    moves = (await user.call(MovesRequest(table=table))).moves
    await user.call(PlayRequest(table=table, move=moves[which % len(moves)]))


async def a_game(choices: tuple[int, int, int], **settings: Any) -> bytes:
    """Anna and Ben play one and a half rounds of Dicht dran; returns Zoe's bytes without her token.

    `choices` are Anna's and Ben's in the first round, and Anna's in the second, which is not revealed.
    """
    server = Server(Settings(seed=SEED))
    await server.start()
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    opened = await users[0].call(
        CreateRequest(game="dicht_dran", seat_count=2, settings=TableSettingsParams(**settings))
    )
    table = opened.info.table
    for user in users:
        await user.call(JoinRequest(table=table))
    await users[0].call(StartRequest(table=table))
    zoe = Onlooker(server)
    await until(lambda: bool(zoe.messages))
    begun = len(zoe.heard)
    zoe.ask("table.watch", table=table)
    for user, choice in zip((*users, users[0]), choices, strict=True):
        await move(server, table, user, choice)
        for method, params in (("table.play", {"move": {"card": 50}}), ("table.moves", {}), ("table.export", {})):
            zoe.ask(method, table=table, **params)
        zoe.ask("table.look_back", table=table)
        zoe.ask("table.poll", table=table)
        asked = zoe._asked
        await until(lambda asked=asked: asked in [message[1] for message in zoe.messages if message[0] == 1])
    assert (await users[1].call(PollRequest(table=table))).move_counts == [2, 1]
    heard = zoe.heard[begun:]
    await server.close()
    return heard


@pytest.mark.parametrize("spectators", ["anybody", "rounds"])
async def test_an_unrevealed_choice_reaches_no_spectator(spectators: str) -> None:
    heard = [await a_game((0, 1, choice), spectating=spectators) for choice in (0, 3, 6)]
    assert heard[0] == heard[1] == heard[2]


async def test_a_choice_that_was_revealed_is_seen() -> None:
    assert await a_game((0, 1, 0)) != await a_game((1, 1, 0))


async def test_round_spectators_are_sent_no_current_round() -> None:
    heard = [await a_game(choices, spectating="rounds", rounds_behind=2) for choices in ((0, 1, 0), (5, 2, 3))]
    assert heard[0] == heard[1]
