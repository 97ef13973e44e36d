"""Thinking of the searching bots of all tables, in fair shares by the network and the user that opened a table."""

from collections.abc import Callable, Sequence

from scoville_server.background.thinking import Answered, Asker, Thinking
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table, bot_level
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.bots.counted import CountedSearch
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import Question, SearchBot
from scoville_shared.bots.turn import BotTurn
from scoville_shared.games.registry import is_ours
from scoville_shared.ids import Seat, TableId


class BotThinking(TableObserver):
    """Has the questions of bots answered for their tables, and a process started when a searching bot sits down.

    Args:
        thinking: Answers questions.
        networks: Returns the networks that opened a table, the narrowest first; none after a restart.
    """

    observed = frozenset({Change.STATUS, Change.SEATS})

    def __init__(self, thinking: Thinking, networks: Callable[[TableId], Sequence[str]]) -> None:
        self._thinking = thinking
        self._networks = networks

    @property
    def waiting(self) -> int:
        """How many questions wait for a process."""
        return self._thinking.waiting

    def ask_question(
        self, table: Table, question: Question | BotTurn, playouts: int, seed: int, answered: Answered
    ) -> None:
        """Have a question answered for a bot of a table; `answered` gets None where there is no answer in time."""
        asker = self._asker_of(table)
        if table.opened.deal and not isinstance(question, BotTurn):
            # All tables of a shared deal must get the same answer, so it is asked for until it is there.
            self._thinking.insist_on_work(asker, CountedSearch(question, seed), answered)
        else:
            self._thinking.ask_pool(asker, question, playouts, seed, answered)

    def table_removed(self, actor: TableActor) -> None:
        self._thinking.stop_insisting(actor.table.id)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - an observer gets both
        """Start a process when bots that need one begin to play at a table, or one replaces an absent player."""
        if done.after.seats != done.before.seats or done.after.running != done.before.running:
            for level in _levels_elsewhere(done.after) - _levels_elsewhere(done.before):
                self._thinking.warm_up(self._asker_of(done.after), done.after.opened.game, level)

    def close(self) -> None:
        self._thinking.close()

    def _asker_of(self, table: Table) -> Asker:
        user = table.opened.user
        networks = self._networks(table.id) or (user,)
        # The widest network first: it shares the pool with others, and inside it the narrower ones, users and tables.
        return Asker(networks[-1], networks[0], user, table.id)


def _levels_elsewhere(table: Table) -> set[str]:
    """Return the levels of the bots that think in another process, and play or are about to."""
    ours = is_ours(table.opened.game)
    # Bots of packages are loaded there alone, and have no rule of thumb: the process starts before the game does.
    counts = table.running if ours else table.human_seats and table.status != "finished"
    bots = [Seat(n) for n, seat_state in enumerate(table.seats) if not seat_state.human] if counts else []
    levels = {bot_level(table, seat) for seat in bots}
    if not ours:
        # Before the start no seat has a level yet; any one imports the package.
        return {level or table.opened.settings.bot_level for level in levels}
    return {level for level in levels if issubclass(find_bot(table.opened.game, level), SearchBot)}
