"""Guard around the games of other packages: their faults and endless loops cost their own table, and nobody else.

A game is trusted code: it runs in this process and could do anything. The guard is against mistakes, not malice. It is
made from the contract: every method that a package can write is wrapped, so that none can be forgotten.
"""

import gc
import signal
from collections.abc import Callable, Iterable
from inspect import isfunction
from threading import Lock, current_thread, get_ident, main_thread
from types import FrameType
from typing import Any, Final, TypeVar, cast

from scoville_outside.answers import check_answer
from scoville_outside.last_resort import LastResort, end_if_hanging
from scoville_runtime.clock import SYSTEM, THREADED
from scoville_shared.engine.codec import Codec, CodecError
from scoville_shared.engine.contract import (
    AnyGame,
    Game,
    Text,
)
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.games.registry import package_of
from scoville_shared.installed import bound_imports

T = TypeVar("T")

_Handler = Callable[[int, FrameType | None], Any] | int | signal.Handlers

# Decision 055: outside rules run in the server, so their calls have a bound, a number of failures, and a last resort.
CALL_SECONDS: Final = 0.25
"""CPU seconds of one call of a game, for which all other users of a server wait: ours take less than a millisecond."""
SCREEN_SECONDS: Final = 0.5
"""CPU seconds of a call of a board, or of anything else in the process of those who see it."""
LOAD_SECONDS: Final = 1.0
"""CPU seconds in which a board or a lesson has to be imported, once: in a door everybody waits for that."""
MOST_ENDLESS: Final = 3
"""Calls that did not end after which a game is called no more in this process."""
BOT_SECONDS: Final = 10.0
"""CPU seconds of a decision of a bot in this process; a server's bots think in another one, as long."""
IMPORT_SECONDS: Final = 5.0
"""CPU seconds in which a package has to be imported: it may load libraries such as NumPy."""
LONGEST_REASON: Final = 500
"""Characters of the text of a package's exception."""
WAITING_FACTOR: Final = 10
"""A call that uses no processor, because it waits for something, is ended after so many times as long."""
LOOKS_AFTERWARDS: Final = 16
"""Looks at a call in each further time of that length: at the first one it has always used a little less."""
SUSPECT_SECONDS: Final = 0.05
"""CPU seconds of a call while the game is suspected: what closes its table asks it for a View of each watcher."""
SUSPECTED_FOR: Final = 3600.0
"""Seconds for which a game is suspected after a call that took too long."""
LOOK_SECONDS: Final = 0.5
"""Seconds between two looks at calls in other threads."""
INTERRUPTIBLE_STEPS: Final = 100
"""Jumps after which an exception raised by another thread has arrived; each of them looks for one."""


class GameFailed(ScovilleError):
    """A call of a game failed: `internal`; `timed_out` when it was ended because it took too long.

    Its text names the reason, for the log. Its `message`, which goes to clients, does not: an exception of the game
    may quote a hidden card.
    """

    def __init__(self, slug: str, call: str, reason: str, *, timed_out: bool = False) -> None:
        self.slug, self.package, self.call, self.reason = slug, str(package_of(slug)), call, reason
        failed = f"The game {slug} of the package {self.package} failed in {call}"
        named = {"game": slug, "package": self.package, "call": call}
        super().__init__(Code.INTERNAL, f"{failed}: {reason}.", named)
        self.message = f"{failed}."
        self.timed_out = timed_out


class _TooLong(BaseException):
    """Raised inside of a game's call; no `except Exception` of the game catches it."""


class _ThreadLimit:
    """Ends calls in threads that take no signals, by real time: those that check finished games and plan reviews."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._until: dict[int, float] = {}
        self._late: set[int] = set()
        self._looks = False

    def run_call(self, seconds: float, work: Callable[[], T]) -> T:
        """Do work. Raises _TooLong once that has taken so many seconds; an outer call's limit counts."""
        me = get_ident()
        if me in self._until:
            return work()
        with self._lock:
            self._until[me] = SYSTEM.seconds() + seconds
            self._look_later(seconds)
        late = False
        try:
            return work()
        finally:
            # Here and not in a function: an interruption at the entrance of one would leave the call in the books.
            while True:
                try:
                    with self._lock:
                        late |= me in self._late
                        self._late.discard(me)
                        self._until.pop(me, None)
                    if late:
                        _let_interruption_come()
                    break
                except _TooLong:
                    late = True
            if late:
                raise _TooLong

    def _look_later(self, seconds: float) -> None:
        if not self._looks:
            self._looks = True
            THREADED.call_later(seconds, self._end_late_calls)

    def _end_late_calls(self) -> None:
        with self._lock:
            self._looks = False
            now = SYSTEM.seconds()
            for thread, until in self._until.items():
                if now >= until:
                    self._late.add(thread)
                    _raise_in_thread(thread, _TooLong)
            if self._until:
                # Again for one that catches everything, and for those that have begun since.
                self._look_later(max(LOOK_SECONDS, min(self._until.values()) - now))


