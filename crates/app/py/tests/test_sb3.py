"""The adapter for Stable-Baselines3; without the library, on a stand-in for its base class."""

import importlib.util
import sys
import types

import gymnasium
import numpy as np
import pytest


class StandIn:
    """The part of the library's VecEnv that environments build on."""

    def __init__(self, num_envs, observation_space, action_space):
        self.num_envs = num_envs
        self.observation_space, self.action_space = observation_space, action_space
        self._seeds = [None] * num_envs
        self.render_mode = self.get_attr("render_mode")[0]

    def seed(self, seed=None):
        self._seeds = [None if seed is None else seed + n for n in range(self.num_envs)]
        return self._seeds

    def _reset_seeds(self):
        self._seeds = [None] * self.num_envs

    def _get_indices(self, indices):
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices

    def has_attr(self, name):
        try:
            self.get_attr(name)
        except AttributeError:
            return False
        return True

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()


@pytest.fixture
def sb3(monkeypatch):
    """The adapter, whatever it is built on."""
    if importlib.util.find_spec("stable_baselines3") is None:
        name = "stable_baselines3"
        for part in ["", ".common", ".common.vec_env", ".common.vec_env.base_vec_env"]:
            module = types.ModuleType(name + part)
            module.VecEnv = StandIn
            monkeypatch.setitem(sys.modules, name + part, module)
    monkeypatch.delitem(sys.modules, "quintain.sb3", raising=False)
    module = importlib.import_module("quintain.sb3")
    yield module
    sys.modules.pop("quintain.sb3", None)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("polymer", {"scenario": "random?n=12"}),
        ("polymer", {"scenario": "random?n=12", "max_episode_steps": 4}),
        ("tron", {"scenario": "empty", "opponent": "random", "one_hot": True}),
        ("tron", {"scenario": "codingame", "opponent": "self"}),
    ],
)
def test_what_gymnasium_tells_is_told_in_the_librarys_form(sb3, game, options):
    envs = sb3.Vectorised(game, 6, **options)
    ours = gymnasium.make_vec(
        f"quintain/{game.title()}-v0", 6, autoreset_mode="SameStep", **options
    )
    envs.seed(4)
    seen, (other, info) = envs.reset(), ours.reset(seed=4)
    sums, lengths, ended = np.zeros(6), np.zeros(6, int), 0
    assert envs.has_attr("action_masks")
    for _ in range(60):
        for key, values in seen.items():
            assert np.array_equal(values, other[key])
        masks = np.stack(envs.env_method("action_masks"))
        assert np.array_equal(masks, info["action_mask"].astype(bool))
        actions = masks.argmax(axis=1)
        seen, rewards, over, told = envs.step(actions)
        other, expected, terminated, truncated, info = ours.step(actions)
        assert np.array_equal(rewards, expected.astype(np.float32))
        assert np.array_equal(over, terminated | truncated)
        sums, lengths = sums + expected, lengths + 1
        for n in range(6):
            if not over[n]:
                assert told[n] == {}
                continue
            ended += 1
            assert told[n]["episode"] == {"r": sums[n], "l": lengths[n]}
            assert told[n]["TimeLimit.truncated"] == (truncated[n] and not terminated[n])
            for key, values in told[n]["terminal_observation"].items():
                assert np.array_equal(values, info["final_obs"][n][key])
            assert ("score" in told[n]) == bool(terminated[n])
            sums[n], lengths[n] = 0, 0
    assert ended >= 6
    envs.close()


def test_what_the_adapter_cannot_do_is_told(sb3):
    envs = sb3.Vectorised("polymer", 2, scenario="random?n=12")
    with pytest.raises(AttributeError, match="states have no method fly, only action_masks"):
        envs.env_method("fly")
    with pytest.raises(AttributeError, match="colour cannot be set"):
        envs.set_attr("colour", 1)
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [False, False]
    assert envs.env_is_wrapped(gymnasium.Wrapper, indices=0) == [False]


def test_without_the_library_it_is_told_what_to_install(monkeypatch):
    if importlib.util.find_spec("stable_baselines3") is not None:
        pytest.skip("it is there")
    sys.modules.pop("quintain.sb3", None)
    with pytest.raises(ModuleNotFoundError, match="pip install stable-baselines3 sb3-contrib"):
        importlib.import_module("quintain.sb3")
