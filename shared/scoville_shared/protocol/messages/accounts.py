"""Messages of accounts: claimed names, log-in, tokens and SSH keys."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.admin import ReportInfo
from scoville_shared.protocol.messages.base import (
    CODE_CHARACTERS,
    VERBATIM,
    AdminCode,
    Key,
    Name,
    Nonce,
    Params,
    Password,
    Reply,
    ShortText,
)
from scoville_shared.protocol.messages.chat import MessageInfo
from scoville_shared.protocol.messages.clubs import ClubMembership
from scoville_shared.protocol.messages.daily import PastDaily
from scoville_shared.protocol.messages.players import PastGame, Rating
from scoville_shared.protocol.messages.puzzles import PastPuzzle
from scoville_shared.protocol.messages.tables import PastVacation
from scoville_shared.protocol.messages.tournaments import TournamentInfo
from scoville_shared.values import Plain


class ClaimNameRequest(Params, frozen=True, kw_only=True):
    """Claims the user's name: with a `password`, with a `key` and its `signature` for the purpose `claim`, or both.

    `door_key` stands for a key and its signature: it is the key that the user proved to the door.
    """

    password: Password | None = None
    key: Key | None = None
    signature: Key | None = None
    door_key: bool = False


class BecomeAdminRequest(Params, frozen=True, kw_only=True):
    """Makes the user, who owns a name, an admin: with the one-time `code` that the server printed for its admin."""

    code: AdminCode


class LoginRequest(Params, frozen=True, kw_only=True):
    """Logs in to a claimed name with its password."""

    name: Name
    password: Password


class ChallengeRequest(Params, frozen=True, kw_only=True):
    """Requests the nonce of the text that an SSH key has to sign, see `protocol.proofs`."""


class ChallengeReply(Reply, frozen=True, kw_only=True):
    """The nonce, valid for one signature on this connection."""

    nonce: Nonce


class LoginByKeyRequest(Params, frozen=True, kw_only=True):
    """Logs in to a claimed name with an SSH key (one line) and its signature for the purpose `log-in`."""

    name: Name
    key: Key
    signature: Key


class LoginReply(Reply, frozen=True, kw_only=True):
    """The user of this connection after logging in, and the token for reconnecting."""

    name: str
    token: str


class ConfirmRequest(Params, frozen=True, kw_only=True):
    """Confirms the user's identity before a change of credentials: by a `password`, or a `key` and its `signature`."""

    password: Password | None = None
    key: Key | None = None
    signature: Key | None = None


class RecoverRequest(Params, frozen=True, kw_only=True):
    """Logs in to a claimed name with an admin's one-time `code`, and sets another `password`."""

    name: Name
    code: Annotated[str, Meta(max_length=CODE_CHARACTERS), VERBATIM]
    password: Password


class ChangePasswordRequest(Params, frozen=True, kw_only=True):
    """Sets another password, and ends all other sessions. Needs a fresh proof."""

    new: Password


class AddKeyRequest(Params, frozen=True, kw_only=True):
    """Adds an SSH key to the user's account, proved by its signature for the purpose `add-key`. Needs a fresh proof."""

    key: Key
    signature: Key


class RemoveKeyRequest(Params, frozen=True, kw_only=True):
    """Removes an SSH key, named by its fingerprint. Needs a fresh proof."""

    fingerprint: ShortText


class KeyInfo(Struct, frozen=True, kw_only=True):
    """One of the user's SSH keys. Times are milliseconds since 1970."""

    fingerprint: str
    comment: str | None
    added_ms: int


class SessionInfo(Struct, frozen=True, kw_only=True):
    """One of the user's sessions, by a short `id` that gives no access; `current` is this connection's.

    `client` is the program for which it began, and `origin` how: `guest`, `password`, `ssh_key`, `recovery`
    or `web_code`.
    """

    id: str
    client: str | None
    origin: str
    created_ms: int
    used_ms: int
    expires_ms: int
    current: bool


WarningKind = Literal["token_reused", "recovery_code", "moderator"]


class ChangePasswordReply(Reply, frozen=True, kw_only=True):
    """How many sessions were ended, and the SSH keys that log in to the account beside the password: look at them."""

    sessions_ended: int
    keys: list[KeyInfo]


class AccountWarning(Struct, frozen=True, kw_only=True):
    """Something that the owner of an account should know; `session` and `client` are empty if it concerns no session.

    `token_reused`: an old token of that session was shown, so it has been copied; the session was ended.
    `recovery_code`: an admin has made a code that logs in to the account. `moderator`: a moderator or an admin warns
    the user, for a `reason`.
    """

    kind: str
    at_ms: int
    session: str | None = None
    client: str | None = None
    reason: str | None = None


class AccountWarnedNotice(Struct, frozen=True, kw_only=True):
    """`account.warned`: something happened to the user's account that they should know."""

    warning: AccountWarning


class ShowAccountRequest(Params, frozen=True, kw_only=True):
    """Requests all data of the user that the server keeps."""


class AccountReply(Reply, frozen=True, kw_only=True):
    """The stored data of the user, and their credentials."""

    name: str
    claimed: bool
    has_password: bool
    keys: list[KeyInfo]
    sessions: list[SessionInfo]
    warnings: list[AccountWarning] = []


class ExportAccountRequest(Params, frozen=True, kw_only=True):
    """Requests everything that the server keeps about the user."""


class ExportAccountReply(Reply, frozen=True, kw_only=True):
    """Everything that the server keeps about the user, without secrets.

    `messages` are those of theirs that are kept, with whispers to them, `ignored_names` those whom they ignore,
    `reports` the open ones that they have sent, `table_ids` are the tables at which they sit. `past_daily` are the
    daily deals of theirs that are kept, and `daily_days` all days on which they have finished one: streaks follow.
    `past_puzzles` are their attempts at puzzles, `vacations` those of the latest year; `calendar_since_ms` is when they
    have opened their calendar, `digest_url` where their digest goes, `tournaments` are those that they have entered,
    `memberships` their clubs.
    """

    name: str
    claimed: bool
    has_password: bool
    admin: bool
    keys: list[KeyInfo]
    sessions: list[SessionInfo]
    warnings: list[AccountWarning]
    client_settings: Plain | None
    since_ms: int
    begun: int
    finished: int
    won: int
    median_pick_ms: int | None
    ratings: list[Rating]
    recent: list[PastGame]
    messages: list[MessageInfo]
    ignored_names: list[str]
    reports: list[ReportInfo]
    table_ids: list[str]
    past_daily: list[PastDaily] = []
    daily_days: list[int] = []
    past_puzzles: list[PastPuzzle] = []
    vacations: list[PastVacation] = []
    calendar_since_ms: int | None = None
    digest_url: str | None = None
    tournaments: list[TournamentInfo] = []
    memberships: list[ClubMembership] = []


class EndSessionRequest(Params, frozen=True, kw_only=True):
    """Ends a session and closes its connection; an empty `id` means all but this one."""

    id: ShortText | None = None


class LogoutRequest(Params, frozen=True, kw_only=True):
    """Ends this connection's session; the user becomes a new guest."""


class ReleaseNameRequest(Params, frozen=True, kw_only=True):
    """Releases the user's name with its credentials; they stay the same user, as a guest. Needs a fresh proof."""


class DeleteAccountRequest(Params, frozen=True, kw_only=True):
    """Deletes the account and everything about the user, who becomes a new guest. Needs a fresh proof."""
