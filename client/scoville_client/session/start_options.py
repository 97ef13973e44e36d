"""Start options from the command line, for the screens and the line mode."""

from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from scoville_shared import DEFAULT_PORT

# The first screen loads neither the protocol nor exported games.
if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoville_shared.protocol.messages import GameInfo
    from scoville_shared.replay import Opening

DEFAULT_GAME = "dicht_dran"
USUAL_PLAYERS = 4
"""Seats of a table without a given number."""


def find_usual_players(games: "Iterable[GameInfo]", game: str) -> int:
    """Return the seats of a game's table without a given number: four, or the nearest official number."""
    official = next((each.official_range for each in games if each.slug == game), None)
    return USUAL_PLAYERS if official is None else min(max(USUAL_PLAYERS, official[0]), official[1])


Kind = Literal["menu", "tutorial", "practice", "join", "host"]
"""The first act of a client."""


class Start(Struct, frozen=True, kw_only=True):
    """How a client begins.

    Attributes:
        kind: Show the menu, play guided rounds, practice against bots, join `host`:`port`, or host a table.
        welcome: Greet a user who starts for the first time before practice begins.
        game: Slug of the game.
        players: Number of seats; None for the default.
        options: Options of the game.
        clock: Thinking time in the form of `option_input.parse_clock`.
        settings: Table settings that differ from the default.
        password: Password of the table, empty for none.
        seed: Server seed of 32 bytes for a repeatable deal; players then send no nonces.
        opening: Exported game to continue, with its own players and options.
        host: Server to join (empty: the one on the local network that knows `code`), or the address to listen on
            (empty: all).
        port: Port of the server.
        pin: Pin of the server's key; empty for the stored one.
        searching: Show the servers on the local network first.
        code: Code of the table to join.
        watching: Watch a table as a guest, that with `code` or the busiest public one; nothing is stored.
        big: Show it for a television.
        ssh: Port of an SSH door beside a hosted server; None for no door.
        web: Port of a browser door beside a hosted server; None for no door.
        announce: Announce a hosted server on the local network.
        plain_text: Connect without encryption.
        logging_in: The user has claimed `name` on the server to join.
        name: Requested name; the server makes one up for an empty one.
        game_options: The host's own defaults of options, by game.
        data: Folder in which a hosted table is saved; None for the default one.
        ascii: Draw with ASCII characters only.
    """

    kind: Kind = "menu"
    welcome: bool = False
    game: str = DEFAULT_GAME
    players: int | None = None
    options: dict[str, Any] = {}
    clock: dict[str, int | None] = {}
    settings: dict[str, Any] = {}
    password: str = ""
    seed: bytes | None = None
    opening: "Opening | None" = None
    host: str = ""
    port: int = DEFAULT_PORT
    pin: str = ""
    searching: bool = False
    code: str = ""
    watching: bool = False
    big: bool = False
    ssh: int | None = None
    web: int | None = None
    announce: bool = False
    plain_text: bool = False
    logging_in: bool = False
    name: str = ""
    game_options: dict[str, dict[str, Any]] = {}
    data: Path | None = None
    ascii: bool = False


def data_folder() -> Path:
    """Return the folder for data of the user who runs this process. Raises OSError for a user without a home."""
    from platformdirs import user_data_path

    try:
        return user_data_path("scoville", appauthor=False)
    except RuntimeError as error:
        raise FileNotFoundError(ENOENT, str(error)) from error


def practice_folder() -> Path:
    """Return the folder of practice games that are not over. Raises OSError for a user without a home."""
    return data_folder() / "practice"


def games_folder() -> Path:
    """Return the folder of the user's finished games. Raises OSError for a user without a home."""
    return data_folder() / "games"


def usual_folder() -> Path:
    """Return the default folder for hosted tables. Raises OSError for a user without a home."""
    return data_folder() / "hosted"
