"""Lets random agents play a thousand decisions of a game through PettingZoo: python environment.py [GAME] [SEATS]."""

import sys

import numpy as np

from scoville_pettingzoo import env

game = sys.argv[1] if len(sys.argv) > 1 else "no_thanks"
table = env(game, seats=int(sys.argv[2]) if len(sys.argv) > 2 else 3)
luck = np.random.default_rng(1)
decisions, games, seed = 0, 0, 1
while decisions < 1_000:
    table.reset(seed)
    for _agent in table.agent_iter():
        observation, reward, over, _, info = table.last()
        if over:
            table.step(None)
            continue
        table.step(int(luck.choice(np.flatnonzero(observation["action_mask"]))))
        decisions += 1
    games, seed = games + 1, seed + 1
numbers = len(observation["observation"])
sys.stdout.write(f"{game}: {games} games, {decisions} decisions, observations of {numbers} numbers\n")
