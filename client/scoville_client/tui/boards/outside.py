"""Guard of boards from other packages: one that fails is replaced by the game's sentences, and its package is named.

A board is called from everywhere: by screens, by Textual, by timers. Each entrance of a guarded board catches what its
code raises, and the widget itself becomes a `SentencesBoard`, so that screens keep the widget that they hold.
"""

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial, wraps
from inspect import getattr_static, isclass, iscoroutinefunction, isfunction
from typing import Any, Final, cast

from textual.actions import SkipAction
from textual.css.parse import parse
from textual.events import Key
from textual.keys import _get_key_aliases
from textual.message import Message

from scoville_client.i18n.language import tr
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import ACTIONS, Action, bindings
from scoville_client.tui.boards.board import Board, Parts
from scoville_client.tui.boards.course import Course
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.boards.storyboard import Story, StoryBoard
from scoville_client.tui.drawing.key_names import key_list
from scoville_client.tui.shell import Shell
from scoville_outside.guard import LOAD_SECONDS, MOST_ENDLESS, TookTooLong, run_in_time
from scoville_shared.engine.phrases import Phrase
from scoville_shared.installed import Extension, Package

_log = logging.getLogger(__name__)

_CONTEXTS: Final = frozenset({"everywhere", "play", "paused", "story", "watching"})
"""Contexts of the key registry in which a board has the focus."""
_HOME: Final = ("scoville_client.", "textual.")
_FAILURES: Final = (Exception, SystemExit)
"""Exceptions of a board's code; a cancelled task and Ctrl+C are none of its failures."""


def _reserved_actions() -> Iterable[Action]:
    """Yield the actions of every game that work while a board has the focus."""
    return (action for action in ACTIONS if not _CONTEXTS.isdisjoint((*action.contexts, *action.aside)))


RESERVED: Final[Mapping[str, str]] = {key: action.id for action in _reserved_actions() for key in key_list(action.keys)}
"""Keys that no board of another package may have, as Textual names them, and the actions that have them."""
RESERVED_IDS: Final = frozenset(action.id for action in _reserved_actions())
"""Names of actions that no board of another package may have."""


class _BoardFailed(Exception):
    """Wraps an exception of a board on its way through code of ours that would take it for a contradiction of facts."""


def load_outside(entry: Extension) -> type[Board]:
    """Load the board of another package; where that fails, return one of sentences that names the package."""
    try:
        board = run_in_time(entry.load_object, LOAD_SECONDS)
        return _make_guarded(_check_board(board), entry.package)
    except _FAILURES as error:
        _log.warning("The board of the package %s cannot be used: %r", entry.package, error)
        return _make_replacement(entry.package, error)


def _check_board(board: object) -> type[Board]:
    """Return an object if it is a usable class of boards. Raises TypeError, and Textual's errors for bad styles."""
    if not isclass(board) or not issubclass(board, Board):
        raise TypeError("the entry point names no subclass of Board")
    for each in _outside_classes(board):
        if each.__dict__.get("__slots__"):
            raise TypeError("a board has no __slots__")
        for _ in parse("", str(each.__dict__.get("DEFAULT_CSS", "")), (each.__name__, "DEFAULT_CSS")):
            """Rules are read one after the other; a wrong one raises."""
    for action in board.ACTIONS:
        texts = (*action[:5], *action.contexts, *action.aside) if isinstance(action, Action) else (None,)
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"{action!r} is no Action")
    return board


def _make_replacement(package: Package, error: BaseException) -> type[Board]:
    """Return a board of sentences that says why there is no other."""

    class ReplacementBoard(SentencesBoard):
        def __init__(self, at: AtTable, pace: float) -> None:
            super().__init__(at, pace)
            self.call_later(_announce_failure, self, package, error)

    return ReplacementBoard


