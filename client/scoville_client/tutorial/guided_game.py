"""Guided game: a lesson that is played in this process, without a server, by the rules engine."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from scoville_client.i18n.language import tr
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tutorial.lesson import Callout, blame_package, find_lesson
from scoville_outside import guard
from scoville_outside.guard import SCREEN_SECONDS, ask_bot, run_in_time
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import USUAL, find_bot
from scoville_shared.engine.contract import AnyGame, Refusal, select_facts
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played, SeatInfo, Started, TableInfo, TableSnapshot

ROUNDS: Final = 2
"""Guided rounds of a lesson."""
_ME: Final = Seat(0)


class GuidedGame:
    """Plays the lesson of a game: the user's moves, and those of the bots until the user must move again.

    Attributes:
        at: The table, as a client at a server has it.
        rounds: How many rounds are over: each of the user's decisions is one.
    """

    def __init__(self, slug: str, name: str = "") -> None:
        self.lesson = find_lesson(slug)
        self.game: AnyGame = guard.load_game(slug)
        self.rounds = 0
        with blame_package(slug):
            self._deal_cards(slug, name)

    def _deal_cards(self, slug: str, name: str) -> None:
        # One known seed: the callouts are about this hand, which was searched for.
        self._dice = Dice(self.lesson.seed)
        options = self.game.codec.decode_options(dict(self.lesson.options))
        self._state = self.game.setup(options, 1 + len(self.lesson.bots), self._dice)
        self._bots: dict[Seat, Bot] = {
            Seat(seat): find_bot(slug, USUAL)(self.game) for seat in range(1, 1 + len(self.lesson.bots))
        }
        self._played = [0] * (1 + len(self.lesson.bots))
        self.at = AtTable(self.game, self._make_snapshot(name or tr("Guest")))
        for _ in self._bots_play():
            pass  # before the user has seen anything

    @property
    def is_over(self) -> bool:
        return self.rounds >= ROUNDS or self.game.outcome(self._state) is not None

    def list_callouts(self) -> Sequence[Callout]:
        """Return the callout to show now. Raises LessonFailed."""
        with blame_package(self.game.info.slug):
            callouts = run_in_time(lambda: tuple(self.lesson.callouts(self.at.view, self.rounds)))
            if not all(isinstance(callout, Callout) for callout in callouts):
                raise TypeError(f"its callouts are {callouts!r}")
        return callouts

    def play_move(self, move: Any) -> Iterator[EventApplied]:
        """Play the user's move, then the bots'; yields each event.

        Raises ValueError for an illegal move, and LessonFailed where another package fails.
        """
        with blame_package(self.game.info.slug):
            yield self._apply_move(_ME, move)
            # Asked between the user's move and those of the bots: a round of several moves is still the user's here.
            self.rounds += not run_in_time(lambda: self.lesson.goes_on(self.at.view))
            yield from self._bots_play()

    def _bots_play(self) -> Iterator[EventApplied]:
        """Let the bots move, one after the other, until it is the user's turn."""
        while waiting := sorted(self.game.pending(self._state) - {_ME}):
            seat = Seat(waiting[0])
            chance = self._dice.open_stream(f"tutorial/{seat}/{self._played[seat]}")
            choose = partial(self._bots[seat].choose_move, self.game.view(self._state, seat), chance)
            yield self._apply_move(seat, ask_bot(self.game, choose, SCREEN_SECONDS))

    def _apply_move(self, seat: Seat, move: Any) -> EventApplied:
        step = play_move(self.game, self._state, seat, move)
        if isinstance(step, Refusal):
            raise ValueError(f"an illegal move: {step.reason}")
        self._state = step.state
        self._played[seat] += 1
        # A game of another package may never end, and its bots play without the user.
        if sum(self._played) > self.game.info.max_moves:
            raise ValueError(f"the game does not end within {self.game.info.max_moves} moves")
        for other, bot in self._bots.items():
            for fact in select_facts(step.facts, other):
                ask_bot(self.game, partial(bot.observe_fact, fact), SCREEN_SECONDS)
        event = Played(
            seq=self.at.seq + 1,
            seat=seat,
            mover="player" if seat == _ME else "bot",
            facts=[self.game.codec.encode_plain(fact) for fact in select_facts(step.facts, _ME)],
            pending=sorted(self.game.pending(self._state)),
            move_counts=[*self._played],
        )
        return self.at.apply_event(event, self._view_now())

    def _view_now(self) -> Any:
        return self.game.codec.encode_plain(self.game.view(self._state, _ME))

    def _make_snapshot(self, name: str) -> TableSnapshot:
        seats = [SeatInfo(name=name, kind="human", connected=True)]
        seats += [SeatInfo(name=bot, kind="bot", connected=True) for bot in self.lesson.bots]
        info = self.game.info
        pending: list[int] = sorted(self.game.pending(self._state))
        return TableSnapshot(
            info=TableInfo(
                table="tutorial",
                game=info.slug,
                rules_version=info.rules_version,
                options=dict(self.lesson.options),
                seats=seats,
                host=_ME,
                status="playing",
                commitment="",
            ),
            seq=1,
            seat=_ME,
            view=self._view_now(),
            pending=pending,
            move_counts=[*self._played],
            events=[Started(seq=1, seats=seats, nonces=[""] * len(seats), pending=pending)],
        )
