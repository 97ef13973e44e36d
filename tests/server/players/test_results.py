"""Results that count: games between users, at public tables; leaving is losing."""

from functools import reduce

import pytest

from scoville_server.players.model.career import MOST_PICKS, MOST_RECENT, Career, Finish, began, ended
from scoville_server.players.model.picks import Pick, picks
from scoville_server.players.model.rating import Skill
from scoville_server.players.model.results import finishes, players_of
from scoville_server.tables.model.commands import Leave
from scoville_server.tables.model.evolve import evolve
from scoville_server.tables.model.records import Played
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import PastGame, TableSettings
from tests.support.tables import NOON, after, finished, playing, who


def careers(table: Table) -> dict[UserId, Career]:
    """Careers of owners of names, each of another network."""
    origins = enumerate(players_of(table))
    return {user: began(Career(since_ms=0), table.id, origin) for origin, user in origins}


def ends(table: Table) -> dict[UserId, Finish]:
    return finishes(table, careers(table), NOON)


def test_a_game_between_users_at_a_public_table_counts() -> None:
    assert playing("Anna", "Ben").counts


def test_a_game_with_a_bot_does_not_count() -> None:
    assert not playing("Anna", "Ben", seats=3).counts


def test_a_game_at_a_private_table_does_not_count() -> None:
    assert not playing("Anna", "Ben", settings=TableSettings(private=True)).counts


def test_a_game_counts_although_a_bot_plays_on_for_somebody() -> None:
    assert after(playing("Anna", "Ben"), Leave(user=who("Ben"))).counts


def test_everybody_learns_from_a_rated_game() -> None:
    table = finished(playing("Anna", "Ben", "Cleo"))
    outcome = table.game.outcome(table.state)
    assert outcome is not None
    result = ends(table)
    first = outcome.places.index(1)
    assert result[players_of(table)[first]].past.your_seat == first
    assert all(finish.stayed and finish.past.rated and finish.skill is not None for finish in result.values())
    ranked = sorted(result.values(), key=lambda finish: finish.skill.mu if finish.skill else 0)
    assert ranked[-1].past.places[ranked[-1].seat] == 1


def test_nobody_learns_from_a_game_that_is_not_to_be_rated() -> None:
    result = ends(finished(playing("Anna", "Ben", settings=TableSettings(rated=False))))
    assert all(finish.skill is None and not finish.past.rated for finish in result.values())


@pytest.mark.parametrize("name", ["Anna", "Ben", "Cleo"])
def test_who_leaves_comes_last_whatever_the_bot_wins(name: str) -> None:
    result = ends(finished(after(playing("Anna", "Ben", "Cleo"), Leave(user=who(name)))))
    assert not result[who(name)].stayed
    skills = {user: finish.skill.mu for user, finish in result.items() if finish.skill is not None}
    assert min(skills, key=skills.__getitem__) == who(name)


def test_a_game_that_everybody_left_teaches_nothing() -> None:
    table = after(playing("Anna", "Ben"), Leave(user=who("Anna")), Leave(user=who("Ben")))
    assert all(finish.skill is None for finish in ends(finished(table)).values())


def test_thinking_is_counted_from_when_a_move_was_owed() -> None:
    table = playing("Anna", "Ben")
    for seat, second in ((1, 4), (0, 7), (0, 8), (1, 20)):
        move = table.game.fallback(table.game.view(table.state, Seat(seat)))
        made = Played(at_ms=NOON + 1000 * second, seat=Seat(seat), move=table.game.codec.plain(move), mover="player")
        table = evolve(table, made)
    assert [*picks(table)] == [Pick(1, 4000), Pick(0, 7000), Pick(0, 1000), Pick(1, 13_000)]


def test_moves_that_a_clock_made_are_nobodys_thinking() -> None:
    assert [*picks(finished(playing("Anna", "Ben")))] == []


# --- careers ------------------------------------------------------------------------------------------


def past(table: str, place: int) -> PastGame:
    return PastGame(
        table=table, game="heap", ended_ms=9, names=["Anna", "Ben"], scores=[2, 1], places=[place, 3 - place],
        your_seat=0, rated=True,
    )  # fmt: skip


def finish(table: str, place: int = 1, *, stayed: bool = True, picks_ms: tuple[int, ...] = ()) -> Finish:
    return Finish(
        seat=Seat(0), past=past(table, place), stayed=stayed, picks_ms=picks_ms, skill=Skill(26, 8, 1),
        won=stayed and place == 1,
    )  # fmt: skip


def test_a_beginning_counts_once() -> None:
    career = reduce(began, [TableId("a"), TableId("a"), TableId("b")], Career(since_ms=0))
    assert (career.begun, career.running) == (2, ("a", "b"))


def test_an_end_counts_what_came_of_it() -> None:
    career = ended(began(Career(since_ms=0), TableId("a")), finish("a"))
    assert (career.begun, career.finished, career.won, career.running) == (1, 1, 1, ())
    assert career.skill("heap") == Skill(26, 8, 1)
    assert career.recent == (past("a", 1),)


def test_who_left_has_neither_finished_nor_won() -> None:
    career = ended(began(Career(since_ms=0), TableId("a")), finish("a", stayed=False))
    assert (career.begun, career.finished, career.won) == (1, 0, 0)


def test_the_median_is_over_the_latest_picks() -> None:
    assert Career(since_ms=0).median_pick_ms is None
    career = ended(Career(since_ms=0), finish("a", picks_ms=(9000, 1000, 3000)))
    assert career.median_pick_ms == 3000
    later = ended(career, finish("b", picks_ms=(500,) * MOST_PICKS))
    assert later.median_pick_ms == 500


def test_a_career_stays_small() -> None:
    career = Career(since_ms=0)
    for number in range(500):
        career = ended(began(career, TableId(str(number))), finish(str(number), picks_ms=(1,) * 50))
    assert (len(career.recent), len(career.picks_ms), career.finished) == (MOST_RECENT, MOST_PICKS, 500)
