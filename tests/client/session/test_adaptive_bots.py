"""Adaptive bots: their level follows the user's results, over games, rematches and starts of the client."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoville_client.cli.program_games import Spectator
from scoville_client.session.hosting import begin_session, session_for
from scoville_client.session.new_table.adaptive_bots import (
    ADAPTIVE,
    MOST_GAMES,
    AdaptiveBots,
    BotGame,
    estimate_level,
    spread_level,
)
from scoville_client.session.new_table.options import list_offered_games
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_shared.bots.registry import LEVELS
from tests.support.idle import eventually

OFFERED = list(LEVELS)
PRACTICE = Start(kind="practice", game="no_thanks", players=4, name="Anna", settings={"bot_level": ADAPTIVE})


def wins_of(skill: float, seats: int, games: int, seed: int) -> tuple[list[bool], list[float]]:
    """Play games as somebody who wins two of five against bots at `skill`; return who won, and the levels met."""
    chance = random.Random(seed)
    past: list[BotGame] = []
    levels: list[float] = []
    for number in range(games):
        bots = spread_level(estimate_level(past[-MOST_GAMES:], OFFERED), OFFERED, seats, number)[1:]
        met = sum(map(OFFERED.index, bots)) / len(bots)
        # Each level more costs an eighth of the games, about what docs/bots.md has.
        won = chance.random() < min(max(0.4 - 0.125 * (met - skill), 0.02), 0.98)
        past.append(BotGame(str(number), tuple(bots), won))
        levels.append(met)
    return [game.won for game in past], levels


@pytest.mark.parametrize("skill", [1.0, 2.4, 4.0])
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_whoever_plays_on_wins_two_games_of_five(skill: float, seats: int) -> None:
    late = [wins_of(skill, seats, 200, seed) for seed in range(8)]
    wins = [won for results, _ in late for won in results[20:]]
    levels = [level for _, met in late for level in met[20:]]
    assert sum(wins) / len(wins) == pytest.approx(0.4, abs=0.04)
    assert sum(levels) / len(levels) == pytest.approx(skill, abs=0.35)


def test_a_beginner_meets_casual_bots() -> None:
    assert spread_level(estimate_level([], OFFERED), OFFERED, 4, 0) == ["casual"] * 4


def test_levels_end_at_the_weakest_and_the_best() -> None:
    lost = [BotGame(str(number), ("random",) * 3, won=False) for number in range(MOST_GAMES)]
    won = [BotGame(str(number), ("master",) * 3, won=True) for number in range(MOST_GAMES)]
    assert spread_level(estimate_level(lost, OFFERED), OFFERED, 4, 0)[1:] == ["random"] * 3
    assert spread_level(estimate_level(won, OFFERED), OFFERED, 4, 0)[1:] == ["master"] * 3


def test_a_game_far_from_the_users_level_says_little() -> None:
    lost_to_masters = [BotGame(str(number), ("master",) * 3, won=False) for number in range(9)]
    won_at_random = [BotGame(str(number), ("random",) * 3, won=True) for number in range(9)]
    assert estimate_level(lost_to_masters, OFFERED) == estimate_level(won_at_random, OFFERED) == OFFERED.index("casual")


def test_a_game_with_two_levels_has_them_all() -> None:
    for turn in range(5):
        assert spread_level(0.9, ["random", "sensible"], 3, turn)[1:] == ["sensible", "sensible"]
        assert spread_level(0.2, ["random", "sensible"], 3, turn)[1:] == ["random", "random"]
    assert estimate_level([BotGame("a", ("brilliant",), won=True)], ["random", "sensible"]) == 0.5


def test_the_stronger_bots_change_seats() -> None:
    places = {tuple(spread_level(1.34, OFFERED, 4, turn)) for turn in range(3)}
    assert len(places) == 3
    assert all(sorted(place[1:]) == ["casual", "easy", "easy"] for place in places)


async def test_a_seat_of_its_own_level_keeps_it() -> None:
    asked = {"bot_level": ADAPTIVE, "bot_levels": [None, None, "master"], "coach": True}
    games = [game for game in list_offered_games() if game.slug == "no_thanks"]
    chosen = await AdaptiveBots(lambda: games, set).choose_bots(asked, "no_thanks", 4)
    assert chosen == {"bot_level": "casual", "bot_levels": ["casual", "casual", "master", "casual"], "coach": True}


async def play_to_the_end(session: Session) -> None:
    """Play the first legal move each time."""
    player = Spectator(session)
    at = await player.wait_until(lambda at: at.my_turn or at.result is not None)
    while at.result is None:
        await session.play_move(next(iter(at.game.moves(at.view))))
        at = await player.wait_until(lambda at: at.my_turn or at.result is not None)


def bots_at(session: Session) -> Sequence[str]:
    return [seat.level for seat in session.current_table.info.seats if seat.level is not None]


async def test_bots_follow_the_results_over_a_rematch_and_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session = session_for(PRACTICE)
    running = await begin_session(session, PRACTICE)
    assert bots_at(session) == ["casual"] * 3
    await play_to_the_end(session)
    result = session.current_table.result
    assert result is not None
    won = result.places[0] == 1
    after = BotGame("first", ("casual",) * 3, won=won)
    expected = sorted(spread_level(estimate_level([after], OFFERED), OFFERED, 4, 1)[1:])
    assert expected != ["casual"] * 3
    await session.join_rematch()
    await session.table_actions.start_game()
    assert sorted(bots_at(session)) == expected
    await eventually(lambda: len([*tmp_path.rglob("*.jsonl")]) == 1)
    await running.close()
    again = session_for(PRACTICE)
    running = await begin_session(again, PRACTICE)
    assert sorted(bots_at(again)) == expected
    await running.close()


async def test_an_older_server_opens_the_rematch_with_the_same_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session = session_for(PRACTICE)
    running = await begin_session(session, PRACTICE)
    session.connection.features -= {"rematch_bot_levels"}
    await play_to_the_end(session)
    await session.join_rematch()
    await session.table_actions.start_game()
    assert bots_at(session) == ["casual"] * 3
    await running.close()
