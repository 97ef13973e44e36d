"""What hosts see of a node that waits, and of the cluster at any node."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM
from scoville_runtime.host_status import LOST_LINKS, ClusterStatus, HostStatus, LinkStatus, NodeStatus
from scoville_server.cli.control_commands import _FAILS, describe_result
from scoville_server.cluster import node as cluster_node
from scoville_server.cluster.node import ClusterNode
from scoville_server.cluster.waiting_host import WaitingHost
from scoville_server.control.host_status import list_alerts
from scoville_server.doctor.patient import Patient
from scoville_server.doctor.storage import check_cluster
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_server.net.doors.unix_socket import has_unix_sockets
from scoville_server.nodes.settings import ClusterSettings
from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.settings.model import Settings
from tests.server.control.controlled_server import ControlLine
from tests.server.observation.scrape import request_page
from tests.support.core import connect_user
from tests.support.server import toy_server

pytestmark = pytest.mark.skipif(not has_unix_sockets(), reason="control sockets are Unix sockets")

WAITING = ClusterStatus(
    name="club",
    epoch=0,
    serving="a.example:1",
    connected=True,
    nodes=[
        NodeStatus(address="b.example:2", serves=False, heard_seconds=None),
        NodeStatus(address="a.example:1", serves=True, heard_seconds=0.2),
    ],
    doubts=[],
)
SERVING = replace(
    WAITING, epoch=3, serving="b.example:2", nodes=[replace(WAITING.nodes[0], serves=True), WAITING.nodes[1]]
)


class Hosted(NamedTuple):
    host: WaitingHost
    data: Path
    said: list[ClusterStatus]


@pytest.fixture
async def hosted(tmp_path: Path) -> AsyncIterator[Hosted]:
    said = [WAITING]
    settings = Settings(data=tmp_path, metrics=MetricsSettings(listen="127.0.0.1:0"))
    host = WaitingHost(settings, tmp_path, lambda: said[-1], lambda: ("", 5757, "PIN"), SYSTEM)
    assert host.open_ports() == ""
    yield Hosted(host, tmp_path, said)
    await host.close_ports()


async def test_waiting_node_shows_its_status(hosted: Hosted) -> None:
    line = await ControlLine.open(hosted.data)
    result = (await line.call("status"))["result"]
    line.close()
    status = msgspec.convert(result, HostStatus)
    assert (status.ready, status.reasons, status.port, status.pin) == (False, ["waiting"], 5757, "PIN")
    assert status.cluster == WAITING
    assert not _FAILS["status"](result)
    text = describe_result("status", result)
    assert "waits for its turn" in text
    assert "cluster club: b.example:2 waits (this node), a.example:1 serves (heard 0.2 s ago)" in text
    assert "links" not in text
    links = LinkStatus(open=2, sent_bytes=2_000_000, received_bytes=1_000_000, lost=3, lost_recently=0)
    text = describe_result("status", {**result, "links": msgspec.to_builtins(links)})
    assert "links 2, sent 1.9 MiB, received 977 KiB, lost 3" in text.splitlines()


async def test_status_says_how_many_tables_each_node_serves(hosted: Hosted) -> None:
    hosted.said.append(replace(WAITING, nodes=[WAITING.nodes[0], replace(WAITING.nodes[1], tables=12)]))
    line = await ControlLine.open(hosted.data)
    text = describe_result("status", (await line.call("status"))["result"])
    line.close()
    assert "b.example:2 waits (this node), a.example:1 serves 12 tables (heard 0.2 s ago)" in text


async def test_status_does_not_say_that_a_node_waits_of_which_nothing_is_heard(hosted: Hosted) -> None:
    silent = replace(WAITING.nodes[1], serves=False, heard_seconds=225.4)
    hosted.said.append(replace(WAITING, nodes=[WAITING.nodes[0], silent]))
    line = await ControlLine.open(hosted.data)
    text = describe_result("status", (await line.call("status"))["result"])
    line.close()
    assert "b.example:2 waits (this node), a.example:1 is silent (last heard 225 s ago)" in text


async def test_waiting_node_sends_hosts_to_the_one_that_serves(hosted: Hosted) -> None:
    line = await ControlLine.open(hosted.data)
    refused = await line.call("kick", reason="spam", name="Zed")
    assert refused["error"]["code"] == "moved"
    assert "a.example:1 serves" in refused["error"]["message"]
    hosted.said.append(replace(WAITING, serving=""))
    assert "no node serves" in (await line.call("users"))["error"]["message"]
    line.close()


async def test_waiting_node_is_healthy_and_not_ready(hosted: Hosted) -> None:
    monitoring = hosted.host._monitoring
    assert monitoring is not None
    assert (await request_page(monitoring.port, "/healthz"))[0] == 200
    status, body = await request_page(monitoring.port, "/readyz")
    assert (status, '"waiting"' in body) == (503, True)
    _, page = await request_page(monitoring.port, "/metrics")
    assert "scoville_cluster_nodes 2.0" in page
    assert "scoville_cluster_doubts 0.0" in page
    assert 'scoville_not_ready{reason="waiting"} 1.0' in page


async def test_serving_node_shows_its_cluster() -> None:
    server: Any = toy_server()
    server.status.gauges = server.status.gauges._replace(cluster=lambda: SERVING)
    await server.start()
    await connect_user(server, "Anna")
    status = server.status.read_status()
    assert (status.ready, status.cluster) == (True, SERVING)
    for change, name in (
        ({"connected": False}, "cluster_engine"),
        ({"nodes": SERVING.nodes[:1]}, "cluster_alone"),
        ({"nodes": [SERVING.nodes[0], replace(SERVING.nodes[1], heard_seconds=30.0)]}, "cluster_alone"),
        ({"doubts": ["Disks are synced late."]}, "cluster_doubts"),
    ):
        alerts = list_alerts(replace(status, cluster=replace(SERVING, **change)))  # type: ignore[arg-type]
        assert name in {alert.name for alert in alerts}
    lost = LinkStatus(open=0, sent_bytes=0, received_bytes=0, lost=LOST_LINKS, lost_recently=LOST_LINKS)
    assert "links_lost" in {alert.name for alert in list_alerts(replace(status, links=lost))}
    assert not {alert.name for alert in list_alerts(status)} & {
        "links_lost",
        "cluster_engine",
        "cluster_alone",
        "cluster_doubts",
    }
    await server.close()


def patient(cluster: ClusterStatus | None, servers: tuple[str, ...] = ("nats://127.0.0.1:1",)) -> Patient:
    settings = Settings(cluster=ClusterSettings(servers=servers))
    status = None if cluster is None else {"cluster": msgspec.to_builtins(cluster)}
    return Patient(settings, (), None, cluster is not None, status, (), None, SYSTEM)


def test_doctor_names_what_is_wrong_with_a_cluster() -> None:
    assert [*check_cluster(patient(WAITING))] == []
    broken = replace(WAITING, connected=False, nodes=WAITING.nodes[:1], doubts=["It keeps 1 of 3 replicas."])
    found = [*check_cluster(patient(broken))]
    assert [finding.code for finding in found] == ["engine_unreachable", "node_alone", "engine_not_durable"]
    assert [*check_cluster(patient(None, servers=()))] == []


def test_links_that_are_lost_again_and_again_are_named() -> None:
    links = LinkStatus(open=1, sent_bytes=1_000, received_bytes=2_000, lost=9, lost_recently=LOST_LINKS)
    looked = patient(WAITING)
    for lost, codes in ((LOST_LINKS - 1, []), (LOST_LINKS, ["links_lost"])):
        status = {
            "cluster": msgspec.to_builtins(WAITING),
            "links": msgspec.to_builtins(replace(links, lost_recently=lost)),
        }
        assert [finding.code for finding in check_cluster(looked._replace(status=status))] == codes


def test_doctor_names_an_engine_that_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.journal.jetstream.client.CONNECT_SECONDS", 0.05)
    [finding] = check_cluster(patient(None))
    assert finding.code == "engine_unreachable"
    assert "127.0.0.1:1" in finding.text


async def test_new_doubts_are_logged_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    found = iter([["nats1 has lost 2 messages."], ["nats1 has lost 2 messages.", "Only 2 servers answer."]])

    async def find_doubts(*_: object) -> list[str]:
        return next(found)

    async def find_lost_tables(_: object) -> list[str]:
        return []

    monkeypatch.setattr(cluster_node, "find_doubts", find_doubts)
    monkeypatch.setattr(Mirror, "find_lost_tables", find_lost_tables)
    node = ClusterNode(Settings(cluster=ClusterSettings(servers=("nats://127.0.0.1:1",))))
    for _ in range(2):
        await node.look_for_doubts()
    assert [record.getMessage() for record in caplog.records] == [
        "Not durable: nats1 has lost 2 messages.",
        "Not durable: Only 2 servers answer.",
    ]
    assert len(node.doubts) == 2
