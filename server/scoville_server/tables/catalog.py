"""The games of this server, with its default options."""

from collections.abc import Callable, Mapping, Sequence

from scoville_shared.bots.registry import find_level, levels
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.protocol.messages import GameInfo
from scoville_shared.values import Plain


class GameCatalog:
    """Finds games and completes options.

    `defaults` are this server's options by game, for tables that do not set their own.
    """

    def __init__(
        self,
        defaults: Mapping[str, Plain] | None = None,
        slugs: Callable[[], Sequence[str]] = registry.slugs,
        load: Callable[[str], AnyGame] = registry.load,
    ) -> None:
        self._defaults = defaults or {}
        self._slugs = slugs
        self.game = load

    def slugs(self) -> Sequence[str]:
        """List the games."""
        return self._slugs()

    def infos(self) -> list[GameInfo]:
        """Describe every game, with the options of a table that sets none."""
        return [self._info(slug) for slug in self._slugs()]

    def options(self, slug: str, asked: Plain) -> Plain:
        """Complete the options of a new table. Raises ScovilleError `bad_options`, `unknown_game`."""
        codec = self.game(slug).codec
        try:
            options: Plain = codec.plain(codec.options({**self._defaults.get(slug, {}), **asked}))
        except CodecError as error:
            raise ScovilleError(Code.BAD_OPTIONS, f"These options are not allowed: {error}.") from error
        return options

    def check_seats(self, slug: str, seats: int) -> None:
        """Check the number of seats. Raises ScovilleError `bad_seats`."""
        info = self.game(slug).info
        fewest, most = info.seats
        if not fewest <= seats <= most:
            sentence = f"{info.title} is for {fewest} to {most} players, not {seats}."
            raise ScovilleError(Code.BAD_SEATS, sentence, {"fewest": fewest, "most": most, "seats": seats})

    def check_bot_level(self, slug: str, name: str) -> None:
        """Check the level of a table's bots. Raises ScovilleError `bad_params`, which lists the levels."""
        if find_level(slug, name) is None:
            known = ", ".join(levels(slug))
            sentence = f"There are no {name!r} bots for {self.game(slug).info.title}; there are {known}."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"bots": name})

    def _info(self, slug: str) -> GameInfo:
        info = self.game(slug).info
        return GameInfo(
            slug=slug,
            title=info.title,
            seat_range=info.seats,
            official_range=info.official,
            rules_version=info.rules_version,
            options=self.options(slug, {}),
            levels=list(levels(slug)),
        )
