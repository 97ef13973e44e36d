"""The games of this server, with its default options."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

from msgspec.structs import replace

from scoville_outside import guard
from scoville_outside.guard import GameFailed, guard_game
from scoville_outside.safe_text import with_safe_text
from scoville_shared import __version__
from scoville_shared.bots.registry import find_level, list_levels
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.game_info import describe_game
from scoville_shared.games import registry
from scoville_shared.protocol.messages import GameInfo
from scoville_shared.values import Plain

_log = logging.getLogger(__name__)


class GameCatalog:
    """Finds games and completes options.

    Args:
        defaults: This server's options by game, for tables that do not set their own.
        slugs: Lists the games that can be used; called once.
        load: Loads a game.
    """

    def __init__(
        self,
        defaults: Mapping[str, Plain] | None = None,
        slugs: Callable[[], Sequence[str]] = guard.list_usable,
        load: Callable[[str], AnyGame] = registry.load_game,
    ) -> None:
        self._defaults = defaults or {}
        self._list = slugs
        self._load = load
        self._guarded: dict[str, AnyGame] = {}
        self._infos: dict[str, GameInfo] = {}
        self._stopped: dict[str, str] = {}
        self.on_stopped: Callable[[str, str], object] = _ignore_stop
        """Is called with a game that has been stopped, and the reason; in the middle of a call of that game."""

    @cached_property
    def _slugs(self) -> tuple[str, ...]:
        return tuple(self._list())

    def list_slugs(self) -> Sequence[str]:
        """List the games that can be played now."""
        return [slug for slug in self._slugs if slug not in self._stopped] if self._stopped else self._slugs

    def list_stopped(self) -> Mapping[str, str]:
        """Return the games that are stopped until the server starts again, each with the reason."""
        return self._stopped

    def leave_out(self, slug: str, reason: str) -> None:
        """Stop a game before there are tables."""
        if slug in self._slugs:
            self._stopped[slug] = reason

    def has_outside_games(self) -> bool:
        """Whether there are games of other packages."""
        return not all(map(registry.is_ours, self._slugs))

    def find_game(self, slug: str) -> AnyGame:
        """Return a game, guarded if another package brings it. Raises ScovilleError `unknown_game`."""
        if slug in self._stopped:
            sentence = f"The game {slug} of the package {registry.package_of(slug)} is stopped on this server."
            raise ScovilleError(Code.UNKNOWN_GAME, sentence)
        guarded = self._guarded.get(slug)
        if guarded is None:
            if slug not in self._slugs:
                known = ", ".join(self._slugs)
                raise ScovilleError(Code.UNKNOWN_GAME, f"There is no game called {slug!r} here; there is {known}.")
            game = self._load(slug)
            guarded = self._guarded[slug] = game if registry.is_ours(slug) else self._guard_game(slug, game)
        return guarded

    def _guard_game(self, slug: str, game: AnyGame) -> AnyGame:
        return with_safe_text(guard_game(game, on_stopped=partial(self._note_stopped, slug)))

    def _note_stopped(self, slug: str, reason: str) -> None:
        self._stopped[slug] = reason
        self.on_stopped(slug, reason)

    def describe_games(self) -> list[GameInfo]:
        """Describe every game, with the options of a table that sets none; one that fails at that is left out."""
        found = (self._describe_game(slug) for slug in self.list_slugs())
        return [info for info in found if info is not None]

    def complete_options(self, slug: str, asked: Plain) -> Plain:
        """Complete the options of a new table. Raises ScovilleError `bad_options`, `unknown_game`."""
        codec = self.find_game(slug).codec
        try:
            options: Plain = codec.encode_plain(codec.decode_options({**self._defaults.get(slug, {}), **asked}))
        except CodecError as error:
            raise ScovilleError(Code.BAD_OPTIONS, f"These options are not allowed: {error}.") from error
        return options

    def check_seats(self, slug: str, seats: int) -> None:
        """Check the number of seats. Raises ScovilleError `bad_seats`."""
        info = self.find_game(slug).info
        fewest, most = info.seats
        if not fewest <= seats <= most:
            sentence = f"{info.title} is for {fewest} to {most} players, not {seats}."
            raise ScovilleError(Code.BAD_SEATS, sentence, {"fewest": fewest, "most": most, "seats": seats})

    def check_bot_level(self, slug: str, name: str) -> None:
        """Check the level of a table's bots. Raises ScovilleError `bad_params`, which lists the levels."""
        if find_level(slug, name) is None:
            known = ", ".join(list_levels(slug))
            sentence = f"There are no {name!r} bots for {self.find_game(slug).info.title}; there are {known}."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"bots": name})

    def _describe_game(self, slug: str) -> GameInfo | None:
        # Once: each hello describes all games, and that of a package may take its time.
        if slug not in self._infos:
            try:
                self._infos[slug] = self._make_info(slug)
            except GameFailed as error:
                _log.warning("%s", error)
                return None
        return self._infos[slug]

    def _make_info(self, slug: str) -> GameInfo:
        game, package = self.find_game(slug), registry.package_of(slug)
        return replace(
            describe_game(game, self.complete_options(slug, {})),
            package=package.name,
            package_version=package.version or __version__,
            types=registry.types_digest(game),
        )


def _ignore_stop(_: str, __: str) -> None:
    """Do nothing: a catalog may be used without a server."""
