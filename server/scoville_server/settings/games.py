"""The games that a server's settings allow, and a host's own values of their options: the peppers of the cards."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scoville_outside import guard
from scoville_server.settings.model import BadSettings, Settings
from scoville_shared.games import registry


def read_option_file(option: str, path: Path) -> dict[str, dict[str, Any]]:
    """Read a host's own value of an option from a text file, by game and option, for each game that can read it.

    docs/rules describes the formats. Raises BadSettings, naming the file and the line.
    """
    readers = {slug: guard.load_game(slug).option_files.get(option) for slug in guard.list_usable()}
    try:
        text = path.read_text(encoding="utf-8")
        return {slug: {option: reader(text)} for slug, reader in readers.items() if reader is not None}
    except OSError as error:
        raise BadSettings(f"The {option} file {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"The {option} file {path} is not a text file.") from error
    except ValueError as error:
        raise BadSettings(f"The {option} file {path} cannot be used: {error}.") from error


def allowed_slugs(settings: Settings) -> list[str]:
    """Return the slugs of the installed games that the settings allow."""
    allowed = settings.offered or settings.allowed_games
    return [slug for slug in registry.list_slugs() if not allowed or slug in allowed]


def usable_slugs(settings: Settings) -> tuple[str, ...]:
    """Return those of them that can be used, which takes loading them to know."""
    return tuple(guard.list_usable(allowed_slugs(settings)))


def list_game_faults(settings: Settings, stopped: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """List why games of other packages are left out or stopped, and which allowed ones are not installed."""
    known = registry.list_slugs()
    missing = [slug for slug in settings.allowed_games if slug not in known]
    return [
        *(f"allowed_games: there is no game {slug!r}; installed are {', '.join(known)}." for slug in missing),
        *guard.list_faults(allowed_slugs(settings)),
        *(f"The game {game} is stopped: {why}." for game, why in stopped.items()),
    ]
