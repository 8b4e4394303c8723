"""A tiny learner: tron by a table of 100 values, in seconds.

Two seats play against each other and learn from both sides. A move is judged by what it leads to, in
three small numbers: how far the way ahead is free, how many neighbours of the next cell are free, and
how many cells of the 5×5 around it are. The table holds what such moves led to on average (temporal
differences, Sutton 1988). At the end it plays against a player that moves at random, but never into a
wall if it can avoid it.

    python learn_tron.py [steps]
"""

import sys
import time

import numpy as np

import quintain

AHEAD, NEIGHBOURS, AROUND = 5, 4, 5
FIRST_HEAD = 6


def judged(board):
    """Return the index of each move, given as (state, seat, direction), in the table."""
    count, rows, columns = board.shape
    free = (board == 0).reshape(count, -1)
    # Sums over 5×5 cells, from two running sums.
    padded = np.pad(board == 0, ((0, 0), (3, 2), (3, 2))).astype(np.int16)
    sums = padded.cumsum(axis=1).cumsum(axis=2)
    near = sums[:, 5:, 5:] - sums[:, :-5, 5:] - sums[:, 5:, :-5] + sums[:, :-5, :-5]
    near = near.reshape(count, -1)

    flat = board.reshape(count, -1)
    heads = np.stack([(flat == FIRST_HEAD + seat).argmax(axis=1) for seat in range(2)], axis=1)
    steps = np.array([-columns, 1, columns, -1])
    states = np.arange(count)[:, None, None]

    def at(field, cells):
        return field[states, np.clip(cells, 0, rows * columns - 1)]

    target = heads[:, :, None] + steps
    run = np.ones(target.shape, bool)
    ahead = np.zeros(target.shape, np.int64)
    for far in range(1, AHEAD):
        run &= at(free, heads[:, :, None] + far * steps)
        ahead += run
    neighbours = sum(at(free, target + step).astype(np.int64) for step in steps)
    around = np.minimum(at(near, target) // 5, AROUND - 1)
    return (ahead * NEIGHBOURS + np.minimum(neighbours, NEIGHBOURS - 1)) * AROUND + around


def best(table, moves, masks, random):
    """Return the best allowed move of each seat; ties are broken by chance."""
    worth = table[moves] + 1e-6 * random.random(moves.shape)
    return np.where(masks > 0, worth, -np.inf).argmax(axis=-1)


def learn(steps, states=256, rate=0.02, curiosity=0.1):
    """Return the table learned in so many steps of so many states."""
    random = np.random.default_rng(1)
    batch = quintain.Batch("tron", "hackerrank?opening=4", states)
    table = np.zeros(AHEAD * NEIGHBOURS * AROUND)
    before = None
    for _ in range(steps):
        moves = judged(batch.board)
        chosen = best(table, moves, batch.masks, random)
        anything = (random.random(batch.masks.shape) * batch.masks).argmax(axis=-1)
        chosen = np.where(random.random(chosen.shape) < curiosity, anything, chosen)
        now = np.take_along_axis(moves, chosen[..., None], axis=-1)[..., 0]
        batch.step(chosen)
        if before is not None:
            # What was expected a step ago, against what is expected now.
            going = ~ended
            np.add.at(table, before[going], rate * (table[now] - table[before])[going])
        ended = batch.terminated.copy()
        if ended.any():
            np.add.at(table, now[ended], rate * (batch.rewards - table[now])[ended])
        before = now
    return table


def measured(table, states=512, steps=120):
    """Return the mean score of the table's player at seat 0 against random moves."""
    random = np.random.default_rng(2)
    batch = quintain.Batch("tron", "hackerrank?opening=4", states, seed=10**6)
    scores = []
    for _ in range(steps):
        chosen = (random.random(batch.masks.shape) * batch.masks).argmax(axis=-1)
        chosen[:, 0] = best(table, judged(batch.board), batch.masks, random)[:, 0]
        batch.step(chosen)
        scores.append(batch.scores[batch.terminated, 0])
    return np.concatenate(scores).mean()


def main(steps=1500):
    begun = time.perf_counter()
    print(f"before: {measured(np.zeros(AHEAD * NEIGHBOURS * AROUND)):.2f} of 1")
    table = learn(steps)
    print(f"after:  {measured(table):.2f} of 1")
    print(f"{time.perf_counter() - begun:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
