"""Files of a game's package beside its code that a command can write: golden games, and catalogs of its texts."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from gettext import NullTranslations
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from scoville_client.i18n.language import ENGLISH, LANGUAGES, OUTSIDE, load_own_catalog
from scoville_laws.golden import missing_options, missing_sizes, write_golden
from scoville_outside.catalogs import append_entries, read_entries
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.options import list_choices
from scoville_shared.installed import list_installed

SAYING: Final = {"Phrase": (0,), "tr": (0,), "say": (0,), "Action": (2, 3, 4), "Argument": (0,)}
"""Calls that take texts, and as which arguments; all but these show what others wrote."""

_FIELD = re.compile(r"\{\w*\}")
_DIFFERING = re.compile(r"[^\W\d_]|[“”]|[:;!?](?=\s|\Z)")
_WORD = re.compile(r"[^\W\d_]{2}")


class Text(NamedTuple):
    """A text, its plural if it has one, and its source file."""

    one: str
    many: str | None
    file: str

    @property
    def key(self) -> str | tuple[str, str]:
        """The key of its catalog entry."""
        return self.one if self.many is None else (self.one, self.many)


def list_texts(path: Path, name: str) -> Iterator[Text]:
    """Yield the texts of a file of Python, which is called `name`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (_name_of(node.func) != "Meta" or "settings" in path.parts):
            many = _plural_of(node)
            for one in _texts_in(node):
                if _has_words(one):
                    yield Text(one, many, name)


def _has_words(text: str) -> bool:
    """Whether a text may differ between languages.

    Letters alone are names of keys, and `{place}. {score}` is the same everywhere; `{n} d` and `{who}'s {card}` are
    not, nor are `{who}: {score}`, since French has a blank before the colon, and `“{name}”`.
    """
    words = _FIELD.sub("", text)
    return _WORD.search(words) is not None or (words != text and _DIFFERING.search(words) is not None)


def _texts_in(call: ast.Call) -> Iterator[str]:
    for position in SAYING.get(_name_of(call.func), ()):
        if position < len(call.args):
            yield from _literals_in(call.args[position])
    if _name_of(call.func) == "Meta":
        described = [keyword.value for keyword in call.keywords if keyword.arg == "description"]
        yield from (text for value in described for text in _literals_in(value))


def _plural_of(call: ast.Call) -> str | None:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "many"]
    if _name_of(call.func) == "Phrase":
        given += call.args[2:3]
    return next(iter(_literals_in(given[0])), None) if given else None


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literals_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _literals_in(node.body)
        yield from _literals_in(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value


GOLDEN: Final = "scoville.golden"
"""Entry-point group in which a package names the folder of its golden games, by the slug of its game."""
_PROBE: Final = "de"
"""A language of Scoville's own catalogs, all of which have the same texts."""


def list_written_languages(folder: Path, ending: str) -> list[str]:
    """Name the languages that a package has files of: Scoville's first, in their order, then all others."""
    found = {path.stem for path in folder.glob(f"*{ending}")}
    return [code for code in LANGUAGES if code in found] + sorted(found.difference(LANGUAGES))


def list_languages_of(slug: str) -> list[str]:
    """Name English, the languages of a game's catalogs, and those of Scoville that it does not translate."""
    entry = list_installed(OUTSIDE).get(slug)
    folder = None if entry is None else entry.locate_folder()
    own = [] if folder is None else list_written_languages(folder, ".po")
    return list(dict.fromkeys([ENGLISH, *own, *LANGUAGES]))


def golden_texts(folder: Path) -> dict[Path, str]:
    """Read the golden games of a folder."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}


def record_golden_games(game: AnyGame, folder: Path) -> list[Path]:
    """Play the golden games of a folder again, and those that are missing; returns the files that have changed."""
    kept = golden_texts(folder)
    headers = dict(kept)
    for seats in missing_sizes(game, kept.values()):
        headers[folder / f"{seats}-players.txt"] = _write_header(game, seats, {})
    for name in missing_options(game, kept.values()):
        value = _other_value(game, name)
        if value is not None:
            seats = game.info.official[0]
            headers[folder / f"other-{name.replace('_', '-')}.txt"] = _write_header(game, seats, {name: value})
    changed = []
    for path, text in headers.items():
        played = write_golden(text, game)
        if played != kept.get(path):
            path.write_text(played, encoding="utf-8")
            changed.append(path)
    return changed


def _write_header(game: AnyGame, seats: int, options: Mapping[str, Any]) -> str:
    written = msgspec.json.encode(options).decode()
    return f"game: {game.info.slug}\nseats: {seats}\noptions: {written}\nkey: {seats:02x}\n"


def _other_value(game: AnyGame, name: str) -> Any:
    """Return a value of an option that is not the usual one; None where none is known."""
    kind = game.codec.options_type
    usual = msgspec.to_builtins(game.codec.decode_options({}))[name]
    if isinstance(usual, bool):
        return not usual
    choices: tuple[Any, ...] = list_choices(kind).get(name, ())
    if isinstance(usual, int) and not choices:
        choices = (usual + 1, usual - 1)
    for value in choices:
        if value != usual:
            try:
                game.codec.decode_options({name: value})
            # A move that the game refuses is no example.
            except ValueError:
                continue
            return value
    return None


def package_texts(folder: Path) -> list[Text]:
    return [text for path in sorted(folder.rglob("*.py")) for text in list_texts(path, path.name)]


def texts_of_catalog(texts: Sequence[Text], code: str) -> list[Text]:
    """List the texts that a catalog has to translate: Scoville has translated its own ones, in its own languages."""
    # In another language Scoville's own sentences stay English, so that its author may translate those as well.
    own = load_own_catalog(_PROBE) if code in LANGUAGES else NullTranslations()
    return [text for text in texts if not _is_translated(text, own)]


def _is_translated(text: Text, catalog: NullTranslations) -> bool:
    """Whether a catalog has a text; one that is the same in both languages counts as missing."""
    if text.many is None:
        return catalog.gettext(text.one) != text.one
    return catalog.ngettext(text.one, text.many, 1) != text.one


def missing_entries(texts: Sequence[Text], file: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the texts that a catalog does not have, each once."""
    known = {entry.one for entry in read_entries(file)} if file.is_file() else set()
    for text in texts:
        if text.one not in known:
            known.add(text.one)
            yield text.one, text.many


def record_texts(texts: list[Text], folder: Path) -> list[Path]:
    """Add the texts of a package to its catalogs, untranslated; returns the files that have changed.

    An empty file is the beginning of another language; none is made for an author who does not speak it.
    """
    changed = []
    for file in sorted(folder.glob("*.po")):
        entries = [*missing_entries(texts_of_catalog(texts, file.stem), file)]
        if entries:
            append_entries(file, entries)
            changed.append(file)
    return changed
