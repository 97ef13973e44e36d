"""PettingZoo environments: PettingZoo's own tests, what agents may know, and what is refused.

Every worker collects all tests: each test imports NumPy and PettingZoo where it needs them.
"""

import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import pytest

import scoville_pettingzoo
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import list_slugs, load_game

if TYPE_CHECKING:
    from scoville_pettingzoo.environment import TableEnvironment

GAMES = [
    ("no_thanks", 3, {}),
    ("no_thanks", 7, {"rounds": 2, "open_chips": True}),
    ("dicht_dran", 2, {"cycles": 1, "open_won": True}),
    ("dicht_dran", 5, {"cycles": 1, "take_back": True}),
    ("chilli_chase", 2, {"extended": True, "zero": True, "turn_limit": 50}),
    ("chilli_chase", 6, {"die_scores": True, "turn_limit": 50}),
]


def made(game: str, seats: int, options: dict[str, Any]) -> "TableEnvironment":
    return scoville_pettingzoo.env(game, seats, **options)


def played(environment: "TableEnvironment", seed: int) -> list[tuple[str, int]]:
    """Play a game at random; return who did what."""
    import numpy as np

    environment.reset(seed)
    luck, done = np.random.default_rng(seed), []
    while True:
        agent = environment.agent_selection
        observation, _, over, _, _ = environment.last()
        if over:
            return done
        action = int(luck.choice(np.flatnonzero(observation["action_mask"])))
        done.append((agent, action))
        environment.step(action)


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize(("game", "seats", "options"), GAMES)
def test_it_passes_the_tests_of_pettingzoo(game: str, seats: int, options: dict[str, Any]) -> None:
    """Its warnings are about observations that are dictionaries, as those of its own games with action masks."""
    from pettingzoo.test import api_test, seed_test

    api_test(made(game, seats, options), num_cycles=60)
    seed_test(lambda: made(game, seats, options), num_cycles=20)


def test_there_is_an_environment_of_every_game() -> None:
    from scoville_pettingzoo.environment import GROUP

    assert {entry.name for entry in entry_points(group=GROUP)} == {*list_slugs()}


@pytest.mark.parametrize(("game", "seats", "options"), GAMES)
def test_zero_sum_shares_end_a_game(game: str, seats: int, options: dict[str, Any]) -> None:
    environment = made(game, seats, options)
    assert played(environment, 5) == played(environment, 5)
    rewards = environment.rewards
    assert sum(rewards.values()) == pytest.approx(0)
    winners = [agent for agent in rewards if environment.infos[agent]["place"] == 1]
    assert {agent for agent in rewards if rewards[agent] == max(rewards.values())} == {*winners}
    for agent in list(environment.agents):
        assert environment.agent_selection == agent
        environment.step(None)
    assert environment.agents == []


@pytest.mark.parametrize(("game", "seats", "options"), GAMES)
def test_legal_moves_are_actions_and_observations_are_private(game: str, seats: int, options: dict[str, Any]) -> None:
    import numpy as np

    from scoville_pettingzoo.encoding import MOST

    environment = made(game, seats, options)
    environment.reset(3)
    rules, luck = load_game(game), np.random.default_rng(3)
    for number in range(40):
        agent = environment.agent_selection
        seat, view = environment._seat_of(agent), rules.view(environment._state, environment._seat_of(agent))
        actions = [int(action) for action in np.flatnonzero(environment.observe(agent)["action_mask"])]
        moves = [environment.encoding.move(action) for action in actions]
        assert all(rules.check(environment._state, seat, move) is None for move in moves)
        if not getattr(view.board, "choosing", False):
            assert {*moves} == {*rules.moves(view)}
        before, real = environment.observe(agent)["observation"], environment._state
        environment._state = rules.imagine(view, Dice(number.to_bytes(32)))
        assert environment.observe(agent)["observation"].tolist() == before.tolist()
        environment._state = real
        assert abs(before).max() <= MOST
        environment.step(int(luck.choice(actions)))
        if not rules.pending(environment._state):
            return


def test_an_observation_begins_with_the_observers_own_numbers() -> None:
    environment = made("chilli_chase", 3, {})
    environment.reset(1)
    board = environment._state.board
    for seat, agent in enumerate(environment.possible_agents):
        parts = environment.encoding.parts(environment._game.view(environment._state, environment._seat_of(agent)))
        assert parts["scores"] == [*board.scores[seat:], *board.scores[:seat]]
        assert [name for name, part in parts.items() if not part] == []


def test_an_illegal_action_is_explained_and_changes_nothing() -> None:
    import numpy as np

    environment = made("dicht_dran", 3, {})
    environment.reset(1)
    mask = environment.observe("seat_0")["action_mask"]
    with pytest.raises(ValueError, match=r"^Action \d+ of seat_0 is illegal: "):
        environment.step(int(np.flatnonzero(mask == 0)[0]))
    with pytest.raises(ValueError, match="has to act"):
        environment.step(None)
    assert environment.observe("seat_0")["action_mask"].tolist() == mask.tolist()
    assert environment.observe("seat_1")["action_mask"].sum() == 0


def test_a_table_is_described_in_sentences_if_wished() -> None:
    environment = scoville_pettingzoo.env("no_thanks", 3, "ansi")
    environment.reset(1)
    assert "seat_0" in (environment.render() or "")
    assert made("no_thanks", 3, {}).render() is None


@pytest.mark.parametrize(
    ("game", "seats", "why"), [("whist", 4, "no environment of 'whist'"), ("dicht_dran", 9, "for 2 to 5 agents, not 9")]
)
def test_unplayable_action_is_refused(game: str, seats: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        made(game, seats, {})


def test_without_pettingzoo_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ModuleNotFoundError, match="pip install gymnasium pettingzoo"):
        scoville_pettingzoo.env("no_thanks")
