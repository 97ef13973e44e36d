"""Results that count: games between users, at public tables; leaving is losing."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_server.players.model.career import (
    MOST_OPEN,
    MOST_PICKS,
    MOST_RECENT,
    Career,
    Finish,
    Pick,
    find_stayed_seats,
    finish_careers,
    finish_game,
    list_picks,
    players_of,
    start_careers,
    start_game,
)
from scoville_server.players.model.rating import Skill
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.vote import Vote
from scoville_server.tables.model.records import Played
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import PastGame, TableSettings
from tests.support.tables import NOON, carry_out, move_by_clock, play_out, start_rated, start_table, user_of


def careers(table: Table) -> dict[UserId, Career]:
    """Careers of owners of names, each of another network."""
    origins = {user: origin for origin, user in enumerate(players_of(table))}
    return start_careers(table, {user: Career(since_ms=0) for user in origins}, origins)


def ends(table: Table) -> dict[UserId, Finish]:
    return finish_careers(table, careers(table), NOON)


def test_a_game_between_users_at_a_public_table_counts() -> None:
    assert start_table("Anna", "Ben").counts_for_careers


def test_a_game_with_a_bot_does_not_count() -> None:
    assert not start_table("Anna", "Ben", seats=3).counts_for_careers


def test_a_game_at_a_private_table_does_not_count() -> None:
    assert not start_table("Anna", "Ben", settings=TableSettings(private=True)).counts_for_careers


def test_a_game_counts_although_a_bot_plays_on_for_somebody() -> None:
    assert carry_out(start_table("Anna", "Ben"), Leave(user=user_of("Ben"))).counts_for_careers


def test_everybody_learns_from_a_rated_game() -> None:
    table = play_out(start_rated("Anna", "Ben", "Cleo"))
    outcome = table.game.outcome(table.state)
    assert outcome is not None
    result = ends(table)
    first = outcome.places.index(1)
    assert result[players_of(table)[first]].past.your_seat == first
    assert all(finish.stayed and finish.past.rated and finish.skill is not None for finish in result.values())
    ranked = sorted(result.values(), key=lambda finish: finish.skill.mu if finish.skill else 0)
    assert ranked[-1].past.places[ranked[-1].seat] == 1


def test_unrated_games_teach_nothing() -> None:
    result = ends(play_out(start_rated("Anna", "Ben", settings=TableSettings(rated=False))))
    assert all(finish.skill is None and not finish.past.rated for finish in result.values())


@pytest.mark.parametrize("name", ["Anna", "Ben", "Cleo"])
def test_leaver_comes_last_whatever_the_bot_wins(name: str) -> None:
    result = ends(play_out(carry_out(start_rated("Anna", "Ben", "Cleo"), Leave(user=user_of(name)))))
    assert not result[user_of(name)].stayed
    skills = {user: finish.skill.mu for user, finish in result.items() if finish.skill is not None}
    assert min(skills, key=skills.__getitem__) == user_of(name)


def test_of_two_who_leave_the_first_comes_last() -> None:
    table = carry_out(start_rated("Anna", "Ben"), Leave(user=user_of("Anna")), Leave(user=user_of("Ben")))
    result = ends(play_out(table))
    assert (result[user_of("Anna")].stayed, result[user_of("Ben")].stayed) == (False, True)
    assert mu_of(result, "Anna") < 25 < mu_of(result, "Ben")


def test_two_who_lose_the_connection_together_learn_nothing() -> None:
    table = carry_out(start_rated("Anna", "Ben"), absent("Anna", 60), absent("Ben", 60.5), seconds=0)
    assert all(finish.skill is None for finish in ends(play_out(table)).values())


def test_losing_the_connection_after_leavers_ranks_first() -> None:
    table = carry_out(start_rated("Anna", "Ben"), absent("Anna", 60))
    table = carry_out(table, absent("Ben", 60), seconds=90)
    assert mu_of(ends(play_out(table)), "Anna") < 25 < mu_of(ends(play_out(table)), "Ben")


def test_leaving_by_choice_ranks_behind_a_later_loss() -> None:
    table = carry_out(
        start_rated("Anna", "Ben", "Cleo"), Leave(user=user_of("Anna")), absent("Ben", 60), absent("Cleo", 60)
    )
    result = ends(play_out(table))
    assert mu_of(result, "Anna") < min(mu_of(result, "Ben"), mu_of(result, "Cleo"))


def test_letting_bots_play_counts_as_absent() -> None:
    table = carry_out(start_rated("Anna", "Ben", "Cleo", rounds=5), absent("Anna", 60))
    while len(table.moves) < 12:
        table = move_by_clock(table, table.pending[0], "player" if table.seats[table.pending[0]].human else "bot")
    table = carry_out(table, Join(user=user_of("Anna"), name="Anna"))
    result = ends(play_out(table))
    assert not result[user_of("Anna")].stayed
    assert mu_of(result, "Anna") < min(mu_of(result, "Ben"), mu_of(result, "Cleo"))


def test_the_last_leaver_cannot_end_the_game() -> None:
    table = carry_out(start_rated("Anna", "Ben"), absent("Anna", 60), Leave(user=user_of("Ben")))
    assert find_stayed_seats(table) == {0, 1}


def test_leaving_a_finished_game_changes_no_result() -> None:
    """It may be counted later than at its end, when the disk was full or the server has ended."""
    table = play_out(carry_out(start_rated("Anna", "Ben", "Cleo"), absent("Cleo", 60)))
    gone = carry_out(table, Leave(user=user_of("Anna")), Leave(user=user_of("Ben")))
    assert find_stayed_seats(gone) == find_stayed_seats(table) == {0, 1}
    assert ends(gone) == ends(table)


def test_a_deleted_account_changes_nothing_for_the_others() -> None:
    table = play_out(carry_out(start_rated("Anna", "Ben", "Cleo"), Leave(user=user_of("Cleo"))))
    known = careers(table)
    whole = finish_careers(table, known, NOON)
    without = finish_careers(table, {**known, user_of("Cleo"): Career(since_ms=0)}, NOON)
    assert without[user_of("Cleo")].skill is None
    assert [without[user_of(name)].skill for name in ("Anna", "Ben")] == [
        whole[user_of(name)].skill for name in ("Anna", "Ben")
    ]


def test_later_games_do_not_change_earlier_ones() -> None:
    table = play_out(start_rated("Anna", "Ben"))
    known = careers(table)
    crowded = reduce(start_game, [TableId(f"x{n}") for n in range(2 * MOST_OPEN)], known[user_of("Anna")])
    assert len(crowded.running) == MOST_OPEN
    result = finish_careers(table, {**known, user_of("Anna"): crowded}, NOON)
    assert result[user_of("Anna")].skill == finish_careers(table, known, NOON)[user_of("Anna")].skill


def test_simultaneous_games_end_in_any_order() -> None:
    tables = [play_out(start_rated("Anna", "Ben", seed=bytes([n] * 32))) for n in range(2)]
    tables = [replace(table, opened=replace(table.opened, table=TableId(f"t{n}"))) for n, table in enumerate(tables)]
    origins = {user: origin for origin, user in enumerate(players_of(tables[0]))}
    known = {user: Career(since_ms=0) for user in origins}
    for table in tables:
        known = start_careers(table, known, origins)
    assert [known[user_of("Anna")].starts[table.id].weight for table in tables] == [1, 0.5]


def absent(name: str, gone_seconds: float) -> Leave:
    return Leave(user=user_of(name), reason="absent", gone_ms=round(1000 * gone_seconds))


def mu_of(result: dict[UserId, Finish], name: str) -> float:
    skill = result[user_of(name)].skill
    assert skill is not None
    return skill.mu


# --- votes --------------------------------------------------------------------------------------------


def kicked(against: str, *voters: str, names: tuple[str, ...] = ("Anna", "Ben", "Cleo")) -> Table:
    """Let players vote another one out of a rated game, of which each deck is another one."""
    table = start_rated(*names, game="heap")
    return carry_out(table, *(Vote(user=user_of(name), against=names.index(against)) for name in voters))


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(1, 10**6), max_size=20), st.booleans())
def test_a_vote_is_never_better_for_voters(seed: bytes, choices: list[int], voted: bool) -> None:
    played = start_rated("Anna", "Ben", "Cleo", game="high_card", seed=seed)
    for choice in choices:
        if played.running:
            played = chosen(played, choice)
    if not played.running:
        return
    votes = [Vote(user=user_of(name), against=2) for name in ("Anna", "Ben")]
    by_vote = ends(play_out(carry_out(played, *votes)))
    plain = ends(play_out(carry_out(played, Leave(user=user_of("Anna"))) if voted else played))
    assert all(mu_of(by_vote, name) <= mu_of(plain, name) for name in ("Anna", "Ben"))


def chosen(table: Table, choice: int) -> Table:
    """Let the first pending seat play one of its legal moves."""
    seat = table.pending[0]
    moves = table.game.moves(table.game.view(table.state, seat))
    move = table.game.codec.encode_plain(moves[choice % len(moves)])
    return evolve(table, Played(at_ms=NOON, seat=seat, move=move, mover="player"))


def test_all_voters_come_last_and_have_not_won() -> None:
    result = ends(play_out(kicked("Cleo", "Anna", "Ben")))
    assert mu_of(result, "Anna") == mu_of(result, "Ben") < 25
    assert not any(finish.won for finish in result.values())


def test_a_kicked_player_gains_nothing() -> None:
    for names in (("Anna", "Ben", "Cleo"), ("Cleo", "Ben", "Anna"), ("Ben", "Cleo", "Anna")):
        result = ends(play_out(kicked("Cleo", "Anna", "Ben", names=names)))
        skill = result[user_of("Cleo")].skill
        assert skill is None or skill.mu <= 25
        assert not result[user_of("Cleo")].stayed


def test_abstaining_player_may_win() -> None:
    names = ("Anna", "Ben", "Cleo", "Dora")
    table = play_out(kicked("Cleo", "Anna", "Ben", names=names))
    result = ends(table)
    assert mu_of(result, "Dora") > max(mu_of(result, "Anna"), mu_of(result, "Ben"))


def test_thinking_is_counted_from_when_a_move_was_owed() -> None:
    table = start_table("Anna", "Ben")
    for seat, second in ((1, 4), (0, 7), (0, 8), (1, 20)):
        move = table.game.fallback(table.game.view(table.state, Seat(seat)))
        made = Played(
            at_ms=NOON + 1000 * second, seat=Seat(seat), move=table.game.codec.encode_plain(move), mover="player"
        )
        table = evolve(table, made)
    assert [*list_picks(table)] == [Pick(1, 4000), Pick(0, 7000), Pick(0, 1000), Pick(1, 13_000)]


def test_moves_that_a_clock_made_are_nobodys_thinking() -> None:
    table = start_table("Anna", "Ben")
    while table.pending:
        table = move_by_clock(table, table.pending[0])
    assert [*list_picks(table)] == []


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
    career = reduce(start_game, [TableId("a"), TableId("a"), TableId("b")], Career(since_ms=0))
    assert (career.begun, career.running) == (2, ("a", "b"))


def test_an_end_counts_what_came_of_it() -> None:
    career = finish_game(start_game(Career(since_ms=0), TableId("a")), finish("a"))
    assert (career.begun, career.finished, career.won, career.running) == (1, 1, 1, ())
    assert career.skill_at("heap") == Skill(26, 8, 1)
    assert career.recent == (past("a", 1),)


def test_leaver_has_neither_finished_nor_won() -> None:
    career = finish_game(start_game(Career(since_ms=0), TableId("a")), finish("a", stayed=False))
    assert (career.begun, career.finished, career.won) == (1, 0, 0)


def test_the_median_is_over_the_latest_picks() -> None:
    assert Career(since_ms=0).median_pick_ms is None
    career = finish_game(Career(since_ms=0), finish("a", picks_ms=(9000, 1000, 3000)))
    assert career.median_pick_ms == 3000
    later = finish_game(career, finish("b", picks_ms=(500,) * MOST_PICKS))
    assert later.median_pick_ms == 500


def test_a_career_stays_small() -> None:
    career = Career(since_ms=0)
    for number in range(500):
        career = finish_game(start_game(career, TableId(str(number))), finish(str(number), picks_ms=(1,) * 50))
    assert (len(career.recent), len(career.picks_ms), career.finished) == (MOST_RECENT, MOST_PICKS, 500)
