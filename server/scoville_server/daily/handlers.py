"""Handlers of the daily deal."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.users import Users
from scoville_server.daily.model.attempts import Attempt
from scoville_server.daily.model.calendar import date_of
from scoville_server.daily.model.deals import DailyDay, DrawnDeal
from scoville_server.daily.service import DailyDeals, DailyResults
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.throttle import Source
from scoville_server.tables.archive.export import PAGE, export_game
from scoville_server.tables.handlers.tables import join_reply
from scoville_server.tables.model.action import require_granted
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.project import look_back, project_snapshot
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

MOST_RESULTS: Final = 60
"""Results in one reply, some 150 bytes each."""

_REBUILT: Final = 16
"""Games that are kept while clients request their pages."""


class DailyHandlers:
    """Handlers of the daily deal."""

    def __init__(
        self,
        daily: DailyDeals,
        results: DailyResults,
        users: Users,
        budgets: Budgets,
        permits: Permits,
        sign_result: Callable[[list[str]], str],
    ) -> None:
        self._daily = daily
        self._days = daily.days
        self._results = results
        self._users = users
        self._budgets = budgets
        self._permits = permits
        self._sign_result = sign_result
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self.by_request: Handlers = {
            m.ShowDailyRequest: self._show_daily,
            m.PlayDailyRequest: self._play_daily,
            m.CompareDailyRequest: self._compare_daily,
            m.ReplayDailyRequest: self._replay_daily,
            m.ProveDailyRequest: self._prove_daily,
            m.ExportDailyRequest: self._export_daily,
        }

    async def _show_daily(self, connection: ConnectedClient, _: m.ShowDailyRequest) -> m.ShowDailyReply:
        user, source = connection.user.id, connection.source
        await self._days.advance()
        await self._daily.settle_results(user)
        # Read after the wait: a game that has just ended counts.
        streak, best = self._daily.attempts.players.streak_of(user)
        today = self._days.today
        return m.ShowDailyReply(
            today=today,
            next_in_ms=max(0, self._days.calendar.begins_ms(today + 1) - self._days.now_ms()),
            deals=[self._describe_deal(day, user, source) for day in self._days.latest_days()],
            streak=streak.days,
            best_streak=best,
            free_days_left=streak.free_days_left,
            upcoming=[
                m.DailyPromise(
                    day=day.day, date=str(date_of(day.day)), commitments=[deal.commitment for deal in day.deals]
                )
                for day in self._days.coming_days()
            ],
        )

    async def _play_daily(self, connection: ConnectedClient, p: m.PlayDailyRequest) -> m.JoinReply:
        user, source = connection.user, connection.source
        self._budgets.count_action(source)
        self._permits.check_may_play(user)
        # Stored before the attempt, which names the user.
        await self._users.write_user(user)
        actor, seat = await self._daily.play_deal(user, source, p.day)
        return join_reply(actor, user.id, seat)

    async def _compare_daily(self, connection: ConnectedClient, p: m.CompareDailyRequest) -> m.CompareDailyReply:
        user = connection.user.id
        self._budgets.count_action(connection.source)
        day, deal = await self._find_comparable(connection, p.day)
        found = self._results.compare_results(deal, user, MOST_RESULTS)
        par, parting = deal.par, self._results.parting_from(deal, user)
        return m.CompareDailyReply(
            daily_deal=self._describe_deal(day, user, connection.source),
            results=[self._describe_result(deal, attempt, user, parting(attempt)) for attempt in found.listed],
            more=found.more,
            par=None if par is None else m.DailyPar(level=par.level, score=par.score, place=par.place),
        )

    async def _replay_daily(self, connection: ConnectedClient, p: m.ReplayDailyRequest) -> m.ReplayDailyReply:
        user = connection.user.id
        # Counted, because the game is played again.
        self._budgets.count_action(connection.source)
        _, deal = await self._find_comparable(connection, p.day)
        table = self._rebuild_table(self._results.find_result(deal, p.result, user), deal)
        past = look_back(table, p.since, deal.player)
        return m.ReplayDailyReply(
            snapshot=project_snapshot(table, p.since, deal.player, lambda _: True),
            views=past.views,
            latest=past.latest,
        )

    async def _prove_daily(self, _: ConnectedClient, p: m.ProveDailyRequest) -> m.ProveDailyReply:
        await self._days.advance()
        day = self._days.find_day(p.day)
        return m.ProveDailyReply(
            day=day.day,
            date=str(date_of(day.day)),
            drawn_ms=day.drawn_ms,
            proofs=[
                m.DailyProof(
                    deal=deal.name,
                    game=deal.game,
                    rules_version=deal.rules_version,
                    options=deal.options,
                    levels=[level or None for level in deal.levels],
                    commitment=deal.commitment,
                    server_key=deal.server_key.hex(),
                    signature=deal.commitment_signature.hex(),
                    server_seed=deal.seed.hex() if day.revealed_ms else None,
                )
                for deal in day.deals
            ],
        )

    async def _export_daily(self, connection: ConnectedClient, p: m.ExportDailyRequest) -> m.ExportReply:
        user = connection.user.id
        self._budgets.count_action(connection.source)
        day, deal = await self._find_comparable(connection, p.day)
        if not day.revealed_ms:
            closes_in_ms = self._days.calendar.closes_ms(day.day) - self._days.now_ms()
            raise ScovilleError(
                Code.DEAL_SEALED,
                "The seed of a daily deal is revealed when its time is over.",
                {"closes_in_ms": max(0, closes_in_ms)},
            )
        table = self._rebuild_table(self._results.find_result(deal, p.result, user), deal)
        lines = require_granted(export_game(table))
        lines = [*lines, self._sign_result(lines)]
        return m.ExportReply(lines=lines[p.since : p.since + PAGE], line_count=len(lines))

    async def _find_comparable(self, connection: ConnectedClient, number: int) -> tuple[DailyDay, DrawnDeal]:
        """Find the day and the deal of a user who may see its results. Raises ScovilleError."""
        user = connection.user.id
        await self._days.advance()
        await self._daily.settle_results(user)
        day = self._days.find_day(number)
        deal = self._daily.deal_of(day, user, connection.source)
        self._results.check_may_compare(day, deal, user)
        return day, deal

    def _rebuild_table(self, attempt: Attempt, deal: DrawnDeal) -> Table:
        """Make the table of a finished attempt again; those of the latest requests are kept."""
        table = self._tables.pop(attempt.key, None) or self._results.rebuild_table(attempt, deal)
        self._tables[attempt.key] = table
        while len(self._tables) > _REBUILT:
            self._tables.popitem(last=False)
        return table

    def _describe_deal(self, day: DailyDay, user: UserId, source: Source) -> m.DailyDeal:
        deal = self._daily.deal_of(day, user, source)
        attempt = self._daily.attempts.find_attempt(deal.name, user)
        closes_in_ms = self._days.calendar.closes_ms(day.day) - self._days.now_ms()
        state = "open" if attempt is None else "playing" if attempt.state == "running" else attempt.state
        finished = attempt is not None and attempt.state == "finished"
        return m.DailyDeal(
            day=day.day,
            date=str(date_of(day.day)),
            deal=deal.name,
            game=deal.game,
            options=deal.options,
            levels=[level or None for level in deal.levels],
            your_seat=deal.player,
            commitment=deal.commitment,
            state=state,
            closes_in_ms=max(0, closes_in_ms) if self._days.is_open(day) else None,
            table=attempt.table if attempt is not None and attempt.state == "running" else None,
            your_result=self._describe_result(deal, attempt, user) if attempt is not None and finished else None,
            finished_count=self._results.count_finished(deal),
            percentile=self._results.find_percentile(deal, user),
            deal_count=len(day.deals),
        )

    def _describe_result(
        self, deal: DrawnDeal, attempt: Attempt, reader: UserId, same_move_count: int | None = None
    ) -> m.DailyResult:
        name, claimed = self._results.name_of(attempt)
        return m.DailyResult(
            id=attempt.id,
            name=name,
            claimed=claimed,
            you=attempt.user == reader,
            friend=self._results.is_friend(reader, attempt.user),
            score=attempt.scores[deal.player],
            place=attempt.places[deal.player],
            scores=[*attempt.scores],
            places=[*attempt.places],
            same_move_count=same_move_count,
        )
