"""Account requests: claim a name, log in and out, credentials, profiles, leaderboards and reports."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, Protocol

from scoville_client.i18n.language import current_language, render, tr
from scoville_client.session.changes import Request
from scoville_client.session.identity.careers import Careers
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    AccountReply,
    AddDoorKeyRequest,
    AddKeyRequest,
    BecomeAdminRequest,
    BeginVacationRequest,
    CalendarReply,
    ChallengeReply,
    ChallengeRequest,
    ChangePasswordReply,
    ChangePasswordRequest,
    ClaimNameRequest,
    ClearDigestRequest,
    CloseCalendarRequest,
    ConfirmRequest,
    CreateWebCodeReply,
    CreateWebCodeRequest,
    DeleteAccountRequest,
    DigestReply,
    Empty,
    EndSessionRequest,
    EndVacationRequest,
    ExportAccountReply,
    ExportAccountRequest,
    LeaderboardEntry,
    LeaderboardReply,
    LeaderboardRequest,
    LoginByKeyRequest,
    LoginByWebCodeRequest,
    LoginReply,
    LoginRequest,
    LogoutRequest,
    OpenCalendarRequest,
    ProfileReply,
    ProfileRequest,
    RecoverRequest,
    ReleaseNameRequest,
    RemoveKeyRequest,
    ReportRequest,
    SaveSettingsRequest,
    SessionInfo,
    SetDigestRequest,
    ShowAccountRequest,
    ShowCalendarRequest,
    ShowDigestRequest,
    ShowVacationRequest,
    TryDigestRequest,
    VacationReply,
)
from scoville_shared.protocol.proofs import Purpose, proof_text

_ORIGINS: Final[Mapping[str, Phrase]] = {
    "guest": Phrase("begun as a guest"),
    "password": Phrase("by password"),
    "ssh_key": Phrase("by SSH key"),
    "web_code": Phrase("by web code"),
    "recovery": Phrase("by recovery code"),
}


def origin_text(session: SessionInfo) -> str:
    """Return how a session began; a value of a newer server is shown as it is."""
    phrase = _ORIGINS.get(session.origin)
    return session.origin if phrase is None else render(phrase)


class Channel(Protocol):
    """The connection as proofs of identity need it."""

    name: str

    @property
    def server_key(self) -> str:
        """The server's public key in hex, as this connection proves it; empty if nothing proves it."""

    @property
    def local(self) -> bool:
        """Whether the server is on this computer."""


