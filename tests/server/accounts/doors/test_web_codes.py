"""Codes with which the owner of a name logs in in a browser."""

from msgspec.structs import replace

from scoville_server.accounts.doors.web_codes import SECONDS, WebCodes
from scoville_server.server import Server
from scoville_shared.errors import Code
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m
from tests.support.accounts import account_server, connect_owner, ed25519_keys
from tests.support.core import PAGE, SSH, WEB, Clock, code_of, connect_hosted, stop_clocks
from tests.support.server import Caller

ANNA, BEN = UserId("anna"), UserId("ben")


async def test_a_code_is_valid_once_and_however_it_is_typed() -> None:
    codes = WebCodes(Clock())
    code = codes.create_code(ANNA, "session")
    found = await codes.use_code(f" {code.lower().replace('-', ' ')} ")
    assert found is not None
    assert (found.user, found.session) == (ANNA, "session")
    assert await codes.use_code(code) is None


async def test_a_code_expires_and_a_new_one_replaces_the_old() -> None:
    clock = Clock()
    codes = WebCodes(clock)
    old, new = codes.create_code(ANNA, "session"), codes.create_code(ANNA, "session")
    assert await codes.use_code(old) is None
    other = codes.create_code(BEN, "other")
    clock.seconds = SECONDS
    assert (await codes.use_code(new), await codes.use_code(other)) == (None, None)
    assert len(codes) == 0


async def code_for(server: Server, name: str = "Ben") -> tuple[Caller, str]:
    ben = await connect_owner(server, name)
    return ben, (await ben.call(m.CreateWebCodeRequest())).code


async def test_a_browser_logs_in_without_a_fresh_proof() -> None:
    server = account_server()
    ben, code = await code_for(server)
    browser = await connect_hosted(server, WEB)
    reply = await browser.call(m.LoginByWebCodeRequest(code=code))
    assert reply.name == "Ben"
    assert ben.peer.bye is not None
    assert ben.peer.bye.code == Code.TAKEN_OVER
    [session, _] = (await browser.call(m.ShowAccountRequest())).sessions
    assert (session.origin, session.current) == ("web_code", True)
    assert await code_of(browser, m.ReleaseNameRequest()) == Code.PROOF_REQUIRED
    assert await code_of(await connect_hosted(server, WEB), m.LoginByWebCodeRequest(code=code)) == Code.WRONG_LOGIN


async def test_guests_have_no_codes() -> None:
    server = account_server()
    assert await code_of(await connect_hosted(server), m.CreateWebCodeRequest()) == Code.NOT_CLAIMED


async def test_an_unencrypted_page_takes_no_codes() -> None:
    server = account_server()
    _, code = await code_for(server)
    assert await code_of(await connect_hosted(server, PAGE), m.LoginByWebCodeRequest(code=code)) == Code.INSECURE
    assert (await (await connect_hosted(server, WEB)).call(m.LoginByWebCodeRequest(code=code))).name == "Ben"


async def test_wrong_codes_count_as_wrong_log_ins() -> None:
    server = account_server()
    stop_clocks(server)
    browser = await connect_hosted(server, WEB)
    answers = [await code_of(browser, m.LoginByWebCodeRequest(code="22222222")) for _ in range(7)]
    assert answers[:5] == [Code.WRONG_LOGIN] * 5
    assert answers[-1] == Code.SLOW_DOWN


async def test_a_stolen_token_ends_the_browsers_session() -> None:
    server = account_server()
    ben, code = await code_for(server)
    assert ben.welcome is not None
    stolen = ben.welcome.token
    thief = await connect_hosted(server, WEB)
    token = (await thief.call(m.LoginByWebCodeRequest(code=code))).token
    newer = await Caller(server).hello("", stolen)
    assert newer.welcome is not None
    await Caller(server).hello("", newer.welcome.token)
    late = await Caller(server).hello("", stolen)
    assert late.welcome is not None
    assert late.welcome.token_reused
    after = await connect_hosted(server, WEB, token=token)
    assert after.welcome is not None
    assert not after.welcome.resumed


async def test_a_browsers_session_survives_its_owners_ssh() -> None:
    server = account_server()
    keyed = replace(SSH, key=ed25519_keys().line)
    anna = await connect_hosted(server, keyed, "Anna")
    await anna.call(m.ClaimNameRequest(door_key=True))
    code = (await anna.call(m.CreateWebCodeRequest())).code
    token = (await (await connect_hosted(server, WEB)).call(m.LoginByWebCodeRequest(code=code))).token
    await connect_hosted(server, keyed)
    back = await connect_hosted(server, WEB, token=token)
    assert back.welcome is not None
    assert (back.welcome.name, back.welcome.resumed) == ("Anna", True)