def _raise_in_thread(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread as soon as it executes Python again."""
    import ctypes  # most servers have no game of another package that hangs, and users wait for their start

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _let_interruption_come() -> None:
    """Execute enough for an exception to arrive that is on its way to this thread, if there is one.

    To take it back instead would leave the interpreter with the word that there is one: it would look for it at every
    call and jump of all threads from then on, and in Python 3.11 never leave the first call under a profiler.
    """
    for _ in range(INTERRUPTIBLE_STEPS):
        pass


_THREADS: Final = _ThreadLimit()


class CallLimit:
    """Ends a call once it has used up its time: in the main thread by a signal, in others by real time.

    A timer of processor time would count the other threads' work, and one of real time a machine that sleeps: the alarm
    looks at this thread's own time, and is set again while that is not used up. Other threads take no signals. There
    `WAITING_FACTOR` times as long may pass, since the machine may be busy.
    """

    def __init__(self) -> None:
        self._cpu_until = self._real_until = 0.0
        self._armed = False
        self.last_resort: LastResort | None = None

    def run_call(self, seconds: float, work: Callable[[], T], game: str = "") -> T:
        """Do work, perhaps of a game. Raises _TooLong once that has used so many CPU seconds; an outer limit counts.

        No context manager: an alarm that rings as its end begins would leave the limit in force, and
        the next alarm would end whatever runs then.
        """
        if current_thread() is not main_thread():
            return _THREADS.run_call(seconds * WAITING_FACTOR, work)
        before = None if self._armed else self._take_alarm()
        if before is None:
            return work()
        resort = self.last_resort if game else None
        self._cpu_until = SYSTEM.working_seconds() + seconds
        self._real_until = SYSTEM.seconds() + WAITING_FACTOR * seconds
        try:
            self._armed = True
            if resort is not None:
                resort.begin_call(game)
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds / LOOKS_AFTERWARDS)
            return work()
        finally:
            # First, and before any call: an alarm that rings from here on does nothing.
            self._armed = False
            if resort is not None:
                resort.end_call()
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _take_alarm(self) -> _Handler | None:
        """Handle the alarm here; returns the former handler, None where the system has no such signal."""
        try:
            return signal.signal(signal.SIGALRM, self._end_if_late) or signal.SIG_DFL
        except (ValueError, AttributeError):
            return None

    def _end_if_late(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - what signals pass
        is_over = SYSTEM.working_seconds() >= self._cpu_until or SYSTEM.seconds() >= self._real_until
        if self._armed and is_over and not _is_collecting(frame):
            raise _TooLong


def _is_collecting(frame: FrameType | None) -> bool:
    """Whether a callback of the garbage collector runs: what is raised there is printed, and ends no call.

    A long collection often ends with the alarm waiting for the first instruction of Python, which is in such a
    callback where a library has set one. The alarm rings again.
    """
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None and callbacks:
        if frame.f_code in callbacks:
            return True
        frame = frame.f_back
    return False


_LIMIT = CallLimit()


def follow_calls(resort: LastResort | None) -> None:
    """End this process when a call of a game hangs in code that is not Python; None for a process that must not end."""
    _LIMIT.last_resort = resort


class TookTooLong(Exception):
    """Code of a package did not end in time."""


def run_in_time(work: Callable[[], T], seconds: float | None = None) -> T:
    """Do work of a package, such as its board's. Raises TookTooLong once that has used up its time."""
    limit = SCREEN_SECONDS if seconds is None else seconds
    try:
        return _LIMIT.run_call(limit, work)
    except _TooLong:
        raise TookTooLong(f"it did not end within {limit:g} seconds") from None
    except KeyboardInterrupt as error:
        if _is_interrupt(error):
            raise
        raise TookTooLong("it raised KeyboardInterrupt") from error


def _import_in_time(work: Callable[[], T]) -> T:
    """Import a package. Raises ImportError for one that does not end, or tries to end the process; else as it does."""
    try:
        with end_if_hanging():
            return _LIMIT.run_call(IMPORT_SECONDS, work)
    except _TooLong:
        raise ImportError(f"its import did not end within {IMPORT_SECONDS:g} seconds") from None
    except Exception:
        raise
    except BaseException as error:  # SystemExit, too: an import ends no server and no client
        if _is_interrupt(error):
            raise
        raise ImportError(_explain_error(error)) from error


# Importers of the guard load packages: every entry point of every kind is loaded in this way.
bound_imports(_import_in_time)


def _is_interrupt(error: BaseException) -> bool:
    """Whether the user has pressed Ctrl+C: Python raises that in the main thread, where nobody handles the signal."""
    return (
        isinstance(error, KeyboardInterrupt)
        and current_thread() is main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def _explain_error(error: BaseException) -> str:
    """Return the text of a package's exception, which may fail once more."""
    kind = type(error).__name__
    try:
        return _LIMIT.run_call(SUSPECT_SECONDS, lambda: f"{kind}: {error}".rstrip(": ")[:LONGEST_REASON])
    # To write the error as text runs code of the package as well.
    except BaseException as again:
        if _is_interrupt(again):
            raise
        return kind


class Conduct:
    """How a game has behaved, shared by all that is made of it: after some calls that did not end it is stopped.

    Args:
        now: Returns monotonic seconds.
        on_stopped: Is called once, within the call that was the last one, with the reason as a sentence.
    """

    def __init__(self, now: Callable[[], float], on_stopped: Callable[[str], object]) -> None:
        self._now = now
        self._on_stopped = on_stopped
        self._endless = 0
        self._suspected_until = 0.0
        self.stopped = ""
        """Why the game is called no more; empty while it is."""

    def limit_seconds(self, seconds: float) -> float:
        """Return how long a call may take that usually may take `seconds`."""
        return min(seconds, SUSPECT_SECONDS) if self._now() < self._suspected_until else seconds

    def note_endless_call(self, failed: GameFailed) -> None:
        """Note that a call did not end in time."""
        self._suspected_until = self._now() + SUSPECTED_FOR
        self._endless += 1
        if self._endless == MOST_ENDLESS:
            self.stopped = f"{MOST_ENDLESS} of its calls did not end, the last one in {failed.call}"
            self._on_stopped(self.stopped)


class GuardedGame(Game[Any, Any, Any, Any, Any]):
    """A game whose calls raise GameFailed, whatever goes wrong in them, and end in time; made by `guard_game`."""

    def __init__(self, game: AnyGame, conduct: Conduct) -> None:
        self._game = game
        self._conduct = conduct
        self.info = game.info
        self.codec = _wrap_part(Codec, game.codec, "codec", self.call)
        self.text = _wrap_part(Text, game.text, "text", self.call)
        # ValueError is how a reader says which line of the file is wrong.
        self.option_files = {  # type: ignore[misc]  # those of the contract belong to a class, these to one game
            option: _wrap_call(reader, f"option_files[{option!r}]", self.call, passing=(ValueError,))
            for option, reader in game.option_files.items()
        }

    def call(
        self,
        name: str,
        work: Callable[[], Any],
        *,
        passing: tuple[type[Exception], ...] = (),
        at_most: float | None = None,
    ) -> Any:
        """Do a part of the game. Raises GameFailed, and exceptions that may pass; `at_most` bounds its time."""
        seconds = self._conduct.limit_seconds(min(CALL_SECONDS, at_most or CALL_SECONDS))
        return self._run_in_time(name, work, seconds, passing)

    def ask_bot(self, work: Callable[[], T], seconds: float) -> T:
        """Let a bot of the game observe or choose. Raises GameFailed."""
        answer: T = self._run_in_time("its bot", work, seconds)
        return answer

    def _run_in_time(
        self, name: str, work: Callable[[], Any], seconds: float, passing: tuple[type[Exception], ...] = ()
    ) -> Any:
        if self._conduct.stopped:
            raise GameFailed(self.info.slug, name, self._conduct.stopped, timed_out=True)
        try:
            return _LIMIT.run_call(seconds, work, self.info.slug)
        except _TooLong:
            reason = f"it did not end within {seconds:g} seconds"
            failed = GameFailed(self.info.slug, name, reason, timed_out=True)
            self._conduct.note_endless_call(failed)
            raise failed from None
        except GameFailed:
            raise
        except BaseException as error:  # SystemExit and KeyboardInterrupt, too: a game ends no server and no client
            if isinstance(error, passing) or _is_interrupt(error):
                raise
            raise GameFailed(self.info.slug, name, _explain_error(error)) from error


_GUARDED: Final[dict[int, GuardedGame]] = {}
"""Guarded games by the identity of the game, which they keep alive: two readers share what is known of its faults."""


def load_game(slug: str) -> AnyGame:
    """Load a game, guarded if another package brings it. Raises as `registry.load_game` does."""
    game = registry.load_game(slug)
    if registry.is_ours(slug):
        return game
    if id(game) not in _GUARDED:
        _GUARDED[id(game)] = guard_game(game)
    return _GUARDED[id(game)]


def list_usable(among: Iterable[str] | None = None) -> list[str]:
    """List games as `registry.list_usable` does; the imports of packages end."""
    return registry.list_usable(among)


def list_faults(among: Iterable[str] | None = None) -> list[str]:
    """List faults of packages as `registry.list_faults` does; the imports of packages end."""
    return registry.list_faults(among)


def _ignore_stop(_: str) -> None:
    """Do nothing: every further call raises an error that says so."""


def guard_game(
    game: AnyGame, now: Callable[[], float] = SYSTEM.seconds, on_stopped: Callable[[str], object] = _ignore_stop
) -> GuardedGame:
    """Return a game that does the same, with every method of the contract guarded; see `Conduct`."""
    members = {
        name: _wrap_method(name, name)
        for name in list_hooks(Game)
        # Parts that the package does not write are our own code, and call guarded methods.
        if _has_own(game, Game, name)
    }
    kind = cast("Callable[[AnyGame, Conduct], GuardedGame]", type("GuardedGame", (GuardedGame,), members))
    return kind(game, Conduct(now, on_stopped))


def guard_part(contract: type, game: AnyGame, label: str, make: Callable[[], Any]) -> Any:
    """Make a part of a package that belongs to a game, such as its coach, with every method of its contract guarded.

    Raises GameFailed if it cannot be made. A game of ours has parts of ours, which are as they are.
    """
    return _wrap_part(contract, game.call(label, make), label, game.call) if isinstance(game, GuardedGame) else make()


def ask_bot(game: AnyGame, work: Callable[[], T], seconds: float = BOT_SECONDS) -> T:
    """Let a bot of a game observe or choose in this process; ours takes the time that it needs. Raises GameFailed."""
    return game.ask_bot(work, seconds) if isinstance(game, GuardedGame) else work()


def list_hooks(contract: type) -> list[str]:
    """Name the public methods of a part of the contract: what a package can write."""
    return [name for name, member in vars(contract).items() if isfunction(member) and not name.startswith("_")]


def _has_own(part: object, contract: type, name: str) -> bool:
    return name in vars(part) or getattr(type(part), name, None) is not vars(contract)[name]


def _wrap_method(name: str, label: str) -> Callable[..., Any]:
    """Make the guarded method of a game."""

    def guarded(self: GuardedGame, *args: Any, **named: Any) -> Any:
        own = getattr(self._game, name)
        return self.call(label, lambda: check_answer(name, own(*args, **named)))

    return guarded


def _wrap_part(contract: type, part: Any, label: str, call: Callable[..., Any]) -> Any:
    """Return a text or a codec that does the same as `part`, with its methods guarded."""
    # Every method of a codec: it decodes types of the package, which may have code of their own.
    names = [name for name in list_hooks(contract) if contract is Codec or _has_own(part, contract, name)]
    passing = (CodecError,) if contract is Codec else ()
    members = {
        name: staticmethod(_wrap_call(getattr(part, name), f"{label}.{name}", call, name, passing)) for name in names
    }
    # Without its `__init__`, which may be the package's: the new object has the state of the one that was made.
    wrapped: Any = object.__new__(type(f"Guarded{contract.__name__}", (type(part),), members))
    vars(wrapped).update(vars(part))
    return wrapped


def _wrap_call(
    own: Callable[..., Any],
    label: str,
    call: Callable[..., Any],
    name: str = "",
    passing: tuple[type[Exception], ...] = (),
) -> Callable[..., Any]:
    def guarded(*args: Any, **named: Any) -> Any:
        return call(label, lambda: check_answer(name, own(*args, **named)), passing=passing)

    return guarded
