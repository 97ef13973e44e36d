"""Rules as text that is printed at once."""

from textwrap import wrap
from typing import Final

from scoville_client.i18n.language import current_language, spell_text, tr
from scoville_client.rules import Block, games_with_rules, rules_pages

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
