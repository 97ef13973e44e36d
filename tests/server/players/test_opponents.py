"""Weights of opponents: throw-away accounts of one network count as one opponent, and soon for nothing."""

from hypothesis import given
from hypothesis import strategies as st

from scoville_server.players.model.career import Career, began, ended
from scoville_server.players.model.opponents import (
    MOST_OPPONENTS,
    Opponent,
    Player,
    distinct,
    noted,
    origin_of,
    weight,
)
from scoville_server.players.model.rating import MOST_DOUBT, Skill
from scoville_server.players.model.results import finishes
from scoville_server.tables.model.commands import Leave, Vote
from scoville_server.tables.model.table import Table
from scoville_shared.ids import UserId
from tests.support.tables import NOON, after, finished, playing, who

DAY = 24 * 3_600_000
ANNA = who("Anna")


def known_after(*games: tuple[str, int, int]) -> tuple[Opponent, ...]:
    """Note games, each against a user of an origin on a day."""
    known: tuple[Opponent, ...] = ()
    for user, origin, day in games:
        known = noted(known, Player(UserId(user), origin), NOON + day * DAY)
    return known


def test_each_further_game_of_a_day_weighs_half() -> None:
    ben = Player(UserId("ben"), 1)
    assert weight((), ben, NOON) == 1
    assert weight(known_after(("ben", 1, 0)), ben, NOON) == 0.5
    assert weight(known_after(("ben", 1, 0), ("ben", 1, 0)), ben, NOON) == 0.25
    assert weight(known_after(("ben", 1, 0)), ben, NOON + DAY) == 1


def test_users_of_one_network_are_one_opponent_and_so_is_a_user_of_two() -> None:
    known = known_after(("a", 1, 0), ("b", 1, 0), ("c", 2, 0), ("c", 3, 0))
    assert distinct(known) == 2
    assert weight(known, Player(UserId("d"), 1), NOON) == 0.25
    assert weight(known, Player(UserId("c"), 9), NOON) == 0.25


def test_so_many_are_kept_the_latest_ones() -> None:
    known = known_after(*((f"u{n}", n, 0) for n in range(MOST_OPPONENTS + 5)))
    assert (len(known), known[0].user) == (MOST_OPPONENTS, "u5")


def test_an_origin_does_not_give_an_address_away() -> None:
    assert origin_of("10.0.0.1") == origin_of("10.0.0.1") != origin_of("10.0.0.2")
    assert all(0 <= origin_of(f"10.0.{n}.1") < 65_536 for n in range(99))


def one_game(careers: dict[UserId, Career], table: Table, origins: dict[str, int | None], at_ms: int) -> None:
    """Play a game, and store the new ratings."""
    begun = {who(name): began(careers.get(who(name), Career(since_ms=0)), table.id, origins[name]) for name in origins}
    ends = finishes(table, begun, at_ms)
    careers.update({user: ended(begun[user], ends[user]) for user in begun})


def won_by_anna(*others: str) -> Table:
    """A game that all others leave, so that Anna comes first."""
    return finished(after(playing("Anna", *others), *(Leave(user=who(name)) for name in others)))


def test_a_thousand_games_of_a_day_against_one_network_are_worth_less_than_two() -> None:
    careers: dict[UserId, Career] = {}
    for number in range(1_000):
        name = f"Sybil {number}"
        one_game(careers, won_by_anna(name), {"Anna": 1, name: 2}, NOON)
    skill = careers[ANNA].skill("high_card")
    honest: dict[UserId, Career] = {}
    for number in range(2):
        one_game(honest, won_by_anna(f"Friend {number}"), {"Anna": 1, f"Friend {number}": 2 + number}, NOON)
    assert skill.mu < honest[ANNA].skill("high_card").mu
    assert skill.sigma > MOST_DOUBT
    assert distinct(careers[ANNA].opponents["high_card"]) == 1


def test_the_own_network_is_worth_nothing_not_even_beside_a_stranger() -> None:
    careers: dict[UserId, Career] = {}
    one_game(careers, won_by_anna("Sybil"), {"Anna": 1, "Sybil": 1}, NOON)
    assert careers[ANNA].skills == {}
    assert not careers[ANNA].recent[0].rated
    one_game(careers, won_by_anna("Sybil", "Ben"), {"Anna": 1, "Sybil": 1, "Ben": 2}, NOON)
    alone: dict[UserId, Career] = {}
    one_game(alone, won_by_anna("Ben"), {"Anna": 1, "Ben": 2}, NOON)
    assert careers[ANNA].skill("high_card").mu == alone[ANNA].skill("high_card").mu


@given(
    st.lists(st.sampled_from([None, 1, 2, 3]), min_size=3, max_size=5),
    st.sets(st.integers(0, 4)),
    st.booleans(),
)
def test_of_a_game_with_a_kicked_seat_nobody_gains_anything(
    origins: list[int | None], leaving: set[int], whom_last: bool
) -> None:
    names = [f"P{n}" for n in range(len(origins))]
    against = len(names) - 1 if whom_last else 0
    voters = [name for seat, name in enumerate(names) if seat != against]
    table = playing(*names, game="heap")
    for name in voters:
        if table.ballot is not None or who(names[against]) not in table.kicked:
            table = after(table, Vote(user=who(name), against=against))
    staying = [name for seat, name in enumerate(names) if seat != against and seat not in leaving] or voters[:1]
    table = after(table, *(Leave(user=who(name)) for name in voters if name not in staying))
    careers: dict[UserId, Career] = {}
    one_game(careers, finished(table), dict(zip(names, origins, strict=True)), NOON)
    assert sum(skill.mu - Skill().mu for career in careers.values() for skill in career.skills.values()) == 0
    assert all(career.skills == {} and career.won == 0 for career in careers.values())
    assert all(career.begun == 1 and not career.recent[0].rated for career in careers.values())
    assert {name for career in careers.values() for name in career.recent[0].names} == {*names}, "kicked, and listed"
