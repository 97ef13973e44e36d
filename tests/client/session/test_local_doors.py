"""Doors beside a hosted server: their processes, and what the invitation says of them."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from scoville_client.cli.door_command import add_doors
from scoville_client.cli.main import main
from scoville_client.i18n.language import render
from scoville_client.session.hosting import Running, WayToServer
from scoville_client.session.joining.invitation import collect_invitation
from scoville_client.session.joining.local_doors import door_commands, open_doors, wants_doors, ways_by_doors
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.process import quiet_port

HOME = ["192.0.2.7", "2001:db8::7"]
BOTH = Start(kind="host", ssh=2222, web=8080)


def typed(start: Start, code: str = "brave-otter", addresses: list[str] = HOME) -> list[str]:
    return [way(code).typed for way in ways_by_doors(start, addresses)]


def test_others_join_by_ssh_at_every_listed_address() -> None:
    assert typed(BOTH) == [
        "ssh -p 2222 brave-otter@192.0.2.7",
        "http://192.0.2.7:8080/#brave-otter",
        "http://[2001:db8::7]:8080/#brave-otter",
    ]


def test_without_a_table_the_doors_lead_to_the_lobby() -> None:
    assert typed(BOTH, "", HOME[:1]) == ["ssh -p 2222 192.0.2.7", "http://192.0.2.7:8080/"]


def test_without_a_network_the_doors_are_on_this_computer() -> None:
    assert typed(Start(web=8080), "", []) == ["http://localhost:8080/"]


def test_the_qr_code_opens_the_page() -> None:
    made = collect_invitation([Address(HOME[0])], "brave-otter", doors=ways_by_doors(BOTH, HOME), announced=True)
    assert made.qr_text == "http://192.0.2.7:8080/#brave-otter"
    assert "In a browser:  http://192.0.2.7:8080/#brave-otter" in made.lines


async def test_the_waiting_room_shows_one_way_of_each_kind() -> None:
    way = WayToServer(None, doors=ways_by_doors(BOTH, HOME), invitation=lambda: ["Others join."])  # type: ignore[arg-type]
    assert Running(AsyncExitStack(), way, again=False).join_instructions("brave-otter") == [
        "Others join.",
        "By ssh:  ssh -p 2222 brave-otter@192.0.2.7",
        "In a browser:  http://192.0.2.7:8080/#brave-otter",
    ]


@pytest.mark.parametrize(("start", "kinds"), [(BOTH, ["ssh", "web"]), (Start(web=8080), ["web"]), (Start(), [])])
def test_each_door_has_a_process_whose_command_line_is_understood(
    start: Start, kinds: list[str], tmp_path: Path
) -> None:
    from argparse import ArgumentParser

    parser = ArgumentParser()
    add_doors(parser)
    commands = door_commands(start, tmp_path / "door.sock", tmp_path / "door.credential", tmp_path)
    assert wants_doors(start) == bool(kinds)
    read = [parser.parse_args(command[1:]) for command in commands]
    assert [each.door for each in read] == kinds
    for each in read:
        assert (each.server, each.credential) == (tmp_path / "door.sock", tmp_path / "door.credential")
        assert each.supervised
        assert each.port == {"ssh": 2222, "web": 8080}[each.door]
        assert each.listen == {"ssh": "", "web": [""]}[each.door], "every address of this computer"


@pytest.mark.parametrize("option", ["ssh", "web"])
async def test_a_busy_port_is_named_with_its_option(option: str, tmp_path: Path) -> None:
    clock = FakeClock()
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    async with server, AsyncExitStack() as stack:
        port = server.sockets[0].getsockname()[1]
        start = Start(kind="host", host="127.0.0.1", **{option: port})
        opening = asyncio.ensure_future(open_doors(start, tmp_path / "s", tmp_path / "c", tmp_path, stack, clock.clock))
        while not opening.done():
            await eventually(lambda: clock.alarms or opening.done())
            clock.advance(1)
        with pytest.raises(LinkError, match=rf"^Port {port} .* is in use; choose another one with --{option}\.$"):
            await opening


@pytest.mark.parametrize(
    ("typed", "pair"),
    [
        (["--ssh", "2222", "--web", "2222"], "--ssh and --web"),
        (["--web", "5757"], "--port and --web"),
        (["--port", "6000", "--ssh", "6000"], "--port and --ssh"),
    ],
)
def test_ports_that_are_the_same_are_refused(typed: list[str], pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "--plain", *typed]) == 2
    assert f"{pair} need ports of their own (both have" in capsys.readouterr().err


async def test_the_host_learns_of_doors_that_end(tmp_path: Path) -> None:
    clock, said = FakeClock(), list[str]()
    start = Start(kind="host", host="127.0.0.1", ssh=quiet_port())
    gone = tmp_path / "gone"  # no folder for the log: the process cannot begin
    async with AsyncExitStack() as stack:
        await open_doors(
            start, tmp_path / "s", tmp_path / "c", gone, stack, clock.clock, lambda phrase: said.append(render(phrase))
        )
        for _ in range(6):
            await eventually(lambda: clock.alarms)
            clock.advance(30)
            await eventually(lambda: True)
        await eventually(lambda: len(said) == 2, lambda: str(said))
    assert said == [
        f"The SSH door has ended and is being started again; the reason is in {gone / 'door.log'}.",
        f"The SSH door ends again and again; the reason is in {gone / 'door.log'}.",
    ]


def test_the_page_knows_the_ssh_door_beside_it(tmp_path: Path) -> None:
    both, alone = (door_commands(start, tmp_path, tmp_path, tmp_path) for start in (BOTH, Start(web=8080)))
    assert "--ssh=2222" in both[1]
    assert not [word for word in alone[0] if word.startswith("--ssh")]
