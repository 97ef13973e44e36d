"""Bots at a table. A bot gets its seat's View, its seat's facts and its own randomness, never the game's state."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Literal

from scoville_outside.guard import GameFailed
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.model.table import Table, bot_level
from scoville_shared.bots.base import Bot
from scoville_shared.bots.counted import stream_of_turn
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import Question, SearchBot, Searched, Thought, playouts_made, seed_of
from scoville_shared.bots.turn import BotTurn, key_of_turn
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.dice import Stream
from scoville_shared.games.registry import is_ours
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

_log = logging.getLogger(__name__)

OUTSIDE_SECONDS = 10.0
"""Seconds that a bot of another package may think about a move; then the fallback move is played."""

LATEST_MOVES = 12
"""So far back a bot looks for how fast people play here."""

Answered = Callable[[Thought | None], None]

Ask = Callable[[Table, Question | BotTurn, int, int, Answered], None]
"""Has a question or a whole turn of a table's bot answered, a question with a budget in playouts and a seed.

The callback gets None where there is no answer.
"""


def no_answer(_: Table, __: Question | BotTurn, ___: int, ____: int, answered: Answered) -> None:
    """Give no answer: searching bots play by their rules of thumb."""
    answered(None)


def raise_failure(error: GameFailed) -> None:
    """Raise the failure of a game."""
    raise error


class SeatBots:
    """The bots of one table, by seat.

    Each is a cache: a bot that is made later, after a restart or a takeover, observes the same facts since the deal
    and chooses the same moves.

    Args:
        ask: Has the questions of searching bots answered.
        fail: Is called when the game of another package fails, so that no move can be made for a seat.
    """

    def __init__(self, ask: Ask = no_answer, fail: Callable[[GameFailed], object] = raise_failure) -> None:
        self._ask = ask
        self._fail = fail
        self._bots: dict[Seat, Bot] = {}
        self._observed: dict[Seat, int] = {}

    def choose_move(
        self,
        table: Table,
        seat: Seat,
        answer: Callable[[PlayForSeat], object],
        by: Literal["bot", "clock"] = "bot",
    ) -> None:
        """Let the bot of a pending seat choose a move and pass the command to `answer`, now or later.

        `by` names the caller: the bot's seat, or a clock. Bots that decide by rules of thumb need less than a
        millisecond, so they run right here. Questions of searching bots are asked, unless a clock has no time for that.
        """
        if not is_ours(table.opened.game):
            with self._noticing_failures():
                self._think_elsewhere(table, seat, answer, by)
            return
        question: Question | None = None
        try:
            bot, view = self._inform_bot(table, seat), table.game.view(table.state, seat)
            if isinstance(bot, SearchBot):
                question = bot.make_question(view)
                # The move of the rule of thumb comes first in each question; it is played where nobody searches.
                move = question.moves[0]
            else:
                move = table.game.codec.encode_plain(bot.choose_move(view, stream_of_move(table, seat)))
        except Exception:  # noqa: BLE001 - whatever goes wrong inside a bot, the table plays on
            _log.exception("table %s: the %s bot of seat %d failed", table.id, bot_level(table, seat), seat)
            # It may have observed half of a fact: the next bot of the seat starts again from the deal.
            self._bots.pop(seat, None)
            self._observed.pop(seat, None)
            move = _fallback_move(table, seat)

        def play(move: Plain, made: Searched | None = None) -> None:
            legal = _legal_or_fallback(table, seat, move)
            answer(PlayForSeat(seat=seat, move=legal, nth=table.played[seat], mover=by, searched=made))

        if question is None or len(question.moves) == 1 or by == "clock":
            play(move)
            return
        assert isinstance(bot, SearchBot), "only searching bots have questions"
        playouts, counted = bot.playouts, bool(table.opened.deal)

        def answered(thought: Thought | None) -> None:
            made = playouts_made(question, playouts, thought)
            # A shared deal is searched in the parts of `answer_exactly`, which differ from those of a fast machine, so
            # how far it got is always recorded.
            if counted and thought is not None:
                made = Searched(thought.playouts, thought.portion)
            play(move if thought is None else thought.move, made)

        self._ask(table, question, playouts, seed_of(stream_of_move(table, seat)), answered)

    def _think_elsewhere(
        self,
        table: Table,
        seat: Seat,
        answer: Callable[[PlayForSeat], object],
        by: Literal["bot", "clock"],
    ) -> None:
        """Let a bot of another package think in a process of its own: it may take long, fail or never end."""

        def play(thought: Thought | None) -> None:
            if thought is None and by == "bot":
                _log.warning("table %s: the %s bot of seat %d did not answer", table.id, bot_level(table, seat), seat)
            # Later, and called by the pool of processes: nobody else would notice that there is no move.
            with self._noticing_failures():
                move = _fallback_move(table, seat) if thought is None else _legal_or_fallback(table, seat, thought.move)
                answer(PlayForSeat(seat=seat, move=move, nth=table.played[seat], mover=by))

        if by == "clock":
            play(None)
            return
        game, level = table.opened.game, bot_level(table, seat)
        facts = [
            fact
            for recorded in table.iterate_events_after(0)
            for to, fact in recorded.facts
            if to is None or to == seat
        ]
        view = table.game.codec.encode_plain(table.game.view(table.state, seat))
        turn = BotTurn(game, level, facts, view, key_of_turn(stream_of_move(table, seat)), OUTSIDE_SECONDS)
        self._ask(table, turn, 0, 0, play)

    @contextmanager
    def _noticing_failures(self) -> Iterator[None]:
        try:
            yield
        except GameFailed as error:
            self._fail(error)

    def _inform_bot(self, table: Table, seat: Seat) -> Bot:
        """Return the bot of a seat after it has observed what the seat has been sent."""
        bot = self._bots.get(seat)
        if bot is None:
            bot = self._bots[seat] = find_bot(table.opened.game, bot_level(table, seat))(table.game)
        if bot.remembers:
            for recorded in table.iterate_events_after(self._observed.get(seat, 0)):
                for to, fact in recorded.facts:
                    if to is None or to == seat:
                        bot.observe_fact(table.game.codec.decode_fact(fact))
            self._observed[seat] = table.seq
        return bot


def stream_of_move(table: Table, seat: Seat) -> Stream:
    """Return the random stream of a bot's next move: apart from the game's randomness, and the same after a restart."""
    return stream_of_turn(table.opened.seed, seat, table.played[seat])


def pause_ms(table: Table, seat: Seat, now_ms: int) -> int:
    """Return the milliseconds that a bot still waits with its move, so that people can follow the game.

    It lets at most the table's pace pass since the move before, three quarters of that on some moves, and never more
    than the people here have needed for their latest moves.
    """
    pace = table.opened.settings.bot_pace_ms
    if not pace:
        return 0
    latest = table.moves[-LATEST_MOVES:]
    thought = [after.at_ms - before.at_ms for before, after in pairwise(latest) if after.mover == "player"]
    varied = pace - (pace // 4) * ((seat + table.played[seat]) % 2)
    last_ms = latest[-1].at_ms if latest else table.started_ms
    return max(0, min([varied, *thought]) - max(0, now_ms - last_ms))


def _legal_or_fallback(table: Table, seat: Seat, move: Plain) -> Plain:
    # A move that cannot be read is as illegal as any other.
    with suppress(CodecError):
        if table.game.check(table.state, seat, table.game.codec.decode_move(move)) is None:
            return move
    _log.error("table %s: the %s bot of seat %d chose an illegal move", table.id, bot_level(table, seat), seat)
    return _fallback_move(table, seat)


def _fallback_move(table: Table, seat: Seat) -> Plain:
    plain: Plain = table.game.codec.encode_plain(table.game.fallback(table.game.view(table.state, seat)))
    return plain
