"""Description of a game as greetings carry it, for practice as well as for a server."""

from scoville_shared.bots.registry import list_levels
from scoville_shared.engine.contract import AnyGame
from scoville_shared.protocol.messages import GameInfo
from scoville_shared.values import Plain


def describe_game(game: AnyGame, defaults: Plain | None = None) -> GameInfo:
    """Describe a game with the levels of its bots and its default options, or those of a server.

    Raises any exception of the game.
    """
    info = game.info
    if defaults is None:
        defaults = game.codec.encode_plain(game.codec.decode_options({}))
    return GameInfo(
        slug=info.slug,
        title=info.title,
        seat_range=info.seats,
        official_range=info.official,
        rules_version=info.rules_version,
        options=defaults,
        levels=list(list_levels(info.slug)),
    )
