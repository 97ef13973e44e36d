"""The server's password: asked of newcomers alone, throttled by network, kept off every page."""

import json
from pathlib import Path

import pytest

from scoville_server.events import WrongLogin, refusal_kind
from scoville_server.moderation.model.community import CommunitySettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.settings.pages import effective_page, effective_values
from scoville_server.settings.sources import collect_settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PROTOCOL, ClaimNameRequest, HelloReply, HelloRequest
from tests.support.clock import FakeClock
from tests.support.server import CHEAP_HASHING, Caller, toy_shelf

PASSWORD = "seven habaneros"


def make_server(clock: FakeClock | None = None, password: str = PASSWORD) -> Server:
    settings = Settings(community=CommunitySettings(password=password), accounts=CHEAP_HASHING)
    return Server(settings, toy_shelf(), clock=(clock or FakeClock()).server)


async def greet(server: Server, password: str | None, address: str = "192.0.2.1:1", token: str = "") -> HelloReply:
    hello = HelloRequest(protocol=PROTOCOL, name="Anna", server_password=password, token=token or None)
    reply: HelloReply = await Caller(server, address).call(hello)
    return reply


async def code_of(server: Server, password: str | None, address: str = "192.0.2.1:1") -> str:
    try:
        await greet(server, password, address)
    except ScovilleError as error:
        return error.code
    return ""


async def test_newcomers_give_the_password() -> None:
    server = make_server()
    assert await code_of(server, None) == "server_password"
    assert await code_of(server, "green or red?") == "wrong_server_password"
    assert await code_of(server, PASSWORD) == ""
    assert await code_of(make_server(password=""), None) == ""


async def test_known_users_come_back_without_it() -> None:
    server = make_server()
    anna = Caller(server, "192.0.2.1:1")
    welcome = await anna.call(HelloRequest(protocol=PROTOCOL, name="Anna", server_password=PASSWORD))
    await anna.call(ClaimNameRequest(password="green or red?"))
    anna.hang_up()
    again = await greet(server, None, token=welcome.token)
    assert (again.name, again.resumed) == ("Anna", True)
    assert await code_of(server, None) == "server_password", "a stranger with that name still needs it"


async def test_guesses_are_throttled_by_network() -> None:
    clock = FakeClock()
    server = make_server(clock)
    codes = [await code_of(server, f"guess {number}", f"192.0.2.1:{number}") for number in range(20)]
    assert codes[:5] == ["wrong_server_password"] * 5
    assert {*codes[6:]} == {"slow_down"}
    assert await code_of(server, PASSWORD) == "slow_down", "a waiting network learns nothing from the answer"
    assert await code_of(server, PASSWORD, "198.51.100.7:1") == "", "others do not wait"
    clock.time += 700
    assert await code_of(server, PASSWORD) == ""


async def test_a_flood_of_guesses_tries_few() -> None:
    clock, tried = FakeClock(), 0
    server = make_server(clock)
    for number in range(10_000):
        tried += await code_of(server, f"guess {number}") == "wrong_server_password"
        clock.time += 1.0
    assert tried < 40


async def test_missing_passwords_are_no_guesses() -> None:
    server = make_server()
    for _ in range(20):
        assert await code_of(server, None) == "server_password"
    assert await code_of(server, PASSWORD) == ""
    assert refusal_kind("wrong_server_password") is WrongLogin
    assert refusal_kind("server_password") is not WrongLogin


async def test_a_reload_changes_the_password() -> None:
    server = make_server()
    changed = Settings(community=CommunitySettings(password="five jalapenos"), accounts=CHEAP_HASHING)
    reload = server.live_settings.apply_settings(changed)
    assert reload.is_in_force
    assert "community.password" in "".join(reload.list_lines())
    assert "habaneros" not in "".join(reload.list_lines())
    assert await code_of(server, PASSWORD) == "wrong_server_password"
    assert await code_of(server, "five jalapenos") == ""


@pytest.mark.parametrize("way", ["setting", "file", "variable"])
def test_no_page_shows_the_password(tmp_path: Path, way: str) -> None:
    file, secret = tmp_path / "server.toml", tmp_path / "secret"
    secret.write_text(f"{PASSWORD}\n")
    values = {"setting": f'password = "{PASSWORD}"', "file": f'password = "file:{secret}"', "variable": ""}
    file.write_text(f"[community]\n{values[way]}\n")
    environment = {"SCOVILLE_COMMUNITY__PASSWORD__FILE": str(secret)} if way == "variable" else {}
    collected = collect_settings(file, environment=environment)
    assert not collected.faults
    assert collected.settings.community.password == PASSWORD
    shown = "\n".join(effective_page(collected.settings, collected.origins))
    assert "***" in shown
    assert PASSWORD not in shown
    assert PASSWORD not in json.dumps(effective_values(collected.settings, collected.origins))


async def test_the_settings_name_moderators() -> None:
    server = make_server(password="")
    anna = Caller(server, "192.0.2.1:1")
    await anna.call(HelloRequest(protocol=PROTOCOL, name="Anna"))
    user = anna.handler._connection.user  # type: ignore[attr-defined]
    moderation = server._services.moderation
    named = Settings(community=CommunitySettings(moderators=("anna",)), accounts=CHEAP_HASHING)
    assert server.live_settings.apply_settings(named).is_in_force
    assert not moderation.is_moderator(user), "anybody could take a name that is not claimed"
    await anna.call(ClaimNameRequest(password="green or red?"))
    assert moderation.is_moderator(user)
    with pytest.raises(ScovilleError, match=r"out of community\.moderators"):
        await moderation.appoint_moderator(user, user, moderator=False)
    assert server.live_settings.apply_settings(Settings(accounts=CHEAP_HASHING)).is_in_force
    assert not moderation.is_moderator(user)
