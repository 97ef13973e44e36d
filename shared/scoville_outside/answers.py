"""Answers of games of other packages, checked before they are used or sent.

A wrong one would fail far from its package: in a screen, in a journal, or at every client that cannot read it.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Annotated, Any, Final, cast

import msgspec
from msgspec import Meta

from scoville_shared.engine.contract import MOST_FACT_BYTES, MOST_FACTS, Addressed, Gain, Outcome, Refusal, Remark, Step
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import MOST_SEATS, Seat

MOST_CHARACTERS: Final = 65_536
"""Characters of one sentence with all its parts; that of a screen has some hundred."""
MOST_MOVES: Final = 10_000
"""Moves of a View that are looked at; a sequence may compute them without end."""
MOST_PHRASES: Final = 1_000
"""Sentences of one description that are looked at."""
MOST_VIEW_BYTES: Final = 262_144
"""Bytes of a View: every watcher is sent one after each move; those of our games have some hundred."""
MOST_REFUSAL_BYTES: Final = 16_384
"""Bytes of a refusal's explanation."""
LONGEST_REASON_CODE: Final = 64
"""Characters of the name of a refusal's or an ending's reason."""
MOST_POINTS: Final = 1_000_000_000
"""Points of a seat, which careers add up."""


def check_answer(name: str, answer: Any) -> Any:
    """Return the answer of a method in a form that callers can rely on. Raises TypeError and ValueError."""
    check = _ANSWERS.get(name)
    return answer if check is None else check(answer)


def _check_phrase(phrase: object) -> Phrase:
    """Return a phrase that can be rendered outside of the guard. Raises TypeError and ValueError."""
    if not isinstance(phrase, Phrase):
        raise TypeError(f"{phrase!r} is no Phrase")
    if _measure_filling(phrase) > MOST_CHARACTERS:
        raise ValueError(f"a sentence has more than {MOST_CHARACTERS:,} characters")
    return phrase


def _measure_filling(value: object) -> int:
    """Count the characters of a phrase and all that it is filled with; other values than `Filling` are refused."""
    match value:
        case str():
            return len(value)
        case Phrase(text, fields, many, _):
            # No class derived from it: its code would run later, outside of the guard.
            if type(value) is not Phrase or not isinstance(fields, Mapping):
                raise TypeError(f"{type(value).__name__} with {type(fields).__name__} is no Phrase with fields")
            return len(text) + len(many or "") + _measure_filling(fields)
        case Who() | float() | int() | None:
            return 1
        case Mapping():
            return _measure_filling(list(value)) + _measure_filling(list(value.values()))
        case list() | tuple():
            return sum(map(_measure_filling, value))
    raise TypeError(f"a Phrase cannot be filled with a {type(value).__name__}")


def _check_optional(phrase: object) -> Phrase | None:
    return None if phrase is None else _check_phrase(phrase)


def _check_phrases(phrases: Iterable[object]) -> list[Phrase]:
    return [_check_phrase(phrase) for phrase in islice(phrases, MOST_PHRASES)]


def _check_gains(gains: Iterable[object]) -> list[Gain]:
    checked: list[Gain] = []
    for gain in islice(gains, MOST_PHRASES):
        if type(gain) is not Gain or not isinstance(gain.seat, int) or not isinstance(gain.points, int):
            raise TypeError(f"{gain!r} is no Gain of a seat")
        _check_phrase(gain.what)
        _check_phrase(gain.kind)
        checked.append(gain)
    return checked


def _check_remarks(remarks: Iterable[object]) -> list[Remark]:
    checked: list[Remark] = []
    for remark in islice(remarks, MOST_PHRASES):
        if type(remark) is not Remark:
            raise TypeError(f"{remark!r} is no Remark of a bot")
        _check_seat(remark.seat)
        _check_phrase(remark.sentence)
        checked.append(remark)
    return checked


def _check_step(step: object) -> Step[Any, Any]:
    if not isinstance(step, Step):
        raise TypeError(f"a {type(step).__name__} is no Step")
    # One more than is allowed, so that too many are noticed, and endless ones end.
    facts: list[Addressed[Any]] = list(islice(step.facts, MOST_FACTS + 1))
    if len(facts) > MOST_FACTS:
        raise ValueError(f"a move has more than {MOST_FACTS:,} facts")
    for each in facts:
        if each.to is not None:
            _check_seat(each.to)
        _check_struct(each.fact, "fact")
    size = len(msgspec.msgpack.encode([each.fact for each in facts]))
    if size > MOST_FACT_BYTES:
        raise ValueError(f"the facts of a move have {size:,} bytes; {MOST_FACT_BYTES:,} are allowed")
    return Step(_check_state(step.state), facts)


