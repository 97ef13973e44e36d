"""The games of this server, with its default options."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from scoville_outside import guard
from scoville_outside.guard import guard_game
from scoville_outside.safe_text import with_safe_text
from scoville_shared import __version__
from scoville_shared.bots.registry import find_level, list_levels
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.protocol.messages import GameInfo
from scoville_shared.values import Plain


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
        self._digests: dict[str, str] = {}

    @cached_property
    def _slugs(self) -> tuple[str, ...]:
        return tuple(self._list())

    def list_slugs(self) -> Sequence[str]:
        return self._slugs

    def find_game(self, slug: str) -> AnyGame:
        """Return a game, guarded if another package brings it. Raises ScovilleError `unknown_game`."""
        guarded = self._guarded.get(slug)
        if guarded is None:
            if slug not in self._slugs:
                known = ", ".join(self._slugs)
                raise ScovilleError(Code.UNKNOWN_GAME, f"There is no game called {slug!r} here; there is {known}.")
            game = self._load(slug)
            guarded = self._guarded[slug] = game if registry.is_ours(slug) else with_safe_text(guard_game(game))
        return guarded

    def describe_games(self) -> list[GameInfo]:
        """Describe every game, with the options of a table that sets none."""
        return [self._describe_game(slug) for slug in self._slugs]

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

    def _types_digest(self, slug: str) -> str:
        if slug not in self._digests:
            self._digests[slug] = registry.types_digest(self.find_game(slug))
        return self._digests[slug]

    def _describe_game(self, slug: str) -> GameInfo:
        info, package = self.find_game(slug).info, registry.package_of(slug)
        return GameInfo(
            slug=slug,
            title=info.title,
            seat_range=info.seats,
            official_range=info.official,
            rules_version=info.rules_version,
            options=self.complete_options(slug, {}),
            levels=list(list_levels(slug)),
            package=package.name,
            package_version=package.version or __version__,
            types=self._types_digest(slug),
        )
