"""Users with claimed names, on a server with cheap password hashing."""

from typing import Any

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    AddKeyRequest,
    BecomeAdminRequest,
    ChallengeRequest,
    ClaimNameRequest,
    ConfirmRequest,
    LoginByKeyRequest,
    LoginRequest,
    Params,
)
from scoville_shared.protocol.proofs import Purpose, proof_text
from tests.support.server import Caller, toy_server
from tests.support.ssh import Keys

PASSWORD = "seven habaneros"


def cheap(**limits: Any) -> AccountLimits:
    """Limits with cheap password hashing."""
    return AccountLimits(hashing=Hashing(memory_kib=8, passes=1), **limits)


def account_server(**limits: Any) -> Server:
    return toy_server(Settings(accounts=cheap(**limits)))


async def guest(server: Server, name: str = "", token: str = "", address: str = "") -> Caller:
    """A guest connected from an address."""
    caller = Caller(server)
    caller.peer.address = address
    return await caller.hello(name, token)


async def owner(server: Server, name: str, password: str = PASSWORD, address: str = "") -> Caller:
    """A user with a claimed name."""
    caller = await guest(server, name, address=address)
    await caller.call(ClaimNameRequest(password=password))
    return caller


async def admin(server: Server, name: str, password: str = PASSWORD, code_of: str = "") -> Caller:
    """A user who claimed a name and gave the code of a configured admin, by default the one of this name."""
    caller = await owner(server, name, password)
    await caller.call(BecomeAdminRequest(code=server.admin_codes[code_of or name]))
    return caller


_PURPOSES: dict[type[Params], Purpose] = {
    ClaimNameRequest: "claim",
    AddKeyRequest: "add-key",
    ConfirmRequest: "confirm",
    LoginByKeyRequest: "log-in",
}


async def signed(caller: Caller, keys: Keys, kind: type[Params], name: str = "") -> Params:
    """A request of a kind, signed by a key; `name` is the one to log in to."""
    nonce = (await caller.call(ChallengeRequest())).nonce
    assert caller.welcome is not None
    text = proof_text(_PURPOSES[kind], caller.welcome.server_key, name or caller.welcome.name, nonce)
    more = {"name": name} if kind is LoginByKeyRequest else {}
    return kind(key=keys.line, signature=keys.sign(text), **more)


async def confirmed(caller: Caller, password: str = PASSWORD) -> Caller:
    """A user with a fresh proof of identity."""
    await caller.call(ConfirmRequest(password=password))
    return caller


async def log_in(caller: Caller, name: str = "Anna", password: str = PASSWORD) -> str:
    """Log in, and return the new token."""
    token: str = (await caller.call(LoginRequest(name=name, password=password))).token
    return token
