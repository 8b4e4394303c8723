"""Vectors of environments return what Gymnasium's own vector of single environments returns."""

import gymnasium
import numpy as np
import pytest
from choices import drawn
from gymnasium.vector import AutoresetMode

import quintain  # noqa: F401

#: Name, options, and the steps after which an episode is cut off, if it is.
PLAYED = [
    ("quintain/Polymer-v0", {"scenario": "random?n=12"}, None),
    ("quintain/Polymer-v0", {"scenario": "random?n=12"}, 4),
    ("quintain/Hextris-v0", {"scenario": "drawn?size=6"}, 9),
    ("quintain/Tron-v0", {"scenario": "obstacles?moves=sequential", "opponent": "random"}, None),
    ("quintain/Gather-v0", {"scenario": "torus?players=3&limit=20", "opponent": "random"}, 7),
]
COUNT = 6


def ours(name, mode, options, most):
    return gymnasium.make_vec(
        name, num_envs=COUNT, autoreset_mode=mode, max_episode_steps=most, **options
    )


def theirs(name, mode, options, most):
    return gymnasium.make_vec(
        name,
        num_envs=COUNT,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        max_episode_steps=most,
        **options,
    )


def assert_same(one, other, at):
    """Compare what two vectors returned, whatever it is made of."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), at
        for key in one:
            assert_same(one[key], other[key], f"{at}.{key}")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        for n in range(len(one)):
            assert (one[n] is None) == (other[n] is None), f"{at}[{n}]"
            if one[n] is not None:
                assert_same(one[n], other[n], f"{at}[{n}]")
    else:
        assert one.dtype == other.dtype, at
        assert np.array_equal(one, other), at


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(("name", "options", "most"), PLAYED)
def test_a_vector_returns_what_single_environments_do(name, options, most, mode):
    vectors = [make(name, mode, options, most) for make in (ours, theirs)]
    random = np.random.default_rng(1)
    begun = [envs.reset(seed=3) for envs in vectors]
    for one, other in zip(*begun, strict=True):
        assert_same(one, other, "reset")
    ended = 0
    info = begun[0][1]
    for step in range(60):
        masks = info["action_mask"]
        actions = drawn(masks, random)
        stepped = [envs.step(actions) for envs in vectors]
        for one, other, part in zip(*stepped, ("seen", "rewards", "terminated", "truncated", "info"), strict=True):
            assert_same(one, other, f"step {step}: {part}")
        _, _, terminated, truncated, info = stepped[0]
        over = terminated | truncated
        ended += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            begun = [envs.reset(options={"reset_mask": over.copy()}) for envs in vectors]
            assert_same(begun[0][0], begun[1][0], f"step {step}: reset")
            info = begun[0][1]
    assert ended > COUNT


def test_resets_without_a_seed_go_on_as_those_of_single_environments_do():
    vectors = [make("quintain/Hextris-v0", "SameStep", {}, None) for make in (ours, theirs)]
    for seed in (7, None, None, [1, None, 3, None, 5, 6], None):
        seen = [envs.reset(seed=seed)[0] for envs in vectors]
        assert_same(seen[0], seen[1], f"seed {seed}")


def test_steps_of_an_episode_are_counted_from_its_begin():
    envs = ours("quintain/Hextris-v0", AutoresetMode.SAME_STEP, {}, 5)
    _, info = envs.reset(seed=1)
    for step in range(1, 21):
        *_, truncated, info = envs.step(info["action_mask"].argmax(axis=1))
        assert truncated.all() == (step % 5 == 0)
