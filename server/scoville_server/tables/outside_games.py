"""Guard around the games of other packages: their faults and endless loops cost their own table, and nobody else.

A game is trusted code: it runs in this process and could do anything. The guard is against mistakes, not malice.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from types import FrameType
from typing import Any, Final

import msgspec

from scoville_runtime.clock import SYSTEM
from scoville_shared.engine.contract import (
    MOST_FACT_BYTES,
    MOST_FACTS,
    Addressed,
    AnyGame,
    Game,
    Outcome,
    Refusal,
    Step,
    Text,
)
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games.registry import package_of
from scoville_shared.ids import Seat

_Handler = Callable[[int, FrameType | None], Any] | int | signal.Handlers

CALL_SECONDS: Final = 1.0
"""CPU seconds of one call of a game: ours take less than a millisecond."""
WAITING_FACTOR: Final = 10
"""A call that uses no processor, because it waits for something, is ended after so many times as long."""
SUSPECT_SECONDS: Final = 0.05
"""CPU seconds of a call while the game is suspected: what closes its table asks it for a View of each watcher."""
SUSPECTED_FOR: Final = 10.0
"""Seconds for which a game is suspected after a call that took too long."""
MOST_MOVES: Final = 10_000
"""Moves of a View that are looked at; a sequence may compute them without end."""


class GameFailed(ScovilleError):
    """A call of a game failed: `internal`; `timed_out` when it was ended because it took too long.

    Its text names the reason, for the log. Its `message`, which goes to clients, does not: an exception of the game
    may quote a hidden card.
    """

    def __init__(self, slug: str, call: str, reason: str, *, timed_out: bool = False) -> None:
        failed = f"The game {slug} of the package {package_of(slug)} failed in {call}"
        super().__init__(Code.INTERNAL, f"{failed}: {reason}.")
        self.message = f"{failed}."
        self.slug = slug
        self.timed_out = timed_out


class _TooLong(BaseException):
    """Raised inside of a game's call; no `except Exception` of the game catches it."""


