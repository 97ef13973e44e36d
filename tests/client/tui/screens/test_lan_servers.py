"""The start screen lists the servers on the local network, and says what to type where when there are none."""

from pathlib import Path

import pytest

from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.screens.start.lan_servers import SEARCH_SECONDS
from tests.client.transport.lan.network import Network, announced, with_table
from tests.support.idle import wait_until_idle
from tests.support.screens import NARROW, Player, at_the_screen, port_of


def marked(player: Player) -> str:
    """The row with the mark."""
    return next(row.strip() for row in player.text.splitlines() if "▸" in row)


async def test_servers_appear_and_vanish_below_the_menu() -> None:
    network = Network(with_table(locked=True))
    async with at_the_screen(browse=network.browse) as anna:
        await anna.sees("Anna             No Thanks! 2/4, password")
        assert "Practise" in marked(anna), "the mark stays where it was"
        network.appear(announced("two"))
        await anna.sees("Private tables   join with a table code")
        network.vanish(network.sightings[0])
        await anna.until(lambda: "No Thanks!" not in anna.text)


@pytest.mark.parametrize("size", [NARROW, (80, 24)])
async def test_a_command_is_never_covered_at_the_first_start(size: tuple[int, int], tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "settings.toml")
    async with at_the_screen(size=size, browse=Network().browse, settings=settings) as anna:
        await anna.until(lambda: anna.clock.alarms)
        anna.clock.advance(SEARCH_SECONDS)
        await anna.sees("Press g for two")
        await wait_until_idle()
        assert ("No server found" in anna.text) == ("scoville host" in anna.text)


@pytest.mark.parametrize("size", [NARROW, (80, 24)])
async def test_an_empty_list_says_what_to_type_where(size: tuple[int, int]) -> None:
    async with at_the_screen(size=size, browse=Network().browse) as anna:
        assert "No server found" not in anna.text
        await anna.until(lambda: anna.clock.alarms)
        anna.clock.advance(SEARCH_SECONDS)
        await anna.sees("scoville host")
        assert "No server found on this network" in " ".join(anna.text.split())
        assert "Quit" in anna.text


async def test_without_a_search_the_screen_is_as_ever() -> None:
    async with at_the_screen() as anna:
        anna.clock.advance(SEARCH_SECONDS)
        await anna.sees("Practise")
        assert "network" not in anna.text


async def test_a_machine_without_a_network_shows_no_fault() -> None:
    network = Network()
    network.error = OSError(19, "No such device")
    async with at_the_screen(browse=network.browse) as anna:
        await anna.until(lambda: anna.clock.alarms)
        anna.clock.advance(SEARCH_SECONDS)
        await anna.sees("scoville host")


async def test_join_marks_the_first_server_also_on_a_first_start(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "settings.toml")
    async with at_the_screen(Start(searching=True), browse=Network(with_table()).browse, settings=settings) as anna:
        await anna.until(lambda: "No Thanks!" in marked(anna))


async def test_many_servers_scroll_within_their_rows() -> None:
    network = Network(*(with_table(f"server-{n}") for n in range(40)))
    async with at_the_screen(size=NARROW, browse=network.browse) as anna:
        await anna.press(*["down"] * 12)
        assert "No Thanks! 2/4" in marked(anna)
        assert "quit" in anna.text.splitlines()[-1]


async def test_the_marked_server_is_joined_and_no_longer_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoville_client.transport.lan.found._is_usable", lambda _: True)
    hosted = Start(kind="host", host="127.0.0.1", port=0, data=tmp_path, name="Anna", game="no_thanks")
    async with at_the_screen(hosted) as anna:
        port = await port_of(anna)
        assert anna.app.client.running is not None
        assert anna.app.client.running.address is not None
        network = Network(with_table(port=port, addresses=("127.0.0.1",), pin=anna.app.client.running.address.pin))
        async with at_the_screen(Start(name="Ben", searching=True), browse=network.browse) as ben:
            await ben.until(lambda: "No Thanks!" in marked(ben))
            await ben.press("enter")
            await ben.sees("you are Ben")
            await ben.until(lambda: network.searches == [])
            await ben.press("escape")
            await ben.sees("No Thanks! 2/4")


async def test_a_table_code_is_looked_for_and_its_table_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_client.transport.lan.found._is_usable", lambda _: True)
    hosted = Start(kind="host", host="127.0.0.1", port=0, data=tmp_path, name="Anna", settings={"private": True})
    async with at_the_screen(hosted) as anna:
        port = await port_of(anna)
        at = anna.app.session.table
        assert at is not None
        network = Network(announced(port=port, addresses=("127.0.0.1",), pin=anna.app.client.running.address.pin))  # type: ignore[union-attr]
        wanted = Start(kind="join", code=at.info.code or "", name="Ben")
        async with at_the_screen(wanted, browse=network.browse) as ben:
            await ben.sees(f"Looking for {at.info.code} on the local network")
            await ben.until(lambda: network.searches)
            ben.clock.advance(SEARCH_SECONDS)
            await ben.sees("Anna is the host and starts the game")


async def test_join_without_zeroconf_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_client.transport.lan.browser.find_spec", lambda _: None)
    async with at_the_screen(Start(searching=True)) as anna:
        await anna.sees("install zeroconf")
