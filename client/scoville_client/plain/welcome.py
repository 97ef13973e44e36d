"""Welcome of a user who starts for the first time: the aim of each game, and guided rounds before the first one."""

import os
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from scoville_client.i18n.game_text import game_tagline
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command_table import run_line
from scoville_client.settings.checks import BadSettings
from scoville_client.settings.file import SettingsFile, user_file
from scoville_outside import guard
from scoville_shared.errors import ScovilleError

_TUTORIAL: Final = ("1", "tutorial")
_PLAY: Final = ("", "2", "practice")


def say_aims(app: LineModeApp) -> bool:
    """Say what is played here to a user who has not heard it; returns whether it was said.

    Only where somebody types: the lines of a script mean what comes after it.
    """
    if app.is_hosted or not app.types_at_terminal:
        return False
    kept = SettingsFile(user_file(), os.environ)
    if kept.path is None or not kept.preferences.newcomer:
        return False
    with suppress(BadSettings):  # where that cannot be saved, it is said again
        kept.save(replace(kept.preferences, newcomer=False))
    app.output.say("Welcome! These games are played here:")
    for slug in guard.list_usable():
        app.output.say("{game}: {aim}", game=guard.load_game(slug).info.title, aim=game_tagline(slug))
        app.announcer.note_aim(slug)
    return True


async def choose_first_game(app: LineModeApp) -> bool:
    """Let the user choose between guided rounds and a game against bots; returns whether that game begins."""
    title = guard.load_game(app.start.game).info.title
    app.output.say("Type 1 for two guided rounds of {game}, or 2 to play against bots.", game=title)
    while (line := await app.read_line()) is not None:
        typed = line.strip().casefold()
        if typed in _PLAY:
            return True
        try:
            await run_line(app, f"tutorial {app.start.game}" if typed in _TUTORIAL else line)
        except (ScovilleError, ValueError) as error:
            app.output.write_error(error)
            continue
        return False
    return False
