"""Account requests: claim a name, log in and out, credentials, profiles, leaderboards and reports."""

from scoville_client.session.requests import Request
from scoville_shared.protocol.messages import (
    AccountReply,
    AddKeyRequest,
    ChallengeReply,
    ChallengeRequest,
    ChangePasswordRequest,
    ClaimNameRequest,
    Empty,
    EndSessionRequest,
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
    ShowAccountRequest,
)


class AccountActions:
    """Requests about this user and others. Every method raises as `Request` does.

    A log-in or log-out makes another user of this connection: pass its reply to `Session.switch_user`.
    """

    def __init__(self, request: Request) -> None:
        self._request = request

    async def show(self) -> AccountReply:
        """Request this user's account data."""
        return await self._request(ShowAccountRequest(), AccountReply)

    async def claim(self, password: str) -> None:
        """Claim the user's name with a password."""
        await self._request(ClaimNameRequest(password=password), Empty)

    async def change_password(self, new: str, old: str = "") -> None:
        """Change the password."""
        await self._request(ChangePasswordRequest(new=new, old=old or None), Empty)

    async def challenge(self) -> str:
        """Request the challenge that an SSH key must sign."""
        return (await self._request(ChallengeRequest(), ChallengeReply)).challenge

    async def claim_by_key(self, key: str, signature: str) -> None:
        """Claim the user's name with an SSH key."""
        await self._request(ClaimNameRequest(key=key, signature=signature), Empty)

    async def add_key(self, key: str, signature: str) -> None:
        """Add an SSH key to the account."""
        await self._request(AddKeyRequest(key=key, signature=signature), Empty)

    async def remove_key(self, fingerprint: str) -> None:
        """Remove an SSH key from the account."""
        await self._request(RemoveKeyRequest(fingerprint=fingerprint), Empty)

    async def log_in(self, name: str, password: str) -> LoginReply:
        """Log in with a name and a password."""
        return await self._request(LoginRequest(name=name, password=password), LoginReply)

    async def log_in_by_key(self, key: str, signature: str) -> LoginReply:
        """Log in with an SSH key."""
        return await self._request(LoginByKeyRequest(key=key, signature=signature), LoginReply)

    async def log_out(self) -> LoginReply:
        """Log out and become a guest."""
        return await self._request(LogoutRequest(), LoginReply)

    async def end_session(self, session: str = "") -> None:
        """End one of the user's sessions, by its id; without one, all but this one."""
        await self._request(EndSessionRequest(id=session or None), Empty)

    async def release(self, password: str = "") -> None:
        """Give up the claimed name."""
        await self._request(ReleaseNameRequest(password=password or None), Empty)

    async def profile(self, name: str = "") -> ProfileReply:
        """Request the profile of a user, or this user's own for an empty name."""
        return await self._request(ProfileRequest(name=name or None), ProfileReply)

    async def leaders(self, game: str) -> list[LeaderboardEntry]:
        """Request the leaderboard of a game."""
        return (await self._request(LeaderboardRequest(game=game), LeaderboardReply)).leaders

    async def report(self, name: str, text: str, table: str = "") -> None:
        """Report a user to the admins."""
        await self._request(ReportRequest(name=name, text=text, table=table or None), Empty)