def _make_guarded(board: type[Board], package: Package) -> type[Board]:
    """Derive a board whose entrances catch exceptions of `board`'s code, without its forbidden keys."""
    left_out = {action.id: why for action in board.ACTIONS if (why := _why_left_out(board, action))}
    for name, why in left_out.items():
        _log.warning("The board of the package %s has the action %s, which is left out: %s", package, name, why)
    own = tuple(
        action._replace(contexts=(), aside=(), priority=False) for action in board.ACTIONS if action.id not in left_out
    )
    guard = _Guard(board, package)
    members: dict[str, Any] = {name: guard.wrap_member(name) for name in _list_entrances(board)}
    members |= {f"action_{name}": _home_action(board, name) for name in {*RESERVED_IDS, *left_out}}
    members |= {"list_parts": staticmethod(guard.list_parts), "make_course": staticmethod(guard.make_course)}
    members |= {"__init__": guard.make_init(tuple(left_out.items())), "_dispatch_message": guard.make_dispatch()}
    members |= {"__module__": board.__module__, "ACTIONS": own, "BINDINGS": [*bindings("play", own)]}
    # Bindings of the package's classes are not inherited: whatever else they bind could hide a key of every game.
    guard.cls = cast("Any", type(board))(board.__name__, (board,), members, inherit_bindings=False)
    return guard.cls


def _why_left_out(board: type[Board], action: Action) -> str:
    """Say why an action of a board is left out; nothing where it may stay."""
    if action.id in RESERVED_IDS:
        return f"{action.id} is an action of every game"
    taken = [key for key in key_list(action.keys) if any(alias in RESERVED for alias in _get_key_aliases(key))]
    if taken:
        return ", ".join(f"{key} is the key of {RESERVED.get(key, 'another action')}" for key in taken)
    if action.keys and not callable(getattr(board, f"action_{action.id}", None)):
        return f"there is no method action_{action.id}"
    return ""


def _outside_classes(board: type) -> list[type]:
    return [each for each in board.__mro__ if not each.__module__.startswith(_HOME) and each.__module__ != "builtins"]


def _list_entrances(board: type[Board]) -> set[str]:
    """Name the methods and properties that others call.

    Handlers of messages are not among them: Textual calls those of each class by itself, see `_Guard.make_dispatch`.
    """
    family = {name for each in board.__mro__ if each.__module__.startswith("scoville_client.") for name in vars(each)}
    outside = {name for each in _outside_classes(board) for name in vars(each)}
    called = {name for name in outside if name.startswith("action_") or hasattr(Board, name)}
    names = {name for name in family if not name.startswith("_")} | called
    return {
        name
        for name in names
        if not name.startswith(("on_", "_on_", "__", "_dispatch")) and name not in {"list_parts", "make_course", "app"}
        if isinstance(getattr_static(board, name), property) or isfunction(getattr_static(board, name))
    }


def _home_action(board: type[Board], name: str) -> Callable[[Board], object]:
    """Return our own implementation of an action, such as the end of a story; else the screen has its turn."""
    for each in board.__mro__:
        if each.__module__.startswith("scoville_client.") and f"action_{name}" in vars(each):
            return cast("Callable[[Board], object]", vars(each)[f"action_{name}"])

    def skip(_: Board) -> None:
        raise SkipAction

    return skip


_ANSWERS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "keys": lambda keys: all(len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in keys),
    "own_actions": lambda actions: all(isinstance(action, Action) for action in actions),
    "page": lambda page: isinstance(page, str),
    "where": lambda where: where in {"play", "story"},
    "meaning": lambda meaning: isinstance(meaning, Hashable) and hash(meaning) is not None,
    "past_phrases": lambda past: all(isinstance(phrase, Phrase) for phrase in past),
    "explain_cost": lambda why: why is None or isinstance(why, Phrase),
    "changes_in": lambda seconds: seconds is None or isinstance(seconds, int | float),
}
"""Types of a board's answers, where screens use them: a wrong one would fail in a screen."""


