"""Rules in the line mode, one page at a time."""

from collections.abc import Sequence

from scoville_client.i18n.language import current_language, tr, without_accents
from scoville_client.plain.app import LineModeApp
from scoville_client.rules import FIRST_PAGE, Page, rules_page_of, rules_pages
from scoville_client.session.new_table.typed_table import find_game
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_outside import guard
from scoville_shared.games import registry


async def write_rules(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Write the page with the given number, title or id, else the page for the present moment."""
    at = app.session.table
    game, page = (at.info.game, rules_page_of(at)) if at is not None else (DEFAULT_GAME, FIRST_PAGE)
    named, others = find_game(words, registry.list_slugs())
    if named:
        game, page = named, FIRST_PAGE
    page = " ".join(others) or page
    known = rules_pages(game, current_language())
    if not known:
        return [tr("This game comes without rules pages; ask its author.")]
    _print_page(app, game, known, page)
    return ()


def _print_page(app: LineModeApp, game: str, known: tuple[Page, ...], wanted: str) -> None:
    page = _find_page(known, wanted)
    if page is None:
        app.output.say("There is no page {page}.", page=wanted)
    else:
        app.output.say("{game}: {title}", game=guard.load_game(game).info.title, title=page.title)
        for block in page.blocks:
            if block.kind == "drawing":  # nothing to read aloud; the sentences say the same
                continue
            app.output.say("{text}", text=f"- {block.text}" if block.kind == "item" else block.text)
    listed = [f"{number} {each.title}" for number, each in enumerate(known, 1)]
    app.output.say("For other pages type, for example, rules 2: {pages}.", pages=listed)


def _find_page(known: tuple[Page, ...], wanted: str) -> Page | None:
    """Return a page by number, id or the start of its title; case and accents do not matter."""
    by_name = {name: page for number, page in enumerate(known, 1) for name in (str(number), page.id)}
    begun = (page for page in known if _fold_case(page.title).startswith(_fold_case(wanted)))
    return by_name.get(wanted) or next(begun, None)


def _fold_case(text: str) -> str:
    return without_accents(text).casefold()
