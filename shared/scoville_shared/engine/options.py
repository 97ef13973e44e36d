"""Explanations of a game's options, for users who have set invalid ones."""

from collections.abc import Mapping
from typing import Any

import msgspec


def find_fault(data: Any, kind: type[Any]) -> str | None:
    """Explain what is wrong with `data` as options of type `kind`; None if no single option is at fault."""
    if not isinstance(data, Mapping):
        return None
    known = _schemas_of(kind)
    for name, value in data.items():
        if name not in known:
            return f"there is no option {name}; {list_offered(kind)}"
        if not _fits_kind(name, value, kind):
            return f"{name} cannot be {_show_value(value)}; {list_offered(kind)}"
    return None


def list_offered(kind: type[Any]) -> str:
    """Name the options with their defaults and values: `the options are cycles=2 (1 to 5), open_won=no (yes or no)`."""
    named = [
        f"{name}={_show_value(schema.get('default'))}{_list_values(schema)}"
        for name, schema in _schemas_of(kind).items()
    ]
    return f"the options are {', '.join(named)}" if named else "this game has no options"


def _schemas_of(kind: type[Any]) -> dict[str, dict[str, Any]]:
    (schema,), definitions = msgspec.json.schema_components([kind])

    def resolved(part: dict[str, Any]) -> dict[str, Any]:
        """Write out an enum, which has a definition of its own."""
        return {**part, **definitions[part["$ref"].rpartition("/")[2]]} if "$ref" in part else part

    properties: dict[str, dict[str, Any]] = resolved(schema)["properties"]
    return {name: resolved(part) for name, part in properties.items()}


def _fits_kind(name: str, value: Any, kind: type[Any]) -> bool:
    try:
        msgspec.convert({name: value}, kind)
    except msgspec.ValidationError as error:
        # An error without this path is about another option, such as a missing one.
        return f"$.{name}" not in str(error)
    return True


def _list_values(schema: Mapping[str, Any]) -> str:
    """Describe the allowed values in brackets; empty if that takes more than a few words."""
    choices = [text for each in schema.get("anyOf", [schema]) if (text := _one_of(each))]
    return f" ({' or '.join(choices)})" if choices else ""


def _one_of(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"type": "integer", "minimum": fewest, "maximum": most}:
            return f"{fewest} to {most}"
        case {"type": "boolean"}:
            return "yes or no"
        case {"enum": values}:
            return " or ".join(map(str, values))
        case _:
            return ""


def _show_value(value: Any) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "usual"
        case int() | str():
            return str(value)[:40]
        case _:
            return "that"


def list_choices(kind: type[Any]) -> dict[str, tuple[int | str, ...]]:
    """Return the values of those options that have only a few, by name: enums and literals; `kind` is their struct."""
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType), "options are a struct"
    return {field.encode_name: few for field in info.fields if (few := _few_of(field.type))}


def _few_of(kind: msgspec.inspect.Type) -> tuple[int | str, ...]:
    if isinstance(kind, msgspec.inspect.EnumType):
        return tuple(member.value for member in kind.cls)
    if isinstance(kind, msgspec.inspect.LiteralType):
        return tuple(value for value in kind.values if isinstance(value, int | str))
    return ()


def list_ranges(kind: type[Any]) -> dict[str, tuple[int, int]]:
    """Return the least and the most of those options that are bounded numbers, by name; `kind` is their struct."""
    found = {}
    for name, schema in _schemas_of(kind).items():
        for each in schema.get("anyOf", [schema]):
            match each:
                case {"type": "integer", "minimum": int(least), "maximum": int(most)}:
                    found[name] = least, most
    return found
