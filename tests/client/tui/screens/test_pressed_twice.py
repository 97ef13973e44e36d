"""A key pressed twice while its request is under way sends that once, in every dialog that changes something."""

import ast
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

import scoville_client.tui.screens
from scoville_client.tui.screens.account.clubs import ClubBoardDialog, ClubDialog, ClubInvitationDialog, MemberDialog
from scoville_client.tui.screens.account.login_dialogs import SshKeyDialog, WebCodeDialog
from scoville_client.tui.screens.account.profile import ProfileDialog
from scoville_client.tui.screens.tournaments.tournaments import CallTournamentDialog, TournamentDialog
from tests.client.tui.screens.test_account import PASSWORD, Receiver, choose, fill, key_at_home, my_account
from tests.client.tui.screens.test_chat import talking
from tests.client.tui.screens.test_tournaments import FRIDAY
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import Player, at_the_screen
from tests.support.server import core_of

CLUB: Final = "Peppers"
Prepare = Callable[[LiveServer, Player], Awaitable[None]]
_ = key_at_home


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    """Let Marie claim her name; the server sends digests."""
    async with open_live_server() as place:
        core = core_of(place.server)
        core.live.change_to(replace(core.live.value, digests="internet"))
        core.digests._delivery = core.digests._delivery._replace(post=Receiver())
        await place.marie.account.claim_name(PASSWORD)
        yield place


class HeldLink:
    """Records the requests of a client, and holds back those of one kind until they are released."""

    def __init__(self, player: Player, held: str) -> None:
        self.sent: list[str] = []
        self._held = held
        self._released = asyncio.Event()
        link = player.app.session.connection.link
        self._send = link.send_request
        link.send_request = self._send_request  # type: ignore[method-assign]

    async def _send_request(self, params: Any) -> Any:
        kind = type(params).__name__
        self.sent.append(kind)
        if kind == self._held:
            await self._released.wait()
        return await self._send(params)

    def release(self) -> None:
        self._released.set()


async def mark(paul: Player, line: str) -> None:
    """Mark a line of the menu."""
    for _ in range(20):
        if f"▸ {line}" in paul.text:
            return
        await paul.press("down")
    raise AssertionError(f"there is no {line!r}:\n{paul.text}")


async def lead_a_club(live_server: LiveServer, paul: Player) -> str:
    """Found Paul's club, in which Marie is."""
    club = (await paul.app.session.clubs.create_club(CLUB)).info_of_club.club
    await paul.app.session.clubs.invite_user(club, "Marie")
    await live_server.marie.clubs.accept_invitation(club)
    return club


async def open_club(live_server: LiveServer, paul: Player) -> str:
    club = await lead_a_club(live_server, paul)
    await paul.press("C")
    await paul.sees(CLUB)
    await choose(paul, CLUB)
    await paul.until(lambda: isinstance(paul.app.screen, ClubDialog))
    await paul.sees("Marie")
    return club


async def name_a_club(live_server: LiveServer, paul: Player) -> None:
    await paul.press("C")
    await choose(paul, "Create a club")
    await paul.press(*CLUB)


async def draft_a_tournament(live_server: LiveServer, paul: Player) -> None:
    await paul.press("E")
    await paul.sees("There are none")
    await paul.press("n")
    await paul.until(lambda: isinstance(paul.app.screen, CallTournamentDialog))


async def open_a_tournament(live_server: LiveServer, paul: Player) -> None:
    await live_server.marie.tournaments.call_tournament(FRIDAY)
    await paul.press("E")
    await paul.sees("Friday")
    await paul.press("enter")
    await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
    await paul.sees("take part")


async def open_vacation(live_server: LiveServer, paul: Player) -> None:
    await my_account(paul)
    await choose(paul, "Vacation")
    await paul.sees("▸ 1 day")


async def open_calendar(live_server: LiveServer, paul: Player) -> None:
    await my_account(paul)
    await choose(paul, "Calendar")
    await paul.sees("Open the calendar")


async def open_digest(live_server: LiveServer, paul: Player) -> None:
    await paul.app.session.account.set_digest("https://ntfy.example/paul")
    await my_account(paul)
    await choose(paul, "Daily digest")
    await paul.sees("▸ Send a test")


async def mark_the_calls(live_server: LiveServer, paul: Player) -> None:
    await open_club(live_server, paul)
    await mark(paul, "Calls to tables")


async def mark_the_call_to_a_table(live_server: LiveServer, paul: Player) -> None:
    await lead_a_club(live_server, paul)
    await paul.app.session.join_table((await paul.app.session.lobby.create_table("no_thanks", 3)).table)
    await paul.app.navigation.open_table()
    await paul.press("C")
    await choose(paul, CLUB)
    await paul.sees("Call to this table")
    await mark(paul, "Call to this table")


async def open_invitation(live_server: LiveServer, paul: Player) -> None:
    club = (await live_server.marie.clubs.create_club(CLUB)).info_of_club.club
    await live_server.marie.clubs.invite_user(club, "Paul")
    await paul.press("C")
    await paul.sees("Marie invites you")
    await choose(paul, CLUB)
    await paul.until(lambda: isinstance(paul.app.screen, ClubInvitationDialog))


