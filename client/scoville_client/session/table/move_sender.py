"""Delivery of moves: each is played once, also when the connection is lost on the way."""

from typing import Any, cast

from scoville_client.i18n.language import render, tr
from scoville_client.session.changes import Change, ConnectionDown, Publish, Request
from scoville_client.session.link import ReconnectingLink
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Played, PlayReply, PlayRequest
from scoville_shared.protocol.state import ConnectionState

_UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)
"""Errors of a game whose text does not know a refusal, or its data."""
_WAITS = Phrase("{sentence} Your move is saved and will be sent after reconnecting.")


class MoveSender:
    """Sends moves over a link. While the link reconnects one move waits, which is published."""

    def __init__(self, link: ReconnectingLink, request: Request, publish: Publish) -> None:
        self._link = link
        self._request = request
        self._publish = publish
        self._waiting = False
        self._down: ConnectionDown | None = None

    def on_connection_change(self, change: Change) -> Change:
        """Note a change of the connection, and return it with a sentence about a waiting move."""
        self._down = change if isinstance(change, ConnectionDown) else None
        return _and_a_move(change) if self._waiting else change

    async def send_move(self, at: AtTable, move: Any) -> int:
        """Play a move of the game's own type and return the number of its event.

        Raises ScovilleError with the game's own sentence for an illegal move.
        """
        nth = None if at.seat is None or not at.played else at.played[at.seat]
        plain = at.game.codec.encode_plain(move)
        # Before the request: what was sent counts for the deal's check even if no reply comes.
        at.deal.sent.append(plain)
        try:
            return await self._deliver_move(at, PlayRequest(table=at.id, move=plain, nth=nth))
        except ScovilleError as error:
            raise _in_the_games_words(error, at) from error

    async def _deliver_move(self, at: AtTable, request: PlayRequest) -> int:
        """Deliver a move; it is sent again only if the server does not have it."""
        sent = False
        while True:
            await self._until_up()
            # The events of the new connection say whether the lost request has arrived; only then it is not sent again.
            made = None if request.nth is None else at.own_move(request.nth)
            if made is not None:
                return _own_event(made, sent=sent)
            # Noted before the request: only a loss since then explains a missing reply.
            again, sent, losses = sent, True, self._link.losses
            try:
                seq = (await self._request(request, PlayReply)).seq
                at.deal.accepted[seq] = request.move
                return seq
            except LinkError:
                # Without a number the server cannot tell the same move from a second one, so it is not sent twice.
                if request.nth is None or self._link.losses == losses:
                    raise
            except ScovilleError as error:
                # The first copy has arrived after all; the next round finds the event and returns its number.
                if error.code != Code.STALE_MOVE or not again or at.own_move(request.nth or 0) is None:
                    raise

    async def _until_up(self) -> None:
        """Wait until the link is open. A second move would be made without knowing the result of the first."""
        if self._link.state is ConnectionState.OPEN:
            return
        if self._waiting:
            raise LinkError(tr("Your move is waiting for the connection to {place}.", place=self._link.server_name))
        self._waiting = True
        if self._down is not None:
            self._publish(_and_a_move(self._down))
        try:
            await self._link.wait_until_open()
        finally:
            self._waiting = False


def _and_a_move(change: Change) -> Change:
    """Add to a lost connection that a move waits for it."""
    if not isinstance(change, ConnectionDown):
        return change
    sentence = _WAITS.with_fields({"sentence": change.sentence})
    return ConnectionDown(sentence, change.tries, move_waits=True, restarting=change.restarting)


def _own_event(made: Played, *, sent: bool) -> int:
    """Return the event number of this user's move. Raises ScovilleError if a bot or the clock made it."""
    if sent and made.mover == "player":
        return made.seq
    raise ScovilleError(Code.STALE_MOVE, tr("A bot played for you in the meantime; look at the table again."))


def _in_the_games_words(error: ScovilleError, at: AtTable) -> ScovilleError:
    """Return a refusal with the game's own sentence, and any other error unchanged."""
    if error.code in set(Code) or at.by_sentences is not None:  # the server has written in the user's language
        return error
    refusal = Refusal(cast("Any", error.code), error.data)
    try:
        sentence = render(at.game.text.describe_refusal(refusal), at.names)
    except _UNREADABLE:
        return error
    return ScovilleError(error.code, sentence, error.data)
