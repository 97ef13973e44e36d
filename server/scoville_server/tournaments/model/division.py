"""How entrants are divided evenly among tables."""

from collections.abc import Sequence
from itertools import cycle


def divide_players(player_count: int, seat_count: int) -> list[int]:
    """Return how many entrants sit at each table: as few tables as possible, and no two differ by more than one.

    Thus no entrant who is present has a bye: bots take the seats that are left.
    """
    table_count = -(-player_count // seat_count)
    if not table_count:
        return []
    fewest, more = divmod(player_count, table_count)
    return [fewest + 1] * more + [fewest] * (table_count - more)


def deal_in_turns(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Deal entrants to the tables in turns, there and back, so that all tables are about as strong."""
    tables: list[list[int]] = [[] for _ in sizes]
    turns = cycle([*range(len(sizes)), *reversed(range(len(sizes)))])
    for number in order:
        table = next(table for table in turns if len(tables[table]) < sizes[table])
        tables[table].append(number)
    return tables
