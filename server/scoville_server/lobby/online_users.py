"""The connected users of all nodes, as readers of the lobby know them by name."""

from collections.abc import Container, Iterable
from itertools import islice

from scoville_server.accounts.sessions import Sessions, User
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import UserInfo

MOST_NAMED = 200
"""Most users named at once; the others are counted."""


class OnlineUsers:
    """Who is connected, to this node or another one, and who has come or gone since readers heard of it.

    Args:
        sessions: The users whom this node knows.
        admins: The admins.
        moderators: The moderators.
    """

    def __init__(self, sessions: Sessions, admins: Container[User], moderators: Container[User]) -> None:
        self._sessions = sessions
        self._admins, self._moderators = admins, moderators
        self._here: dict[UserId, User] = {}
        self._elsewhere: dict[UserId, str] = {}
        """The names of all users of other nodes; a connection that is taken over by another node is at both."""
        self._far: dict[UserId, str] = {}
        """Those of them who are not connected to this one."""
        self._came: dict[str, UserId] = {}
        self._went: dict[str, None] = {}
        self._new: set[str] = set()
        """Names of users who connected since the last notice."""

    @property
    def count(self) -> int:
        """How many users are connected."""
        return len(self._here) + len(self._far)

    # --- who comes and goes ----------------------------------------------------------------------------

    def note_connected(self, user: User) -> None:
        """Note a user who has connected to this node, or has a new name."""
        known, name = self._far.pop(user.id, None), user.name
        if known not in (None, name):
            self.note_departure(known or "")
        # Who comes back before their departure was announced is not new: readers still have the name.
        if user.id not in self._here and known is None and name not in self._went:
            self._new.add(name)
        self._here[user.id] = user
        self._went.pop(name, None)
        self._came[name] = user.id

    def note_disconnected(self, user: User) -> None:
        """Note a user who has disconnected from this node, perhaps since they are connected to another one."""
        self._here.pop(user.id, None)
        name = self._elsewhere.get(user.id)
        if name != user.name:
            self.note_departure(user.name)
        if name is not None:
            self._note_far(user.id, name)

    def note_elsewhere(self, user: UserId, name: str) -> None:
        """Note under which name a user is connected to another node; empty if they are not any more."""
        if name:
            self._elsewhere[user] = name
        else:
            self._elsewhere.pop(user, None)
        known = self._far.get(user, "")
        if user in self._here or name == known:
            return
        if known:
            del self._far[user]
            self.note_departure(known)
        if name:
            self._note_far(user, name)

    def _note_far(self, user: UserId, name: str) -> None:
        self._far[user] = name
        self._went.pop(name, None)
        self._came[name] = user

    def note_departure(self, name: str) -> None:
        """Note that a name is no longer in use; `note_connected` announces the new one."""
        self._came.pop(name, None)
        if name in self._new and len(self._went) >= MOST_NAMED:
            # Connections that come and go in a flood were never announced.
            return
        self._went[name] = None

    # --- what readers hear -----------------------------------------------------------------------------

    def list_users(self) -> list[UserInfo]:
        """List the users who are named, those of this node first."""
        here = [self._describe_user(user, self._here[user].name) for user in islice(self._here, MOST_NAMED)]
        return [*here, *(self._describe_user(*far) for far in islice(self._far.items(), MOST_NAMED - len(here)))]

    def list_names_here(self) -> list[str]:
        """List the users of this node whom readers know by name."""
        return [user.name for user in islice(self._here.values(), MOST_NAMED)]

    def note_missing(self, names: Iterable[str]) -> None:
        """Note that users have left who were connected to a former process, and to this one are not."""
        known = {*(user.name for user in self._here.values()), *self._far.values()}
        for name in names:
            if name not in known:
                self.note_departure(name)

    @property
    def has_changes(self) -> bool:
        """Whether users have come or gone."""
        return bool(self._came or self._went)

    def take_changes(self) -> tuple[list[UserInfo], list[str]]:
        """Return who has come, and the names of those who have gone; more of these come the next time."""
        came = [self._describe_user(user, name) for name, user in islice(self._came.items(), MOST_NAMED)]
        went = [*islice(self._went, MOST_NAMED)]
        for name in went:
            del self._went[name]
        self._came.clear()
        self._new.clear()
        return came, went

    def forget_changes(self) -> None:
        """Forget who has come or gone: nobody reads it."""
        self._came.clear()
        self._went.clear()
        self._new.clear()

    def _describe_user(self, user: UserId, name: str) -> UserInfo:
        """Describe a user; one of another node may not be known here: a guest, or one whose row comes later."""
        found = self._here.get(user) or self._sessions.find_user(user)
        if found is None:
            return UserInfo(name=name)
        claimed, admin, moderator = found.claimed, found in self._admins, found in self._moderators
        return UserInfo(name=name, claimed=claimed, admin=admin, moderator=moderator)
