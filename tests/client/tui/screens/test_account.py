"""The account screens: guests, claimed names, passwords and keys."""

import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.session.identity import ssh_keys as sshkeys
from scoville_client.tui.screens.account.account import AccountDialog
from scoville_client.tui.screens.dialogs.form import FormDialog
from scoville_server.background.safe_post import parse_url
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, Player, at_the_screen
from tests.support.server import core_of

PASSWORD = "seven habaneros"
sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    """Let Marie claim her name."""
    async with open_live_server() as place:
        await place.marie.account.claim_name(PASSWORD)
        yield place


@pytest.fixture
def key_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    file = tmp_path / ".ssh" / "id_ed25519"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "paul@laptop", "-f", str(file)]
    subprocess.run(command, check=True)


async def my_account(paul: Player) -> None:
    await paul.until(lambda: paul.where == "lobby")
    await paul.press("m")
    await paul.until(lambda: isinstance(paul.app.screen, AccountDialog))
    await paul.sees("My results")


async def choose(paul: Player, line: str) -> None:
    """Mark a line, and press Enter."""
    for _ in range(12):
        if f"▸ {line}" in paul.text:
            await paul.press("enter")
            return
        await paul.press("down")
    raise AssertionError(f"there is no {line!r}:\n{paul.text}")


async def fill(paul: Player, *texts: str) -> None:
    """Fill in the lines of a form, one after the other."""
    await paul.until(lambda: isinstance(paul.app.screen, FormDialog))
    for text in texts:
        await paul.press(*("space" if char == " " else char for char in text))
        await paul.press("enter")


@sizes
async def test_a_guest_claims_their_name_and_learns_what_it_gives(
    live_server: LiveServer, size: tuple[int, int]
) -> None:
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await my_account(paul)
        assert "You are a guest" in paul.text
        await choose(paul, "Claim the name")
        await paul.sees("Nobody else can use your name")
        await fill(paul, "habanero", "something")
        await paul.sees("The two passwords differ.")
        assert "habanero" not in paul.text
        assert not (await paul.app.session.account.show_account()).claimed
        await paul.press(*["backspace"] * 9)
        await fill(paul, "habanero")
        await paul.sees("You have claimed this name; you can log")
        await paul.sees("in with a password.")
        assert (await paul.app.session.account.show_account()).claimed


