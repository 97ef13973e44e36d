"""TOML with the line of every setting, and with all faults of its syntax at once, in words for people.

`tomllib` decides what a value means. It stops at the first fault, says where in its own words, and does not say where
keys are; so a scanner walks through the statements first, notes lines, and leaves out the statements that are wrong.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

Path = tuple[str | int, ...]
"""Keys and numbers of array items, from the outermost to the innermost."""

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_STATEMENT: Final = re.compile(r"[ \t]*(\[|[A-Za-z0-9_.\"'-]+[ \t]*=)")
_WORD: Final = re.compile(r"[^\s,\]}#=\[{]+(?:[ \t]+[^\s,\]}#=\[{]+)*")
_AT: Final = re.compile(r"\(at line (\d+), column \d+\)")
_BLANK: Final = " \t"
_DEEPEST: Final = 32
"""Names and lists inside each other; settings have three. Values of more would end in a RecursionError somewhere."""
_SHORT: Final = 40
"""Characters of a wrong value that a message shows."""
_ENDS: Final = {'"': "double", "'": "single"}


class SyntaxFault(NamedTuple):
    """Fault of a line, counted from 1."""

    line: int
    what: str


class Document(NamedTuple):
    """A TOML document.

    Attributes:
        values: Its tables and values, without the statements that are wrong.
        lines: The line of each key and array item.
        faults: The faults of its syntax.
    """

    values: dict[str, Any]
    lines: dict[Path, int]
    faults: list[SyntaxFault]


def parse_document(text: str) -> Document:
    """Parse a TOML document, as far as it can be read."""
    text = text.replace("\r\n", "\n")
    scanner = _Scanner(text)
    scanner.scan_document()
    faults, rows = scanner.faults, text.split("\n")
    for start, end in scanner.wrong:
        rows[start - 1 : end] = [""] * (end - start + 1)
    values: dict[str, Any] = {}
    # Each fault empties one more row, so that an empty document is parsed at last.
    for _ in range(len(rows) + 1):
        try:
            values = tomllib.loads("\n".join(rows))
            break
        except (ValueError, RecursionError) as error:  # numbers of thousands of digits are a ValueError
            line = _line_of(error, rows)
            faults.append(SyntaxFault(line, "this is not TOML; a line is `setting = value`, `[table]` or a # comment"))
            rows[line - 1] = ""
    lines = {path: line for path, line in scanner.lines.items() if _has_path(values, path)}
    return Document(values, lines, sorted(set(faults)))


def _line_of(error: Exception, rows: list[str]) -> int:
    """Return the line at which `tomllib` gave up, or the last one before it that is not blank."""
    at = _AT.search(str(error))
    line = min(int(at[1]) if at else len(rows), len(rows))
    # A fault at the end of a document belongs to its last statement.
    return next((number for number in range(line, 0, -1) if rows[number - 1].strip()), line)


def _has_path(values: Any, path: Path) -> bool:
    for part in path:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True


class _Wrong(Exception):
    """A statement that cannot be read."""

    def __init__(self, at: int, what: str, resume: int | None = None) -> None:
        super().__init__(what)
        self.at = at
        self.what = what
        self.resume = resume
        """Where the next statement begins; by default on the next line."""


class _Scanner:
    """Walks through a document, one statement after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._table: Path = ()
        self._items: dict[Path, int] = {}
        """How many tables each array of tables has."""
        self.lines: dict[Path, int] = {}
        self.faults: list[SyntaxFault] = []
        self.wrong: list[tuple[int, int]] = []
        """First and last line of each statement that is wrong."""

    def scan_document(self) -> None:
        """Scan everything; afterwards `lines`, `faults` and `wrong` are complete."""
        while self._skip_between():
            start = self._at
            try:
                self._scan_statement()
            except _Wrong as wrong:
                self.faults.append(SyntaxFault(self._line_at(wrong.at), wrong.what))
                self._at = self._next_line(max(wrong.at, start)) if wrong.resume is None else wrong.resume
                self.wrong.append((self._line_at(start), self._line_at(max(start, self._at - 1))))

    # --- statements -------------------------------------------------------------------------------------

    def _scan_statement(self) -> None:
        start = self._at
        if self._next_sign() == "[":
            self._scan_header()
        else:
            self._scan_pair(self._table)
        self._skip_signs(_BLANK)
        if self._next_sign() not in ("\n", "#", ""):
            raise _Wrong(
                start, f"there is more behind the end of the {'name' if self._text[start] == '[' else 'value'}"
            )

    def _scan_header(self) -> None:
        start = self._at
        array = self._text.startswith("[[", self._at)
        self._at += 2 if array else 1
        path = self._scan_key("]")
        if not self._text.startswith("]]" if array else "]", self._at):
            raise _Wrong(start, "the name of this table has no closing ]")
        self._at += 2 if array else 1
        if array:
            self.lines.setdefault(path, self._line_at(start))
            self._items[path] = self._items.get(path, 0) + 1
            path = (*path, self._items[path] - 1)
        elif path in self.lines:
            raise self._refuse_duplicate(start, path)
        self._items.setdefault(path, 0)
        self._table = path
        self.lines.setdefault(path, self._line_at(start))

    def _scan_pair(self, table: Path) -> None:
        start = self._at
        path = (*table, *self._scan_key("="))
        if self._next_sign() != "=":
            name = self._text[start : self._at].strip() or self._row_at(start)
            raise _Wrong(start, f"a value is missing; write `{name} = …`")
        self._at += 1
        self._skip_signs(_BLANK)
        if path in self.lines:
            raise self._refuse_duplicate(start, path)
        # A dotted name makes tables on its way: a fault in one of them is shown where it came from.
        for length in range(len(table) + 1, len(path) + 1):
            self.lines.setdefault(path[:length], self._line_at(start))
        self._scan_value(path)

    def _refuse_duplicate(self, start: int, path: Path) -> _Wrong:
        name = ".".join(str(part) for part in path)
        return _Wrong(start, f"{name} is here twice; the first time is line {self.lines[path]}")

    def _scan_key(self, end: str) -> Path:
        """Read a dotted key up to a sign, which is not read."""
        parts: list[str | int] = []
        while True:
            self._skip_signs(_BLANK)
            start, sign = self._at, self._next_sign()
            if sign and sign in _ENDS:
                parts.append(self._read_leaf(start, self._scan_line_text(sign)))
            elif bare := _BARE_KEY.match(self._text, start):
                self._at = bare.end()
                parts.append(bare[0])
            else:
                raise _Wrong(start, self._describe_strange_start(start, end))
            self._skip_signs(_BLANK)
            if self._next_sign() != ".":
                return tuple(parts)
            if len(parts) == _DEEPEST:
                raise _Wrong(start, "there are too many names behind each other")
            self._at += 1

    def _describe_strange_start(self, at: int, end: str) -> str:
        if end == "=" and self._text[at : at + 1] == "=":
            return "a name is missing in front of the ="
        shown = _shorten_text(self._row_at(at))
        return f"`{shown}` is not a name; names have letters, digits, _ and -"

    # --- values -----------------------------------------------------------------------------------------

    def _scan_value(self, path: Path) -> None:
        start, sign = self._at, self._next_sign()
        # Its own tables are 32 names deep at most, and a name in it as many more.
        if len(path) > 2 * _DEEPEST:
            raise _Wrong(start, "there are too many brackets inside each other")
        if sign in ("", "\n", "#"):
            name = path[-1]
            raise _Wrong(
                start, f"a value is missing behind {name} =" if isinstance(name, str) else "a value is missing"
            )
        if sign == "[":
            self._scan_array(path)
        elif sign == "{":
            self._scan_inline_table(path)
        elif self._text.startswith(('"""', "'''"), start):
            self._read_leaf(start, self._scan_long_text(self._text[start : start + 3]))
        elif sign in _ENDS:
            self._read_leaf(start, self._scan_line_text(sign))
        else:
            word = _WORD.match(self._text, start)
            self._at = word.end() if word else start + 1
            self._read_leaf(start, self._text[start : self._at])

    def _read_leaf(self, start: int, literal: str) -> Any:
        """Read a value that is no array or table."""
        try:
            return tomllib.loads(f"value = {literal}")["value"]
        except ValueError:
            raise _Wrong(start, _describe_wrong_value(literal)) from None

    def _scan_line_text(self, end: str) -> str:
        start = self._at
        at = start + 1
        while at < len(self._text) and self._text[at] not in ("\n", end):
            # A quote behind a backslash ends nothing, but between single quotes a backslash is a sign like others.
            at += 2 if self._text[at] == "\\" and end == '"' else 1
        if self._text[at : at + 1] != end:
            raise _Wrong(start, f"a text in {_ENDS[end]} quotes has no closing {end}")
        self._at = at + 1
        return self._text[start : self._at]

    def _scan_long_text(self, end: str) -> str:
        start = self._at
        at = start + 3
        while at < len(self._text) and not self._text.startswith(end, at):
            at += 2 if self._text[at] == "\\" and end == '"""' else 1
        if at >= len(self._text):
            raise _Wrong(start, f"a text of several lines has no closing {end}", resume=len(self._text))
        at += 3
        for _ in range(2):  # one or two quotes in front of the closing ones belong to the text
            at += self._text[at : at + 1] == end[0]
        self._at = at
        return self._text[start:at]

    def _scan_array(self, path: Path) -> None:
        start = self._at
        self._at += 1
        # Bounded: each item takes at least one sign of the text.
        for number in range(len(self._text)):
            self._skip_in_array(start)
            if self._next_sign() == "]":
                break
            self.lines[*path, number] = self._line_at(self._at)
            self._scan_value((*path, number))
            self._skip_in_array(start)
            if self._next_sign() not in (",", "]"):
                raise _Wrong(self._at, "a comma is missing between two items of a list")
            self._at += self._next_sign() == ","
        self._at += 1

    def _skip_in_array(self, start: int) -> None:
        """Skip blanks, comments and line breaks between items; another statement means that the array is not closed."""
        while self._next_sign() and self._next_sign() in " \t\n#":
            row = self._at
            self._skip_signs("#" if self._next_sign() == "#" else " \t\n")
            if self._text.find("\n", row, self._at) >= 0:
                begin = self._starts[self._line_at(self._at) - 1]
                statement = _STATEMENT.match(self._text, begin)
                # Only `name =`: a row that begins with [ may be a list in this list.
                if statement and "=" in statement[0]:
                    raise _Wrong(start, "the list that begins here has no closing ]", resume=begin)
        if not self._next_sign():
            raise _Wrong(start, "the list that begins here has no closing ]", resume=len(self._text))

    def _scan_inline_table(self, path: Path) -> None:
        start = self._at
        self._at += 1
        self._skip_signs(_BLANK)
        while self._next_sign() != "}":
            if self._next_sign() in ("", "\n", "#"):
                raise _Wrong(start, "the table that begins here has no closing } on this line")
            self._scan_pair(path)
            self._skip_signs(_BLANK)
            if self._next_sign() not in (",", "}"):
                raise _Wrong(start, "the table that begins here has no closing } on this line")
            self._at += self._next_sign() == ","
            self._skip_signs(_BLANK)
        self._at += 1

    # --- places -----------------------------------------------------------------------------------------

    def _next_sign(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_signs(self, signs: str) -> None:
        """Skip signs; `#` is a comment up to the end of its line."""
        if signs == "#":
            self._at = self._end_of_row(self._at)
            return
        while self._next_sign() and self._next_sign() in signs:
            self._at += 1

    def _skip_between(self) -> bool:
        """Skip to the next statement; false at the end."""
        while self._next_sign() and self._next_sign() in " \t\n#":
            self._skip_signs("#" if self._next_sign() == "#" else " \t\n")
        return bool(self._next_sign())

    def _line_at(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def _end_of_row(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _next_line(self, at: int) -> int:
        return min(len(self._text), self._end_of_row(at) + 1)

    def _row_at(self, at: int) -> str:
        return self._text[at : self._end_of_row(at)].strip()


def _describe_wrong_value(literal: str) -> str:
    """Say why a text between two signs is no value."""
    shown = _shorten_text(literal)
    if literal[:1] in _ENDS:
        return f"{shown} holds a sign that a text cannot have; in single quotes a \\ is only a \\"
    lowered = literal.strip().lower()
    wanted = {"yes": "true", "on": "true", "no": "false", "off": "false", "none": '""', "null": '""'}.get(lowered)
    if lowered in ("true", "false"):
        wanted = lowered
    return f"{shown} is not a value; did you mean {wanted or _quote_text(shown)}?"


def _quote_text(text: str) -> str:
    """Write a text as TOML."""
    return f"'{text}'" if '"' in text or "\\" in text else f'"{text}"'


def replace_unprintable(text: str) -> str:
    """Replace signs that a terminal would not show, or obey: a name in quotes may have any."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _shorten_text(text: str) -> str:
    shown = replace_unprintable(text)
    return shown if len(shown) <= _SHORT else f"{shown[:_SHORT]}…"


def walk_leaves(values: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each value of a document that is no table, and each empty table, with its path."""
    if isinstance(values, dict) and (values or not path):
        for key, value in values.items():
            yield from walk_leaves(value, (*path, key))
    else:
        yield path, values
