"""Figures of links: how many there are, the bytes on them, and those that were lost; as hosts are shown them."""

import asyncio

from scoville_runtime.host_status import LinkStatus
from scoville_server.nodes.link.figures import RECENT_SECONDS
from scoville_server.observation.metrics import MetricsPage
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, begun_game
from tests.support.server import Caller, toy_server
from tests.support.virtual_time import in_virtual_time


def links_of(two: TwoServers) -> tuple[LinkStatus, LinkStatus]:
    found = [server.status.read_status().links for server in (two.a, two.b)]
    assert found[0] is not None
    assert found[1] is not None
    return found[0], found[1]


@in_virtual_time
async def test_both_nodes_count_a_link_its_bytes_and_its_loss() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    table, *_ = await begun_game(two.a)
    assert [links.open for links in links_of(two)] == [0, 0]
    cleo = await Caller(two.b).hello("Cleo")
    await cleo.call(m.PollRequest(table=table))
    await asyncio.sleep(1)
    at_a, at_b = links_of(two)
    assert (at_a.open, at_b.open, at_a.lost, at_b.lost) == (1, 1, 0, 0)
    assert (at_a.sent_bytes, at_a.received_bytes) == (at_b.received_bytes, at_b.sent_bytes)
    assert sum(map(len, two.link.passed)) == at_a.sent_bytes + at_a.received_bytes
    two.link.cut()
    assert [(links.open, links.lost, links.lost_recently) for links in links_of(two)] == [(0, 1, 1)] * 2
    two.dialer.is_cut = True
    await asyncio.sleep(1)
    asked = asyncio.ensure_future(cleo.call(m.PollRequest(table=table)))
    await asyncio.wait([asked])
    assert asked.exception() is not None
    # The other node has heard nothing of this attempt.
    assert [links.lost for links in links_of(two)] == [1, 2]
    await asyncio.sleep(RECENT_SECONDS)
    assert [(links.lost, links.lost_recently) for links in links_of(two)] == [(1, 0), (2, 0)]
    page = MetricsPage(two.b.status).render_page().decode()
    for line in ("scoville_links 0.0", "scoville_links_lost_total 2.0"):
        assert line in page.splitlines()
    assert f'scoville_link_bytes_total{{direction="sent"}} {float(at_b.sent_bytes)}' in page.splitlines()


@in_virtual_time
async def test_server_that_is_alone_has_no_links() -> None:
    server = toy_server()
    await server.start()
    assert server.status.read_status().links is None
    assert "scoville_links 0.0" in MetricsPage(server.status).render_page().decode().splitlines()
    await server.close()