class CallLimit:
    """Ends a call in this thread by a signal once it has used up its time. Only the main thread can be interrupted.

    A timer of processor time would count the other threads' work, and one of real time a machine that sleeps: the alarm
    looks at this thread's own time, and is set again while that is not used up.
    """

    def __init__(self) -> None:
        self._cpu_until = self._real_until = 0.0
        self._armed = False

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Raise _TooLong within the block once it has run for so many CPU seconds."""
        before = None if self._armed else self._take_alarm()
        if before is None:
            yield
            return
        self._cpu_until = SYSTEM.working_seconds() + seconds
        self._real_until = SYSTEM.seconds() + WAITING_FACTOR * seconds
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds / 2)
        try:
            yield
        finally:
            # First: an alarm that has rung already is handled after this line, and does nothing.
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _take_alarm(self) -> _Handler | None:
        """Handle the alarm here; returns the former handler, None where Python takes no signals: in other threads."""
        try:
            return signal.signal(signal.SIGALRM, self._look) or signal.SIG_DFL
        except (ValueError, AttributeError):
            return None

    def _look(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - what signals pass
        if self._armed and (SYSTEM.working_seconds() >= self._cpu_until or SYSTEM.seconds() >= self._real_until):
            raise _TooLong


_LIMIT = CallLimit()


class GuardedGame(Game[Any, Any, Any, Any, Any]):
    """A game whose calls raise GameFailed, whatever goes wrong in them, and end in time."""

    def __init__(self, game: AnyGame, now: Callable[[], float] = SYSTEM.seconds) -> None:
        self._game = game
        self._now = now
        self._suspected_until = 0.0
        self.info, self.codec = game.info, game.codec
        self.text = _GuardedText(self, game.text)

    def call(self, name: str, work: Callable[[], Any]) -> Any:
        """Do a part of the game. Raises GameFailed."""
        seconds = SUSPECT_SECONDS if self._now() < self._suspected_until else CALL_SECONDS
        try:
            with _LIMIT.at_most(seconds):
                return work()
        except _TooLong:
            self._suspected_until = self._now() + SUSPECTED_FOR
            reason = f"it did not end within {seconds:g} seconds"
            raise GameFailed(self.info.slug, name, reason, timed_out=True) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too: a game ends no server
            raise GameFailed(self.info.slug, name, f"{type(error).__name__}: {error}".rstrip(": ")) from error

    def setup(self, options: Any, seats: int, dice: Dice) -> Any:
        return self.call("setup", lambda: self._game.setup(options, seats, dice))

    def deal(self, options: Any, seats: int, dice: Dice, dealer: Seat | None) -> Any:
        return self.call("deal", lambda: self._game.deal(options, seats, dice, dealer))

    def next_dealer(self, state: Any) -> Seat | None:
        dealer: Seat | None = self.call("next_dealer", lambda: self._game.next_dealer(state))
        return dealer

    def pending(self, state: Any) -> frozenset[Seat]:
        pending: frozenset[Seat] = self.call("pending", lambda: frozenset(self._game.pending(state)))
        return pending

    def check(self, state: Any, seat: Seat, move: Any) -> Refusal | None:
        refusal: Refusal | None = self.call("check", lambda: self._game.check(state, seat, move))
        return refusal

    def apply(self, state: Any, seat: Seat, move: Any) -> Step[Any, Any]:
        def apply() -> Step[Any, Any]:
            step = self._game.apply(state, seat, move)
            facts: list[Addressed[Any]] = list(islice(step.facts, MOST_FACTS + 1))
            if len(facts) > MOST_FACTS:
                raise ValueError(f"a move has more than {MOST_FACTS:,} facts")
            size = len(msgspec.msgpack.encode([each.fact for each in facts]))
            if size > MOST_FACT_BYTES:
                raise ValueError(f"the facts of a move have {size:,} bytes; {MOST_FACT_BYTES:,} are allowed")
            return Step(step.state, facts)

        step: Step[Any, Any] = self.call("apply", apply)
        return step

    def outcome(self, state: Any) -> Outcome | None:
        outcome: Outcome | None = self.call("outcome", lambda: self._game.outcome(state))
        return outcome

    def round(self, state: Any) -> tuple[int, ...]:
        number: tuple[int, ...] = self.call("round", lambda: self._game.round(state))
        return number

    def view(self, state: Any, seat: Seat | None) -> Any:
        return self.call("view", lambda: self._game.view(state, seat))

    def moves(self, view: Any) -> Sequence[Any]:
        moves: list[Any] = self.call("moves", lambda: list(islice(self._game.moves(view), MOST_MOVES)))
        return moves

    def fallback(self, view: Any) -> Any:
        return self.call("fallback", lambda: self._game.fallback(view))

    def imagine(self, view: Any, dice: Dice) -> Any:
        return self.call("imagine", lambda: self._game.imagine(view, dice))


class _GuardedText(Text[Any, Any, Any]):
    """The sentences of a game that a server writes."""

    def __init__(self, game: GuardedGame, text: Text[Any, Any, Any]) -> None:
        self._game = game
        self._text = text

    def describe_fact(self, fact: Any) -> Phrase | None:
        phrase: Phrase | None = self._game.call("text.describe_fact", lambda: self._text.describe_fact(fact))
        return phrase

    def describe_move(self, move: Any) -> Phrase:
        phrase: Phrase = self._game.call("text.describe_move", lambda: self._text.describe_move(move))
        return phrase

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        phrase: Phrase = self._game.call("text.describe_refusal", lambda: self._text.describe_refusal(refusal))
        return phrase

    def describe_table(self, view: Any) -> list[Phrase]:
        phrases: list[Phrase] = self._game.call("text.describe_table", lambda: list(self._text.describe_table(view)))
        return phrases
