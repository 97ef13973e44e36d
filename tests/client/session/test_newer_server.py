"""A server newer than the client: unknown fields are ignored, and nothing else is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import msgpack
import msgspec
import pytest
from msgspec.structs import replace

from scoville_client.session.changes import EventApplied
from scoville_client.transport.tcp import TcpLink
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import Joined, Left
from tests.support.client import TABLE, first_view, game_info, make_info, make_start, make_welcome
from tests.support.recording_session import RecordingSession

SEATS = [{"name": name, "kind": "human", "connected": True, "mood": "fine"} for name in ("Anna", "Paul", "Max")]
WEATHER = {"kind": "weather", "seq": 2, "rain": True}
SENT_OFF = {"kind": "left", "seq": 3, "seat": 1, "name": "Paul", "host": 0, "reason": "asleep", "mood": "tired"}
KNOWN = {"kind": "played", "seq": 4, "seat": 2, "mover": "player", "pending": [0], "move_counts": [0, 0, 1], "luck": 3}
FACTS = [{"fact": "sneezed", "seat": 2}, {"fact": "chosen", "seat": 2, "loudly": True}]


class NewerServer:
    """A hand-written server with unknown fields in every message. It offers a game of Dicht dran for three."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = [_plain(make_start())]
        self.watched_since: list[int] = []
        self.port = 0
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> "NewerServer":
        self._listening = await asyncio.start_server(self._came, "127.0.0.1", 0)
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        self._writer.close()  # a connection whose end nobody has read yet would be found by a later test
        with suppress(ConnectionError):
            await self._writer.wait_closed()
        await self._listening.wait_closed()

    def happens(self, event: dict[str, Any]) -> None:
        """Send an event of the table."""
        self.events.append(event)
        self.notify(
            "table.event", {"table": TABLE, "event": event, "view": {**first_view(), "scent": "basil"}, "wind": 2}
        )

    def notify(self, name: str, params: dict[str, Any]) -> None:
        """Send a notice."""
        self._writer.write(msgpack.packb([2, name, [params]]))

    async def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        unpacker = msgpack.Unpacker()
        while data := await reader.read(65536):
            unpacker.feed(data)
            for _, msgid, method, params in unpacker:
                answer = self._answers[method]((params or [{}])[0])
                writer.write(msgpack.packb([1, msgid, None, {**answer, "weather": "fine"}]))
        writer.close()

    @property
    def _answers(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        return {
            "hello": self._hello,
            "game.describe": lambda _: {"game_texts": [{"game": "tarot", "tagline": "Tricks.", "smell": "wax"}]},
            "table.watch": self._watch,
            "ping": lambda _: {"payload": ""},
        }

    def _hello(self, _: dict[str, Any]) -> dict[str, Any]:
        another = {
            "slug": "tarot",
            "title": "Tarot",
            "seat_range": [3, 5],
            "official_range": [3, 5],
            "rules_version": 9,
        }
        games = [{**_plain(game_info()), "box": "red"}, {**another, "options": {}}]
        return {**_plain(make_welcome()), "token": "secret", "games": games, "weather": "fine"}

    def _watch(self, params: dict[str, Any]) -> dict[str, Any]:
        self.watched_since.append(params.get("since", 0))
        later = [event for event in self.events if event["seq"] > params.get("since", 0)]
        table = {**_plain(make_info()), "seats": SEATS, "lamp": "on", "host": 2 if len(self.events) > 2 else 0}
        mine = {"seat": 0, "view": {**first_view(), "scent": "basil"}, "pending": [0, 1, 2], "move_counts": [0, 0, 0]}
        return {**mine, "info": table, "seq": len(self.events), "events": later}


def _plain(value: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(value)
    return plain


@pytest.fixture
async def server() -> AsyncIterator[NewerServer]:
    async with NewerServer() as server:
        yield server


@pytest.fixture
async def anna(server: NewerServer) -> AsyncIterator[RecordingSession]:
    anna = RecordingSession()
    await anna.connect(TcpLink("127.0.0.1", server.port))
    await anna.watch_table(TABLE)
    yield anna
    await anna.close()


async def test_an_unknown_event_is_covered_by_the_snapshot(server: NewerServer, anna: RecordingSession) -> None:
    server.happens(WEATHER)
    await anna.until(lambda: len(server.watched_since) == 2)
    assert server.watched_since == [0, 2]
    server.happens(SENT_OFF)
    await anna.until(lambda: anna.at.seq == 3)
    assert anna.at.info.host == 2
    assert anna.recorder.of(EventApplied) == []


async def test_after_an_unknown_event_the_known_ones_are_applied(server: NewerServer, anna: RecordingSession) -> None:
    server.happens(WEATHER)
    server.happens(SENT_OFF)
    server.happens({**KNOWN, "facts": FACTS})
    await anna.until(lambda: anna.at.seq == 4)
    back = {"kind": "joined", "seq": 5, "seat": 1, "name": "Paul", "host": 0}
    server.happens(back)
    await anna.until(lambda: anna.at.seq == 5)
    event = anna.recorder.of(EventApplied)[-1].event
    assert isinstance(event, Joined)
    assert not any(isinstance(change.event, Left) for change in anna.recorder.of(EventApplied))


async def test_unknown_facts_of_a_move_are_passed_over(server: NewerServer, anna: RecordingSession) -> None:
    server.happens({**KNOWN, "seq": 2, "facts": FACTS})
    await anna.until(lambda: anna.at.seq == 2)
    [happened] = anna.recorder.of(EventApplied)
    assert [fact.__struct_config__.tag for fact in happened.facts] == ["chosen"]


async def test_a_game_by_other_rules_is_not_looked_at(server: NewerServer, anna: RecordingSession) -> None:
    anna.connection.games, anna.connection.features = [replace(game_info(), rules_version=99)], frozenset()
    with pytest.raises(ScovilleError) as refused:
        await anna.watch_table(TABLE)
    assert refused.value.code == "other_rules"
    assert refused.value.message.startswith("The server has other rules for Dicht dran: install the server's version")


async def test_unknown_notices_and_reactions_leave_the_line_alone(server: NewerServer, anna: RecordingSession) -> None:
    server.notify("table.weather", {"rain": True})
    server.notify("chat.reacted", {"table": TABLE, "name": "Paul", "seat": 1, "reaction": "confetti"})
    server.happens({**KNOWN, "seq": 2, "facts": []})
    await anna.until(lambda: anna.at.seq == 2)
    assert anna.connection.online
    assert [game.slug for game in anna.games] == ["dicht_dran", "tarot"]
