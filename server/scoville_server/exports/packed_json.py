"""Values of the journal, packed as MessagePack, written as JSON that leads back to the same bytes."""

import base64
import binascii
from typing import Any, Final

import msgspec

_BYTES: Final = "base64"
"""The only key of an object that stands for bytes, in base64."""
_MAP: Final = "map"
"""The only key of an object that stands for a map: a list of keys and values, where JSON's own could not say it."""
_PACKED: Final = "packed"
"""The only key of an object that stands for bytes which are no MessagePack as this server writes it, in base64."""
_MARKS: Final = {_BYTES, _MAP, _PACKED}


class NotPacked(ValueError):
    """JSON that stands for no value of a journal; the sentence says why."""


def read_packed(packed: bytes) -> Any:
    """Return a packed value as built-in types of JSON; `pack_json` makes the same bytes of it."""
    try:
        value = _to_json(msgspec.msgpack.decode(packed))
        # Compared, since MessagePack can write one value in several ways, and JSON cannot say NaN: a row of which a
        # single bit differed would be another row for its seal.
        if pack_json(msgspec.json.decode(msgspec.json.encode(value))) == packed:
            return value
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    return {_PACKED: base64.b64encode(packed).decode()}


def pack_json(value: Any) -> bytes:
    """Pack a value that was read from JSON. Raises NotPacked."""
    try:
        if isinstance(value, dict) and value.keys() == {_PACKED}:
            return _decode_base64(value[_PACKED])
        return msgspec.msgpack.encode(_from_json(value))
    except (msgspec.MsgspecError, OverflowError, RecursionError) as error:
        raise NotPacked(f"it cannot be packed: {error}") from error


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    if isinstance(value, dict):
        # A map that looks like one of the marks is written as a list as well, so that no object has two meanings.
        plain = all(isinstance(key, str) for key in value) and not (len(value) == 1 and value.keys() <= _MARKS)
        if plain:
            return {key: _to_json(item) for key, item in value.items()}
        return {_MAP: [[_to_json(key), _to_json(item)] for key, item in value.items()]}
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_BYTES}:
        return _decode_base64(value[_BYTES])
    if value.keys() == {_MAP}:
        return _read_pairs(value[_MAP])
    return {key: _from_json(item) for key, item in value.items()}


def _read_pairs(pairs: Any) -> dict[Any, Any]:
    try:
        return {_from_json(key): _from_json(item) for key, item in pairs}
    except (TypeError, ValueError) as error:
        raise NotPacked(f'"{_MAP}" must be a list of keys and values') from error


def _decode_base64(text: Any) -> bytes:
    if not isinstance(text, str):
        raise NotPacked("bytes must be written as text in base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotPacked(f"base64 cannot be read: {error}") from error
