"""What a host says about the server: cleaned, bounded, in three languages, and changed by a reload."""

from pathlib import Path

import pytest

from scoville_server.moderation.model.community import CommunitySettings, clean_lines, describe_server
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.settings.sources import collect_settings
from scoville_shared.protocol.messages import (
    ClaimNameRequest,
    CreateRequest,
    DescribeServerRequest,
    QuickMatchRequest,
    SayRequest,
    WatchLobbyRequest,
)
from scoville_shared.text import is_clean
from tests.support.core import code_of, connect_user
from tests.support.server import toy_shelf

HOSTILE = "\x1b[2J\x1b[31mred\x1b]0;title\x07 \u202eevil\u2066\x9b1m\x00\x08\r\nsecond\u2028third"


def _server(settings: Settings) -> Server:
    return Server(settings, toy_shelf())


def test_hostile_text_becomes_clean_lines() -> None:
    lines = clean_lines(HOSTILE)
    assert lines == ["red evil", "second", "third"]
    assert all(map(is_clean, lines))


def test_texts_are_bounded() -> None:
    described = describe_server(CommunitySettings(name="N" * 500, motd="x\n" * 50, rules="y" * 5_000 + "\nz" * 500))
    assert described.name == "N" * 40
    assert len(described.motd.en) == 8
    assert (len(described.rules.en), len(described.rules.en[0])) == (100, 200)


async def test_hello_introduces_the_server() -> None:
    server = _server(Settings(community=CommunitySettings(name="Club", motd="Hi", motd_de="Hallo", rules="Be kind.")))
    anna = await connect_user(server, "Anna")
    assert anna.welcome is not None
    community = anna.welcome.community
    assert (community.name, community.motd.en, community.motd.de, community.has_rules) == (
        "Club",
        ["Hi"],
        ["Hallo"],
        True,
    )
    assert (await anna.call(DescribeServerRequest())).rules.en == ["Be kind."]


async def test_reload_changes_the_message() -> None:
    server = _server(Settings(community=CommunitySettings(motd="Old")))
    anna = await connect_user(server, "Anna")
    assert server.live_settings.apply_settings(Settings(community=CommunitySettings(motd="New"))).is_in_force
    assert (await anna.call(DescribeServerRequest())).motd.en == ["New"]
    welcome = (await connect_user(server, "Ben")).welcome
    assert welcome is not None
    assert welcome.community.motd.en == ["New"]


def test_text_is_read_from_its_file(tmp_path: Path) -> None:
    file, text = tmp_path / "server.toml", tmp_path / "motd.txt"
    text.write_text("Tonight at eight.\nBring a friend.", encoding="utf-8")
    file.write_text(f'[community]\nname = "Club"\nmotd = "file:{text}"\nrules = """\nOne.\nTwo."""\n', encoding="utf-8")
    collected = collect_settings(file, environment={})
    assert not collected.faults
    described = describe_server(collected.settings.community)
    assert described.motd.en == ["Tonight at eight.", "Bring a friend."]
    assert described.rules.en == ["One.", "Two."]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('motd = "file:/nowhere/motd.txt"', "/nowhere/motd.txt cannot be read"),
        ('name = "' + "n" * 41 + '"', "41 characters"),
        ('motd = "' + "1\\n" * 9 + '"', "9 lines"),
        ('rules_de = "' + "r" * 201 + '"', "201 characters"),
    ],
)
def test_text_that_would_be_cut_is_refused(tmp_path: Path, line: str, fault: str) -> None:
    file = tmp_path / "server.toml"
    file.write_text(f"[community]\n{line}\n", encoding="utf-8")
    faults = collect_settings(file, environment={}).faults
    assert len(faults) == 1
    assert fault in str(faults[0])
    assert "server.toml:2" in str(faults[0])


async def test_guests_only_look_where_names_must_be_claimed() -> None:
    server = _server(Settings(community=CommunitySettings(claimed_names_only=True)))
    anna = await connect_user(server, "Anna")
    for act in (SayRequest(text="Hello"), QuickMatchRequest(), CreateRequest(game="high_card", seat_count=2)):
        assert await code_of(anna, act) == "not_claimed"
    await anna.call(WatchLobbyRequest())
    await anna.call(ClaimNameRequest(password="green or red?"))
    await anna.call(SayRequest(text="Hello"))
    await anna.create()
