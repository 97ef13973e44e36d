"""The line mode lists the servers on the local network and joins them by number or table code."""

import asyncio
import io
from typing import Any

from scoville_client.plain.main import obey_lines
from scoville_client.session.joining.search import SEARCH_SECONDS
from scoville_client.session.start_options import Start
from tests.client.transport.lan.network import Network, announced, with_table
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle


async def conversation(network: Network | None, *typed: str, **start: Any) -> list[str]:
    """Type these lines; each search gets its time."""
    said: list[str] = []
    clock = FakeClock()
    source = io.StringIO("".join(f"{line}\n" for line in typed))
    browse = None if network is None else network.browse
    talking = asyncio.ensure_future(obey_lines(Start(**start), source, said.append, clock=clock.clock, browse=browse))

    while not talking.done():
        await wait_until_idle()
        clock.advance(SEARCH_SECONDS)
    await talking
    return said


async def test_servers_are_listed_with_game_seats_and_lock() -> None:
    network = Network(with_table(locked=True), announced("two"), with_table("three", protocol=99))
    said = await conversation(network, "join")
    assert said[1:] == [
        "Searching the local network …",
        "1. Anna: No Thanks!, 2 of 4 seats, password",
        "2. Anna: another version of Scoville",
        "3. Private tables: join with a table code",
        "Type join and the number of a server, or a table code.",
    ]


async def test_join_alone_lists_tables_or_says_what_to_type() -> None:
    hint = "No server found on this network. On the computer of the host, type:  scoville host"
    assert (await conversation(Network(), "join"))[-1] == hint
    assert (await conversation(Network(), searching=True))[-1] == hint


async def test_a_game_that_is_not_installed_has_its_own_name() -> None:
    said = await conversation(Network(with_table(game="bridge", playing=True)), "join")
    assert "1. Anna: bridge, 2 of 4 seats, playing" in said


async def test_without_a_search_it_says_why() -> None:
    said = await conversation(None, "join")
    assert said[-1] == "The search on the local network is turned off (SCOVILLE_NO_LAN)."
