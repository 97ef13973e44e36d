"""The games that a server's settings allow, and a host's own values of their options: the peppers of the cards."""

from pathlib import Path
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