class _Guard:
    """The wrappers around a board of a package; `cls` is the guarded class."""

    def __init__(self, board: type[Board], package: Package) -> None:
        self._board = board
        self._package = package
        self._endless = 0
        self.cls: type[Board] = board

    def wrap_member(self, name: str) -> Any:
        """Wrap a method or property."""
        original = getattr_static(self._board, name)
        if isinstance(original, property):
            return property(self._wrap_function(name, cast("Callable[..., Any]", original.fget), is_property=True))
        return (
            self._wrap_coroutine(name, original)
            if iscoroutinefunction(original)
            else self._wrap_function(name, original)
        )

    def _wrap_function(
        self, name: str, original: Callable[..., Any], *, is_property: bool = False
    ) -> Callable[..., Any]:
        from_outside = not (getattr(original, "__module__", None) or "").startswith(_HOME)

        @wraps(original)
        def guarded(board: Board, *args: Any, **named: Any) -> Any:
            if isinstance(board, self.cls):
                # A method of a board calls others: only the first one gives the board up.
                outermost = not vars(board).get("_guard_entered", False)
                vars(board)["_guard_entered"] = True
                try:
                    if name in {"decide_move", "play_move"}:
                        _check_move(board, *args, **named)
                    return self._check_answer(name, board, run_in_time(partial(original, board, *args, **named)))
                except (SkipAction, _BoardFailed) as passing:
                    if not outermost or isinstance(passing, SkipAction):
                        raise
                    self.give_up(board, passing.__cause__ or passing)
                except _FAILURES as error:
                    if not outermost:
                        if from_outside:
                            # Code of the package may catch its own exceptions, but not this.
                            raise _BoardFailed from error
                        raise
                    self.give_up(board, error)
                finally:
                    if outermost:
                        vars(board)["_guard_entered"] = False
            return self._of_sentences(name, board, args, named, is_property=is_property)

        return guarded

    def _wrap_coroutine(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        async def guarded(board: Board, *args: Any, **named: Any) -> Any:
            if isinstance(board, self.cls):
                try:
                    return await original(board, *args, **named)
                except SkipAction:
                    raise
                except _FAILURES as error:
                    self.give_up(board, error)
            answer = self._of_sentences(name, board, args, named, is_property=False)
            return await answer if hasattr(answer, "__await__") else answer

        return guarded

    def _check_answer(self, name: str, board: Board, answer: Any) -> Any:
        """Return the answer of a board. Raises TypeError if no screen could use it."""
        if isinstance(board, self.cls) and name in _ANSWERS and not _ANSWERS[name](answer):
            raise TypeError(f"its {name} is {answer!r}")
        return answer

    @staticmethod
    def _of_sentences(name: str, board: Board, args: Any, named: Any, *, is_property: bool) -> Any:
        """Ask a board that has become one of sentences, which does not know every name."""
        if is_property:
            return getattr(board, name, None)
        method = getattr(board, name, None)
        return None if method is None else method(*args, **named)

    def make_init(self, left_out: tuple[tuple[str, str], ...]) -> Callable[[Board, AtTable, float], None]:
        """Return a constructor that runs the package's own within the guard; where it fails, the board says so."""

        def __init__(board: Board, at: AtTable, pace: float) -> None:  # noqa: N807 - a constructor
            vars(board)["_guard_entered"] = True  # what it calls meanwhile belongs to the constructor
            try:
                if self._endless >= MOST_ENDLESS:  # behind a door, everybody would wait for each user's board again
                    raise TookTooLong(f"{MOST_ENDLESS} of its calls did not end")
                run_in_time(partial(self._board.__init__, board, at, pace))
                board.at, board.opened_at, board.pace = at, at.seq, pace
            except _FAILURES as error:
                self._endless += isinstance(error, TookTooLong)
                vars(board).clear()
                _become_sentences(board)
                SentencesBoard.__init__(cast("SentencesBoard", board), at, pace)
                board.call_later(_announce_failure, board, self._package, error.__cause__ or error)
            else:
                vars(board)["_guard_entered"] = False
                if left_out:
                    board.call_later(_announce_left_out, board, self._package, left_out)

        return __init__

    def make_dispatch(self) -> Callable[[Board, Message], Any]:
        """Return the method by which Textual hands a message, a timer or a key to the board."""

        async def _dispatch_message(board: Board, message: Message) -> None:
            try:
                if isinstance(message, Key) and not RESERVED.keys().isdisjoint(message.aliases):
                    _pass_on(board, message)
                else:
                    await self._board._dispatch_message(board, message)  # noqa: SLF001 - a hook of Textual
            except _FAILURES as error:
                self.give_up(board, error.__cause__ or error)

        return _dispatch_message

    def list_parts(self, view: Any) -> Parts:
        """Find the points of the parts of a finished game; none where the board fails."""
        try:
            parts = run_in_time(partial(self._board.list_parts, view))
            if not isinstance(parts, Parts):
                raise TypeError(f"its parts are {parts!r}")
        except _FAILURES as error:
            return cast("Parts", self._report_failure(error, Parts(Phrase(""), ())))
        return parts

    def make_course(self, *args: Any) -> Course:
        """Find the course of a finished game; none where the board fails."""
        try:
            course = run_in_time(partial(self._board.make_course, *args))
            if not isinstance(course, Course):
                raise TypeError(f"its course is {course!r}")
        except _FAILURES as error:
            return cast("Course", self._report_failure(error, Course()))
        return course

    def _report_failure(self, error: BaseException, empty: object) -> object:
        _log.warning("The board of the package %s failed after a game: %r", self._package, error)
        return empty

    def give_up(self, board: Board, error: BaseException) -> None:
        """Let a board that has failed become one of sentences."""
        if not isinstance(board, self.cls):  # it has failed before; this is what was still under way
            _log.debug("The board of the package %s failed once more: %r", self._package, error)
            return
        self._endless += isinstance(error, TookTooLong)
        story = vars(board).get("story")  # a package may have put something else there
        if isinstance(story, Story):
            story.stop_timers()  # they would go on with a story that is not there
        _become_sentences(board)
        board.call_later(_announce_failure, board, self._package, error)


def _check_move(board: Board, move: object) -> None:
    """Check a board's move. Raises TypeError for one that cannot be sent."""
    if not isinstance(move, tuple(board.at.game.codec.move_types)):
        raise TypeError(f"{move!r} is no move")


def _become_sentences(board: Board) -> None:
    board.__class__ = SentencesBoard
    board._bindings = cast("Any", SentencesBoard._merged_bindings).copy()  # noqa: SLF001 - made once for each widget


def _pass_on(board: Board, key: Key) -> None:
    """Hand a key of every game past the package's code; it ends a motion as each key does."""
    if isinstance(board, StoryBoard):
        StoryBoard.on_key(board, key)
    parent = board.parent
    if parent is not None:
        key._bubble_to(parent)  # noqa: SLF001 - as Textual does after the handlers of a widget


def _announce_failure(board: Board, package: Package, error: BaseException) -> None:
    """Name the package of a board that has failed, and show the sentences."""
    _log.warning("The board of the package %s failed.", package, exc_info=error)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    sentence = tr(
        "The board of the package {package} has failed ({what}). You see the game in sentences instead.",
        package=str(package),
        what=what,
    )
    cast("Shell", board.app).announce(sentence)
    board.repaint()
    board.post_message(Board.Moved())


def _announce_left_out(board: Board, package: Package, left_out: tuple[tuple[str, str], ...]) -> None:
    """Name the package of a board whose keys would hide keys of every game."""
    sentence = tr(
        "Keys of the board of {package} are left out: {names}.",
        package=str(package),
        names=", ".join(name for name, _ in left_out),
    )
    cast("Shell", board.app).announce(sentence)
