"""MaskablePPO of sb3-contrib learns hextris or tron.

    pip install sb3-contrib
    python learn_sb3.py hextris [minutes]    # another problem each episode
    python learn_sb3.py tron [minutes]       # against players of ours

The environments are Gymnasium's, one by one, as the library wants them; masks are asked for under the
name that it knows. In hextris, where points come late, the policy is also told what the board promises,
and points are divided by 100. In the end the policy takes a seat in matches, and is measured on seeds that it has
not met.
"""

from __future__ import annotations

import sys
import time
import warnings

import gymnasium
import numpy as np
from gymnasium.wrappers import TransformObservation
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

import quintain

ENVIRONMENTS, DISCOUNT = 32, 0.99
#: In hextris: the byte of a full cell.
FULL = 1
TASKS = {
    "tron": {"scenario": "empty?width=9&height=9", "opponent": ["random", "greedy"]},
    "hextris": {"scenario": "drawn?size=0&phrases=none"},
}


def flatten(seen, values):
    """Return the board as a plane for each byte that it may hold, in one row."""
    planes = np.arange(values, dtype=np.uint8) == seen["board"][..., np.newaxis]
    return planes.astype(np.float32).reshape(*seen["board"].shape[:-2], -1)


def promise(board):
    """Return what a board of hextris promises: full rows low down, and little above them."""
    filled = (board == FULL).mean(axis=1)
    depth = np.arange(1, len(board) + 1) / len(board)
    return (filled**2 * depth).sum() - 0.5 * (filled * (1 - depth)).sum()


class Shaped(gymnasium.Wrapper):
    """Rewards with what the board promises more than before.

    Added up over an episode, this is the same for all ways to play, so what is best stays best
    (potential-based shaping, Ng, Harada and Russell 1999).
    """

    def reset(self, **options):
        """Begin an episode."""
        seen, info = super().reset(**options)
        self.promised = promise(seen["board"])
        return seen, info

    def step(self, action):
        """Take an action."""
        seen, reward, terminated, truncated, info = super().step(action)
        before, self.promised = self.promised, promise(seen["board"])
        after = 0 if terminated or truncated else DISCOUNT * self.promised
        return seen, reward / 100 + after - before, terminated, truncated, info


class Masked(TransformObservation):
    """The board in one row, and the mask where MaskablePPO looks for it."""

    def action_masks(self):
        """Return which actions are legal."""
        return self.unwrapped.action_masks()


def make(task):
    """Make an environment whose observation is a row of numbers."""
    env = gymnasium.make(f"quintain/{task.title()}-v0", **TASKS[task])
    values = int(env.observation_space["board"].high.max()) + 1
    size = int(np.prod(env.observation_space["board"].shape)) * values
    space = gymnasium.spaces.Box(0, 1, (size,), np.float32)
    if task == "hextris":
        env = Shaped(env)
    return Masked(env, lambda seen: flatten(seen, values), space)


class Until(BaseCallback):
    """Stops when the time is over."""

    def __init__(self, minutes):
        super().__init__()
        self.end = time.time() + 60 * minutes

    def _on_step(self):
        return time.time() < self.end


def learn(task, minutes):
    """Return the policy that so many minutes have taught, and the values that boards hold."""
    envs = DummyVecEnv([lambda: make(task)] * ENVIRONMENTS)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=128,
        batch_size=1024,
        n_epochs=4,
        ent_coef=0.01,
        gamma=DISCOUNT,
        seed=1,
    )
    model.learn(total_timesteps=10**9, callback=Until(minutes))
    values = make(task).observation_space.shape[0]
    return model, values


def main(task="hextris", minutes=10.0, seeds=100):
    """Learn, and measure on seeds of its own."""
    if task not in TASKS:
        sys.exit(f"unknown task {task}: expected one of {', '.join(TASKS)}")
    model, size = learn(task, minutes)

    def policy(seen):
        cells = int(np.prod(seen["board"].shape[1:]))
        rows = flatten(seen, size // cells)
        return model.predict(rows, action_masks=seen["action_mask"], deterministic=True)[0]

    player = quintain.policy_player("learnt", policy, batch=32)
    scenario = TASKS[task]["scenario"]
    scenarios = [scenario]
    if task == "hextris":
        # Every problem is a scenario of its own, and is played once.
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
