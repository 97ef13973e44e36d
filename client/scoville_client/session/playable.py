"""Games that this client and a server can play together: both have the game, the same rules and the same types.

Texts of games that this client does not have come from the server, in the user's language.
"""

import logging
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Final

from scoville_client.i18n.game_text import describe_games
from scoville_client.i18n.language import current_language, tr
from scoville_client.session.changes import Change, TablesChanged
from scoville_client.session.connection import UserConnection
from scoville_client.session.table.sentence_game import FEATURE, SentenceGame
from scoville_outside.guard import GameFailed, load_game
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry
from scoville_shared.installed import OURS
from scoville_shared.protocol.messages import MOST_DESCRIBED, DescribeGamesReply, DescribeGamesRequest, GameInfo

_log = logging.getLogger(__name__)

MISSING_GAME: Final = "missing_game"
OTHER_RULES: Final = "other_rules"
OTHER_TYPES: Final = "other_types"
UNPLAYABLE: Final = frozenset({MISSING_GAME, OTHER_RULES, OTHER_TYPES})
"""Error codes for games that this client cannot play with this server; they are never sent."""


def load_playable(slug: str, offered: Iterable[GameInfo], *, hosted: bool = False) -> AnyGame:
    """Return a game that a server has `offered`. Raises ScovilleError with a code of UNPLAYABLE.

    Users of a door are `hosted`: they can install nothing.
    """
    theirs = next((info for info in offered if info.slug == slug), None)
    if slug not in registry.list_slugs():
        raise ScovilleError(MISSING_GAME, _missing_text(slug, theirs, hosted=hosted))
    try:
        game = load_game(slug)
    except registry.BrokenGame as broken:
        raise ScovilleError(MISSING_GAME, broken.message) from broken
    if theirs is not None and theirs.rules_version != game.info.rules_version:
        raise ScovilleError(OTHER_RULES, _differing_text(game, theirs))
    # Games of Scoville itself only add fields under one version of their rules; other packages promise nothing.
    if theirs is not None and theirs.types and not registry.is_ours(slug) and theirs.types != _types_digest(slug):
        raise ScovilleError(OTHER_TYPES, _differing_text(game, theirs))
    return game


class PlayableGames:
    """Games that this client can play with the server at the other end of its connection."""

    def __init__(self, connection: UserConnection) -> None:
        self._connection = connection
        self._failed: dict[str, GameFailed] = {}

    def load_game(self, slug: str) -> AnyGame:
        """Load a game for a table, see `load_for_table`."""
        here = self._connection
        failed = self._failed.get(slug)
        return load_for_table(slug, here.games, here.features, failed, hosted=here.hosted is not None)

    def can_play(self, slug: str) -> bool:
        """Whether this client can play a game with this server, if need be by the server's sentences."""
        try:
            self.load_game(slug)
        except ScovilleError:
            return False
        return True

    def note_failure(self, failed: GameFailed) -> None:
        """Play a game by the server's sentences from now on, because its package has failed in this client."""
        _log.warning("%s", failed)
        self._failed[failed.slug] = failed


def load_for_table(
    slug: str,
    offered: Iterable[GameInfo],
    features: Container[str],
    failed: ScovilleError | None = None,
    *,
    hosted: bool = False,
) -> AnyGame:
    """Return a game that a server has `offered`, in its sentences if this client cannot play it by rules of its own.

    `failed` is how its package has failed in this client before. Raises ScovilleError with a code of UNPLAYABLE if the
    server does not write sentences, or `failed`.
    """
    listed = list(offered)
    try:
        if failed is not None:
            raise failed
        return load_playable(slug, listed, hosted=hosted)
    except ScovilleError as error:
        info = next((info for info in listed if info.slug == slug), None)
        if info is None or FEATURE not in features:
            raise
        return SentenceGame(info, error)


def is_playable(slug: str, offered: Iterable[GameInfo]) -> bool:
    """Return whether this client can play a game with a server that has `offered` games."""
    try:
        load_playable(slug, offered)
    except ScovilleError:
        return False
    return True


def find_only_playable(offered: Sequence[GameInfo]) -> str | None:
    """Return a game to ask for where the server could choose one that this client does not have; None for any.

    A game in sentences is for users who choose it.
    """
    known = [info.slug for info in offered if is_playable(info.slug, offered)]
    return None if len(known) == len(offered) else next(iter(known), None)


@cache
def _types_digest(slug: str) -> str:
    return registry.types_digest(load_game(slug))


def _missing_text(slug: str, theirs: GameInfo | None, *, hosted: bool) -> str:
    if theirs is None or not theirs.package:
        return tr("This client does not have the game {game}.", game=slug)
    if hosted:
        return tr(
            "This door does not have the game {game}. Its host can install the package {package} {version}.",
            game=theirs.title,
            package=theirs.package,
            version=theirs.package_version or "",
        )
    return tr(
        "This client does not have the game {game}. It comes in the package {package} {version}: install that, too.",
        game=theirs.title,
        package=theirs.package,
        version=theirs.package_version or "",
    )


def _differing_text(game: AnyGame, theirs: GameInfo) -> str:
    mine = registry.package_of(game.info.slug)
    if theirs.package is None:
        return tr(
            "The server has other rules for {game}: install the server's version of Scoville.", game=game.info.title
        )
    if mine.name == theirs.package and mine.version == theirs.package_version:
        return tr(
            "The server has another {game} than this client, though both call it {package} {version}.",
            game=game.info.title,
            package=mine.name,
            version=mine.version,
        )
    return tr(
        "The server has other rules for {game}: it has {package} {version}, this client has {mine}. Install the "
        "server's version.",
        game=game.info.title,
        package=theirs.package,
        version=theirs.package_version or "",
        mine=str(mine),
    )


TEXTS_FEATURE: Final = "game_texts"
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
        if missing and TEXTS_FEATURE in self._connection.features:
            wanted = DescribeGamesRequest(slugs=missing[:MOST_DESCRIBED], sentence_language=current_language())
            # Then those games are not offered; all others are.
            with suppress(ScovilleError):
                texts = await self._connection.send_request(wanted, DescribeGamesReply)
        describe_games({} if texts is None else {each.game: each for each in texts.game_texts if each.game in missing})

    async def change_language(self) -> None:
        """Request the texts in another language; lists show them again. Raises LinkError."""
        await self.read_texts()
        self._publish(TablesChanged(replaced=True))

    def forget_texts(self) -> None:
        """Forget this server's texts about its games: others may have them in other versions."""
        describe_games({})
