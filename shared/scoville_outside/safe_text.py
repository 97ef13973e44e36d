"""Sentences of a game of another package that never raise: where its code fails, plain data are shown instead."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from typing import Any, TypeVar

from scoville_outside.guard import GameFailed, GuardedGame, guard_game
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame, Gain, Refusal, Remark, Text
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.registry import is_ours
from scoville_shared.ids import Seat

_log = logging.getLogger(__name__)
_FAILED = Phrase("The package {package} has failed in {call} ({what}). You see plain data instead.")

T = TypeVar("T")


def with_safe_text(game: AnyGame) -> AnyGame:
    """Return a game whose sentences can be shown whatever its package does; ours are as they are."""
    if is_ours(game.info.slug) or isinstance(game.text, SafeText):
        return game
    safe = copy(game if isinstance(game, GuardedGame) else guard_game(game))
    has_notation = type(game.text).read_move is not Text.read_move
    safe.text = (SafeNotation if has_notation else SafeText)(safe)
    return safe


def list_moves(game: AnyGame, view: Any) -> Sequence[Any]:
    """List the legal moves; none where the game fails, and the description of the table names the package."""
    try:
        return game.moves(view)
    except GameFailed as failed:
        if isinstance(game.text, SafeText):
            game.text.note_failure(failed)
        return ()


class SafeText(Text[Any, Any, Any]):
    """The sentences of a guarded game; the first failure is logged, and the description of the table names the package.

    A text that did not end in time is not asked again: each sentence of a screen would take as long.
    """

    def __init__(self, game: AnyGame) -> None:
        self._text, self._codec = game.text, game.codec
        self.tagline, self.option_names = self._text.tagline, self._text.option_names  # type: ignore[misc]
        self.option_help, self.option_values = self._text.option_help, self._text.option_values  # type: ignore[misc]
        self._failed: GameFailed | None = None

    def note_failure(self, error: GameFailed) -> None:
        """Note a failure of the game, which the description of the table names."""
        if self._failed is None:
            _log.warning("%s", error)
        if self._failed is None or not self._failed.timed_out:
            self._failed = error

    def describe_fact(self, fact: Any) -> Phrase | None:
        return self._describe_safely(lambda: self._text.describe_fact(fact), lambda: self._write_plain(fact))

    def describe_fact_of(self, seat: Seat, fact: Any) -> Phrase | None:
        return self._describe_safely(lambda: self._text.describe_fact_of(seat, fact), lambda: self._write_plain(fact))

    def describe_move(self, move: Any) -> Phrase:
        return self._describe_safely(lambda: self._text.describe_move(move), lambda: self._write_plain(move))

    def describe_move_at(self, view: Any, move: Any) -> Phrase:
        return self._describe_safely(lambda: self._text.describe_move_at(view, move), lambda: self._write_plain(move))

    def describe_decision(self, view: Any) -> Phrase | None:
        # Left out: it stands before a move, which says what was done.
        return self._describe_safely(lambda: self._text.describe_decision(view), lambda: None)

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        plain = Phrase("{reason}", {"reason": str(refusal.reason)})
        return self._describe_safely(lambda: self._text.describe_refusal(refusal), lambda: plain)

    def describe_table(self, view: Any) -> Iterable[Phrase]:
        phrases = self._describe_safely(lambda: self._text.describe_table(view), lambda: [self._write_plain(view)])
        return phrases if self._failed is None else [self._name_failure(self._failed), *phrases]

    def describe_hand(self, view: Any) -> Iterable[Phrase]:
        return self._describe_safely(lambda: self._text.describe_hand(view), lambda: [self._write_plain(view)])

    def describe_table_of(self, seat: Seat, view: Any) -> Iterable[Phrase]:
        phrases = self._describe_safely(
            lambda: self._text.describe_table_of(seat, view), lambda: [self._write_plain(view)]
        )
        return phrases if self._failed is None else [self._name_failure(self._failed), *phrases]

    def describe_hand_of(self, seat: Seat, view: Any) -> Iterable[Phrase]:
        return self._describe_safely(lambda: self._text.describe_hand_of(seat, view), lambda: [self._write_plain(view)])

    def describe_turn(self, view: Any) -> Iterable[Phrase]:
        return self._describe_safely(lambda: self._text.describe_turn(view), lambda: [self._write_plain(view)])

    def describe_scores(self, view: Any) -> Iterable[Phrase]:
        return self._describe_safely(lambda: self._text.describe_scores(view), lambda: [self._write_plain(view)])

    def condense_log(self, log: Iterable[Phrase]) -> Iterable[Phrase]:
        # A list, since the log is needed once more where the text fails in the middle of it.
        entries = list(log)
        return self._describe_safely(lambda: self._text.condense_log(entries), lambda: entries)

    def count_points(self, turns: Sequence[Sequence[Any]]) -> Iterable[Gain]:
        nothing: list[Gain] = []
        return self._describe_safely(lambda: self._text.count_points(turns), lambda: nothing)

    def list_remarks(self, turns: Sequence[Sequence[Any]], player: Seat, bots: Collection[Seat]) -> Iterable[Remark]:
        nothing: list[Remark] = []
        return self._describe_safely(lambda: self._text.list_remarks(turns, player, bots), lambda: nothing)

    def _describe_safely(self, describe: Callable[[], T], otherwise: Callable[[], T]) -> T:
        if self._failed is not None and self._failed.timed_out:
            return otherwise()
        try:
            return describe()
        except GameFailed as error:
            self.note_failure(error)
            return otherwise()

    def _write_plain(self, value: Any) -> Phrase:
        try:
            return Phrase("{plain}", {"plain": self._codec.encode_plain(value)})
        except (GameFailed, CodecError):
            return Phrase("{plain}", {"plain": "?"})

    @staticmethod
    def _name_failure(error: GameFailed) -> Phrase:
        return _FAILED.with_fields({"package": error.package, "call": error.call, "what": error.reason})


class SafeNotation(SafeText):
    """The same of a game whose moves are typed in a notation of its own: whether it has one is seen by its class."""

    def read_move(self, typed: str, view: Any) -> Any:
        return self._describe_safely(lambda: self._text.read_move(typed, view), lambda: None)
