"""MaskablePPO of sb3-contrib learns hextris or tron.

    pip install sb3-contrib
    python learn_sb3.py hextris [minutes]    # another problem each episode
    python learn_sb3.py tron [minutes]       # against players of ours

The library has its own kind of vector environment, which `quintain.sb3.Vectorised` is. In hextris, where
points come late, rewards also count what the board promises, and points are divided by 100. At the end the
policy takes a seat in matches, and is measured on seeds that it has not met.
"""

from __future__ import annotations

import sys
import time
import warnings

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import quintain
from quintain.sb3 import Vectorised

ENVIRONMENTS, STEPS, DISCOUNT = 256, 64, 0.99
#: In hextris: the byte of a full cell.
FULL = 1
TASKS = {
    "tron": {"scenario": "empty?width=9&height=9", "opponent": ["random", "greedy"]},
    "hextris": {"scenario": "drawn?size=0&phrases=none"},
}


def flatten(seen, values):
    """Return rows of inputs of a size around one: a plane for each byte of the board, and features."""
    planes = np.arange(values, dtype=np.uint8) == seen["board"][..., np.newaxis]
    features = np.sign(seen["features"]) * np.log1p(abs(seen["features"]))
    planes = planes.reshape(len(planes), -1)
    return np.concatenate([planes, features], axis=1, dtype=np.float32)


def promise(board):
    """Return how promising boards of hextris are: full rows low down, and little above them."""
    filled = (board == FULL).mean(axis=2)
    depth = np.arange(1, board.shape[1] + 1) / board.shape[1]
    return (filled**2 * depth).sum(axis=1) - 0.5 * (filled * (1 - depth)).sum(axis=1)


class Rows(Vectorised):
    """The environments of a task; observations are rows of numbers, and some rewards are shaped."""

    def __init__(self, task):
        super().__init__(task, ENVIRONMENTS, **TASKS[task])
        self.values = int(self.observation_space["board"].high.max()) + 1
        self.is_shaped = task == "hextris"
        size = self.reset().shape[1]
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)

    def reset(self):
        """Begin an episode everywhere."""
        seen = super().reset()
        self.promised = promise(seen["board"])
        return flatten(seen, self.values)

    def step_wait(self):
        """Take an action everywhere; where an episode ends, the next one begins."""
        seen, reward, over, infos = super().step_wait()
        for index in over.nonzero()[0]:
            last = infos[index]["terminal_observation"]
            last = {key: value[np.newaxis] for key, value in last.items()}
            infos[index]["terminal_observation"] = flatten(last, self.values)[0]
        if self.is_shaped:
            reward = self.shape(reward, seen["board"], over)
        return flatten(seen, self.values), reward, over, infos

    def shape(self, reward, board, over):
        """Return rewards, with the change in what the boards promise added.

        Over an episode, what is added sums to the same for all ways to play, so the best way stays the best
        (potential-based shaping, Ng, Harada and Russell 1999).
        """
        before, self.promised = self.promised, promise(board)
        return reward / 100 + DISCOUNT * self.promised * ~over - before


class Until(BaseCallback):
    """Stops when the time is over."""

    def __init__(self, minutes):
        super().__init__()
        self.end = time.time() + 60 * minutes

    def _on_step(self):
        return time.time() < self.end


def learn(task, minutes):
    """Return the policy learned in so many minutes, and how many values a cell may have."""
    envs = Rows(task)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        policy_kwargs={"net_arch": [256, 128]},
        learning_rate=1e-3,
        n_steps=STEPS,
        batch_size=STEPS * ENVIRONMENTS // 8,
        n_epochs=3,
        ent_coef=0.01,
        gamma=DISCOUNT,
        seed=1,
        device="cpu",
    )
    model.learn(total_timesteps=10**9, callback=Until(minutes))
    return model, envs.values


def main(task="hextris", minutes=10.0, seeds=100):
    """Learn, and measure the result on seeds of its own."""
    if task not in TASKS:
        sys.exit(f"unknown task {task}: expected one of {', '.join(TASKS)}")
    model, values = learn(task, minutes)

    def policy(seen):
        rows = flatten(seen, values)
        return model.predict(rows, action_masks=seen["action_mask"], deterministic=True)[0]

    player = quintain.policy_player("learnt", policy, batch=32)
    scenario = TASKS[task]["scenario"]
    scenarios = [scenario]
    if task == "hextris":
        # Every problem is a scenario of its own and is played once.
        scenarios = [f"{scenario}&seed={10_000 + seed}" for seed in range(seeds)]
        seeds = 1
    results = quintain.tournament(
        task,
        [player, "random", "greedy"],
        scenarios=scenarios,
        seeds=seeds,
        seed=10_000,
        threads=32,
    )
    print(results)
    return results


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
