"""Who I am to a server: a guest, or somebody whose name is their own; and what is known of players."""

from scoville_client.session.requests import Ask
from scoville_shared.protocol.messages import (
    Account,
    AddKey,
    AskAccount,
    AskChallenge,
    AskLeaders,
    AskProfile,
    Challenge,
    ChangePassword,
    ClaimName,
    Empty,
    Leader,
    Leaders,
    LoggedIn,
    LogIn,
    LogInByKey,
    LogOut,
    Profile,
    ReleaseName,
    RemoveKey,
    Report,
    RevokeToken,
)


class AccountActions:
    """Asks about me and others. Every method raises as `Ask` does.

    Who logs in or out is somebody else from then on: `Session.become` takes over what is answered.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def show(self) -> Account:
        """Ask what is kept of me."""
        return await self._ask(AskAccount(), Account)

    async def claim(self, password: str) -> None:
        """Make my name my own."""
        await self._ask(ClaimName(password=password), Empty)

    async def change_password(self, new: str, old: str = "") -> None:
        """Set another password."""
        await self._ask(ChangePassword(new=new, old=old), Empty)

    async def challenge(self) -> str:
        """Ask for what a key has to sign."""
        return (await self._ask(AskChallenge(), Challenge)).challenge

    async def claim_by_key(self, key: str, signature: str) -> None:
        """Make my name my own by a key."""
        await self._ask(ClaimName(key=key, signature=signature), Empty)

    async def add_key(self, key: str, signature: str) -> None:
        """Let a key prove who I am as well."""
        await self._ask(AddKey(key=key, signature=signature), Empty)

    async def remove_key(self, fingerprint: str) -> None:
        """Let a key prove nothing any more."""
        await self._ask(RemoveKey(fingerprint=fingerprint), Empty)

    async def log_in(self, name: str, password: str) -> LoggedIn:
        """Prove by a password that a name is mine."""
        return await self._ask(LogIn(name=name, password=password), LoggedIn)

    async def log_in_by_key(self, key: str, signature: str) -> LoggedIn:
        """Prove by a key who I am."""
        return await self._ask(LogInByKey(key=key, signature=signature), LoggedIn)

    async def log_out(self) -> LoggedIn:
        """Be a guest again."""
        return await self._ask(LogOut(), LoggedIn)

    async def revoke(self, token: str = "") -> None:
        """Make one of my tokens worthless; without its id, all but the one in use."""
        await self._ask(RevokeToken(id=token), Empty)

    async def release(self, password: str = "") -> None:
        """Give my name up."""
        await self._ask(ReleaseName(password=password), Empty)

    async def profile(self, name: str = "") -> Profile:
        """Ask what is known of somebody, or of me."""
        return await self._ask(AskProfile(name=name), Profile)

    async def leaders(self, game: str) -> list[Leader]:
        """Ask for the best at a game."""
        return (await self._ask(AskLeaders(game=game), Leaders)).leaders

    async def report(self, name: str, text: str, table: str = "") -> None:
        """Tell whoever looks after the server of somebody."""
        await self._ask(Report(name=name, text=text, table=table), Empty)