class AccountActions:
    """Requests about this user and others. Every method raises as `Request` does.

    A log-in or log-out makes another user of this connection: pass its reply to `Session.switch_user`. Passwords leave
    for an encrypted connection or this computer only, and a key signs only what this client has composed for the
    server at the other end of an encrypted connection; otherwise methods raise ScovilleError `insecure`. `careers` are
    the profiles of players at tables.
    """

    def __init__(self, request: Request, channel: Channel) -> None:
        self._request = request
        self._channel = channel
        self.careers = Careers(self.request_profile)

    async def show_account(self) -> AccountReply:
        """Request this user's account data."""
        return await self._request(ShowAccountRequest(), AccountReply)

    async def show_vacation(self) -> VacationReply:
        """Request this user's vacation from games by correspondence."""
        return await self._request(ShowVacationRequest(), VacationReply)

    async def begin_vacation(self, days: int) -> VacationReply:
        """Let this user's clocks in all games by correspondence rest for so many days."""
        return await self._request(BeginVacationRequest(days=days), VacationReply)

    async def end_vacation(self) -> VacationReply:
        """Let this user's clocks run again."""
        return await self._request(EndVacationRequest(), VacationReply)

    async def show_calendar(self) -> CalendarReply:
        """Request whether this user has a calendar."""
        return await self._request(ShowCalendarRequest(), CalendarReply)

    async def open_calendar(self) -> CalendarReply:
        """Open this user's calendar in their language, or give it another address."""
        return await self._request(OpenCalendarRequest(language=current_language()), CalendarReply)

    async def close_calendar(self) -> CalendarReply:
        """End the address of this user's calendar."""
        return await self._request(CloseCalendarRequest(), CalendarReply)

    async def show_digest(self) -> DigestReply:
        """Request where this user's digest goes."""
        return await self._request(ShowDigestRequest(), DigestReply)

    async def set_digest(self, url: str) -> DigestReply:
        """Let this user's digest go to an address, by https where it does not say how."""
        return await self._request(SetDigestRequest(url=url if "://" in url else f"https://{url}"), DigestReply)

    async def clear_digest(self) -> DigestReply:
        """End this user's digest."""
        return await self._request(ClearDigestRequest(), DigestReply)

    async def try_digest(self) -> DigestReply:
        """Send a test to the address of this user's digest."""
        return await self._request(TryDigestRequest(), DigestReply)

    async def export_data(self) -> ExportAccountReply:
        """Request everything that the server keeps about this user."""
        return await self._request(ExportAccountRequest(), ExportAccountReply)

    async def claim_name(self, password: str) -> None:
        """Claim the user's name with a password."""
        self._check_private()
        await self._request(ClaimNameRequest(password=password), Empty)

    async def become_admin(self, code: str) -> None:
        """Become an admin by the one-time code that the server printed. Raises as `Request` does."""
        self._check_private()
        await self._request(BecomeAdminRequest(code=code), Empty)

    async def text_to_sign(self, purpose: Purpose, name: str = "") -> str:
        """Compose the text that an SSH key signs, with a nonce of the server; `name` is the one to log in to."""
        server_key = self._channel.server_key
        if not server_key:
            raise ScovilleError(Code.INSECURE, tr("SSH keys are used on encrypted connections only."))
        # The nonce is all that a server chooses of it: a key that signs any given text logs in a thief elsewhere.
        nonce = (await self._request(ChallengeRequest(), ChallengeReply)).nonce
        return proof_text(purpose, server_key, name or self._channel.name, nonce)

    async def claim_by_key(self, key: str, signature: str) -> None:
        """Claim the user's name with an SSH key."""
        await self._request(ClaimNameRequest(key=key, signature=signature), Empty)

    async def claim_by_door_key(self) -> None:
        """Claim the user's name with the SSH key that the user has proved to the door."""
        await self._request(ClaimNameRequest(door_key=True), Empty)

    async def add_door_key(self) -> None:
        """Add the SSH key that the user has proved to the door to the account."""
        await self._request(AddDoorKeyRequest(), Empty)

    async def save_settings(self, settings: Mapping[str, Any]) -> None:
        """Let the server keep settings of this client with the user."""
        await self._request(SaveSettingsRequest(client_settings=dict(settings)), Empty)

    async def confirm_user(self, password: str) -> None:
        """Confirm who the user is, before a change of credentials."""
        self._check_private()
        await self._request(ConfirmRequest(password=password), Empty)

    async def confirm_by_key(self, key: str, signature: str) -> None:
        """Confirm who the user is with an SSH key."""
        await self._request(ConfirmRequest(key=key, signature=signature), Empty)

    async def change_password(self, new: str) -> ChangePasswordReply:
        """Change the password; all other sessions end."""
        self._check_private()
        return await self._request(ChangePasswordRequest(new=new), ChangePasswordReply)

    async def add_key(self, key: str, signature: str) -> None:
        """Add an SSH key to the account."""
        await self._request(AddKeyRequest(key=key, signature=signature), Empty)

    async def remove_key(self, fingerprint: str) -> None:
        """Remove an SSH key from the account."""
        await self._request(RemoveKeyRequest(fingerprint=fingerprint), Empty)

    async def log_in(self, name: str, password: str) -> LoginReply:
        self._check_private()
        return await self._request(LoginRequest(name=name, password=password), LoginReply)

    async def log_in_by_key(self, name: str, key: str, signature: str) -> LoginReply:
        """Log in with a name and an SSH key."""
        return await self._request(LoginByKeyRequest(name=name, key=key, signature=signature), LoginReply)

    async def create_web_code(self) -> CreateWebCodeReply:
        """Make a one-time code with which another client, such as a browser, logs in as this user."""
        self._check_private()
        return await self._request(CreateWebCodeRequest(), CreateWebCodeReply)

    async def log_in_by_web_code(self, code: str) -> LoginReply:
        """Log in with the one-time code that another client of the user shows."""
        self._check_private()
        return await self._request(LoginByWebCodeRequest(code=code), LoginReply)

    async def recover_account(self, name: str, code: str, password: str) -> LoginReply:
        """Log in with an admin's recovery code, and set another password."""
        self._check_private()
        return await self._request(RecoverRequest(name=name, code=code, password=password), LoginReply)

    async def log_out(self) -> LoginReply:
        """Log out and become a guest."""
        return await self._request(LogoutRequest(), LoginReply)

    async def end_session(self, session: str = "") -> None:
        """End one of the user's sessions, by its id; without one, all but this one."""
        await self._request(EndSessionRequest(id=session or None), Empty)

    async def release_name(self) -> None:
        """Give up the claimed name."""
        await self._request(ReleaseNameRequest(), Empty)

    async def delete_account(self) -> LoginReply:
        """Delete the account and become a guest."""
        return await self._request(DeleteAccountRequest(), LoginReply)

    async def request_profile(self, name: str = "") -> ProfileReply:
        """Request the profile of a user, or this user's own for an empty name."""
        return await self._request(ProfileRequest(name=name or None), ProfileReply)

    async def request_leaders(self, game: str) -> list[LeaderboardEntry]:
        """Request the leaderboard of a game."""
        return (await self._request(LeaderboardRequest(game=game), LeaderboardReply)).leaders

    async def report_user(self, name: str, text: str, table: str = "") -> None:
        """Report a user to the admins."""
        await self._request(ReportRequest(name=name, text=text, table=table or None), Empty)

    def _check_private(self) -> None:
        # Checked here as well as on the server, which refuses only what has been sent already.
        if not (self._channel.server_key or self._channel.local):
            raise ScovilleError(Code.INSECURE, tr("This connection is not encrypted, so no password is sent over it."))


LEAST = 8
"""Length below which every password is weak."""
_KINDS = (("abcdefghijklmnopqrstuvwxyz", 26), ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26), ("0123456789", 10))
_OTHER = 33
"""Printable signs of ASCII that are neither letters nor digits."""
_WORDS = ((36, Phrase("weak")), (52, Phrase("fair")), (72, Phrase("good")))
_BEST = Phrase("strong")


def password_strength(password: str, name: str = "") -> Phrase:
    """Return the strength of a password. Parts of the user's name and repetitions count for less."""
    if len(password) < LEAST or (name and name.casefold() in password.casefold()):
        return _WORDS[0][1]
    bits = _entropy_bits(password)
    return next((word for limit, word in _WORDS if bits < limit), _BEST)


def _entropy_bits(password: str) -> float:
    """Estimate the bits of a password from its kinds of characters and its number of different characters."""
    size = sum(count for letters, count in _KINDS if any(char in letters for char in password))
    known = "".join(letters for letters, _ in _KINDS)
    size += _OTHER * any(char not in known for char in password)
    # Runs such as abc, 321 and aaa are one guess, however long they are.
    steps = sum(abs(ord(char) - ord(before)) > 1 for before, char in pairwise(password))
    worth = min(len(password), 2 * len(set(password)), 1 + steps)
    return worth * math.log2(max(size, 2))
