"""Vectors of environments: how they start over, their seeds, and what they hand out."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import quintain  # noqa: F401


def make(mode, **options):
    return gymnasium.make_vec(
        "quintain/Polymer-v0",
        num_envs=20,
        vectorization_mode=None,
        autoreset_mode=mode,
        **options,
    )


def test_same_step_tells_what_was_seen_last():
    envs = make(AutoresetMode.SAME_STEP)
    _, info = envs.reset(seed=5)
    for _ in range(60):
        observation, _, terminated, truncated, info = envs.step(info["action_mask"].argmax(axis=1))
        over = terminated | truncated
        if over.any():
            n = int(over.argmax())
            last = info["final_obs"][n]
            assert info["_final_obs"].tolist() == over.tolist()
            # The next episode has one monomer laid, the last one had more.
            assert last["features"][0] > 1
            assert observation["features"][n][0] == 1
            assert info["final_info"]["_score"].tolist() == over.tolist()
            assert "score" not in info
            return
    pytest.fail("no episode ends")


def test_next_step_begins_anew_with_the_step_after():
    envs = make(AutoresetMode.NEXT_STEP)
    _, info = envs.reset(seed=5)
    for _ in range(60):
        masks = info["action_mask"]
        observation, rewards, terminated, truncated, info = envs.step(masks.argmax(axis=1))
        over = terminated | truncated
        if over.any():
            n = int(over.argmax())
            assert observation["features"][n][0] > 1
            observation, rewards, terminated, *_ = envs.step(info["action_mask"].argmax(axis=1))
            assert observation["features"][n][0] == 1
            assert rewards[n] == 0
            assert not terminated[n]
            return
    pytest.fail("no episode ends")


def test_disabled_waits_for_a_reset_with_a_mask():
    envs = make(AutoresetMode.DISABLED)
    _, info = envs.reset(seed=5)
    while True:
        *_, terminated, truncated, info = envs.step(info["action_mask"].argmax(axis=1))
        over = terminated | truncated
        if over.any():
            break
    with pytest.raises(ValueError, match="is over: reset"):
        envs.step(info["action_mask"].argmax(axis=1))
    before = envs.batch.features.copy()
    observation, _ = envs.reset(options={"reset_mask": over})
    assert (observation["features"][over, 0] == 1).all()
    assert np.array_equal(observation["features"][~over], before[~over])
    envs.step(envs.batch.masks.argmax(axis=1))


def test_seeds_decide_resets_and_without_them_resets_differ():
    envs = make(AutoresetMode.SAME_STEP)
    first, _ = envs.reset(seed=9)
    second, _ = envs.reset(seed=9)
    assert np.array_equal(first["features"], second["features"])
    third, _ = envs.reset()
    fourth, _ = envs.reset()
    assert not np.array_equal(third["features"], fourth["features"])
    envs.reset(seed=[None, 3] * 10)
    assert envs.batch.seeds[1::2].tolist() == [3] * 10
    assert len(set(envs.batch.seeds[::2].tolist())) == 10
    others = make(AutoresetMode.SAME_STEP)
    others.reset()
    envs.reset()
    assert envs.batch.seeds.tolist() != others.batch.seeds.tolist()


def test_observations_are_copies_unless_asked_otherwise():
    envs = make(AutoresetMode.SAME_STEP)
    first, info = envs.reset(seed=9)
    kept = first["features"].copy()
    envs.step(info["action_mask"].argmax(axis=1))
    assert np.array_equal(first["features"], kept)
    same = make(AutoresetMode.SAME_STEP, copy=False)
    first, info = same.reset(seed=9)
    second, *_ = same.step(info["action_mask"].argmax(axis=1))
    assert first["features"] is second["features"]


def test_vector_wrappers_work():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(AutoresetMode.NEXT_STEP))
    _, info = envs.reset(seed=1)
    for _ in range(80):
        *_, info = envs.step(info["action_mask"].argmax(axis=1))
        if "episode" in info:
            return
    pytest.fail("no episode is told of")


def test_masks_have_the_name_that_maskable_ppo_asks_for():
    env = gymnasium.make("quintain/Hextris-v0").unwrapped
    _, info = env.reset(seed=1)
    assert env.action_masks().dtype == np.bool_
    assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
    assert make(AutoresetMode.SAME_STEP).action_masks().shape == (20, 4)
