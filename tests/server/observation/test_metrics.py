"""The page of metrics: equal to what clients count, the same series whatever users do, and off by default."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.observation.figures import MOST_GAMES, count_code_as
from scoville_server.observation.metrics import MetricsPage
from scoville_server.observation.metrics_settings import MetricsSettings, parse_listen
from scoville_server.observation.monitoring import MonitoringError
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.server.observation.scrape import request_page, scrape_port
from tests.support.idle import eventually
from tests.support.rpc import Refusal, RpcClient

MOVES = 10_000 if os.environ.get("HYPOTHESIS_PROFILE") == "wide" else 2_000
PLAYERS = 10
MOST_SERIES = 400


def open_settings(data: Path | None = None, **more: Any) -> Settings:
    """Settings of a server whose limits nobody reaches, with metrics."""
    return Settings(
        host="127.0.0.1",
        port=0,
        data=data,
        table_creations=0,
        table_creations_per_address=0,
        table_actions=0,
        table_actions_per_address=0,
        table_actions_at_table=0,
        table_actions_at_table_per_address=0,
        accounts=AccountLimits(hashing=Hashing(memory_kib=8, passes=1)),
        metrics=MetricsSettings(listen="127.0.0.1:0", page_seconds=0.0),
        **more,
    )


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = Server(open_settings(tmp_path / "data"))
    await server.start()
    yield server
    await server.close()


class Outside:
    """What clients count, without any knowledge of the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.acknowledged = 0
        self.games = 0
        self.finished = 0
        self.hellos = 0
        self.refused: Counter[str] = Counter()

    async def try_call(self, client: RpcClient, method: str, **params: Any) -> Any:
        """Call a method, and count a refusal."""
        try:
            return await client.call(method, **params)
        except Refusal as refused:
            self.refused[count_code_as(refused.code)] += 1
            return None

    async def play_games(self, most: int, chance: random.Random) -> None:
        """Connect, and play games against bots until all players together have made so many moves."""
        async with RpcClient(self.port) as client:
            await client.hello()
            self.hellos += 1
            while self.acknowledged < most:
                await self._play_game(client, most, chance)

    async def _play_game(self, client: RpcClient, most: int, chance: random.Random) -> None:
        table = (await client.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
        await client.call("table.join", table=table)
        await client.call("table.start", table=table)
        self.games += 1
        while self.acknowledged < most:
            legal = await self.try_call(client, "table.moves", table=table)
            if legal is None:
                break
            if not legal["moves"]:
                shot = await client.call("table.poll", table=table, since=0)
                if shot["info"]["status"] != "playing":
                    self.finished += 1
                    break
                continue
            # Some more than are legal: those after the turn has passed on are refused.
            moves = [chance.choice(legal["moves"]) for _ in range(8)]
            answers = await asyncio.gather(
                *(client.send("table.play", table=table, move=move) for move in moves), return_exceptions=True
            )
            for answer in answers:
                if isinstance(answer, Refusal):
                    self.refused[count_code_as(answer.code)] += 1
                else:
                    self.acknowledged += 1
        await client.call("table.leave", table=table)

    async def make_mistakes(self, count: int, chance: random.Random) -> None:
        """Send requests that are refused for many reasons, some of them no requests at all."""
        async with RpcClient(self.port) as client:
            await self.try_call(client, "table.list")
            await client.hello()
            self.hellos += 1
            for _ in range(count):
                method, params = chance.choice(
                    [
                        ("table.join", {"table": f"nowhere-{chance.random()}"}),
                        ("table.join", {"table": 7}),
                        ("table.enter", {"code": "no-such-code"}),
                        (f"invented.{chance.random()}", {}),
                        ("admin.users", {}),
                        ("hello", {"protocol": 1}),
                        ("account.login", {"name": "Nobody", "password": "a wrong password"}),
                    ]
                )
                await self.try_call(client, method, **params)


async def test_metrics_equal_what_clients_count(server: Server) -> None:
    outside = Outside(server.port)
    chance = random.Random(5)

    await asyncio.gather(
        *(outside.play_games(MOVES, chance) for _ in range(PLAYERS)), outside.make_mistakes(300, chance)
    )
    await eventually(lambda: server.status.read_status().people.total == 0)
    scrape = await scrape_port(server.monitoring_port)

    assert outside.acknowledged >= MOVES
    assert len(outside.refused) >= 7, outside.refused
    assert scrape.sum_of("scoville_moves_total", by="player") == outside.acknowledged
    assert scrape.value_of("scoville_move_delivery_seconds_count") == outside.acknowledged
    assert scrape.value_of("scoville_events_total", kind="hello") == outside.hellos
    assert scrape.sum_of("scoville_games_started_total") == outside.games
    assert scrape.sum_of("scoville_games_ended_total", result="finished") >= outside.finished
    refused = {
        dict(labels)["code"]: value
        for (name, labels), value in scrape.series.items()
        if name == "scoville_refusals_total" and value
    }
    assert refused == outside.refused
    assert len(scrape.series) <= MOST_SERIES


async def test_the_status_reads_the_same_figures(server: Server) -> None:
    outside = Outside(server.port)
    await outside.play_games(30, random.Random(6))
    await outside.make_mistakes(20, random.Random(7))
    await eventually(lambda: server.status.read_status().people.total == 0)

    scrape, status = await scrape_port(server.monitoring_port), server.status.read_status()

    assert status.moves.total == scrape.sum_of("scoville_moves_total")
    assert status.refusals == scrape.sum_of("scoville_refusals_total")
    assert status.hellos == scrape.value_of("scoville_events_total", kind="hello")
    assert status.tables.total == scrape.sum_of("scoville_tables")
    assert status.games.started == scrape.sum_of("scoville_games_started_total")
    assert status.ready == bool(scrape.value_of("scoville_ready"))


async def test_all_series_are_there_from_the_start(server: Server) -> None:
    before = await scrape_port(server.monitoring_port)
    outside = Outside(server.port)
    await asyncio.gather(outside.play_games(100, random.Random(8)), outside.make_mistakes(100, random.Random(9)))

    after = await scrape_port(server.monitoring_port)

    assert before.series.keys() == after.series.keys()
    assert {value for (name, _), value in before.series.items() if name == "scoville_refusals_total"} == {0}
    of_game = sum(dict(labels).get("game") == "no_thanks" for _, labels in after.series)
    more_games = MOST_GAMES - len(server.status.figures.tables.games)
    assert len(after.series) + more_games * of_game <= MOST_SERIES, "whatever packages are installed"


async def test_metrics_are_off_by_default() -> None:
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    assert server.monitoring_port == 0
    await server.close()


async def test_a_busy_port_is_named(server: Server, tmp_path: Path) -> None:
    listen = f"127.0.0.1:{server.monitoring_port}"
    other = Server(Settings(data=tmp_path / "other", metrics=MetricsSettings(listen=listen)))

    with pytest.raises(MonitoringError, match=rf"metrics\.listen: the server cannot listen on {listen}: .*in use"):
        await other.start()
    await other.close()
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    "text", ["", "9757", "localhost", ":9757", "127.0.0.1:", "127.0.0.1:99999", "::1:9757", "[::1:9757"]
)
def test_a_listen_address_has_a_host_and_a_port(text: str) -> None:
    with pytest.raises(ValueError, match=r"metrics\.listen: expected HOST:PORT"):
        parse_listen(text)


