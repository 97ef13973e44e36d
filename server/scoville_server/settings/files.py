"""A server's settings in a TOML file: its values, checked, each with the line where it is."""

import codecs
from pathlib import Path as FilePath
from typing import Any, Final

from scoville_server.settings.environment import Given
from scoville_server.settings.faults import KNOWN, Fault, check_name
from scoville_server.settings.toml_text import Document, Path, parse_document, walk_leaves
from scoville_server.settings.values import UnusableValue, check_value

_LARGEST_BYTES: Final = 4 * 1024 * 1024
"""No settings file is larger; one that is was named by mistake."""


class SettingsFile:
    """A settings file.

    Attributes:
        given: The values that it gives.
        faults: What is wrong with it.
    """

    def __init__(self, path: FilePath) -> None:
        self.path = path
        self.given: list[Given] = []
        self.faults: list[Fault] = []
        self._lines: dict[Path, int] = {}
        text = self._read_text()
        if text is not None:
            self._take_document(parse_document(text))

    def _read_text(self) -> str | None:
        try:
            with self.path.open("rb") as file:
                data = file.read(_LARGEST_BYTES + 1)
        except OSError as error:
            self.faults.append(Fault(place=str(self.path), what=f"the file cannot be read: {error.strerror}"))
            return None
        except ValueError:
            self.faults.append(Fault(place=repr(str(self.path)), what="this is not a path"))
            return None
        if len(data) > _LARGEST_BYTES:
            self.faults.append(Fault(place=str(self.path), what="the file is too large for a settings file"))
            return None
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self.faults.append(Fault(place=f"{self.path}:1", what="the file is in UTF-16; save it in UTF-8"))
            return None
        # Some editors on Windows begin a file with the mark that `utf-8-sig` skips.
        return self._decode_rows(data.removeprefix(codecs.BOM_UTF8))

    def _decode_rows(self, data: bytes) -> str:
        """Decode row by row; one that is not UTF-8 is a fault, and left out."""
        rows = []
        for number, row in enumerate(data.split(b"\n"), 1):
            try:
                rows.append(row.decode())
            except UnicodeDecodeError:
                self.faults.append(
                    Fault(place=f"{self.path}:{number}", what="this is not UTF-8; save the file in UTF-8")
                )
                rows.append("")
        return "\n".join(rows)

    def _take_document(self, document: Document) -> None:
        self._lines = document.lines
        self.faults += [Fault(place=f"{self.path}:{line}", what=what) for line, what in document.faults]
        for path, value in walk_leaves(document.values):
            if path:
                self._take_value(path, value)

    def _take_value(self, path: Path, value: Any) -> None:
        key, place = ".".join(map(str, path)), self._place_of(path)
        fault = check_name(key, place)
        if fault is not None:
            self.faults.append(fault)
        elif not KNOWN[key].is_table:
            self._take_setting(path, key, value)
        elif value != {}:
            example = next(name for name in KNOWN if name.startswith(f"{key}.")).removeprefix(f"{key}.")
            what = f"this is a table of settings; write [{key}] and below it {example} = …"
            self.faults.append(Fault(place=place, setting=key, what=what))

    def _take_setting(self, path: Path, key: str, value: Any) -> None:
        try:
            self.given.append(Given(key, check_value(KNOWN[key], value), self._place_of(path)))
        except UnusableValue as error:
            place = self._place_of(path if error.item is None else (*path, error.item))
            self.faults.append(
                Fault(
                    place=place,
                    setting=key,
                    what=error.what,
                    allowed=error.allowed,
                    did_you_mean=error.did_you_mean,
                )
            )

    def _place_of(self, path: Path) -> str:
        """Return the file and the line of a value, or of the innermost table around it whose line is known."""
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self.path}:{self._lines[path]}" if path else str(self.path)
