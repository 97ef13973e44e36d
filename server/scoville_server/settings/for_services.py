"""Parts of the settings for services: budgets of users, timeouts, quick tables, the daily deal, announcements."""

from collections.abc import Callable

from msgspec.structs import replace

from scoville_runtime.clock import Clock
from scoville_server.daily.model.calendar import DailySettings
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.live import Live
from scoville_server.limits.rate_budgets import Budget, Inbox
from scoville_server.limits.throttle import Rate
from scoville_server.net.lan.publisher import Publisher
from scoville_server.settings.model import Settings
from scoville_server.tables.factory import QuickTables
from scoville_server.tables.lifecycle.idle_timeouts import IdleSeconds
from scoville_shared.protocol.messages import TableClock


def make_publisher(settings: Settings) -> Publisher | None:
    if settings.announce:
        from scoville_server.net.lan.mdns import MdnsPublisher  # zeroconf takes long to load, and most do without

        return MdnsPublisher()
    return None


def make_budgets(live: Live[Settings], clock: Clock) -> Budgets:
    def rate(choose: Callable[[Settings], tuple[int, float]]) -> Live[Rate]:
        return live.select(lambda settings: Rate(*choose(settings)))

    return Budgets(
        table_creations=Budget(
            rate(lambda s: (s.table_creations, s.table_creations_seconds)),
            rate(lambda s: (s.table_creations_per_address, s.table_creations_seconds)),
        ),
        actions=Budget(
            rate(lambda s: (s.table_actions, s.table_actions_seconds)),
            rate(lambda s: (s.table_actions_per_address, s.table_actions_seconds)),
        ),
        at_table=Inbox(
            rate(lambda s: (s.table_actions_at_table_per_address, s.table_actions_seconds)),
            rate(lambda s: (s.table_actions_at_table, s.table_actions_seconds)),
        ),
        invitations=Budget(
            rate(lambda s: (s.invitations.sent, s.invitations.seconds)),
            rate(lambda s: (s.invitations.sent_per_address, s.invitations.seconds)),
        ),
        invited=Inbox(
            rate(lambda s: (s.invitations.received_per_address, s.invitations.seconds)),
            rate(lambda s: (s.invitations.received, s.invitations.seconds)),
        ),
        now=clock.seconds,
    )


def find_quick_tables(s: Settings) -> QuickTables:
    clock = TableClock(move_ms=1000 * s.quick_move_seconds or None, bank_ms=1000 * s.quick_bank_seconds or None)
    return QuickTables(s.bot_fill_seconds, clock)


def find_daily_settings(settings: Settings) -> DailySettings:
    """Return the settings of the daily deal; practice, which loads one game alone, has none."""
    return replace(settings.daily, enabled=settings.daily.enabled and not settings.offered)


def find_idle_seconds(settings: Settings) -> IdleSeconds:
    return IdleSeconds(
        unseated=settings.unseated_seconds,
        host_idle=settings.host_idle_seconds,
        idle=settings.idle_seconds,
        finished=settings.finished_seconds,
        moved_on=min(filter(None, (settings.rematch_seconds, settings.finished_seconds)), default=0.0),  # 0 is for ever
    )
