"""Connection that records its bytes, encoded and decoded by the real protocol."""

from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import ByeNotice, Notice, Reply


class ByteLine:
    """A Peer that writes down what would be sent."""

    def __init__(self) -> None:
        self.address = ""
        self._connection = ServerConnection()

    def notify(self, notice: Notice) -> None:
        self._connection.notify(notice)

    def answer(self, answer: Reply | ScovilleError) -> None:
        """Answer the only request there is."""
        if isinstance(answer, ScovilleError):
            self._connection.refuse(1, answer)
        else:
            self._connection.reply(1, answer)

    def close(self, bye: ByeNotice | None = None) -> None:
        if bye is not None:
            self._connection.notify(bye)

    @property
    def sent(self) -> bytes:
        """Everything that went out."""
        return bytes(self._connection.out)