def _check_state(state: object) -> object:
    # A table without a state has not started yet.
    if state is None:
        raise TypeError("None is no state")
    return state


def _check_seat(seat: object) -> Seat:
    if not isinstance(seat, int) or not 0 <= seat < MOST_SEATS:
        raise TypeError(f"{seat!r} is no seat")
    return Seat(seat)


def _check_struct(value: object, name: str) -> object:
    if not isinstance(value, msgspec.Struct):
        raise TypeError(f"a {type(value).__name__} is no {name}")
    return value


def _check_view(view: object) -> object:
    """Return a View that can be sent: one that is too big would cost all users at its table their connection."""
    size = len(msgspec.msgpack.encode(_check_struct(view, "View")))
    if size > MOST_VIEW_BYTES:
        raise ValueError(f"a View has {size:,} bytes; {MOST_VIEW_BYTES:,} are allowed")
    return view


def _check_refusal(refusal: object) -> Refusal | None:
    if refusal is None:
        return None
    # Once there and back: a struct that Python code makes may hold anything in its fields.
    plain = msgspec.to_builtins(_check_instance(refusal, Refusal))
    msgspec.convert(plain, _RefusalBounds)
    if len(msgspec.msgpack.encode(plain)) > MOST_REFUSAL_BYTES:
        raise ValueError(f"a Refusal has more than {MOST_REFUSAL_BYTES:,} bytes")
    return cast("Refusal", refusal)


def _check_outcome(outcome: object) -> Outcome | None:
    if outcome is None:
        return None
    found = msgspec.convert(msgspec.to_builtins(_check_instance(outcome, Outcome)), _OutcomeBounds)
    if len(found.scores) != len(found.places):
        raise ValueError(f"an Outcome has {len(found.scores)} scores and {len(found.places)} places")
    return cast("Outcome", outcome)


def _check_instance(value: object, kind: type) -> object:
    if not isinstance(value, kind):
        raise TypeError(f"a {type(value).__name__} is no {kind.__name__}")
    return value


def _check_moves(moves: Iterable[object]) -> list[object]:
    return [_check_struct(move, "move") for move in islice(moves, MOST_MOVES)]


def _check_round(numbers: Iterable[object]) -> tuple[object, ...]:
    return tuple(_check_instance(number, int) for number in numbers)


class _RefusalBounds(msgspec.Struct):
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON_CODE)]
    data: dict[str, int | str]


class _OutcomeBounds(msgspec.Struct):
    scores: tuple[Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)], ...]
    places: tuple[Annotated[int, Meta(ge=1, le=MOST_SEATS)], ...]
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON_CODE)]


_ANSWERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "setup": _check_state,
    "deal": _check_state,
    "imagine": _check_state,
    "pending": lambda seats: frozenset(map(_check_seat, seats)),
    "next_dealer": lambda seat: None if seat is None else _check_seat(seat),
    "check": _check_refusal,
    "apply": _check_step,
    "outcome": _check_outcome,
    "view": _check_view,
    "moves": _check_moves,
    "fallback": lambda move: _check_struct(move, "move"),
    "round": _check_round,
    "describe_fact": _check_optional,
    "describe_fact_of": _check_optional,
    "describe_move": _check_phrase,
    "describe_move_at": _check_phrase,
    "describe_decision": _check_optional,
    "describe_refusal": _check_phrase,
    "describe_table": _check_phrases,
    "describe_hand": _check_phrases,
    "describe_table_of": _check_phrases,
    "describe_hand_of": _check_phrases,
    "describe_turn": _check_phrases,
    "describe_scores": _check_phrases,
    "condense_log": _check_phrases,
    "count_points": _check_gains,
    "list_remarks": _check_remarks,
    "write_hint": _check_phrase,
    "explain_move": _check_phrase,
    "name_error": _check_phrase,
    "name_reason": _check_phrase,
    "explain_balance": _check_phrase,
    "public_moves": lambda moves: list(islice(moves, MOST_MOVES)),
}
"""Conversions of answers inside the guard: sequences may compute without end, and screens show phrases only."""