def test_an_address_of_ipv6_stands_in_brackets() -> None:
    assert parse_listen("[::1]:9757") == ("::1", 9757)


async def test_readiness_names_its_reasons(server: Server) -> None:
    assert await request_page(server.monitoring_port, "/readyz") == (200, '{"ready": true, "reasons": []}\n')
    hurry = asyncio.Event()
    hurry.set()
    await server.drain(hurry)
    status, body = await request_page(server.monitoring_port, "/readyz")
    assert (status, body) == (503, '{"ready": false, "reasons": ["draining"]}\n')
    scrape = await scrape_port(server.monitoring_port)
    assert scrape.value_of("scoville_not_ready", reason="draining") == 1


async def test_every_page_is_as_the_library_writes_it() -> None:
    server = Server(open_settings())
    page = MetricsPage(server.status)

    class Library:
        def collect(self) -> list[Metric]:
            return metrics

        def describe(self) -> list[Metric]:
            return []

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Library())
    for _ in range(2):
        metrics = [*page.collect()]
        with patch.object(page, "collect", return_value=metrics):
            assert page.render_page() == generate_latest(registry)
    # A metric that has got another series is written again.
    metrics[0].add_sample(metrics[0].name, {"version": 'a "quoted" one'}, 2)
    with patch.object(page, "collect", return_value=metrics):
        assert page.render_page() == generate_latest(registry)
    await server.close()
