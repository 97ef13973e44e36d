"""Server description in the reply to `hello`: supported features, and limits from the settings."""

from importlib.util import find_spec
from typing import Final

from scoville_server.config import Settings
from scoville_server.limits.throttle import Rate
from scoville_server.lobby.feed import MOST_SHOWN
from scoville_shared.protocol.messages import MAX_WAIT_MS, MESSAGE_CHARACTERS, NAME_CHARACTERS, RateLimit, ServerLimits

_ALWAYS: Final = (
    "account_recovery",
    "accounts",
    "chat",
    "commentary",
    "delayed_spectating",
    "kick_votes",
    "nonces",
    "quick_match",
    "ratings",
    "rematch",
)
"""Features of every server of this version."""


def features(settings: Settings) -> list[str]:
    """Name the features of this server, in alphabetical order; docs/protocol.md says what each means."""
    with_keys = ("key_login",) if find_spec("cryptography") else ()
    with_doors = ("doors",) if settings.doors.enabled else ()
    on_disk = () if settings.data is None else ("storage",)
    by_port = () if settings.port is None else ("tls",)
    return sorted((*_ALWAYS, *with_keys, *with_doors, *on_disk, *by_port))


def limits(settings: Settings) -> ServerLimits:
    """Return the limits that a program has to respect."""
    connections, chat = settings.connections, settings.chat
    return ServerLimits(
        message_bytes=connections.message_bytes,
        unread_bytes=connections.unsent_drop,
        pending_requests=connections.pending_requests,
        max_wait_ms=MAX_WAIT_MS,
        name_characters=NAME_CHARACTERS,
        password_min_characters=settings.accounts.password_shortest,
        message_characters=MESSAGE_CHARACTERS,
        listed_tables=MOST_SHOWN,
        opened_tables=settings.tables_hosted,
        joined_tables=settings.tables_seated,
        watched_tables=settings.tables_watched,
        absence_ms=_ms(settings.grace_seconds),
        table_creations=_rate(settings.table_creations, settings.table_creations_seconds),
        table_actions=_rate(settings.table_actions, settings.table_actions_seconds),
        invitations=_rate(settings.invitations.sent, settings.invitations.seconds),
        chat_messages=_rates(chat.messages),
        reactions=_rates(chat.reactions),
    )


def _rates(rates: tuple[Rate, ...]) -> list[RateLimit]:
    return [limit for rate in rates if (limit := _rate(rate.allowed, rate.seconds)) is not None]


def _rate(allowed: int, seconds: float) -> RateLimit | None:
    """Return a rate limit as the protocol has it; None for one that is off."""
    period_ms = _ms(seconds)
    return RateLimit(count=allowed, period_ms=period_ms) if allowed and period_ms else None


def _ms(seconds: float) -> int | None:
    """Return a time of the settings in milliseconds; None for 0, which is no limit there."""
    return max(1, round(1000 * seconds)) if seconds else None
