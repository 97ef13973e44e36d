"""Weights of opponents: throw-away accounts of one network count as one opponent, and soon for nothing."""

from scoville_server.players.model.career import (
    MOST_OPPONENTS,
    Career,
    Opponent,
    Player,
    count_distinct,
    finish_careers,
    finish_game,
    note_opponent,
    origin_of,
    start_careers,
    weigh_game,
)
from scoville_server.players.model.rating import MOST_DOUBT
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.model.table import Table
from scoville_shared.ids import UserId
from tests.support.tables import NOON, carry_out, play_out, start_rated, user_of

DAY = 24 * 3_600_000
ANNA = user_of("Anna")


def known_after(*games: tuple[str, int, int]) -> tuple[Opponent, ...]:
    """Note games, each against a user of an origin on a day."""
    known: tuple[Opponent, ...] = ()
    for user, origin, day in games:
        known = note_opponent(known, Player(UserId(user), origin), NOON + day * DAY)
    return known


def test_each_further_game_of_a_day_weighs_half() -> None:
    ben = Player(UserId("ben"), 1)
    assert weigh_game((), ben, NOON) == 1
    assert weigh_game(known_after(("ben", 1, 0)), ben, NOON) == 0.5
    assert weigh_game(known_after(("ben", 1, 0), ("ben", 1, 0)), ben, NOON) == 0.25
    assert weigh_game(known_after(("ben", 1, 0)), ben, NOON + DAY) == 1


def test_users_of_one_network_are_one_opponent() -> None:
    known = known_after(("a", 1, 0), ("b", 1, 0), ("c", 2, 0), ("c", 3, 0))
    assert count_distinct(known) == 2
    assert weigh_game(known, Player(UserId("d"), 1), NOON) == 0.25
    assert weigh_game(known, Player(UserId("c"), 9), NOON) == 0.25


def test_so_many_are_kept_the_latest_ones() -> None:
    known = known_after(*((f"u{n}", n, 0) for n in range(MOST_OPPONENTS + 5)))
    assert (len(known), known[0].user) == (MOST_OPPONENTS, "u5")


def test_an_origin_does_not_give_an_address_away() -> None:
    assert origin_of("10.0.0.1") == origin_of("10.0.0.1") != origin_of("10.0.0.2")
    assert all(0 <= origin_of(f"10.0.{n}.1") < 65_536 for n in range(99))


def one_game(careers: dict[UserId, Career], table: Table, origins: dict[str, int | None], at_ms: int) -> None:
    """Play a game, and store the new ratings."""
    before = {user_of(name): careers.get(user_of(name), Career(since_ms=0)) for name in origins}
    begun = start_careers(table, before, {user_of(name): origin for name, origin in origins.items()})
    ends = finish_careers(table, begun, at_ms)
    careers.update({user: finish_game(begun[user], ends[user]) for user in begun})


def won_by_anna(*others: str) -> Table:
    """A game that all others leave, so that Anna comes first."""
    return play_out(carry_out(start_rated("Anna", *others), *(Leave(user=user_of(name)) for name in others)))


def test_many_games_against_one_network_count_little() -> None:
    careers: dict[UserId, Career] = {}
    for number in range(1_000):
        name = f"Sybil {number}"
        one_game(careers, won_by_anna(name), {"Anna": 1, name: 2}, NOON)
    skill = careers[ANNA].skill_at("high_card")
    honest: dict[UserId, Career] = {}
    for number in range(2):
        one_game(honest, won_by_anna(f"Friend {number}"), {"Anna": 1, f"Friend {number}": 2 + number}, NOON)
    assert skill.mu < honest[ANNA].skill_at("high_card").mu
    assert skill.sigma > MOST_DOUBT
    assert count_distinct(careers[ANNA].opponents["high_card"]) == 1


def test_the_own_network_counts_nothing() -> None:
    careers: dict[UserId, Career] = {}
    one_game(careers, won_by_anna("Sybil"), {"Anna": 1, "Sybil": 1}, NOON)
    assert careers[ANNA].skills == {}
    assert not careers[ANNA].recent[0].rated
    one_game(careers, won_by_anna("Sybil", "Ben"), {"Anna": 1, "Sybil": 1, "Ben": 2}, NOON)
    alone: dict[UserId, Career] = {}
    one_game(alone, won_by_anna("Ben"), {"Anna": 1, "Ben": 2}, NOON)
    assert careers[ANNA].skill_at("high_card").mu == alone[ANNA].skill_at("high_card").mu
