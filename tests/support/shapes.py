"""Hypothesis strategies for the plain data that a msgspec type accepts, so that laws need no game's knowledge."""

from itertools import cycle, islice
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

LONGEST_DRAWN = 20


def plain_like(kind: Any) -> st.SearchStrategy[Any]:
    """Draw plain data of this type, within the bounds its annotations set."""
    return _plain(inspect.type_info(kind))


def values_like(kind: Any) -> st.SearchStrategy[Any]:
    """Draw typed values; data that the type's own check refuses is not drawn."""
    return plain_like(kind).map(lambda plain: _converted(plain, kind)).filter(lambda value: value is not None)


def kinds_in(*kinds: Any) -> list[inspect.Type]:
    """List every type that values of these types can be made of, each once."""
    waiting, found = [inspect.type_info(kind) for kind in kinds], []
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.append(kind)
            waiting += _parts(kind)
    return found


def _parts(kind: inspect.Type) -> list[inspect.Type]:
    match kind:
        case inspect.StructType():
            return [field.type for field in kind.fields]
        case inspect.UnionType():
            return list(kind.types)
        case inspect.TupleType():
            return list(kind.item_types)
        case inspect.VarTupleType() | inspect.ListType():
            return [kind.item_type]
        case _:
            return []


def _converted(plain: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError:
        return None


def _plain(kind: inspect.Type) -> st.SearchStrategy[Any]:
    match kind:
        case inspect.StructType():
            return st.fixed_dictionaries({field.encode_name: _plain(field.type) for field in kind.fields})
        case inspect.IntType():
            return _whole_numbers(kind)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.EnumType():
            return st.sampled_from([member.value for member in kind.cls])
        case inspect.UnionType():
            return st.one_of(map(_plain, kind.types))
        case inspect.VarTupleType() | inspect.ListType():
            return _lists(kind)
        case inspect.StrType():
            return st.text(min_size=kind.min_length or 0, max_size=kind.max_length or 20)
    raise TypeError(f"say in tests/support/shapes.py how to draw a {type(kind).__name__}")


def _lists(kind: inspect.VarTupleType | inspect.ListType) -> st.SearchStrategy[list[Any]]:
    """Draw lists; one that has to be long repeats a short one, which is drawn much faster."""
    fewest = kind.min_length or 0
    if fewest <= LONGEST_DRAWN:
        return st.lists(_plain(kind.item_type), min_size=fewest, max_size=kind.max_length or LONGEST_DRAWN)
    short = st.lists(_plain(kind.item_type), min_size=1, max_size=LONGEST_DRAWN)
    return short.map(lambda items: list(islice(cycle(items), fewest)))


def _whole_numbers(kind: inspect.IntType) -> st.SearchStrategy[int]:
    low = kind.ge if kind.ge is not None else -(10**6) if kind.gt is None else kind.gt + 1
    high = kind.le if kind.le is not None else 10**6 if kind.lt is None else kind.lt - 1
    return st.integers(low, high)
