"""Thresholds of our own bots that a person can remember: the last page of each game's rules, and docs/thresholds.md.

All numbers come from the rules by which the strongest bots go on in their playouts. `scripts/pages` writes the tables;
the sentences are written by hand, and a test compares their numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from scoville_shared.bots.chilli_chase.hits import can_hit
from scoville_shared.bots.dicht_dran.kernel import FARTHEST, TRAINED
from scoville_shared.bots.dicht_dran.policies import POPULATION, chances_by_rank
from scoville_shared.bots.no_thanks.counting import urge_of
from scoville_shared.bots.no_thanks.policies import BEST, EVERYBODY

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "thresholds.md"
RULES: Final = ROOT / "client" / "scoville_client" / "rules"
MARK: Final = " {#thresholds}\n"
FENCE: Final = "```\n"
LANGUAGES: Final = ("en", "de", "fr")

CARDS: Final = (5, 10, 15, 20, 25, 30, 35)
CHIPS: Final = (1, 3, 6, 10)
EARLY, MIDDLE, LATE = 20, 12, 8
"""Cards face down early in a round, in its middle and later."""
OTHERS_CHIPS: Final = 8
MOST_POT, NEVER = 40, "–"
DISTANCES: Final = (1, 3, 6, 10, 15)
PLAYERS: Final = (2, 3, 4, 5)
BANDS: Final = ((1, 6), (7, 12), (13, 20), (21, 30), (31, 60))
LARGEST_TOTAL, LARGEST_SCORE = 9_999, 30

TITLES: Final = {"no_thanks": "No Thanks!", "dicht_dran": "Dicht dran", "chilli_chase": "Chilli Chase"}

Table = Sequence[Sequence[str]]


def least_pot(card: int, chips: int, left: int = MIDDLE, *, run: bool = False, rival: bool = False) -> str:
    """Return how many chips on it make master's rule take a card, at a table of four; a dash if it never does.

    Args:
        card: The card.
        chips: The seat's own chips.
        left: How many cards are face down.
        run: Whether it fits the seat's cards.
        rival: Whether it fits those of somebody else who does not come next.
    """
    owned = [1 << (card - 1) if run else 0, 0, 1 << (card + 1) if rival else 0, 0]
    held = [chips, *[OTHERS_CHIPS] * 3]
    pots = (pot for pot in range(MOST_POT) if urge_of(0, held, owned, card, left, pot, EVERYBODY[BEST], 0) > 0)
    return str(next(pots, NEVER))


def chance_of_closest(distance: int, players: int) -> float:
    """Return how likely a card at a distance wins the target, as the trained policy expects."""
    return chances_by_rank(players)[TRAINED * FARTHEST + 2 * distance - 1]


def chance_of_hit(nearest: int, farthest: int) -> float:
    """Return how likely three random cards hit a Chilli Score from a total in a band of distances from it."""
    hits = [
        sum(can_hit(card, score + sign * away, score, LARGEST_TOTAL) for card in range(1, 7))
        for score in range(1, LARGEST_SCORE + 1)
        for away in range(nearest, farthest + 1)
        for sign in (-1, 1)
    ]
    return fmean(1 - (1 - hit / 6) ** 3 for hit in hits)


def table_of_cards() -> Table:
    """Return the thresholds of single cards by the own chips."""
    return [["", *map(str, CHIPS)], *([str(card), *(least_pot(card, chips) for chips in CHIPS)] for card in CARDS)]


def table_of_distances() -> Table:
    """Return the chances to win the target, of a hundred."""
    rows = [[str(each), *(f"{100 * chance_of_closest(each, seats):.0f}" for seats in PLAYERS)] for each in DISTANCES]
    return [["", *map(str, PLAYERS)], *rows]


def table_of_hits() -> Table:
    """Return the chances of the next player to hit their score, of a hundred."""
    return [[f"{first}–{last}", f"{100 * chance_of_hit(first, last):.0f}"] for first, last in BANDS]


def numbers_in_sentences() -> Mapping[str, Sequence[str]]:
    """Return the numbers that the sentences of each game's page name, in their order."""
    discarded, _, drawn, _ = POPULATION[TRAINED].weights
    cards = [
        least_pot(20, 3, EARLY),
        least_pot(20, 3, LATE),
        least_pot(20, 6, run=True),
        least_pot(20, 6, run=True, rival=True),
    ]
    return {"no_thanks": cards, "dicht_dran": [f"{drawn / discarded:.1f}"], "chilli_chase": []}


TABLES: Final[Mapping[str, Callable[[], Table]]] = {
    "no_thanks": table_of_cards,
    "dicht_dran": table_of_distances,
    "chilli_chase": table_of_hits,
}


def draw_table(rows: Table) -> str:
    """Draw a table in cells, its columns to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("   ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(f"  {line}" for line in lines)


def read_page(game: str, language: str) -> tuple[str, str, str]:
    """Return a file of rules in parts: up to the table of thresholds, that table, and the sentences below it."""
    text = (RULES / game / f"{language}.md").read_text(encoding="utf-8")
    before, mark, page = text.partition(MARK)
    shown, _, rest = page.partition(FENCE)
    table, _, remembered = rest.partition(FENCE)
    return before + mark + shown, table, remembered


def write_pages() -> dict[Path, str]:
    """Write the tables in the pages of the rules, and the document."""
    pages: dict[Path, str] = {}
    for game, make_table in TABLES.items():
        for language in LANGUAGES:
            before, _, after = read_page(game, language)
            pages[RULES / game / f"{language}.md"] = f"{before}{FENCE}{draw_table(make_table())}\n{FENCE}{after}"
    return pages | {PAGE: document()}


ABOUT: Final = """What our own bots go by, as far as a person can remember it. `scripts/pages` computes these tables
from the rules by which bots of the level *master* go on in their playouts ([bots.md](bots.md)); the last page of each
game's rules in the client (`r`) has them in three languages. They are where a search begins, not perfect play."""


def document() -> str:
    """Write the document: the pages of all games, in English."""
    parts = ["# Thresholds", ABOUT]
    for game, make_table in TABLES.items():
        before, _, after = read_page(game, "en")
        head, *others = [["away", "of 100"], *make_table()] if game == "chilli_chase" else make_table()
        table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---:"] * len(head), *others))
        parts += [f"## {TITLES[game]}", before.partition(MARK)[2].strip(), table, after.strip()]
    return "\n\n".join(parts) + "\n"
