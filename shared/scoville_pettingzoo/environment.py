"""A table as a PettingZoo environment: agents act one after another, each by what its seat may know."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv

from scoville_pettingzoo.encoding import MOST, Encoding
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.installed import list_installed

GROUP: Final = "scoville.environments"
"""The entry points that name the encoding of each game, by its slug."""


class TableEnvironment(AECEnv, EzPickle):  # type: ignore[misc]  # PettingZoo has no types
    """One table of a game.

    The agents are `seat_0`, `seat_1` and so on. An observation has the numbers of the seat's View (`observation`, see
    the game's encoding) and the legal actions (`action_mask`, all 0 for an agent whose turn it is not). At the end each
    agent gets its share of the win less an even share, before that nothing. An illegal action raises ValueError.

    Args:
        game: The slug of the game.
        seats: How many agents play.
        render_mode: `ansi` or None.
        options: The options of the game that differ from its defaults.
    """

    def __init__(self, game: str, seats: int, render_mode: str | None, options: Mapping[str, Any]) -> None:
        EzPickle.__init__(self, game, seats, render_mode, dict(options))
        super().__init__()
        found = list_installed(GROUP)
        if game not in found:
            raise ValueError(f"There is no environment of {game!r}; there are {', '.join(sorted(found))}.")
        self._game = registry.load_game(game)
        fewest, most = self._game.info.seats
        if not fewest <= seats <= most:
            raise ValueError(f"{self._game.info.title} is for {fewest} to {most} agents, not {seats}.")
        self._options = self._game.codec.decode_options(dict(options))
        self.encoding: Encoding = found[game].load_object()(self._game, self._options, seats)
        self.metadata = {"render_modes": ["ansi"], "is_parallelizable": False, "name": f"scoville_{game}_v0"}
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        # Any deal will do: before `reset` it only tells how many numbers an observation has.
        self._state: Any = self._deal(seeding.np_random(0)[0])
        self._luck: np.random.Generator | None = None
        self._spaces = {agent: self._make_space() for agent in self.possible_agents}
        self._actions = {agent: spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations; it is the same for all."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions; it is the same for all."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a game; the same seed deals the same one, and without a seed the next one of the last seed follows."""
        if seed is not None or self._luck is None:
            self._luck, _ = seeding.np_random(seed)
        self._state = self._deal(self._luck)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._next_agent()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation, and its legal actions."""
        seat = self._seat_of(agent)
        view = self._game.view(self._state, seat)
        mask = np.zeros(self.encoding.actions, np.int8)
        if agent == self.agent_selection and seat in self._game.pending(self._state):
            mask[list(self.encoding.legal(view))] = 1
        return {"observation": np.array(self.encoding.observation(view), np.int64), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Act for the selected agent. Raises ValueError for an illegal action, which changes nothing."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act; None is for agents whose game is over.")
        step = play_move(self._game, self._state, self._seat_of(agent), self.encoding.move(int(action)))
        if isinstance(step, Refusal):
            sentence = self._game.text.describe_refusal(step).render(self.possible_agents)
            raise ValueError(f"Action {action} of {agent} is illegal: {sentence}")
        self._state = step.state
        # In the order of PettingZoo: what the agent has read is cleared first, and new rewards are added at the end.
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        outcome = self._game.outcome(self._state)
        if outcome is not None:
            winners = outcome.places.count(1)
            for each, place in zip(self.possible_agents, outcome.places, strict=True):
                self.rewards[each] = (1 / winners if place == 1 else 0.0) - 1 / len(self.possible_agents)
                self.infos[each] = {"place": place, "score": outcome.scores[self._seat_of(each)]}
            # All at once: PettingZoo then asks each for one more step, with None, and takes it out.
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._next_agent()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Describe the table in sentences, as a spectator sees it, if the mode is `ansi`."""
        if self.render_mode != "ansi":
            return None
        view = self._game.view(self._state, None)
        return "\n".join(phrase.render(self.possible_agents) for phrase in self._game.text.describe_table(view))

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _deal(self, luck: np.random.Generator) -> Any:
        return self._game.setup(self._options, len(self.possible_agents), Dice(luck.bytes(SEED_BYTES)))

    def _next_agent(self) -> str:
        """Return the agent that acts next; after the end the first one, to be told so."""
        return self.possible_agents[min(self._game.pending(self._state), default=Seat(0))]

    def _seat_of(self, agent: str) -> Seat:
        return Seat(self.possible_agents.index(agent))

    def _make_space(self) -> spaces.Dict:
        size = len(self.encoding.observation(self._game.view(self._state, Seat(0))))
        return spaces.Dict(
            {
                "observation": spaces.Box(-MOST, MOST, (size,), np.int64),
                "action_mask": spaces.Box(0, 1, (self.encoding.actions,), np.int8),
            }
        )
