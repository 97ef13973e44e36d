"""Decoders of data from outside: prepared before any thread reads, and what is wrong with the data in our own words.

Users and programs never read the words of the decoder. msgspec tells the kind of a fault and its place in one English
sentence. It is taken apart here, once; a sentence that is not known becomes "cannot be read", so a new version of the
library shows less, and nothing of its own.
"""

import re
from typing import Any, Final, NamedTuple

import msgspec


def prepare_types(*kinds: Any) -> None:
    """Build msgspec's tables for these types now; otherwise it would do so at the first value.

    Two threads that read the first value of a struct at the same time use what is half built, and the process ends
    with SIGSEGV. Modules prepare the types that threads read when they are imported, which one thread does at a time.
    """
    for kind in kinds:
        msgspec.msgpack.Decoder(kind)


_PLACE: Final = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_PLACE_OF_KEY: Final = re.compile(r" - at `key` in `\$([^`]*)`$")
_MISSING: Final = re.compile(r"Object missing required field `([^`]*)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `([^`]*)`", re.DOTALL)
_TYPE: Final = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")
_BOUND: Final = re.compile(r"Expected `(int|float)` (>=|<=|>|<) (\S+)")
_LENGTH: Final = re.compile(r"Expected `(str|array|object)` of (?:at (?:most|least) )?length (>=|<=|==)? ?(\d+)")
_MOST_ITEMS: Final = re.compile(r"Expected `array` of at (most|least) length (\d+)")
_VALUE: Final = re.compile(r"Invalid (?:enum )?value (.*)", re.DOTALL)
_LONGEST: Final = 60

_TYPES: Final = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "null": "nil", "None": "nil",
    "array": "a list", "object": "a map", "bytes": "binary data", "ext": "an extension",
}  # fmt: skip
_BOUNDS: Final = {
    ">=": "at least",
    "<=": "at most",
    ">": "more than",
    "<": "less than",
    "==": "exactly",
    None: "exactly",
}
_UNITS: Final = {"str": "characters", "array": "items", "object": "entries"}


class DataFault(NamedTuple):
    """A fault as the end of a sentence ("seat must be text"), and the field, with dots; empty for none.

    `is_unknown` says that the reader does not know the field: it may be older than the writer.
    """

    sentence: str
    field: str
    is_unknown: bool = False


def describe_fault(error: Exception) -> DataFault:
    """Describe a decoder's fault in data."""
    if isinstance(error, RecursionError):
        return DataFault("it is nested too deeply", "")
    if isinstance(error, OwnFault):
        return DataFault(str(error), "")
    if isinstance(error.__cause__, ValueError):  # raised by a type of ours while it was decoded
        return DataFault(str(error.__cause__), "")
    said = str(error)
    of_key = _PLACE_OF_KEY.search(said)
    if of_key is not None:
        path = _name_path(of_key[1])
        fault = _describe_fault(said[: of_key.start()])
        return DataFault(f"a key of {path} {fault}" if path else f"a key {fault}", path)
    place = _PLACE.search(said)
    path = "" if place is None else _name_path(place[1])
    said = said if place is None else said[: place.start()]
    if (found := _MISSING.fullmatch(said)) is not None:
        field = ".".join(filter(None, (path, found[1])))
        return DataFault(f"{field} is missing", field)
    if (found := _UNKNOWN.fullmatch(said)) is not None:
        field = ".".join(filter(None, (path, found[1][:_LONGEST])))
        return DataFault(f"there is no {field}", field, is_unknown=True)
    return DataFault(f"{path or 'it'} {_describe_fault(said)}", path)


class OwnFault(ValueError):
    """A fault that we have found ourselves, with a sentence for users."""


def _describe_fault(said: str) -> str:
    if (found := _TYPE.fullmatch(said)) is not None:
        return f"must be {_name_kinds(found[1])}, not {_name_kinds(found[2])}"
    if (found := _BOUND.fullmatch(said)) is not None:
        return f"must be {_BOUNDS[found[2]]} {found[3]}"
    if (found := _MOST_ITEMS.fullmatch(said)) is not None:
        return f"must have at {found[1]} {found[2]} items"
    if (found := _LENGTH.fullmatch(said)) is not None:
        return f"must have {_BOUNDS[found[2] or '==']} {found[3]} {_UNITS[found[1]]}"
    if said.startswith("Expected `str` matching regex"):
        return "does not have the form that it must have"
    if (found := _VALUE.fullmatch(said)) is not None:
        return f"cannot be {found[1][:_LONGEST]}"
    if "out of range" in said:
        return "is out of range"
    return "cannot be read"


def _name_kinds(listed: str) -> str:
    kinds = [_TYPES.get(kind.strip(), "something else") for kind in listed.split("|")]
    return " or ".join(dict.fromkeys(kinds))


def _name_path(path: str) -> str:
    """Write a place as programs name it: `clock.move_ms` for `[0].clock.move_ms`; params are the first of a list."""
    return re.sub(r"^\[\d+\]", "", path).removeprefix(".params").removeprefix(".").replace("[...]", "")
