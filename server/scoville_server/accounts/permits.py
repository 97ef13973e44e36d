"""What users may do on this server, as the handlers of all features ask for it."""

from typing import Protocol

from scoville_server.accounts.sessions import User


# A protocol: bans and seats, which decide, are known to features above those that ask.
class Permits(Protocol):
    """Checks of bans, of the shutdown, and of seats that bind a user; each raises ScovilleError."""

    def check_open(self) -> None:
        """Refuse to start anything new while the server drains. Raises ScovilleError `shutting_down`."""

    def check_may_log_in(self, user: User) -> None:
        """Check that a user is not banned from the server. Raises ScovilleError `banned`."""

    def check_not_playing(self, user: User) -> None:
        """Check that a user has no seat, except in finished games. Raises ScovilleError `seated`."""

    def check_may_talk(self, user: User) -> None:
        """Check that a user may chat on this server. Raises ScovilleError `banned`."""

    def check_may_play(self, user: User) -> None:
        """Check that a user may play here. Raises ScovilleError `banned` and `shutting_down`."""
