"""Random games, thousands at once: how long they last and what they come to.

    python random_rollouts.py [states] [steps]
"""

import sys

import numpy as np

import quintain


def rollouts(game, scenario, states, steps):
    """Play at random as the masks allow; return the score of every episode that ended."""
    batch = quintain.Batch(game, scenario, states)
    random = np.random.default_rng(1)
    scores = []
    for _ in range(steps):
        # The greatest of random numbers among the allowed actions is any of them alike.
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
