"""Vector environments for Stable-Baselines3 and sb3-contrib, all of whose states are stepped in Rust at once::

    envs = quintain.sb3.Vectorised("hextris", 256, scenario="drawn?size=0", one_hot=True)
    MaskablePPO("MultiInputPolicy", envs).learn(1_000_000)

The libraries have their own kind of vector environment; making one of environments that are stepped one by
one is many times as slow. Masks have the name that MaskablePPO asks for.
"""

from __future__ import annotations

from typing import Any

try:
    from stable_baselines3.common.vec_env.base_vec_env import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        VecEnv,
    )
except ModuleNotFoundError as missing:
    said = "quintain.sb3 needs Stable-Baselines3: pip install stable-baselines3 sb3-contrib"
    raise ModuleNotFoundError(said, name=missing.name) from None

import gymnasium
import numpy as np
from numpy.typing import NDArray

from quintain.registration import environment_id


class Vectorised(VecEnv):  # type: ignore[misc, unused-ignore]
    """Gymnasium's vector of a game in the form of Stable-Baselines3.

    `options` are those of `gymnasium.make_vec`: `scenario`, `opponent`, `one_hot`, `max_episode_steps`, …
    The information on an episode that has ended also has its `score` and whether it was `illegal`.
    """

    def __init__(self, game: str, num_envs: int, **options: Any) -> None:
        self.envs: Any = gymnasium.make_vec(
            environment_id(game), num_envs, autoreset_mode="SameStep", **options
        )
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )
        self._actions: NDArray[np.int64] | None = None
        self._sums = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)

    def reset(self) -> Any:
        """Begin an episode everywhere; after `seed(5)`, state n with the seed 5 + n."""
        seen, _ = self.envs.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._sums[:], self._lengths[:] = 0, 0
        return seen

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store actions; `step_wait` takes them."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[Any], NDArray[Any], list[dict[str, Any]]]:
        """Take the actions; where an episode ends, the next one begins."""
        assert self._actions is not None, "step_async comes first"
        seen, rewards, terminated, truncated, information = self.envs.step(self._actions)
        over = terminated | truncated
        self._sums += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for n in np.flatnonzero(over):
            final = information["final_info"]
            infos[n] = {
                "terminal_observation": information["final_obs"][n],
                "TimeLimit.truncated": bool(truncated[n] and not terminated[n]),
                "episode": {"r": float(self._sums[n]), "l": int(self._lengths[n])},
            }
            # An episode that was only cut off has no score.
            if final.get("_score", over)[n] and "score" in final:
                infos[n] |= {
                    "score": float(final["score"][n]),
                    "illegal": bool(final["illegal"][n]),
                }
        self._sums[over], self._lengths[over] = 0, 0
        return seen, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Close the environments."""
        self.envs.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, a row for each state."""
        masks: NDArray[np.bool_] = self.envs.unwrapped.action_masks()
        return masks

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the masks, which are all that the libraries call for."""
        if method_name != "action_masks":
            raise AttributeError(f"states have no method {method_name}, only action_masks")
        masks = self.action_masks()
        return [masks[n] for n in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return the attribute of this name, once for each state."""
        value = getattr(self.envs.unwrapped, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: attributes cannot be set from outside."""
        raise AttributeError(f"{attr_name} cannot be set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return that nothing is wrapped."""
        return [False for _ in self._get_indices(indices)]
