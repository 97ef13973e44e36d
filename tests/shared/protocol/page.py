"""The tables of docs/protocol/*.md: types, defaults and the data of errors come from the code, meanings are by hand.

`scripts/pages` writes them, and the index of docs/protocol.md with a link to each section. A new field gets a row
without a meaning: write it there. A new method, event or type needs a section, for which its neighbours are the model.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.shared.protocol.schema import make_schema
from tests.support.wire_page import FOLDER, INDEX, data_of

PAGES = tuple(FOLDER / f"{name}.md" for name in ("methods", "types", "events", "games"))
_NAMES = {"string": "text", "integer": "int", "boolean": "bool", "number": "number", "object": "map", "null": "nil"}
_HEX = {r"^[0-9a-f]{64}\Z": "hex of 32 bytes"}
_GAMES = {"Dicht dran": "dicht_dran", "No Thanks!": "no_thanks", "Chilli Chase": "chilli_chase"}
_UNUSED = {"UnknownEvent"}


class Table(NamedTuple):
    """A table: the title of its first column, the schema of what its rows name, and whether they may be left out."""

    column: str
    shape: dict[str, Any]
    optional: bool = False


def rewrite_page(text: str, described: dict[str, Any]) -> str:
    """Fill in the tables of a page."""
    lines, heading = [], ""
    rows = iter(text.split("\n"))
    for line in rows:
        lines.append(line)
        if found := re.match(r"^(#+) (.*)$", line):
            heading = found[2] if len(found[1]) <= 3 else ""
        column = re.match(r"^\| (param|reply|field|option|move|fact|error) \| (type|fields|data) \|", line)
        if column is None or not heading:
            continue
        lines.append(next(rows))
        meanings, after = _read_meanings(rows)
        if column[1] == "error":
            lines += [f"| `{code}` | {data_of(code) or '–'} | {meaning} |" for code, meaning in meanings.items()]
        else:
            lines += _fill_section(_write_table(heading, column[1], described), meanings, heading)
        lines.append(after)
    return "\n".join(lines)


def _read_meanings(rows: Iterator[str]) -> tuple[dict[str, str], str]:
    """Read the rows of a table, and the line after it."""
    meanings = {}
    for row in rows:
        found = re.match(r"^\| `([^`]+)` \|.*?\| (.*) \|$", row)
        if found is None:
            return meanings, row
        meanings[found[1]] = found[2]
    return meanings, ""


def _write_table(heading: str, column: str, described: dict[str, Any]) -> Table:
    game, _, part = heading.partition(": ")
    if game in _GAMES:
        return _of_game(described["games"][_GAMES[game]], part, column)
    method = described["methods"].get(heading)
    if method is not None:
        return Table(
            column, _write_shape(method["params" if column == "param" else "reply"], described), column == "param"
        )
    if heading in described["notices"]:
        return Table(column, _write_shape(described["notices"][heading], described))
    events = {
        shape["properties"]["kind"]["enum"][0]: shape
        for name, shape in described["types"].items()
        if _is_event(shape) and name not in _UNUSED
    }
    shape = events.get(heading) or described["types"][heading]
    return Table(column, shape, heading in ("TableSettings", "TableClock"))


def _is_event(shape: dict[str, Any]) -> bool:
    return {"kind", "seq"} <= shape.get("properties", {}).keys()


def _of_game(game: dict[str, Any], part: str, column: str) -> Table:
    types = game["types"]
    if part == "options":
        return Table(column, types["Options"], optional=True)
    if part == "moves":
        names = [move["$ref"].rpartition("/")[2] for move in game["moves"]]
        return Table(column, {"properties": {name: types[name] for name in names}})
    if part == "facts":
        facts = {tag: types[ref.rpartition("/")[2]] for tag, ref in game["fact"]["discriminator"]["mapping"].items()}
        return Table(column, {"properties": facts})
    return Table(column, types[part])


def _write_shape(reference: dict[str, str], described: dict[str, Any]) -> dict[str, Any]:
    shape: dict[str, Any] = described["types"][reference["$ref"].rpartition("/")[2]]
    return shape


def _fill_section(table: Table, meanings: dict[str, str], heading: str) -> list[str]:
    """Write the rows: those of the page in its order, then those that it lacks."""
    of_every_event = {"kind", "seq"} if _is_event(table.shape) else set()
    fields = {name: kind for name, kind in table.shape.get("properties", {}).items() if name not in of_every_event}
    unknown = meanings.keys() - fields.keys()
    if unknown:
        raise ValueError(f"{heading}: there is no {', '.join(sorted(unknown))}")
    order = [*meanings, *(name for name in fields if name not in meanings)]
    rows = []
    for name in order:
        kind = fields[name]
        if table.column in ("move", "fact"):
            inner = {key: each for key, each in kind["properties"].items() if key != "fact"}
            cell = ", ".join(f"`{key}`: {type_text(each, linked=False)}" for key, each in inner.items()) or "–"
        else:
            cell = type_text(kind) + (
                _write_default(kind, name in table.shape.get("required", [])) if table.optional else ""
            )
        rows.append(f"| `{name}` | {cell} | {meanings.get(name, '')} |")
    return rows


def _write_default(kind: dict[str, Any], required: bool) -> str:
    if required or "default" not in kind:
        return "" if required else ", may be left out"
    value = kind["default"]
    if value is None:
        return ", default nil"
    if isinstance(value, dict | list):
        return ", default `{}`" if isinstance(value, dict) else ", default `[]`"
    if isinstance(value, bool):
        return f", default {str(value).lower()}"
    if isinstance(value, str):
        return f', default `"{value}"`'
    return f", default {value:,}"


def type_text(kind: dict[str, Any], *, linked: bool = True) -> str:
    """Name a type of the schema in the words of the pages."""
    if "$ref" in kind:
        return _write_reference(kind["$ref"], linked=linked)
    if "anyOf" in kind:
        if len(kind["anyOf"]) > 5:
            return "an event"
        return " or ".join(type_text(each, linked=linked) for each in kind["anyOf"])
    if "enum" in kind:
        return _write_list(kind["enum"])
    if "prefixItems" in kind:
        return f"[{', '.join(type_text(each) for each in kind['prefixItems'])}]"
    if kind.get("type") == "array":
        inner = type_text(kind["items"], linked=linked)
        return f"[{inner}]"
    if kind.get("pattern") in _HEX:
        return _HEX[kind["pattern"]]
    return _NAMES[kind["type"]] + _write_bounds(kind)


def _write_list(values: list[str]) -> str:
    *others, last = [f"`{value}`" for value in values]
    return f"{', '.join(others)} or {last}" if others else last


def _write_reference(reference: str, *, linked: bool) -> str:
    name = reference.rpartition("/")[2]
    if name in ("Op", "Left", "Action", "CycleEnd"):
        game = make_schema()["games"][reference.split("/")[2]]
        return _write_list(game["types"][name]["enum"])
    if reference.startswith("#/games/"):
        return "Board" if name == "Board" else "map, the options"
    name = {
        "ClockParams": "TableClock",
        "PlanLineParams": "PlanLine",
        "NightParams": "Night",
        "TableSettingsParams": "TableSettings",
    }.get(name, name)
    return f"[{name}](types.md#{name.lower()})" if linked else name


def _write_bounds(kind: dict[str, Any]) -> str:
    low = kind.get("minLength", kind.get("minimum"))
    high = kind.get("maxLength", kind.get("maximum"))
    if high is None or high >= 2**53:
        return ""
    of = " characters" if kind["type"] == "string" else ""
    return f", {low:,} to {high:,}{of}" if low else f", up to {high:,}{of}" if of else f", 0 to {high:,}"


def _write_index() -> str:
    """Write the rows of the index: the sections of each chapter of the methods and events, all types, all games."""
    methods, types, events, games = (_split_chapters(path) for path in PAGES)
    rows = {title.lower(): links for title, links in (methods | events).items() if links}
    rows["types"] = [link for links in types.values() for link in links]
    rows["games"] = [_write_link("games.md", title) for title in games]
    return "".join(f"| {title} | {' · '.join(links)} |\n" for title, links in rows.items())


def _split_chapters(path: Path) -> dict[str, list[str]]:
    """Return a link to each section of each chapter of a page."""
    chapters: dict[str, list[str]] = {}
    for rank, title in re.findall(r"^(###?) (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
        if rank == "##":
            chapters[title] = []
        else:
            chapters[[*chapters][-1]].append(_write_link(path.name, title))
    return chapters


def _write_link(page: str, title: str) -> str:
    anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
    shown = title if title[0].isupper() else f"`{title}`"
    return f"[{shown}](protocol/{page}#{anchor})"


def write_pages() -> dict[Path, str]:
    """Write the pages with their tables, and the index with its rows."""
    described = make_schema()
    before, heading, rest = INDEX.read_text(encoding="utf-8").partition("5. Index:\n\n| | |\n|---|---|\n")
    pages = {path: rewrite_page(path.read_text(encoding="utf-8"), described) for path in PAGES}
    return {**pages, INDEX: before + heading + _write_index() + rest[rest.index("\n\n") + 1 :]}


def find_lacking(path: Path) -> list[str]:
    """List the rows of a page that have no meaning yet."""
    return re.findall(r"^\| `[^`]+` \|[^|]*\|\s*\|$", path.read_text(encoding="utf-8"), re.MULTILINE)
