"""The edge of the server: every text of a request is cleaned here, once, before anybody reads it."""

from collections.abc import Callable
from functools import cache
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Meta
from msgspec.structs import replace

from scoville_shared import text
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import VERBATIM, Name, Params

P = TypeVar("P", bound=Params)


class _Field(NamedTuple):
    """A text in a request, or a list of them: how it is cleaned, and its length; `needed` when it must say something.

    Nothing of an `optional` one is None, as if it had been left out.
    """

    name: str
    clean: Callable[[str], str]
    most: int | None
    needed: bool
    optional: bool

    def clean_value(self, value: Any) -> Any:
        """Clean a text, or every one of a list; None stays None."""
        if isinstance(value, list):
            return [self.clean_value(item) for item in value]
        return None if value is None else self._clean_text(value)

    def _clean_text(self, value: str) -> str | None:
        kept = self.clean(value)[: self.most].rstrip()
        if self.needed and not kept:
            raise ScovilleError(
                Code.BAD_PARAMS,
                f"Nothing of {self.name!r} can be shown to others: use letters, digits or punctuation.",
                {"field": self.name},
            )
        return None if self.optional and not kept else kept


def sanitize_params(params: P) -> P:
    """Clean the texts of a request; passwords and the like stay as they are.

    Raises ScovilleError `bad_params` when nothing is left of one that must say something.
    """
    changes = {}
    for field in _fields_to_clean(type(params)):
        value = getattr(params, field.name)
        if (kept := field.clean_value(value)) != value:
            changes[field.name] = kept
    return replace(params, **changes) if changes else params


@cache
def _fields_to_clean(kind: type[Params]) -> tuple[_Field, ...]:
    """Find the text fields of a kind of request, without those that are marked as never shown."""
    hints = [(name, _item_of(hint)) for name, hint in get_type_hints(kind, include_extras=True).items()]
    return tuple(
        _field_to_clean(name, kept, optional=kept is not hint)
        for name, hint in hints
        for kept in [_without_none(hint)]
        # Every text unless its type says otherwise: a new field is clean by default.
        if _is_text(kept) and VERBATIM not in get_args(kept)
    )


def _item_of(hint: Any) -> Any:
    """The type of the items of a list, also of one that may be left out; any other type as it is."""
    bare = _without_none(hint)
    bare = get_args(bare)[0] if get_origin(bare) is Annotated else bare
    return get_args(bare)[0] if get_origin(bare) is list else hint


def _without_none(hint: Any) -> Any:
    """The type of a field that is not None."""
    kinds = [part for part in get_args(hint) if part is not NoneType]
    return kinds[0] if NoneType in get_args(hint) and len(kinds) == 1 else hint


def _is_text(hint: Any) -> bool:
    return hint is str or (get_origin(hint) is Annotated and get_args(hint)[0] is str)


def _field_to_clean(name: str, hint: Any, *, optional: bool) -> _Field:
    bounds = next((part for part in get_args(hint) if isinstance(part, Meta)), Meta())
    clean = text.clean_name if hint == Name else text.clean_text
    return _Field(name, clean, bounds.max_length, bool(bounds.min_length), optional)
