"""Rules of the included games, page by page, in every language, and as text that is printed at once.

They are in `rules/<game>/<language>.md`; the pages of other games are in packages of their own. A page begins with a
heading that ends in the page's id, `# The aim {#aim}`; then come paragraphs, list items that begin with `- `, examples
that begin with `> `, and drawings between lines of three backticks. Numbers of rulings, such as (A24), are for readers
who compare the pages with docs/rules: users do not see them.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from scoville_client.i18n.language import ENGLISH, current_language, spell_text, tr

if TYPE_CHECKING:
    from scoville_client.session.table.table import AtTable
    from scoville_shared.installed import Extension

FIRST_PAGE = "aim"
GROUP = "scoville.rules"
"""Entry-point group in which other distributions name the package of a game's pages, by its slug.

`my_game.rules:find_page` names beside the folder a function that returns the id of the page that fits a View.
"""
_LOG = logging.getLogger(__name__)

_HOME = Path(__file__).parent
_HEADING = re.compile(r"^# (?P<title>.+) \{#(?P<id>[a-z-]+)\}$", re.MULTILINE)
_RULINGS = re.compile(r" \((?P<numbers>[A-Z]\d+(?:, [A-Z]\d+)*)\)")
_FENCE = "```"
_SIGNS: dict[str, "Kind"] = {"- ": "item", "> ": "example"}

Kind = Literal["text", "item", "example", "drawing"]


class Block(NamedTuple):
    """A paragraph, an item of a list, an example or a drawing, whose lines are kept; `rulings` are what it explains."""

    kind: Kind
    text: str
    rulings: tuple[str, ...] = ()


class Page(NamedTuple):
    """A page of the rules."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@cache
def rules_pages(game: str, language: str) -> tuple[Page, ...]:
    """Return the rules of a game, in English if the language is missing; nothing for a game without rules."""
    folder = find_rules_folder(game)
    for code in (language, ENGLISH):
        file = None if folder is None else folder / f"{code}.md"
        if file is not None and file.is_file():
            return tuple(_pages_of(file.read_text(encoding="utf-8")))
    return ()


def games_with_rules() -> list[str]:
    """Return the games that have rules."""
    return sorted({*_at_home(), *_from_outside()})


def find_rules_folder(game: str) -> Path | None:
    """Return the folder with the rules of a game; None for a game without rules."""
    if game in _at_home():
        return _HOME / game
    outside = _from_outside().get(game)
    return None if outside is None else outside.locate_folder()


def _at_home() -> list[str]:
    return [folder.name for folder in _HOME.iterdir() if any(folder.glob("*.md"))]


def _from_outside() -> "Mapping[str, Extension]":
    from scoville_shared.installed import list_installed

    return list_installed(GROUP)


def rules_page_of(at: "AtTable") -> str:
    """Return the id of the page that fits the present state of a table."""
    if at.view is None or at.by_sentences is not None:
        return FIRST_PAGE
    if at.info.game in _at_home():
        page: str = import_module(f"{__name__}.{at.info.game}").find_page(at.view)
        return page
    outside = _from_outside().get(at.info.game)
    return FIRST_PAGE if outside is None or not outside.attribute else _ask_package(outside, at.view)


def _ask_package(entry: "Extension", view: object) -> str:
    """Let the package of a game choose the page; the first one where it fails."""
    from scoville_outside.guard import LOAD_SECONDS, run_in_time  # only where there is a package

    try:
        choose = run_in_time(entry.load_object, LOAD_SECONDS)
        page: object = run_in_time(lambda: choose(view))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of another package
        _LOG.warning("The package %s cannot choose a page of the rules: %r", entry.package, error)
        return FIRST_PAGE
    return page if isinstance(page, str) else FIRST_PAGE


def _pages_of(text: str) -> Iterator[Page]:
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        yield Page(heading["id"], heading["title"], tuple(_blocks_of(text[heading.end() : end])))


def _blocks_of(text: str) -> Iterator[Block]:
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", text.strip()):
        lines = paragraph.splitlines()
        if lines and lines[0] == _FENCE:
            yield Block("drawing", "\n".join(lines[1:-1]))
            continue
        kind = _SIGNS.get(paragraph[:2], "text")
        if kind != "text":
            lines = [re.sub(r"^(- |> |  )", "", line) for line in lines]
        text = " ".join(lines)
        rulings = [number for found in _RULINGS.finditer(text) for number in found["numbers"].split(", ")]
        yield Block(kind, _RULINGS.sub("", text), tuple(rulings))


_WIDTH: Final = 78
_FAILED: Final = 1
_INDENTS: Final = {"text": ("", ""), "item": ("- ", "  "), "example": ("  | ", "  | ")}


def rules_lines(game: str) -> tuple[list[str], int]:
    """Return the rules of a game as lines, of all games for an empty one, and the exit status."""
    known = games_with_rules()
    if game and game not in known:
        return [tr("There are no rules of {game}; there are those of {games}.", game=repr(game), games=known)], _FAILED
    return [line for each in ([game] if game else known) for line in _of_game(each)], 0


def _of_game(game: str) -> list[str]:
    lines = []
    for page in rules_pages(game, current_language()):
        lines += [page.title, "=" * len(page.title), ""]
        for block in page.blocks:
            lines += [*_wrap_block(block), ""]
    return [spell_text(line) for line in lines]


def _wrap_block(block: Block) -> list[str]:
    if block.kind == "drawing":
        return [f"  {line}" for line in block.text.splitlines()]
    first, others = _INDENTS[block.kind]
    return wrap(block.text, _WIDTH, initial_indent=first, subsequent_indent=others)
