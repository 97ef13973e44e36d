"""Texts of games that this client does not have, as the server writes them in the user's language."""

from collections.abc import Callable, Container
from contextlib import suppress
from typing import Final

from scoville_client.i18n.game_text import describe_games
from scoville_client.i18n.language import current_language
from scoville_client.session.playable import is_playable
from scoville_client.session.requests import Request
from scoville_shared.errors import ScovilleError
from scoville_shared.installed import OURS
from scoville_shared.protocol.messages import MOST_DESCRIBED, DescribeGamesReply, DescribeGamesRequest, GameInfo

FEATURE: Final = "game_texts"
"""The feature of servers that describe their games."""


class OfferedTexts:
    """Requests the taglines and options of games that this client has not, or has in another version.

    Args:
        request: Sends requests.
        offered: The games of the server.
        features: Its features.
    """

    def __init__(
        self, request: Request, offered: Callable[[], list[GameInfo]], features: Callable[[], Container[str]]
    ) -> None:
        self._request = request
        self._offered = offered
        self._features = features

    async def read_texts(self) -> bool:
        """Request the texts in the user's present language; returns whether there are any. Raises LinkError."""
        offered = self._offered()
        # Games of Scoville itself are not loaded for this: those of every version have their own texts.
        missing = [info.slug for info in offered if info.package != OURS and not is_playable(info.slug, offered)]
        texts: DescribeGamesReply | None = None
        if missing and FEATURE in self._features():
            wanted = DescribeGamesRequest(slugs=missing[:MOST_DESCRIBED], sentence_language=current_language())
            with suppress(ScovilleError):
                texts = await self._request(wanted, DescribeGamesReply)
        described = {} if texts is None else {each.game: each for each in texts.game_texts if each.game in missing}
        describe_games(described)
        return bool(described)

    def forget_texts(self) -> None:
        """Forget what this server says of its games: others may have them in other versions."""
        describe_games({})
