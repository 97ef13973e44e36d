"""Stable error codes for programs. A refused move has the game's own reason as its code."""

from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """Every error code of the protocol that is not a game's reason; docs/protocol.md lists them with their meaning."""

    BAD_FRAME = "bad_frame"
    FRAME_TOO_LARGE = "frame_too_large"
    BAD_PARAMS = "bad_params"
    UNKNOWN_METHOD = "unknown_method"
    TLS_REQUIRED = "tls_required"
    DOOR_REFUSED = "door_refused"
    HELLO_FIRST = "hello_first"
    UPGRADE_CLIENT = "upgrade_client"
    UPGRADE_SERVER = "upgrade_server"
    UNKNOWN_GAME = "unknown_game"
    BAD_OPTIONS = "bad_options"
    BAD_SEATS = "bad_seats"
    UNKNOWN_TABLE = "unknown_table"
    TABLE_FULL = "table_full"
    SEAT_TAKEN = "seat_taken"
    NOT_SEATED = "not_seated"
    NOT_HOST = "not_host"
    NO_HOST = "no_host"
    ALREADY_STARTED = "already_started"
    NOT_STARTED = "not_started"
    NOT_FINISHED = "not_finished"
    GAME_OVER = "game_over"
    PAUSED = "paused"
    BAD_MOVE = "bad_move"
    STALE_MOVE = "stale_move"
    NO_REMATCH = "no_rematch"
    DEAL_SEALED = "deal_sealed"
    DEAL_OVER = "deal_over"
    DEAL_PLAYED = "deal_played"
    DEAL_NOT_PLAYED = "deal_not_played"
    NO_DAILY = "no_daily"
    NO_PUZZLE = "no_puzzle"
    NO_CALENDAR = "no_calendar"
    NO_DIGEST = "no_digest"
    DIGESTS_OFF = "digests_off"
    BAD_URL = "bad_url"
    PRIVATE_URL = "private_url"
    DIGEST_FAILED = "digest_failed"
    UNKNOWN_CLUB = "unknown_club"
    CLUB_CLOSED = "club_closed"
    CLUB_FULL = "club_full"
    CLUB_GUEST = "club_guest"
    CLUB_BANNED = "club_banned"
    BAD_CLUB_NAME = "bad_club_name"
    NOT_LEADER = "not_leader"
    LAST_LEADER = "last_leader"
    NOT_MEMBER = "not_member"
    NO_PLAN = "no_plan"
    UNKNOWN_TOURNAMENT = "unknown_tournament"
    TOURNAMENT_CLOSED = "tournament_closed"
    YOUR_TURN = "your_turn"
    NO_VACATION = "no_vacation"
    NOT_REQUESTED = "not_requested"
    WRONG_NONCE = "wrong_nonce"
    REDRAWING = "redrawing"
    UNKNOWN_CODE = "unknown_code"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - the name of an error
    WRONG_KEY = "wrong_key"
    NO_SPECTATORS = "no_spectators"
    KICKED = "kicked"
    VOTE_NEEDED = "vote_needed"
    VOTE_RUNNING = "vote_running"
    NO_VOTE = "no_vote"
    ALREADY_VOTED = "already_voted"
    TOO_FEW_VOTERS = "too_few_voters"
    UNKNOWN_USER = "unknown_user"
    NAME_CLAIMED = "name_claimed"
    NOT_CLAIMED = "not_claimed"
    WRONG_LOGIN = "wrong_login"
    PROOF_REQUIRED = "proof_required"
    INSECURE = "insecure"
    SERVER_PASSWORD = "server_password"  # noqa: S105 - a name, no password
    WRONG_SERVER_PASSWORD = "wrong_server_password"  # noqa: S105 - as above
    WRONG_CODE = "wrong_code"
    BAD_KEY = "bad_key"
    SEATED = "seated"
    MUTED = "muted"
    BANNED = "banned"
    NOT_ALLOWED = "not_allowed"
    SLOW_DOWN = "slow_down"
    TOO_MANY = "too_many"
    BUSY = "busy"
    TAKEN_OVER = "taken_over"
    REVOKED = "revoked"
    TOKEN_REUSED = "token_reused"  # noqa: S105 - the name of an error
    SHUTTING_DOWN = "shutting_down"
    RESTARTING = "restarting"
    MOVED = "moved"
    MAINTENANCE = "maintenance"
    NOT_SAVED = "not_saved"
    OUTCOME_UNKNOWN = "outcome_unknown"
    STORAGE_LOST = "storage_lost"
    DAMAGED_GAME = "damaged_game"
    INTERNAL = "internal"


class ScovilleError(Exception):
    """An error with a stable `code` for programs, a sentence for users, and the values that it mentions."""

    def __init__(self, code: str, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data or {}


class RemoteError(ScovilleError):
    """An error in the words of the other end of a connection."""
