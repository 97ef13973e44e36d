"""Random requests: params of every method, drawn from their types, with existing and unknown ids."""

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from scoville_shared.protocol.messages import METHODS
from tests.e2e.kill.players import SHORT

PASSWORDS = ("", "sesame", "a long password", "another password")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=80),
    st.binary(max_size=8),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
)

Pools = Mapping[str, Sequence[Any]]
"""What there is, by the names of the fields that may speak of it."""


def params_of(method: str, pools: Pools) -> st.SearchStrategy[Any]:
    """Draw params of a method: mostly in order, sometimes nearly so, seldom anything at all."""
    kind = inspect.type_info(METHODS[method].params)
    assert isinstance(kind, inspect.StructType)
    proper = _struct(kind, pools)
    return st.one_of(proper, proper, proper, proper.flatmap(_spoiled), ANYTHING)


def _struct(kind: inspect.StructType, pools: Pools) -> st.SearchStrategy[dict[str, Any]]:
    fields = {field.encode_name: _field(field, pools) for field in kind.fields}
    needed = {field.encode_name for field in kind.fields if field.required}
    return st.fixed_dictionaries(
        {name: fields[name] for name in needed},
        optional={name: fields[name] for name in fields.keys() - needed},
    )


def _field(field: inspect.Field, pools: Pools) -> st.SearchStrategy[Any]:
    known = pools.get(field.encode_name)
    drawn = _typed(field.type, pools)
    return st.one_of(st.sampled_from(known), st.sampled_from(known), drawn) if known else drawn


def _spoiled(params: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Make one error: a field of another type, an additional field, or a missing one."""
    if not params:
        return st.dictionaries(st.text(max_size=8), ANYTHING, max_size=2)
    name = st.sampled_from(sorted(params))
    other = st.tuples(name, ANYTHING).map(lambda pair: {**params, pair[0]: pair[1]})
    more = ANYTHING.map(lambda value: {**params, "tabel": value})
    less = name.map(lambda name: {key: value for key, value in params.items() if key != name})
    return st.one_of(other, more, less)


def _typed(kind: inspect.Type, pools: Pools) -> st.SearchStrategy[Any]:
    match kind:
        case inspect.StructType():
            return _struct(kind, pools)
        case inspect.UnionType():
            return st.one_of([_typed(one, pools) for one in kind.types])
        case inspect.ListType():
            most = 8 if kind.max_length is None else kind.max_length
            return st.lists(_typed(kind.item_type, pools), min_size=kind.min_length or 0, max_size=most)
        case inspect.DictType():
            return st.dictionaries(st.text(max_size=8), ANYTHING, max_size=3)
    return _scalar(kind)


def _scalar(kind: inspect.Type) -> st.SearchStrategy[Any]:
    match kind:
        case inspect.IntType():
            return st.integers(kind.ge or 0, kind.le or 2**53) | st.integers(0, 5)
        case inspect.FloatType():
            return st.sampled_from((0, 0.5, 1, 30, 604_800, -1))
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.StrType():
            return st.text(min_size=kind.min_length or 0, max_size=min(kind.max_length or 20, 600))
    raise TypeError(f"say in tests/fuzz/random_requests.py how to draw a {type(kind).__name__}")


def options() -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Draw options of a short game."""
    return st.sampled_from(sorted(SHORT.items()))
