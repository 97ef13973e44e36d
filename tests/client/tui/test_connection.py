"""The pages with which a connection opens, while the user may go elsewhere."""

from types import SimpleNamespace
from typing import Any

import pytest

from scoville_client.session.start_options import Start
from scoville_client.tui.connection import Connection


@pytest.mark.parametrize("waits_for", ["lobby", "page"])
async def test_pages_of_a_client_that_was_replaced_are_not_shown(waits_for: str) -> None:
    shown: list[str] = []
    connection: Any = object.__new__(Connection)

    async def watch_lobby() -> None:
        if waits_for == "lobby":
            connection.client = "another one"

    async def show_page(page: Any) -> None:
        shown.append(page.name)
        connection.client = "another one"

    def make_table_page() -> None:
        raise AssertionError("there is a table to show")

    session = SimpleNamespace(table="table", lobby=SimpleNamespace(watch_lobby=watch_lobby), connection=None)
    client = SimpleNamespace(start=Start(kind="join"), is_multiplayer=True, session=session)
    connection.client = client
    connection._pages = SimpleNamespace(show_page=show_page)
    connection._shell = SimpleNamespace(is_hosted=False)
    connection._navigation = SimpleNamespace(
        make_lobby_page=lambda **_: SimpleNamespace(name="lobby"), make_table_page=make_table_page
    )
    await connection._open_pages(client)
    assert shown == ([] if waits_for == "lobby" else ["lobby"])
