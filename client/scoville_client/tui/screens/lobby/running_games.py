"""Games that run on the server, as small pictures beside the lobby's list."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from scoville_client.i18n.language import current_language
from scoville_client.session.spectating import list_busiest
from scoville_client.session.table.previews import Previews
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.picture import Picture
from scoville_client.tui.shell import Shell

_MOST: Final = 3
"""Games that are shown: each is read from the server again every few seconds."""


class RunningGame(NamedTuple):
    """A table's id and its picture."""

    table: str
    picture: Picture


class RunningGames:
    """The public games with most players, those of this user not among them."""

    def __init__(self, shell: Callable[[], Shell]) -> None:
        self._find_shell = shell
        self._pictures: dict[str, tuple[tuple[int, str], Picture | None]] = {}

    @cached_property
    def _previews(self) -> Previews:
        shell = self._find_shell()
        session = shell.session
        return Previews(session.connection.send_request, session.playable.load_game, shell.clock.seconds)

    @property
    def due_in(self) -> float | None:
        """Seconds until a game is to be read again; None while none runs."""
        return self._previews.due_in(self._list_tables())

    async def read_due(self) -> None:
        """Read the games that are due, and forget those that run no more."""
        tables = self._list_tables()
        await self._previews.read_due(tables)
        self._pictures = {table: known for table, known in self._pictures.items() if table in tables}

    def list_games(self) -> Sequence[RunningGame]:
        """List the games that were read and can be drawn."""
        games = ((table, self._find_picture(table)) for table in self._list_tables())
        return [RunningGame(table, picture) for table, picture in games if picture is not None]

    def _list_tables(self) -> list[str]:
        return [info.table for info in list_busiest(self._find_shell().session.lobby.tables, _MOST)]

    def _find_picture(self, table: str) -> Picture | None:
        at = self._previews.find_table(table)
        if at is None or at.view is None:
            return None
        # A board is made for it, which takes longer than the drawing: the lobby is drawn again with each key.
        state = at.seq, current_language()
        if table not in self._pictures or self._pictures[table][0] != state:
            self._pictures[table] = state, find_board_of(at)(at, 0).make_picture()
        return self._pictures[table][1]
