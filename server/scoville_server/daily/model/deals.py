"""The deals of a day: drawn and committed to a week before, revealed when nobody can play them any more."""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from scoville_server.daily.model.calendar import SUNDAY, date_of, weekday_of
from scoville_shared.bots.counted import DAILY, SharedDeal
from scoville_shared.bots.registry import best_level
from scoville_shared.engine.contract import AnyGame, DailyPlan
from scoville_shared.engine.dice import SEED_BYTES, DealTerms, commit_to
from scoville_shared.ids import Seat, UserId
from scoville_shared.values import Plain

RATED_POOL: Final = 4
"""Deals of a rated day: a second account most probably previews another one."""

_LEVELS: Final = ("easy", "casual", "casual", "sensible", "sensible", "strong", "strong")
"""Levels from Monday to Sunday for games without plans of their own."""


class Par(Struct, frozen=True, array_like=True):
    """Result of a bot of `level` in the player's seat."""

    level: str
    score: int
    place: int


class DrawnDeal(Struct, frozen=True, kw_only=True):
    """A deal: its name, its secret seed, and everything else that its commitment binds.

    `levels` are those of the bots by seat, "" for the player's. `commitment_signature` is that of `server_key`.
    """

    name: str
    seed: bytes
    game: str
    rules_version: int
    options: Plain
    levels: tuple[str, ...]
    server_key: bytes = b""
    commitment_signature: bytes = b""
    par: Par | None = None

    @property
    def terms(self) -> DealTerms:
        """The terms that the commitment binds beside the seed."""
        return DealTerms(
            table=self.name,
            game=self.game,
            rules_version=self.rules_version,
            options=self.options,
            seats=len(self.levels),
            dealer=None,
        )

    @property
    def commitment(self) -> str:
        """The commitment to the deal, hex."""
        return commit_to(self.seed, self.terms).hex()

    @property
    def player(self) -> Seat:
        """The seat of the player."""
        return Seat(self.levels.index(""))

    @property
    def shared(self) -> SharedDeal:
        """The deal as its bots need it."""
        return SharedDeal(self.name, self.seed, self.game, self.options, self.levels)


class DailyDay(Struct, frozen=True, kw_only=True):
    """A day with its deals, and when it was drawn, opened and revealed: milliseconds since 1970, 0 for not yet."""

    day: int
    drawn_ms: int
    deals: tuple[DrawnDeal, ...]
    opened_ms: int = 0
    revealed_ms: int = 0

    def find_deal(self, name: str) -> DrawnDeal:
        """Return the deal of a name."""
        return next(deal for deal in self.deals if deal.name == name)


def draw_day(
    day: int,
    now_ms: int,
    games: Sequence[str],
    find_game: Callable[[str], AnyGame],
    complete_options: Callable[[str, Plain], Plain],
    draw_seed: Callable[[int], bytes],
) -> DailyDay:
    """Draw the deals of a day. Games take turns by day; days get harder from Monday to Sunday, which is rated.

    Args:
        day: The day.
        now_ms: The present time, in milliseconds since 1970.
        games: The games of the server.
        find_game: Finds one of them.
        complete_options: Completes the options of a game.
        draw_seed: Draws a secret of so many bytes.
    """
    game = find_game(games[day % len(games)])
    slug, weekday = game.info.slug, weekday_of(day)
    plan = plan_of(game, weekday)
    seats = len(plan.levels) + 1
    levels = [best_level(slug, level) for level in plan.levels]
    # Another seat each time that the turn comes back to this game.
    levels.insert(day // len(games) % seats, "")
    deals = [
        DrawnDeal(
            name=f"{DAILY}{date_of(day)}-{number}",
            seed=draw_seed(SEED_BYTES),
            game=slug,
            rules_version=game.info.rules_version,
            options=complete_options(slug, plan.options),
            levels=tuple(levels),
        )
        for number in range(1, 1 + (RATED_POOL if weekday == SUNDAY else 1))
    ]
    return DailyDay(day=day, drawn_ms=now_ms, deals=tuple(deals))


def plan_of(game: AnyGame, weekday: int) -> DailyPlan:
    """Return how a game is played on a weekday: by its own plan, or with more and better bots from day to day."""
    if game.daily_plans:
        return game.daily_plans[min(weekday, len(game.daily_plans) - 1)]
    fewest, most = game.info.official
    return DailyPlan(levels=(_LEVELS[weekday],) * (min(most, max(fewest, 3 + weekday // 2)) - 1))


def assign_deal(day: DailyDay, user: UserId, uses: Mapping[str, int]) -> DrawnDeal:
    """Assign one of the deals of a day to a user: by chance, among those that their network has used least.

    Args:
        day: The day.
        user: The user, whom nobody else can predict the deal of.
        uses: How often users from the same network have begun each deal.
    """
    fewest = min(uses.get(deal.name, 0) for deal in day.deals)
    free = [deal for deal in day.deals if uses.get(deal.name, 0) == fewest]
    drawn = hmac.digest(day.deals[0].seed, b"scoville/assign\0" + user.encode(), hashlib.sha256)
    return free[int.from_bytes(drawn[:4]) % len(free)]
