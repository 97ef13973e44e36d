"""Bounds that derive from settings: which ones, and by which factor."""

from collections.abc import Collection, Iterator
from math import ceil
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.limits.throttle import Rate
from scoville_server.settings.model import USUAL_MIB, Settings

S = TypeVar("S", bound=Struct)

_WITH_MEMORY: Final = ("guests", "tables", "connections.total", "connections.buffers")
_WITH_GUESTS: Final = ("accounts.claims", "accounts.tokens_total", "accounts.client_settings", "chat.whisper_users")
_WITH_TABLES: Final = ("pending_writes",)
_WITH_CONNECTIONS: Final = (
    "polls",
    "connections.per_address",
    "connections.handshakes",
    "connections.handshakes_per_address",
    "doors.waiting",
)
_PER_USER: Final = (
    "table_creations",
    "table_actions",
    "invitations.sent",
    "chat.messages",
    "chat.reactions",
    "moderation.reports_per_user",
    "accounts.changes_per_hour",
    "accounts.settings_saves",
)
_PER_ADDRESS: Final = (
    "table_creations_per_address",
    "table_actions_per_address",
    "table_actions_at_table_per_address",
    "invitations.sent_per_address",
    "invitations.received_per_address",
    "chat.messages_per_address",
    "chat.reactions_per_address",
    "chat.whispers_received_per_address",
    "moderation.reports_per_address",
    "accounts.claims_per_hour",
    "accounts.changes_per_hour_per_address",
    "accounts.settings_saves_per_address",
    "connections.per_address",
    "connections.handshakes_per_address",
    "connections.handshake_rate",
    "doors.hellos_per_address",
)
_QUEUES: Final = ("accounts.hashing", "accounts.key_checks", "thinking")
"""Queues with a `waiting_per_address`, for which 0 is not "no limit": then it is all of `waiting`."""


class Derived(NamedTuple):
    """Bounds that derive from a setting, and by which factor they change."""

    setting: str
    bounds: tuple[str, ...]
    factor: float


def _list_derived(settings: Settings, given: Collection[str]) -> Iterator[Derived]:
    """Yield the derivations, those first on which others depend; `given` settings are not derived."""
    limits = settings.limits
    # A quarter of the usual memory is for the interpreter, requests in progress and what Python does not release at
    # once; only the rest grows with users, tables and connections.
    memory = (limits.memory_mib - USUAL_MIB / 4) / (USUAL_MIB - USUAL_MIB / 4)
    yield Derived("limits.memory_mib", tuple(key for key in _WITH_MEMORY if key not in given), memory)
    for key, bounds in (
        ("guests", _WITH_GUESTS),
        ("tables", _WITH_TABLES),
        ("connections.total", _WITH_CONNECTIONS),
    ):
        own = memory if key in _WITH_MEMORY and key not in given else 1.0
        # Never nothing: a server without tables still writes accounts and messages.
        yield Derived(key, bounds, max(0.01, own * value_of(settings, key) / value_of(Settings(), key)))
    yield Derived("limits.per_user", _PER_USER, limits.per_user)
    yield Derived("limits.per_address", _PER_ADDRESS, limits.per_address)


def derive_bounds(settings: Settings, given: Collection[str] = ()) -> Settings:
    """Return the settings with the bounds that derive from them, by names such as `connections.total`.

    Settings that were `given` stay as they are.
    """
    for _, bounds, factor in _list_derived(settings, given):
        for key in bounds if factor != 1.0 else ():
            settings = with_value(settings, key, _scale_bound(value_of(settings, key), factor))
    factor = settings.limits.per_address
    if not factor:
        settings = replace(settings, opponents_by_network=False)
    for queue in _QUEUES if factor != 1.0 else ():
        most, mine = (value_of(settings, f"{queue}.{name}") for name in ("waiting", "waiting_per_address"))
        settings = with_value(
            settings, f"{queue}.waiting_per_address", min(most, ceil(mine * factor)) if factor else most
        )
    return settings


def setting_for(bound: str) -> str:
    """Return the setting from which a bound derives, empty if it is the same on every server."""
    if bound.endswith(".waiting_per_address") or bound == "opponents_by_network":
        return "limits.per_address"
    found = [key for key, bounds, _ in _list_derived(Settings(), ()) if bound in bounds]
    return found[-1] if found else ""  # the scale rather than the number of connections, where both count


def value_of(settings: Any, key: str) -> Any:
    """Return the value of a key such as `connections.total`."""
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings


def with_value(settings: S, key: str, value: object) -> S:
    """Return settings with another value of a key."""
    name, _, rest = key.partition(".")
    return replace(settings, **{name: with_value(getattr(settings, name), rest, value) if rest else value})


def _scale_bound(value: Any, factor: float) -> Any:
    """Scale a bound; a small one is never rounded down to 0, which would be no limit."""
    match value:
        case Rate():
            return Rate(ceil(value.allowed * factor), value.seconds)
        case tuple():
            return tuple(_scale_bound(each, factor) for each in value)
        case int():
            return ceil(value * factor)
        case _:
            return value * factor
