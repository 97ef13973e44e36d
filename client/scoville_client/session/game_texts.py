"""Texts of games that this client does not have, as the server writes them in the user's language."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from scoville_client.i18n.game_text import describe_games
from scoville_client.i18n.language import current_language
from scoville_client.session.changes import Change, TablesChanged
from scoville_client.session.connection import UserConnection
from scoville_client.session.playable import is_playable
from scoville_shared.errors import ScovilleError
from scoville_shared.installed import OURS
from scoville_shared.protocol.messages import MOST_DESCRIBED, DescribeGamesReply, DescribeGamesRequest

FEATURE: Final = "game_texts"
"""The feature of servers that describe their games."""


class OfferedTexts:
    """Requests the taglines and options of games that this client has not, or has in another version.

    Args:
        connection: The connection to the server, which names its games and features.
        publish: Publishes changes.
    """

    def __init__(self, connection: UserConnection, publish: Callable[[Change], None]) -> None:
        self._connection = connection
        self._publish = publish

    async def read_texts(self) -> None:
        """Request the texts in the user's present language. Raises LinkError."""
        offered = self._connection.games
        # Games of Scoville itself are not loaded for this: those of every version have their own texts.
        missing = [info.slug for info in offered if info.package != OURS and not is_playable(info.slug, offered)]
        texts: DescribeGamesReply | None = None
        if missing and FEATURE in self._connection.features:
            wanted = DescribeGamesRequest(slugs=missing[:MOST_DESCRIBED], sentence_language=current_language())
            with suppress(ScovilleError):
                texts = await self._connection.send_request(wanted, DescribeGamesReply)
        describe_games({} if texts is None else {each.game: each for each in texts.game_texts if each.game in missing})

    async def change_language(self) -> None:
        """Request the texts in another language; lists show them anew. Raises LinkError."""
        await self.read_texts()
        self._publish(TablesChanged(replaced=True))

    def forget_texts(self) -> None:
        """Forget what this server says of its games: others may have them in other versions."""
        describe_games({})
