"""Texts of the table screen: invitations to other tables, and rematches."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Invited
from scoville_shared.protocol.messages import GameInfo


def invitation_text(invited: Invited, games: Sequence[GameInfo]) -> str:
    """Announce an invitation; `games` are those of the server."""
    titles = {game.slug: game.title for game in games}
    game = titles.get(invited.info.game, invited.info.game)
    return tr("{name} invites you to {game}; answer in the lobby.", name=invited.by, game=game)


def rematch_text(name: str) -> str:
    """Return the sentence about a rematch that `name` has opened; the name is empty if it is not known."""
    if name:
        return tr("{name} wants a rematch: press Enter to join.", name=name)
    return tr("The others want a rematch: press Enter to join.")
