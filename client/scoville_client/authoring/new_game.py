"""Package of a new game, written from a template: it builds, installs and passes every check as it is."""

import keyword
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from scoville_client.authoring.recorded import record_golden_games
from scoville_client.i18n.language import tr
from scoville_client.output import complain, write_line
from scoville_shared.games.registry import SLUG, list_slugs

TEMPLATE: Final = Path(__file__).parent / "template"
_SUFFIX: Final = ".txt"
"""Files of the template are no code of this distribution: none is imported, checked or translated here."""
_NAME: Final = "my_game"
_CODES: Final = "src"
_FAILED, _MISUSED = 1, 2


def write_new_game(slug: str, folder: Path | None) -> int:
    """Write the package of a game into a folder, by default one of its name; returns the exit status."""
    fault = _find_fault(slug)
    if fault:
        complain(fault)
        return _MISUSED
    place = folder or Path(slug)
    try:
        if place.exists() and any(place.iterdir()):
            complain(tr("The folder {folder} is not empty: name another one with --dir.", folder=str(place)))
            return _FAILED
        for source in sorted(TEMPLATE.rglob(f"*{_SUFFIX}")):
            target = place / _place_of(source.relative_to(TEMPLATE), slug)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_fill_in(source.read_text(encoding="utf-8"), slug), encoding="utf-8")
        _play_golden_games(place / _CODES, slug)
    except OSError as error:
        complain(tr("The folder {folder} cannot be written: {why}.", folder=str(place), why=error.strerror or ""))
        return _FAILED
    for line in _next_steps(slug, place):
        write_line(line)
    return 0


def _find_fault(slug: str) -> str:
    if not SLUG.fullmatch(slug) or keyword.iskeyword(slug):
        return tr("A game's slug has 2 to 32 small letters, digits and underscores, and begins with a letter.")
    if slug in list_slugs():
        return tr("There is already a game called {game}.", game=slug)
    if find_spec(slug) is not None:
        return tr("There is already a Python package called {name}: choose another slug.", name=slug)
    return ""


def _place_of(path: Path, slug: str) -> Path:
    plain = path.with_name(path.name.removesuffix(_SUFFIX))
    return Path(_CODES, slug, *plain.parts[1:]) if plain.parts[0] == _NAME else plain


def _fill_in(text: str, slug: str) -> str:
    """Put the names of a game into a file of the template."""
    words = slug.split("_")
    title = " ".join(word.capitalize() for word in words if word)
    names = {"my_game": slug, "my-game": slug.replace("_", "-"), "MyGame": title.replace(" ", ""), "My Game": title}
    for name, own in names.items():
        text = text.replace(name, own)
    return text


def _play_golden_games(code: Path, slug: str) -> None:
    """Play the first golden games; the game is not installed yet, but its code is there."""
    sys.path.insert(0, str(code))
    # No `__pycache__` in a folder that its author is about to put under version control.
    writes_none, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        record_golden_games(import_module(slug).GAME, code / slug / "golden")
    finally:
        sys.path.remove(str(code))
        sys.dont_write_bytecode = writes_none


def _next_steps(slug: str, place: Path) -> list[str]:
    return [
        tr("The package of {game} is in {folder}. Next:", game=slug, folder=str(place)),
        f"    pip install -e {place}",
        f"    scoville check-game {slug}",
        f"    scoville practice {slug}",
    ]
