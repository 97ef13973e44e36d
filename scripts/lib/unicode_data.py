"""Writes the data by which names are compared, from ICU: UTS #39 prototypes, and the scripts of allowed characters.

Argument: the folder to write into. Run by scripts/unicode, in an environment that has PyICU.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import icu

NO_SCRIPT = {"Zyyy", "Zinh", "Zzzz"}
"""Common, Inherited and Unknown: characters that fit beside every script."""

WIDTH = 110
NFD = icu.Normalizer2.getNFDInstance()


def main(folder: Path) -> None:
    """Write both files."""
    source = f"# Unicode {icu.UNICODE_VERSION}, from ICU {icu.ICU_VERSION}. Made by scripts/unicode. Do not edit.\n"
    licence = "# Copyright © 1991-2024 Unicode, Inc. Licence: unicode-license.txt beside this file.\n"
    (folder / "confusables.txt").write_text(
        f"{source}{licence}# UTS #39: PROTOTYPE = characters with this prototype, in hexadecimal; - if invisible.\n"
        + "".join(f"{line}\n" for line in list_prototypes()),
        encoding="utf-8",
    )
    (folder / "scripts.txt").write_text(
        f"{source}{licence}# UTS #39: SCRIPTS = characters allowed in identifiers, in hexadecimal; - for any script.\n"
        + "".join(f"{line}\n" for line in list_scripts()),
        encoding="utf-8",
    )


def list_assigned_points() -> Iterable[int]:
    """Yield every assigned code point but surrogates and private ones."""
    categories = icu.UCharCategory
    left_out = {categories.UNASSIGNED, categories.SURROGATE, categories.PRIVATE_USE_CHAR}
    return (point for point in range(0x110000) if icu.Char.charType(point) not in left_out)


def list_prototypes() -> Iterable[str]:
    """Yield a line for each prototype; characters that canonical decomposition takes apart need none."""
    checker = icu.SpoofChecker()
    found: dict[str, list[int]] = defaultdict(list)
    for point in list_assigned_points():
        char = chr(point)
        prototype = str(checker.getSkeleton(0, char))
        if prototype != char and str(NFD.normalize(char)) == char:
            found[" ".join(f"{ord(part):X}" for part in prototype) or "-"].append(point)
    return (line for prototype in sorted(found) for line in wrap_points(prototype, found[prototype]))


def list_scripts() -> Iterable[str]:
    """Yield a line for each set of scripts (with extensions), with the ranges of allowed characters."""
    found: dict[str, list[int]] = defaultdict(list)
    for point in list_assigned_points():
        if icu.Char.getIntPropertyValue(point, icu.UProperty.IDENTIFIER_STATUS):
            names = {icu.Script(code).getShortName() for code in icu.Script.getScriptExtensions(point)}
            found[" ".join(sorted(names - NO_SCRIPT)) or "-"].append(point)
    return (line for names in sorted(found) for line in wrap_points(names, found[names]))


def wrap_points(name: str, points: list[int]) -> Iterable[str]:
    """Yield "NAME = 41-5A 61" in lines that are not too long."""
    line = ""
    for first, last in find_ranges(points):
        part = f" {first:X}" if first == last else f" {first:X}-{last:X}"
        if len(line) + len(part) > WIDTH:
            yield f"{name} ={line}"
            line = ""
        line += part
    yield f"{name} ={line}"


def find_ranges(points: list[int]) -> Iterable[tuple[int, int]]:
    """Yield the first and last of each run of neighbours."""
    first = last = points[0]
    for point in points[1:]:
        if point != last + 1:
            yield first, last
            first = point
        last = point
    yield first, last


if __name__ == "__main__":
    main(Path(sys.argv[1]))
