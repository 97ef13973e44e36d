"""The data of errors, typed: which values each code's `data` may have. Docs and schema are checked against it."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from scoville_shared.errors import Code


class ErrorData(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all data of errors. A field may be missing, and later versions may add some."""


class BadParamsData(ErrorData, frozen=True, kw_only=True):
    """`field` is the param that is missing, unknown or wrong, of `method`; the others are its value.

    `unknown` says that the server does not know it, as an older one may not.
    """

    method: str | UnsetType = UNSET
    field: str | UnsetType = UNSET
    unknown: bool | UnsetType = UNSET
    name: str | UnsetType = UNSET
    target: str | UnsetType = UNSET
    bots: str | UnsetType = UNSET
    id: int | UnsetType = UNSET


class UnknownMethodData(ErrorData, frozen=True, kw_only=True):
    """The methods that the server knows."""

    methods: list[str] | UnsetType = UNSET


class VersionData(ErrorData, frozen=True, kw_only=True):
    """The protocol versions of both ends, and the version of the server."""

    client: int | UnsetType = UNSET
    server: int | UnsetType = UNSET
    server_version: str | UnsetType = UNSET


class BadSeatsData(ErrorData, frozen=True, kw_only=True):
    """The seat that does not exist; or how many a game takes, and how many were asked for."""

    seat: int | UnsetType = UNSET
    fewest: int | UnsetType = UNSET
    most: int | UnsetType = UNSET
    seats: int | UnsetType = UNSET


class UnknownTableData(ErrorData, frozen=True, kw_only=True):
    """The table, and the reason if it was closed just now."""

    table: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class SeatTakenData(ErrorData, frozen=True, kw_only=True):
    """The seat, and who has it."""

    seat: int | UnsetType = UNSET
    name: str | UnsetType = UNSET


class TableData(ErrorData, frozen=True, kw_only=True):
    """The table."""

    table: str | UnsetType = UNSET


class NotSeatedData(ErrorData, frozen=True, kw_only=True):
    """The table; `why` names another reason than a missing seat: `chat`, `no_table`."""

    table: str | UnsetType = UNSET
    why: str | UnsetType = UNSET


class AlreadyStartedData(ErrorData, frozen=True, kw_only=True):
    """`why` is `tournament` if that has started, and unset for the game of a table."""

    why: str | UnsetType = UNSET


class DealNotPlayedData(ErrorData, frozen=True, kw_only=True):
    """Why a result is not shown, if not for an own game that is missing: `no_result`, `not_kept`."""

    why: str | UnsetType = UNSET


class CaseData(ErrorData, frozen=True, kw_only=True):
    """Which of the cases of this code it is, in one word, and the limit that is reached."""

    why: str | UnsetType = UNSET
    most: int | UnsetType = UNSET


class NotHostData(ErrorData, frozen=True, kw_only=True):
    """The name of the host; empty if there is none."""

    host: str | UnsetType = UNSET


class StaleMoveData(ErrorData, frozen=True, kw_only=True):
    """How many moves the seat has made."""

    move_count: int | UnsetType = UNSET


class RedrawingData(ErrorData, frozen=True, kw_only=True):
    """The players who have not drawn."""

    names: list[str] | UnsetType = UNSET


class UnknownCodeData(ErrorData, frozen=True, kw_only=True):
    """The code that leads nowhere."""

    code: str | UnsetType | None = UNSET


class KickedData(ErrorData, frozen=True, kw_only=True):
    """The reason, and for an invitation who was kicked."""

    reason: str | UnsetType | None = UNSET
    name: str | UnsetType = UNSET


class NameData(ErrorData, frozen=True, kw_only=True):
    """The name of a user."""

    name: str | UnsetType = UNSET


class SeatData(ErrorData, frozen=True, kw_only=True):
    """The seat."""

    seat: int | UnsetType = UNSET


class TooFewVotersData(ErrorData, frozen=True, kw_only=True):
    """How many voters are needed."""

    needed: int | UnsetType = UNSET


class MutedData(ErrorData, frozen=True, kw_only=True):
    """The table whose host has muted the user; or the reason of a ban from chat and its end, None for good."""

    table: str | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET
    until_ms: int | UnsetType | None = UNSET


class BannedData(ErrorData, frozen=True, kw_only=True):
    """The reason of a ban, and its end, None for good; `why` is `tables` for one from tables alone."""

    why: str | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET
    until_ms: int | UnsetType | None = UNSET


