"""Texts to read beside what is shown: rules in columns, and games with what they are about."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count, groupby
from typing import Final

from rich.cells import cell_len, set_cell_size

from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import current_language, spell_text, translator
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import Page, rules_pages
from scoville_client.tui.drawing.canvas import Area, Canvas, Run
from scoville_client.tui.drawing.letters import HALF, draw_text, width_of

DRAWING: Final = "drawing"
"""The style of a row of a drawing, which `colour_drawing` splits into pieces."""
_COLOURS: Final = {
    **dict.fromkeys("◆▼█", "target"),
    **dict.fromkeys("●", "pepper2"),
    **dict.fromkeys("┣━┫", "gap"),
    **dict.fromkeys("╭╮╰╯│─", "muted"),
}
"""The styles of the signs of a drawing; numbers are strong."""
_ITEM: Final = "· "
_WIDEST: Final = 66
"""Cells of a column of text: longer rows are hard to read."""
_NARROWEST: Final = 22
_APART: Final = 4
_PICTURED = 9
"""Rows of a game from which on there is room for its aim beside its picture."""
_LOW, _LOW_COLUMN = 16, 28
"""Rows below which rules have more columns, and how wide these are at least."""
_LARGE: Final = 14
"""Rows from which on a game has a large title."""


def wrap_page(page: Page, width: int) -> Iterator[Run]:
    """Wrap a page of the rules into rows of `width` cells, each with its style: items and examples are indented."""
    before = None
    for block in page.blocks:
        # A wider drawing would be cut off, or run into the next column.
        if block.kind == "drawing" and max(map(cell_len, block.text.splitlines()), default=0) > width:
            continue
        if before is not None and (before, block.kind) != ("item", "item"):
            yield "text", ""
        before = block.kind
        if block.kind == "drawing":
            yield from ((DRAWING, row) for row in block.text.splitlines())
            continue
        sign = {"item": _ITEM, "example": "  ", "text": ""}[block.kind]
        for number, row in enumerate(wrap_lines(spell_text(block.text), width - len(sign))):
            yield "muted" if block.kind == "example" else "text", (sign if number == 0 else " " * len(sign)) + row


def colour_drawing(drawing: str) -> Iterator[Run]:
    """Split a row of a drawing into pieces in the colours of the boards."""
    for style, signs in groupby(drawing, lambda sign: _COLOURS.get(sign, "strong" if sign.isdigit() else "text")):
        yield style, "".join(signs)


def draw_rules(canvas: Canvas, area: Area, game: str, pages: Sequence[Page] | None = None) -> None:
    """Write rules, by default all `pages` of a game's, into as many columns as have room; whole paragraphs only.

    Where there is room for all of them, the columns are equally long.
    """
    told = rules_pages(game, current_language()) if pages is None else pages
    x, y, width, height = area
    columns = max(1, -(-width // (_WIDEST + _APART)))
    if height < _LOW:  # where paragraphs and pictures have no room one below the other
        columns = max(columns, (width + _APART) // (_LOW_COLUMN + _APART))
    rows, most = _fill_columns(told, width, columns, height)
    # In a low area the first paragraph may be too high for narrow columns.
    while columns > 1 and not most[0]:
        columns -= 1
        rows, most = _fill_columns(told, width, columns, height)
    each = (width - (columns - 1) * _APART) // columns
    fits_whole = _count_words(most) == sum(bool(text) for _, text in rows)
    even = range(-(-len(rows) // columns), height) if most[-1] or fits_whole else ()
    lower = (_in_columns(rows, columns, high) for high in even)
    # The lowest height that shows as much: columns of equal length instead of a full one beside an empty one.
    shown = next((each for each in lower if _count_words(each) == _count_words(most)), most)
    for column, part in enumerate(shown):
        _put_rows(canvas, x + column * (each + _APART), y, part)


def _fill_columns(pages: Sequence[Page], width: int, columns: int, height: int) -> tuple[list[Run], list[list[Run]]]:
    """Wrap rules for so many columns, without their pictures if none has room; returns all rows, and the columns."""
    each = (width - (columns - 1) * _APART) // columns
    rows = _wrap_pages(pages, each)
    most = _in_columns(rows, columns, height)
    if not any(style.startswith(DRAWING) for part in most for style, _ in part):
        # The picture has no room: the text after it may have.
        rows = _wrap_pages(pages, each, pictured=False)
        most = _in_columns(rows, columns, height)
    return rows, most


def _in_columns(rows: Sequence[Run], columns: int, height: int) -> list[list[Run]]:
    """Divide rows into columns of at most so many rows; what has no room is left out."""
    left, parts = list(rows), []
    for _ in range(columns):
        parts.append(_whole_paragraphs(left, height))
        left = _without_blanks(left[len(parts[-1]) :])
    return parts


def _count_words(parts: Sequence[Sequence[Run]]) -> int:
    return sum(bool(text) for part in parts for _, text in part)


Pieces = Sequence[Run]
"""Pieces of a row, each with its style."""


def about_game(slug: str, title: str, width: int) -> list[Pieces]:
    """Write a game's title and subject."""
    return [[("title", title)], *([("text", row)] for row in wrap_lines(game_tagline(slug), width))]


