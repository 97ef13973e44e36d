"""Where the people of a table gather for another game."""

from msgspec.structs import replace

from scoville_client.rematch import opener, rematch
from scoville_shared.wire.messages import SeatInfo, TableInfo

ANNA, PAUL = (SeatInfo(name=name, kind="human", connected=True) for name in ("Anna", "Paul"))
OVER = TableInfo(
    table="old", game="no_thanks", options={}, seats=[ANNA, PAUL], host=0, status="finished", commitment=""
)
NEXT = replace(OVER, table="next", status="waiting", seats=[ANNA, SeatInfo()])


def test_the_table_of_somebody_i_played_with_is_found() -> None:
    assert rematch([OVER, NEXT], OVER, "Paul") == NEXT
    assert opener(NEXT) == "Anna"


def test_who_got_up_counts_as_a_bot_and_is_found_all_the_same() -> None:
    left = replace(OVER, seats=[replace(ANNA, kind="bot"), PAUL])
    assert rematch([NEXT], left, "Paul") == NEXT


def test_my_own_table_strangers_full_tables_and_other_games_are_none() -> None:
    stranger = replace(NEXT, seats=[replace(ANNA, name="Marie"), SeatInfo()])
    full = replace(NEXT, seats=[ANNA, replace(PAUL, name="Max")])
    other = replace(NEXT, game="chilli_chase")
    running = replace(NEXT, status="playing")
    assert rematch([NEXT], OVER, "Anna") is None
    assert rematch([stranger, full, other, running], OVER, "Paul") is None
