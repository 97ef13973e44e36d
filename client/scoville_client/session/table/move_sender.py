"""A move on its way: through every cut of the line, and made once."""

from typing import Any, cast

from scoville_client.i18n.language import told, words
from scoville_client.session.changes import Change, ConnectionDown
from scoville_client.session.reconnect import ReconnectingLink
from scoville_client.session.requests import Ask, Tell
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Played, PlayReply, PlayRequest
from scoville_shared.protocol.state import ConnectionState

_UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)
"""What a game raises over a refusal that it does not know, or whose data are not what it expects."""
_WAITS = Phrase("{sentence} Your move is kept, and sent when it is back.")


class Sender:
    """Sends moves over `line`; while that is down one of them waits, and everybody is told so."""

    def __init__(self, link: ReconnectingLink, ask: Ask, tell: Tell) -> None:
        self._link = link
        self._ask = ask
        self._tell = tell
        self._waiting = False
        self._down: ConnectionDown | None = None

    def on_connection_change(self, change: Change) -> Change:
        """Note how the line fares; returns what is to be told of it."""
        self._down = change if isinstance(change, ConnectionDown) else None
        return _and_a_move(change) if self._waiting else change

    async def play(self, at: AtTable, move: Any) -> int:
        """Play a move of the game's own type; returns the number of its event. A refusal's sentence is the game's."""
        nth = None if at.seat is None or not at.played else at.played[at.seat]
        try:
            return await self._through(at, PlayRequest(table=at.id, move=at.game.codec.plain(move), nth=nth))
        except ScovilleError as error:
            raise _in_the_games_words(error, at) from error

    async def _through(self, at: AtTable, wish: PlayRequest) -> int:
        """Get a move to the server: sent again only when the server has it not."""
        sent = False
        while True:
            await self._until_up()
            made = None if wish.nth is None else at.made(wish.nth)
            if made is not None:
                return _mine(made, sent=sent)
            again, sent, losses = sent, True, self._link.losses
            try:
                return (await self._ask(wish, PlayReply)).seq
            except LinkError:
                if wish.nth is None or self._link.losses == losses:
                    raise
            except ScovilleError as error:
                if error.code != Code.STALE_MOVE or not again or at.made(wish.nth or 0) is None:
                    raise

    async def _until_up(self) -> None:
        """Wait with a move while the line is down; a second one would be made without knowing what the first did."""
        if self._link.state is ConnectionState.OPEN:
            return
        if self._waiting:
            raise LinkError(words("Your move waits for the line to {place}.", place=self._link.server_name))
        self._waiting = True
        if self._down is not None:
            self._tell(_and_a_move(self._down))
        try:
            await self._link.settled()
        finally:
            self._waiting = False


def _and_a_move(change: Change) -> Change:
    """Say of a line that is down that a move waits for it."""
    if not isinstance(change, ConnectionDown):
        return change
    sentence = _WAITS.of({"sentence": change.sentence})
    return ConnectionDown(sentence, change.tries, move_waits=True)


def _mine(made: Played, *, sent: bool) -> int:
    """Say which event my move became; one that was made for me meanwhile is not mine."""
    if sent and made.by == "player":
        return made.seq
    raise ScovilleError(Code.STALE_MOVE, words("Your seat has been played for you meanwhile; look at the table again."))


def _in_the_games_words(error: ScovilleError, at: AtTable) -> ScovilleError:
    """Say a game's refusal by its own text; anything else already is a sentence of the server."""
    if error.code in set(Code):
        return error
    refusal = Refusal(cast("Any", error.code), error.data)
    try:
        sentence = told(at.game.text.refusal(refusal), at.names)
    except _UNREADABLE:
        return error
    return ScovilleError(error.code, sentence, error.data)