async def test_too_short_a_password_is_refused_where_it_was_typed(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await my_account(paul)
        await choose(paul, "Claim the name")
        await fill(paul, "chilli", "chilli")
        await paul.sees("at least 8")
        assert isinstance(paul.app.screen, FormDialog)


@sizes
async def test_who_asks_for_somebodys_name_may_log_in_at_once(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Marie"), size=size) as player:
        await player.until(lambda: isinstance(player.app.screen, FormDialog))
        await player.sees("is claimed")
        await fill(player, "wrong password")
        await player.sees("Wrong name")
        await player.press(*["backspace"] * 20)
        await fill(player, PASSWORD)
        await player.until(lambda: player.where == "lobby")
        assert player.app.session.name == "Marie"
        await player.sees("you are Marie")


async def test_other_sessions_end_and_logging_out_makes_a_guest(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Marie")) as player:
        await player.until(lambda: isinstance(player.app.screen, FormDialog))
        await fill(player, PASSWORD)
        await my_account(player)
        assert player.text.count("Session ") == 2
        assert player.text.count("this one") == 1
        await choose(player, "End all others")
        await player.sees("End all other sessions?")
        await player.press("y")
        await player.until(lambda: player.text.count("Session ") == 1)
        await choose(player, "Log out")
        await player.press("y")
        await player.sees("You are a guest")
        assert player.app.session.name != "Marie"


async def test_passwords_change_and_accounts_end_after_proofs(
    live_server: LiveServer,
) -> None:
    async with at_the_screen(live_server.start_as("Marie")) as player:
        await player.until(lambda: isinstance(player.app.screen, FormDialog))
        await fill(player, PASSWORD)
        await my_account(player)
        await choose(player, "Change the password")
        await player.sees("Is that you?")
        await fill(player, "wrong one")
        await player.sees("Wrong name")
        await player.press(*["backspace"] * 20)
        await fill(player, PASSWORD)
        await player.sees("All other sessions end.")
        await fill(player, "eight jalapenos", "eight jalapenos")
        await player.sees("The password was changed")
        await player.until(lambda: player.text.count("Session ") == 1)
        await choose(player, "Delete the account")
        await fill(player, "eight jalapenos")
        await player.sees("Delete the account Marie?")
        await player.press("y")
        await player.sees("You are a guest")
        assert player.app.session.name != "Marie"


async def test_an_admin_s_code_logs_in_and_sets_another_password(live_server: LiveServer) -> None:
    core = core_of(live_server.server)
    marie = core.sessions.find_by_name("Marie")
    code, _ = await core.accounts.begin_recovery(marie, "Ada")
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await my_account(paul)
        for _ in range(10):
            if any("▸ Log in" in row and "recovery" in row for row in paul.text.splitlines()):
                break
            await paul.press("down")
        await paul.press("enter")
        await paul.sees("Recover your account")
        await fill(paul, "Marie", code, "eight jalapenos")
        await paul.sees("You have claimed this name")
        assert paul.app.session.name == "Marie"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed here")
@pytest.mark.usefixtures("key_at_home")
async def test_a_key_is_added_and_proves_who_one_is(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await my_account(paul)
        await paul.press("down", "down", "enter")
        await paul.sees("Claim Paul with a key")
        await paul.sees("paul@laptop")
        await paul.press("enter")
        await paul.sees("You have claimed this name; you can log in with a key.")
        await paul.sees("SHA256:")
        await choose(paul, "Log out")
        await paul.press("y")
        await paul.sees("You are a guest")
        for _ in range(8):
            if any("▸ Log in" in row and "key" in row for row in paul.text.splitlines()):
                break
            await paul.press("down")
        await paul.press("enter")
        await fill(paul, "paul")
        await paul.sees("Log in with a key")
        await paul.sees("paul@laptop")
        await paul.press("enter")
        await paul.sees("You have claimed this name; you can log in with a key.")
        assert paul.app.session.name == "Paul"


async def test_without_openssh_it_is_said_what_is_missing(
    live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [sshkeys.PublicKey("ssh-ed25519 AAAA anna@desk", None)]

    async def find(**_: object) -> list[sshkeys.PublicKey]:
        return found

    monkeypatch.setattr("scoville_client.tui.screens.account.login_dialogs.find_keys", find)
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await my_account(paul)
        await paul.press("down", "down", "enter")
        await paul.sees("anna@desk")
        monkeypatch.setenv("PATH", str(tmp_path))
        await paul.press("enter")
        await paul.sees("ssh-keygen is not installed on this computer")


@sizes
async def test_the_account_lists_warnings_of_moderators(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        core = core_of(live_server.server)
        core.users.warnings.warn_for(core.users.sessions.known_user("Paul"), "Please do not shout in the lobby.")
        await paul.sees("A moderator of this server warns you")
        await paul.press("enter")  # it is shown until a key is pressed
        await my_account(paul)
        await choose(paul, "Warning, ")
        await paul.sees("Please do not shout")


@sizes
async def test_a_vacation_begins_and_ends_at_the_account(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Marie"), size=size) as player:
        await player.until(lambda: isinstance(player.app.screen, FormDialog))
        await fill(player, PASSWORD)
        await my_account(player)
        await choose(player, "Vacation")
        await player.sees("You are not on vacation.")
        await player.sees("You have 28 days of vacation left.")
        await choose(player, "7 days")
        await player.sees("You are on vacation until")
        assert "21 days" in player.text
        await choose(player, "End the vacation")
        await player.sees("You are not on vacation.")
        assert "27 days" in player.text, "the day that has begun counts whole"


async def test_a_calendar_shows_its_address_once(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Marie"), size=(46, 19)) as player:
        await player.until(lambda: isinstance(player.app.screen, FormDialog))
        await fill(player, PASSWORD)
        await my_account(player)
        await choose(player, "Calendar")
        await player.sees("You have no calendar.")
        assert "Calendar programs show" not in player.text, "the same is said below"
        await choose(player, "Open the calendar")
        await player.sees(".ics")
        await choose(player, "End the calendar")
        await player.sees("You have no calendar.")


class Receiver:
    """Accepts what it is sent."""

    def check_url(self, url: str) -> None:
        parse_url(url)

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        return 204


@sizes
async def test_a_digest_is_set_tried_and_ended_at_the_account(live_server: LiveServer, size: tuple[int, int]) -> None:
    core = core_of(live_server.server)
    core.live.change_to(replace(core.live.value, digests="internet"))
    core.digests._delivery = core.digests._delivery._replace(post=Receiver())
    async with at_the_screen(live_server.start_as("Marie"), size=size) as player:
        await player.until(lambda: isinstance(player.app.screen, FormDialog))
        await fill(player, PASSWORD)
        await my_account(player)
        await choose(player, "Daily digest")
        await player.sees("You have no digest.")
        await choose(player, "Set the address")
        await fill(player, "hooks.example/anna")
        await player.sees("https://hooks.example/anna")
        await player.sees("shown only once")
        await choose(player, "Send a test")
        await player.sees("Your receiver has accepted the test.")
        await choose(player, "End the digest")
        await player.sees("You have no digest.")


async def test_guests_have_no_vacation_to_take(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await my_account(paul)
        assert "Vacation" not in paul.text