async def open_member(live_server: LiveServer, paul: Player) -> None:
    await open_club(live_server, paul)
    await choose(paul, "Marie")
    await paul.until(lambda: isinstance(paul.app.screen, MemberDialog))
    await mark(paul, "Make a leader")


async def open_board(live_server: LiveServer, paul: Player) -> None:
    await open_club(live_server, paul)
    await live_server.marie.join_table((await live_server.marie.lobby.create_table("no_thanks", 3)).table)
    await choose(paul, "Board")
    await paul.until(lambda: isinstance(paul.app.screen, ClubBoardDialog))
    await paul.sees("No Thanks!")


async def open_web_code(live_server: LiveServer, paul: Player) -> None:
    await my_account(paul)
    await choose(paul, "Log in elsewhere")
    await paul.until(lambda: isinstance(paul.app.screen, WebCodeDialog))
    await paul.sees("Valid for 60 s")


async def open_profile(live_server: LiveServer, paul: Player) -> None:
    paul.app.navigation.open_profile("Marie")
    await paul.until(lambda: isinstance(paul.app.screen, ProfileDialog))


async def open_account(live_server: LiveServer, paul: Player) -> None:
    await my_account(paul)
    await mark(paul, "Log out")


async def open_keys(live_server: LiveServer, paul: Player) -> None:
    await my_account(paul)
    await choose(paul, "Add an SSH key")
    await fill(paul, PASSWORD)
    await paul.until(lambda: isinstance(paul.app.screen, SshKeyDialog))
    await paul.sees("paul@laptop")


async def type_a_message(live_server: LiveServer, paul: Player) -> None:
    await talking(paul)
    await paul.press(*"Hello")


CASES: Final[dict[str, tuple[Prepare, tuple[str, ...]]]] = {
    "CreateClubRequest": (name_a_club, ("enter",)),
    "CallTournamentRequest": (draft_a_tournament, ("enter",)),
    "EnterTournamentRequest": (open_a_tournament, ("e",)),
    "BeginVacationRequest": (open_vacation, ("enter",)),
    "OpenCalendarRequest": (open_calendar, ("enter",)),
    "TryDigestRequest": (open_digest, ("enter",)),
    "SetCallsRequest": (mark_the_calls, ("enter",)),
    "CallClubRequest": (mark_the_call_to_a_table, ("enter",)),
    "AcceptClubRequest": (open_invitation, ("enter",)),
    "PromoteMemberRequest": (open_member, ("enter",)),
    "JoinRequest": (open_board, ("enter",)),
    "CreateWebCodeRequest": (open_web_code, ("enter",)),
    "IgnoreRequest": (open_profile, ("i",)),
    "LogoutRequest": (open_account, ("enter", "y")),
    "AddKeyRequest": (open_keys, ("enter",)),
    "SayRequest": (type_a_message, ("enter",)),
}


@pytest.mark.usefixtures("key_at_home")
@pytest.mark.parametrize("request_kind", CASES)
async def test_a_key_pressed_twice_sends_one_request(live_server: LiveServer, request_kind: str) -> None:
    prepare, keys = CASES[request_kind]
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.app.session.account.claim_name(PASSWORD)
        await prepare(live_server, paul)
        link = HeldLink(paul, request_kind)
        await paul.press(*keys)
        await paul.until(lambda: request_kind in link.sent)
        await paul.press(*keys)
        link.release()
        await paul.until(lambda: not any(worker.is_running for worker in paul.app.workers))
        assert link.sent.count(request_kind) == 1


async def test_a_refused_form_can_be_submitted_again(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await name_a_club(live_server, paul)
        link = HeldLink(paul, "")
        for _ in range(2):
            await paul.press("enter")
            await paul.sees("claim")
        assert link.sent.count("CreateClubRequest") == 2


async def test_a_message_typed_while_another_is_under_way_follows_it(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await talking(paul)
        link = HeldLink(paul, "SayRequest")
        await paul.press(*"One", "enter", *"Two", "enter", *"Thr")
        link.release()
        await paul.sees("Two")
        assert link.sent.count("SayRequest") == 2
        assert "OneTwo" not in paul.text
        line = await talking_line(paul)
        assert line == "Thr"


async def talking_line(paul: Player) -> str:
    from textual.widgets import Input

    return paul.app.screen.query_one(Input).value


_READS: Final = (
    "advise",
    "compare_",
    "explain",
    "export_",
    "find_",
    "list_",
    "load_",
    "read_",
    "replay_",
    "request_",
    "show_",
)
"""How the methods begin that change nothing on the server."""
_ITS_OWN_WAY: Final = {"_send_or_put_back", "lines"}
"""The chat empties its line before it sends; the admin's pages are lists."""


def test_what_is_sent_without_a_submission_changes_nothing() -> None:
    """A new dialog that changes something by `send_request` is found here."""
    changing = []
    for path in Path(scoville_client.tui.screens.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "self.send_request":
                sent = node.args[0]
                name = ast.unparse(sent.func if isinstance(sent, ast.Call) else sent).rpartition(".")[2]
                if not name.lstrip("_").startswith(_READS) and name not in _ITS_OWN_WAY:
                    changing.append(f"{path.name}: {name}")
    assert changing == []
