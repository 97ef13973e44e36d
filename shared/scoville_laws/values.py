"""Random values of the types that msgspec knows, so that laws need no game's knowledge."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

import msgspec
from msgspec import inspect

_TRIES: Final = 200
"""Values that are drawn until one passes the type's own check."""
_LONGEST: Final = 20
_UNBOUNDED: Final = 10**6
_SMALL: Final = 12
"""Moves and options are small numbers: some of the draws are."""


def draw_value(kind: Any, luck: Random) -> Any:
    """Draw a value of a type, within the bounds that its annotations set. Raises ValueError if none can be found."""
    info = inspect.type_info(kind)
    for _ in range(_TRIES):
        try:
            return msgspec.convert(_draw_plain(info, luck), kind)
        except msgspec.ValidationError:  # the type's own check, such as __post_init__
            continue
    raise ValueError(f"no value of {kind!r} passes its own check")


def list_kinds(*kinds: Any) -> list[inspect.Type]:
    """List every type that values of these types can be made of, each once."""
    waiting, found = [inspect.type_info(kind) for kind in kinds], list[inspect.Type]()
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.append(kind)
            waiting += _parts_of(kind)
    return found


def _parts_of(kind: inspect.Type) -> Sequence[inspect.Type]:
    match kind:
        case inspect.StructType():
            return [field.type for field in kind.fields]
        case inspect.UnionType():
            return list(kind.types)
        case inspect.TupleType():
            return list(kind.item_types)
        case inspect.VarTupleType() | inspect.ListType():
            return [kind.item_type]
        case inspect.DictType():
            return [kind.key_type, kind.value_type]
        case _:
            return []


def _draw_plain(kind: inspect.Type, luck: Random) -> Any:
    match kind:
        case inspect.StructType():
            return {field.encode_name: _draw_plain(field.type, luck) for field in kind.fields}
        case inspect.IntType():
            return _draw_number(kind, luck)
        case inspect.BoolType():
            return luck.random() < 1 / 2
        case inspect.NoneType():
            return None
        case inspect.LiteralType():
            return luck.choice(list(kind.values))
        case inspect.EnumType():
            return luck.choice([member.value for member in kind.cls])
        case inspect.UnionType():
            return _draw_plain(luck.choice(list(kind.types)), luck)
        case _:
            return _draw_series(kind, luck)


def _draw_series(kind: inspect.Type, luck: Random) -> Any:
    match kind:
        case inspect.VarTupleType() | inspect.ListType():
            length = _draw_length(kind.min_length, kind.max_length, luck)
            return [_draw_plain(kind.item_type, luck) for _ in range(length)]
        case inspect.TupleType():
            return [_draw_plain(each, luck) for each in kind.item_types]
        case inspect.StrType():
            length = _draw_length(kind.min_length, kind.max_length, luck)
            return "".join(luck.choice("aZ09 _-é…") for _ in range(length))
    raise TypeError(f"options and moves cannot have a {type(kind).__name__.removesuffix('Type').lower()}")


def _draw_number(kind: inspect.IntType, luck: Random) -> int:
    low = kind.ge if kind.ge is not None else -_UNBOUNDED if kind.gt is None else kind.gt + 1
    high = kind.le if kind.le is not None else _UNBOUNDED if kind.lt is None else kind.lt - 1
    # Bounds and small numbers come much more often than by chance: rules tend to forget them.
    match luck.randrange(8):
        case 0:
            return int(low)
        case 1:
            return int(high)
        case 2 | 3 | 4 if low < _SMALL and high > -_SMALL:
            return luck.randint(max(int(low), -_SMALL), min(int(high), _SMALL))
        case _:
            return luck.randint(int(low), int(high))


def _draw_length(least: int | None, most: int | None, luck: Random) -> int:
    fewest = least or 0
    return luck.randint(fewest, max(fewest, min(most if most is not None else _LONGEST, fewest + _LONGEST)))
