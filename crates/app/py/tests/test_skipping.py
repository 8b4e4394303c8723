"""Episodes that opponents end before the learner's first turn: they are skipped, for good."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from choices import drawn

import quintain

#: On seed 12 the opponent moves first, into a wall.
GAME, SCENARIO = "tron", "obstacles?moves=sequential"
ROTATING = {"opponent": "random"}


def test_a_match_that_others_end_first_is_skipped_for_the_next():
    batch = quintain.Batch(GAME, SCENARIO, 1, seed=12, **ROTATING)
    assert batch.seeds[0] != 12
    assert batch.masks.any()
    # The next one is that of a state which begins on 12, wherever it is asked.
    env = gymnasium.make("quintain/Tron-v0", scenario=SCENARIO).unwrapped
    _, info = env.reset(seed=12)
    assert info["action_mask"].any()
    assert env.seed == batch.seeds[0]
    assert not env.state.is_over


@pytest.mark.parametrize("save", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_no_state_is_ever_without_a_move_and_pickles_load(save):
    batch = quintain.Batch(GAME, SCENARIO, 200, seed=1, **ROTATING)
    random = np.random.default_rng(1)
    assert (batch.seeds != np.arange(1, 201)).any()
    again = save(batch)
    ended = 0
    for turn in range(60):
        assert batch.masks.any(axis=1).all()
        actions = drawn(batch.masks, random)
        for states in (batch, again):
            states.step(actions)
        for name in ("board", "seeds", "masks", "rewards", "terminated"):
            assert np.array_equal(getattr(batch, name), getattr(again, name)), name
        ended += batch.terminated.sum()
        if turn % 20 == 10:
            again = save(again)
    assert ended > 100


def test_skipping_does_not_depend_on_threads():
    def play(threads):
        batch = quintain.Batch(GAME, SCENARIO, 100, seed=1, threads=threads, **ROTATING)
        random = np.random.default_rng(1)
        for _ in range(40):
            batch.step(drawn(batch.masks, random))
        return batch.seeds.tolist()

    assert play(1) == play(3)
