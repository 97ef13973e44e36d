"""A host opens doors beside the table: guests sit down by ssh and find the page in a browser, until the host leaves."""

import asyncio
import re
from pathlib import Path

import aiohttp
import asyncssh
import pytest

from tests.support.line_mode import LineMode
from tests.support.process import quiet_port, wait_until_closed, wait_until_open


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def hosting(folder: Path, *doors: str) -> LineMode:
    return LineMode(
        "host",
        "--plain",
        "--port",
        "0",
        "--data",
        str(folder),
        "--players",
        "2",
        "--name",
        "Anna",
        "--no-announce",
        *doors,
    )


async def test_a_guest_sits_down_by_ssh(tmp_path: Path) -> None:
    port = quiet_port()
    with hosting(tmp_path / "t", "--ssh", str(port)) as anna:
        shown = anna.hear(rf"^By ssh:  ssh -p {port} ([a-z-]+)@").group(1)
        assert anna.hear("^Table code: (.*)$").group(1) == shown
        await wait_until_open(port)
        key = asyncssh.generate_private_key("ssh-ed25519")
        async with asyncssh.connect(
            "127.0.0.1", port, username="plain", known_hosts=None, client_keys=[key], agent_path=None, config=[]
        ) as ssh:
            guest = await ssh.create_process(term_type=None)
            guest.stdin.write(f"join {shown}\n")
            await asyncio.to_thread(anna.hear, "takes seat 2")
            guest.stdin.write_eof()
    await wait_until_closed(port)


async def test_the_page_is_served_and_ends_with_its_host(tmp_path: Path) -> None:
    port = quiet_port()
    with hosting(tmp_path / "t", "--web", str(port)) as anna:
        assert re.search("[a-z]+-[a-z]+", anna.hear(rf"^In a browser:  http://\S+:{port}/#(.*)$").group(1))
        await wait_until_open(port)
        async with aiohttp.ClientSession() as browser, browser.get(f"http://127.0.0.1:{port}/") as page:
            assert page.status == 200
            assert "xterm" in await page.text()
        anna.type("quit")
        assert await asyncio.to_thread(anna.end) == 0
        await wait_until_closed(port)
    assert (tmp_path / "t" / "web" / "cookie.key").stat().st_mode & 0o77 == 0


async def test_a_port_in_use_is_found_before_the_table_opens(tmp_path: Path) -> None:
    server = await asyncio.start_server(lambda *_: None, "", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with hosting(tmp_path / "t", "--web", str(port)) as anna:
            assert await asyncio.to_thread(anna.wait) == 1
            assert [line for line in anna.said if line.strip()] == [
                f"Port {port} on this computer is in use; choose another one with --web."
            ]