def about_in_short(slug: str, title: str, width: int) -> list[Pieces]:
    """Write the same in as few rows as possible."""
    head = title if title.endswith(("!", "?", ".")) else f"{title}:"
    first, *others = wrap_lines(f"{head} {game_tagline(slug)}", width)
    begun = [("title", head), ("text", first.removeprefix(head))]
    return [begun if first.startswith(head) else [("text", first)], *([("text", row)] for row in others)]


def picture_of_game(slug: str, width: int) -> list[Pieces]:
    """Return the picture that a game's rules begin with; nothing where it has none, or is wider than `width`."""
    blocks = (block for page in rules_pages(slug, current_language()) for block in page.blocks)
    picture = next((block.text.splitlines() for block in blocks if block.kind == DRAWING), [])
    return [] if max(map(cell_len, picture), default=0) > width else [list(colour_drawing(row)) for row in picture]


def draw_games_beside_picture(canvas: Canvas, area: Area, games: Sequence[tuple[str, str]], shown: str) -> bool:
    """Write the subjects of games, and beside them the picture of the `shown` one; returns whether it has room."""
    x, y, width, height = area
    picture = picture_of_game(shown, width * 2 // 3)
    right = max(map(_columns_of, picture), default=0)
    left = width - right - _APART
    if not picture or left < _NARROWEST or len(picture) > height:
        return False
    for write in (about_game, about_in_short):
        parts = [write(slug, title, left) for slug, title in games]
        free = height - sum(map(len, parts))
        if free >= 0:
            break
    else:
        return False
    apart = 1 if free >= len(games) - 1 else 0
    rows = [row for part in parts for row in (*part, *[[]] * apart)]
    _put_pieces(canvas, x, y, rows[:height])
    _put_pieces(canvas, x + left + _APART, y, picture)
    return True


def _put_pieces(canvas: Canvas, x: int, y: int, rows: Sequence[Pieces]) -> None:
    for offset, pieces in enumerate(rows):
        column = x
        for style, text in pieces:
            column = canvas.put(column, y + offset, text, style)


def pages_beside_games(size: tuple[int, int], games: Sequence[tuple[str, str]], slug: str) -> Sequence[Page]:
    """Return the pages of a game's rules from where `draw_games` ends in an area of a size; none if it has no columns.

    They are for a place beside it, where they go on.
    """
    pages, width, height = rules_pages(slug, current_language()), *size
    most = (width + _APART) // (_NARROWEST + _APART)
    if not games or most < len(games):
        return ()
    each = (width - (len(games) - 1) * _APART) // len(games)
    rows = height - _rows_of_head(slug, each, large=_has_large_titles(games, each, height))
    told = len(_whole_paragraphs(_rules_rows(slug, each), rows))
    blocks = sum(len(page.blocks) for page in pages)
    fitting = (n for n in range(blocks, 0, -1) if len(_wrap_pages(_first_blocks(pages, n), each)) - 1 <= told)
    return _without_blocks(pages, next(fitting, 0))


def _first_blocks(pages: Sequence[Page], count: int) -> Sequence[Page]:
    kept = []
    for page in pages:
        if count > 0:
            kept.append(page._replace(blocks=page.blocks[:count]))
        count -= len(page.blocks)
    return tuple(kept)


def _without_blocks(pages: Sequence[Page], count: int) -> Sequence[Page]:
    kept = []
    for page in pages:
        if count < len(page.blocks):
            kept.append(page._replace(blocks=page.blocks[max(0, count) :]))
        count -= len(page.blocks)
    return tuple(kept)


def draw_games(canvas: Canvas, area: Area, games: Sequence[tuple[str, str]]) -> None:
    """Write the subjects of games, by slug and title: beside each other where there is room, else one below the other.

    The rules begin below, as far as there are rows: paragraph by paragraph, a game after the other.
    """
    x, y, width, height = area
    most = (width + _APART) // (_NARROWEST + _APART)
    if games and most >= len(games):
        each = (width - (len(games) - 1) * _APART) // len(games)
        large = _has_large_titles(games, each, height)
        for number, (slug, title) in enumerate(games):
            _draw_game(canvas, (x + number * (each + _APART), y, each, height), slug, title, large=large)
        return

    if _draw_games_with_pictures(canvas, area, games):
        return
    width = min(width, _WIDEST)
    shown, free = [_game_rows(slug, title, width, 0) for slug, title in games], -1
    if sum(map(len, shown)) + len(shown) - 1 > height:
        brief = [row for slug, title in games for row in about_in_short(slug, title, width)]
        _put_pieces(canvas, x, y, brief[:height])
        return

    for number in count():
        free = height - sum(map(len, shown)) - len(shown) + 1
        paragraphs, which = divmod(number, max(len(games), 1))
        if free <= 0 or paragraphs == _MOST_PARAGRAPHS:
            break
        longer = _game_rows(*games[which], width, paragraphs + 1, pictured=False)
        if len(longer) - len(shown[which]) <= free:
            shown[which] = longer

    apart = 1 + min(free // len(shown), 1) if shown and free > 0 else 1
    for rows in shown:
        if y + len(rows) > area[1] + height:
            return
        _put_rows(canvas, x, y, rows)
        y += len(rows) + apart


def _draw_games_with_pictures(canvas: Canvas, area: Area, games: Sequence[tuple[str, str]]) -> bool:
    """Write each game beside the picture that its rules begin with; returns whether all of them have room."""
    x, y, width, height = area
    pictures = [picture_of_game(slug, width - _NARROWEST - _APART) for slug, _ in games]
    right = max((_columns_of(row) for picture in pictures for row in picture), default=0)
    left = width - right - _APART
    each = height // max(len(games), 1)
    if left < _NARROWEST or each < _PICTURED or not all(0 < len(picture) <= each for picture in pictures):
        return False
    parts = [
        next(
            rows
            for paragraphs in range(_MOST_PARAGRAPHS, -1, -1)
            if len(rows := _game_rows(slug, title, left, paragraphs, pictured=False)) <= each or not paragraphs
        )
        for slug, title in games
    ]
    if any(len(part) > each for part in parts):
        return False
    for part, picture in zip(parts, pictures, strict=True):
        _put_rows(canvas, x, y, part)
        _put_pieces(canvas, x + left + _APART, y, picture)
        y += each
    return True


def _columns_of(row: Pieces) -> int:
    return cell_len("".join(text for _, text in row))


_MOST_PARAGRAPHS: Final = 6


def _game_rows(slug: str, title: str, width: int, paragraphs: int, *, pictured: bool = True) -> list[Run]:
    """Write a game's title, its subject, and so many paragraphs of its rules, with their drawings or without."""
    rows: list[Run] = [("title", title), *(("muted", row) for row in wrap_lines(game_tagline(slug), width))]
    if not paragraphs:
        return rows
    rules = _rules_rows(slug, width, pictured=pictured)
    ends = [number for number, (_, text) in enumerate(rules) if not text]
    return [*rows, *rules[: ends[min(paragraphs, len(ends)) - 1]]] if ends else rows


def _has_large_titles(games: Sequence[tuple[str, str]], width: int, height: int) -> bool:
    return height >= _LARGE and all(width_of(title, HALF) <= width for _, title in games)


def _rows_of_head(slug: str, width: int, *, large: bool) -> int:
    """Count the rows above a game's rules: its title, what it is about, and the blank ones after them."""
    return (HALF.height + 1 if large else 1) + len(list(wrap_lines(game_tagline(slug), width))) + 1


def _draw_game(canvas: Canvas, area: Area, slug: str, title: str, *, large: bool) -> None:
    """Write a game in a column of its own, down to the bottom."""
    x, y, width, height = area
    if large:
        draw_text(canvas, x, y, title, HALF, "title")
    else:
        canvas.put(x, y, title, "title")
    about: list[Run] = [("muted", row) for row in wrap_lines(game_tagline(slug), width)]
    used = _rows_of_head(slug, width, large=large)
    _put_rows(canvas, x, y + used - len(about) - 1, about[: max(0, height - used + len(about) + 1)])
    _put_rows(canvas, x, y + used, _whole_paragraphs(_rules_rows(slug, width), height - used))


def _rules_rows(game: str, width: int, *, pictured: bool = True) -> list[Run]:
    return _wrap_pages(rules_pages(game, current_language()), width, pictured=pictured)


def _wrap_pages(pages: Sequence[Page], width: int, *, pictured: bool = True) -> list[Run]:
    return list(_wrap_rules(pages, width, plainly=translator.get().plainly, pictured=pictured))


@lru_cache(maxsize=64)
def _wrap_rules(
    pages: Sequence[Page],
    width: int,
    *,
    plainly: bool,  # noqa: ARG001 - for the key
    pictured: bool,
) -> tuple[Run, ...]:
    """Wrap all pages of some rules, with their drawings or without.

    They are kept by width and by how `spell_text` spells: a lobby draws them again at each change, and wrapped for most
    of the time that this took.
    """
    rows: list[Run] = []
    for page in pages:
        wrapped = _wrap_beside_drawings(page, width) if pictured else _without_drawings([*wrap_page(page, width)])
        rows += [("caption", spell_text(page.title)), *wrapped, ("text", "")]
    return tuple(rows)


def _wrap_beside_drawings(page: Page, width: int) -> Iterator[Run]:
    """Wrap a page as `wrap_page` does, with the next blocks beside a drawing where they have room there."""
    first = 0
    for number, block in enumerate(page.blocks):
        drawing = block.text.splitlines() if block.kind == DRAWING else []
        wide = max(map(cell_len, drawing), default=0) + _APART
        if number < first or not drawing or width - wide < _NARROWEST:
            continue
        beside, last = list[Run](), number + 1
        # As many of the next blocks as the drawing has rows for.
        while last < len(page.blocks) and page.blocks[last].kind != DRAWING:
            longer = list(wrap_page(page._replace(blocks=page.blocks[number + 1 : last + 1]), width - wide))
            if len(longer) > len(drawing):
                break
            beside, last = longer, last + 1
        if not beside:
            continue
        if number > first:
            yield from wrap_page(page._replace(blocks=page.blocks[first:number]), width)
            yield "text", ""
        for y, row in enumerate(drawing):
            style, text = beside[y] if y < len(beside) else ("text", "")
            yield f"{DRAWING} {wide} {style}", f"{set_cell_size(row, wide)}{text}"
        first = last
        if first < len(page.blocks):
            yield "text", ""
    yield from wrap_page(page._replace(blocks=page.blocks[first:]), width)


def _whole_paragraphs(rows: Sequence[Run], height: int) -> list[Run]:
    """Return as many rows as fit into `height`, ending with a whole paragraph or item that announces nothing more."""
    if len(rows) <= height:
        return list(rows)
    ends = [
        number
        for number in range(1, max(height, 0) + 1)
        if (not rows[number][1] or rows[number][1].startswith(_ITEM)) and not _announces_more(rows[:number])
    ]
    return list(rows[: ends[-1]]) if ends else []


def _announces_more(rows: Sequence[Run]) -> bool:
    """Whether the last row with a text is a heading, or a sentence that ends with a colon."""
    style, text = next(((style, text) for style, text in reversed(rows) if text), ("", ""))
    return style == "caption" or text.endswith(":")


def _without_drawings(rows: Sequence[Run]) -> list[Run]:
    """Leave out drawings, and the blank row after each."""
    kept: list[Run] = []
    for row in rows:
        if row[0] != DRAWING and (row[1] or not kept or kept[-1][1]):
            kept.append(row)
    return kept


def _without_blanks(rows: list[Run]) -> list[Run]:
    return rows[next((number for number, row in enumerate(rows) if row[1]), len(rows)) :]


def _put_rows(canvas: Canvas, x: int, y: int, rows: Sequence[Run]) -> None:
    for offset, (style, text) in enumerate(rows):
        column = x
        for each, piece in _pieces_of(style, text):
            column = canvas.put(column, y + offset, piece, each)


def _pieces_of(style: str, text: str) -> Iterable[Run]:
    """Split a row into pieces: a drawing in its colours, and what is beside it, see `_wrap_beside_drawings`."""
    if not style.startswith(DRAWING):
        return ((style, text),)
    _, _, beside = style.partition(" ")
    if not beside:
        return colour_drawing(text)
    wide, _, look = beside.partition(" ")
    drawing = text[: int(wide)]  # drawings have no wide signs
    return (*colour_drawing(drawing), (look, text[int(wide) :]))
