"""Sentences of a game of another package that never raise: where its code fails, plain data are shown instead."""

import logging
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, TypeVar

from scoville_shared.engine.contract import AnyGame, Refusal, Text
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.registry import is_ours, package_of
from scoville_shared.installed import Package

_log = logging.getLogger(__name__)
_FAILED = Phrase("The sentences of the package {package} have failed ({what}). You see plain data instead.")

T = TypeVar("T")


def with_safe_text(game: AnyGame) -> AnyGame:
    """Return a game whose sentences can be shown whatever its package does; ours are as they are."""
    if is_ours(game.info.slug) or isinstance(game.text, SafeText):
        return game
    safe = copy(game)
    has_notation = type(game.text).read_move is not Text.read_move
    safe.text = (SafeNotation if has_notation else SafeText)(game, package_of(game.info.slug))
    return safe


class SafeText(Text[Any, Any, Any]):
    """The sentences of a game; the first failure is logged, and the description of the table names the package."""

    def __init__(self, game: AnyGame, package: Package) -> None:
        self._text, self._codec, self._package = game.text, game.codec, package
        self._failed: BaseException | None = None

    def describe_fact(self, fact: Any) -> Phrase | None:
        return self._call(lambda: _check_optional(self._text.describe_fact(fact)), lambda: self._plain(fact))

    def describe_move(self, move: Any) -> Phrase:
        return self._call(lambda: _check_phrase(self._text.describe_move(move)), lambda: self._plain(move))

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        plain = Phrase("{reason}", {"reason": str(refusal.reason)})
        return self._call(lambda: _check_phrase(self._text.describe_refusal(refusal)), lambda: plain)

    def describe_table(self, view: Any) -> list[Phrase]:
        return self._call(lambda: _check_all(self._text.describe_table(view)), lambda: self._plain_table(view))

    def describe_hand(self, view: Any) -> list[Phrase]:
        return self._call(lambda: _check_all(self._text.describe_hand(view)), lambda: self._plain_table(view))

    def describe_turn(self, view: Any) -> list[Phrase]:
        return self._call(lambda: _check_all(self._text.describe_turn(view)), lambda: self._plain_table(view))

    def describe_scores(self, view: Any) -> list[Phrase]:
        return self._call(lambda: _check_all(self._text.describe_scores(view)), lambda: self._plain_table(view))

    def condense_log(self, log: Iterable[Phrase]) -> list[Phrase]:
        entries = list(log)
        return self._call(lambda: _check_all(self._text.condense_log(entries)), lambda: entries)

    def _call(self, describe: Callable[[], T], otherwise: Callable[[], T]) -> T:
        try:
            return describe()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - code of another package
            if self._failed is None:
                _log.warning("The sentences of the package %s have failed: %r", self._package, error)
            self._failed = error
            return otherwise()

    def _plain(self, value: Any) -> Phrase:
        return Phrase("{plain}", {"plain": self._codec.encode_plain(value)})

    def _plain_table(self, view: Any) -> list[Phrase]:
        what = f"{type(self._failed).__name__}: {self._failed}".rstrip(": ")
        return [_FAILED.with_fields({"package": str(self._package), "what": what}), self._plain(view)]


class SafeNotation(SafeText):
    """The same of a game whose moves are typed in a notation of its own: whether it has one is seen by its class."""

    def read_move(self, typed: str, view: Any) -> Any:
        return self._call(lambda: self._text.read_move(typed, view), lambda: None)


def _check_phrase(phrase: object) -> Phrase:
    if not isinstance(phrase, Phrase):
        raise TypeError(f"{phrase!r} is no Phrase")
    return phrase


def _check_optional(phrase: object) -> Phrase | None:
    return None if phrase is None else _check_phrase(phrase)


def _check_all(phrases: Iterable[object]) -> list[Phrase]:
    return [_check_phrase(phrase) for phrase in phrases]
