"""Par of a daily deal: a strong bot plays it in the player's seat."""

from typing import Final

from msgspec.structs import replace

from scoville_runtime.clock import CallLater
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.background.thinking import Asker, Thinking
from scoville_server.daily.days import DailyDays
from scoville_server.daily.model.deals import DailyDay, DrawnDeal, Par
from scoville_shared.bots.counted import CountedGame, CountedSearch
from scoville_shared.bots.registry import best_level
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

PAR_LEVEL: Final = "strong"


class ParPlayer:
    """Plays deals for par, one move after the other: searches go to processes, beside those of all tables."""

    def __init__(self, days: DailyDays, thinking: Thinking, later: CallLater, background: BackgroundTasks) -> None:
        self._days = days
        self._thinking = thinking
        self._call_later = later
        self._background = background
        self._begun: set[str] = set()

    def play_deal(self, day: DailyDay, deal: DrawnDeal) -> None:
        """Play a deal and store its par, unless that was begun."""
        if deal.par is not None or deal.name in self._begun:
            return
        self._begun.add(deal.name)
        level = best_level(deal.game, PAR_LEVEL)
        played = CountedGame.of_deal(deal.shared)
        played.seat_bot(deal.player, level)

        def go_on() -> None:
            """Play one move; the next one in a later turn of the loop."""
            pending = played.pending
            if not pending:
                self._background.insist_on_write(lambda: self._write_par(played, day.day, deal, level))
                return
            seat = min(pending)
            decided = played.decide(seat)
            if isinstance(decided, CountedSearch):
                asker = Asker("", "", "", deal.name)
                self._thinking.insist_on_work(asker, decided, lambda thought: play(seat, thought.move))
            else:
                play(seat, decided.move)

        def play(seat: Seat, move: Plain) -> None:
            played.play_move(seat, move)
            # In a turn of its own: a whole deal at once would hold up everybody.
            self._call_later(0, go_on)

        go_on()

    async def _write_par(self, played: CountedGame, number: int, deal: DrawnDeal, level: str) -> None:
        outcome = played.game.outcome(played.state)
        if outcome is None:
            return
        par = Par(level, outcome.scores[deal.player], outcome.places[deal.player])

        def add_par(day: DailyDay) -> DailyDay:
            deals = (replace(each, par=par) if each.name == deal.name else each for each in day.deals)
            return replace(day, deals=tuple(deals))

        await self._days.change_day(number, add_par)
