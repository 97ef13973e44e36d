"""Games that this client and a server can play together: both have the same rules."""

from collections.abc import Iterable

from scoville_client.i18n.language import tr
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry
from scoville_shared.protocol.messages import GameInfo

OTHER_RULES = "other_rules"
"""Error code for games with other rules; it is never sent."""


def playable(slug: str, offered: Iterable[GameInfo]) -> AnyGame:
    """Return a game that a server has `offered`.

    Raises ScovilleError `unknown_game` if this client does not have it, `other_rules` if it has other rules.
    """
    game = registry.load(slug)
    theirs = {info.slug: info.rules_version for info in offered}
    if theirs.get(slug, game.info.rules_version) != game.info.rules_version:
        raise ScovilleError(
            OTHER_RULES,
            tr(
                "The server has other rules for {game}: install the server's version of Scoville.",
                game=game.info.title,
            ),
        )
    return game