class MaintenanceData(ErrorData, frozen=True, kw_only=True):
    """The reason of the maintenance, as the host wrote it."""

    reason: str | UnsetType | None = UNSET


class SlowDownData(ErrorData, frozen=True, kw_only=True):
    """When to try again."""

    retry_after_ms: int | UnsetType = UNSET


class TournamentData(ErrorData, frozen=True, kw_only=True):
    """The id that no tournament has."""

    tournament: str | UnsetType = UNSET


class DayData(ErrorData, frozen=True, kw_only=True):
    """The day of a daily deal."""

    day: int | UnsetType = UNSET


class VacationData(ErrorData, frozen=True, kw_only=True):
    """The days of vacation that are left; absent while the user is on vacation."""

    days_left: int | UnsetType = UNSET


class DigestFailedData(ErrorData, frozen=True, kw_only=True):
    """The HTTP status that the receiver has answered; absent where it has not answered."""

    http_status: int | UnsetType = UNSET


class ClubClosedData(ErrorData, frozen=True, kw_only=True):
    """The name of the user who has closed the club."""

    by: str | UnsetType = UNSET


class SealedData(ErrorData, frozen=True, kw_only=True):
    """The time until a deal is revealed, in milliseconds; or why `chat`: until then users talk at their table."""

    closes_in_ms: int | UnsetType = UNSET
    why: str | UnsetType = UNSET


class MovedData(ErrorData, frozen=True, kw_only=True):
    """The address of the node that serves, as HOST:PORT, where this one knows it."""

    address: str | UnsetType = UNSET


class InternalData(ErrorData, frozen=True, kw_only=True):
    """The game of another package whose code failed, that package with its version, and the call."""

    game: str | UnsetType = UNSET
    package: str | UnsetType = UNSET
    call: str | UnsetType = UNSET


ERROR_DATA: Final[Mapping[Code, type[ErrorData]]] = {
    Code.BAD_PARAMS: BadParamsData,
    Code.UNKNOWN_METHOD: UnknownMethodData,
    Code.UPGRADE_CLIENT: VersionData,
    Code.UPGRADE_SERVER: VersionData,
    Code.BAD_SEATS: BadSeatsData,
    Code.UNKNOWN_TABLE: UnknownTableData,
    Code.SEAT_TAKEN: SeatTakenData,
    Code.NOT_SEATED: NotSeatedData,
    Code.NOT_HOST: NotHostData,
    Code.ALREADY_STARTED: AlreadyStartedData,
    Code.NOT_ALLOWED: CaseData,
    Code.TOO_MANY: CaseData,
    Code.CLUB_FULL: CaseData,
    Code.STALE_MOVE: StaleMoveData,
    Code.DEAL_SEALED: SealedData,
    Code.DEAL_OVER: DayData,
    Code.DEAL_NOT_PLAYED: DealNotPlayedData,
    Code.NO_DAILY: DayData,
    Code.NO_VACATION: VacationData,
    Code.DIGEST_FAILED: DigestFailedData,
    Code.UNKNOWN_TOURNAMENT: TournamentData,
    Code.CLUB_CLOSED: ClubClosedData,
    Code.CLUB_GUEST: NameData,
    Code.REDRAWING: RedrawingData,
    Code.UNKNOWN_CODE: UnknownCodeData,
    Code.DAMAGED_GAME: TableData,
    Code.WRONG_PASSWORD: TableData,
    Code.WRONG_KEY: TableData,
    Code.NO_SPECTATORS: TableData,
    Code.KICKED: KickedData,
    Code.VOTE_NEEDED: NameData,
    Code.VOTE_RUNNING: NameData,
    Code.NO_VOTE: SeatData,
    Code.TOO_FEW_VOTERS: TooFewVotersData,
    Code.UNKNOWN_USER: NameData,
    Code.NAME_CLAIMED: NameData,
    Code.NOT_CLAIMED: NameData,
    Code.MUTED: MutedData,
    Code.BANNED: BannedData,
    Code.MAINTENANCE: MaintenanceData,
    Code.MOVED: MovedData,
    Code.SLOW_DOWN: SlowDownData,
    Code.INTERNAL: InternalData,
}
"""The type of each code's data; codes that are not here have none."""


def error_data_type(code: Code) -> type[Any]:
    """Return the type of a code's data."""
    return ERROR_DATA.get(code, ErrorData)
