"""The games that a server's settings allow."""

from scoville_outside import guard
from scoville_server.settings.model import Settings
from scoville_shared.games import registry


def allowed_slugs(settings: Settings) -> list[str]:
    """Return the slugs of the installed games that the settings allow."""
    allowed = settings.offered or settings.allowed_games
    return [slug for slug in registry.list_slugs() if not allowed or slug in allowed]


def usable_slugs(settings: Settings) -> tuple[str, ...]:
    """Return those of them that can be used, which takes loading them to know."""
    return tuple(guard.list_usable(allowed_slugs(settings)))
