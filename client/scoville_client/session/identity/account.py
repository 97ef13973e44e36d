"""Who I am to a server: a guest, or somebody whose name is their own; and what is known of players."""

from scoville_client.session.requests import Ask
from scoville_shared.protocol.messages import (
    AccountReply,
    AddKeyRequest,
    ChallengeReply,
    ChallengeRequest,
    ChangePasswordRequest,
    ClaimNameRequest,
    Empty,
    LeaderboardEntry,
    LeaderboardReply,
    LeaderboardRequest,
    LoginByKeyRequest,
    LoginReply,
    LoginRequest,
    LogoutRequest,
    ProfileReply,
    ProfileRequest,
    ReleaseNameRequest,
    RemoveKeyRequest,
    ReportRequest,
    RevokeTokenRequest,
    ShowAccountRequest,
)


class AccountActions:
    """Asks about me and others. Every method raises as `Ask` does.

    Who logs in or out is somebody else from then on: `Session.become` takes over what is answered.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def show(self) -> AccountReply:
        """Ask what is kept of me."""
        return await self._ask(ShowAccountRequest(), AccountReply)

    async def claim(self, password: str) -> None:
        """Make my name my own."""
        await self._ask(ClaimNameRequest(password=password), Empty)

    async def change_password(self, new: str, old: str = "") -> None:
        """Set another password."""
        await self._ask(ChangePasswordRequest(new=new, old=old), Empty)

    async def challenge(self) -> str:
        """Ask for what a key has to sign."""
        return (await self._ask(ChallengeRequest(), ChallengeReply)).challenge

    async def claim_by_key(self, key: str, signature: str) -> None:
        """Make my name my own by a key."""
        await self._ask(ClaimNameRequest(key=key, signature=signature), Empty)

    async def add_key(self, key: str, signature: str) -> None:
        """Let a key prove who I am as well."""
        await self._ask(AddKeyRequest(key=key, signature=signature), Empty)

    async def remove_key(self, fingerprint: str) -> None:
        """Let a key prove nothing any more."""
        await self._ask(RemoveKeyRequest(fingerprint=fingerprint), Empty)

    async def log_in(self, name: str, password: str) -> LoginReply:
        """Prove by a password that a name is mine."""
        return await self._ask(LoginRequest(name=name, password=password), LoginReply)

    async def log_in_by_key(self, key: str, signature: str) -> LoginReply:
        """Prove by a key who I am."""
        return await self._ask(LoginByKeyRequest(key=key, signature=signature), LoginReply)

    async def log_out(self) -> LoginReply:
        """Be a guest again."""
        return await self._ask(LogoutRequest(), LoginReply)

    async def revoke(self, token: str = "") -> None:
        """Make one of my tokens worthless; without its id, all but the one in use."""
        await self._ask(RevokeTokenRequest(id=token), Empty)

    async def release(self, password: str = "") -> None:
        """Give my name up."""
        await self._ask(ReleaseNameRequest(password=password), Empty)

    async def profile(self, name: str = "") -> ProfileReply:
        """Ask what is known of somebody, or of me."""
        return await self._ask(ProfileRequest(name=name), ProfileReply)

    async def leaders(self, game: str) -> list[LeaderboardEntry]:
        """Ask for the best at a game."""
        return (await self._ask(LeaderboardRequest(game=game), LeaderboardReply)).leaders

    async def report(self, name: str, text: str, table: str = "") -> None:
        """Tell whoever looks after the server of somebody."""
        await self._ask(ReportRequest(name=name, text=text, table=table), Empty)
