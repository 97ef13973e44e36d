"""What the person asked for on the command line, for whichever client shows it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from scoville_client.transport.address import DEFAULT_PORT

if TYPE_CHECKING:
    from scoville_shared.replay import Opening

DEFAULT_GAME = "dicht_dran"
USUAL_PLAYERS = 4
"""Seats of a table when nobody says how many."""


Kind = Literal["menu", "practice", "join", "host"]
"""What a client does first."""


class Start(Struct, frozen=True, kw_only=True):
    """How a client begins.

    `kind` is what to do first: show the menu, practise against bots, join `host`:`port`, or host a table, for which
    `host` is the address to listen on (empty: all of them). `players` None is the usual number, `options` are those
    of the game, `clock` is the thinking time as `wishes.parse_clock` reads it, `bots` how strong they are,
    `settings` what of the table's life is not as usual, and `password` its password, empty for none. `seed` is the
    server's (32 bytes) for a game that can be played again; with it players send no nonces. `opening` is a game to
    practise on with, which brings its own players and options. `peppers` are those of the cards 1 to 100, None for
    the built-in table. `data` is the folder in which a hosted table is kept, None for the usual one. `name` is
    empty for a friendly one; `ascii` draws without Unicode.
    """

    kind: Kind = "menu"
    game: str = DEFAULT_GAME
    players: int | None = None
    options: dict[str, Any] = {}
    clock: dict[str, float] = {}
    bots: str = "greedy"
    settings: dict[str, Any] = {}
    password: str = ""
    seed: bytes | None = None
    opening: "Opening | None" = None
    host: str = ""
    port: int = DEFAULT_PORT
    name: str = ""
    peppers: tuple[int, ...] | None = None
    data: Path | None = None
    ascii: bool = False
