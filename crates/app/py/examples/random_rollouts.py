"""Random games, thousands at once: how long they last and what they come to.

    python random_rollouts.py [states] [steps]
"""

import sys

import numpy as np

import quintain


def rollouts(game, scenario, states, steps):
    """Play random actions that the masks allow; return the scores of every episode that ended."""
    batch = quintain.Batch(game, scenario, states)
    random = np.random.default_rng(1)
    scores = []
    for _ in range(steps):
        # Of random numbers for the allowed actions, each is equally likely to be the greatest.
        chances = random.random(batch.masks.shape) * batch.masks
        batch.step(chances.argmax(axis=-1))
        ended = batch.terminated | batch.truncated
        scores.append(batch.scores[ended])
    return np.concatenate(scores)


def main(states=256, steps=200):
    for game, scenario in [("tron", "hackerrank?opening=4"), ("hextris", None), ("polymer", None)]:
        scores = rollouts(game, scenario, states, steps)
        print(f"{game:8} {len(scores):6} episodes, mean score {scores.mean():.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
