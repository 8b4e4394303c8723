"""The games of one seat for Gymnasium: every one that has an encoding for learners.

What the arrays mean stands in the documentation of Python (`docs/python.md`). An action that the
rules refuse (its place in the mask is 0) ends the episode with the score so far, as it does in a
match; rewards add up to the score, or to its negative where less is better.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quintain._quintain import Batch, Single

Observation = dict[str, Any]

#: Whole numbers of any size that features have.
_WHOLE = np.iinfo(np.int32)


def board_space(layout: dict[str, Any]) -> spaces.Dict:
    """Return the space of what is seen of one state."""
    features = len(layout["features"])
    return spaces.Dict(
        {
            "board": spaces.Box(0, layout["values"] - 1, tuple(layout["board"]), np.uint8),
            "features": spaces.Box(_WHOLE.min, _WHOLE.max, (features,), np.int32),
        }
    )


class Environment(gymnasium.Env[Observation, np.int64]):
    """A game of one seat. `info["action_mask"]` says which actions are legal."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["ansi", "rgb_array", "svg"],
        "render_fps": 10,
    }

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        letters: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"render_mode={render_mode!r}: expected one of {known}, or None")
        self.state = Single(game, scenario, encoding=encoding, letters=letters)
        layout = self.state.layout
        if layout["seats"] != 1:
            raise ValueError(
                f"{game} has {layout['seats']} seats; see quintain.pettingzoo for such games"
            )
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(layout["actions"])
        self.observation_space = board_space(layout)
        #: The names of the features, in order.
        self.features: list[str] = layout["features"]

    @property
    def seed(self) -> int:
        """The seed of the episode: the match that `quintain.Game.begin` starts with it."""
        return self.state.seed

    @property
    def scenario(self) -> str:
        """The scenario, in its canonical text."""
        return self.state.scenario

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the match of a seed; without one, that of a seed drawn from the last one."""
        super().reset(seed=seed)
        own = int(self.np_random.integers(1 << 63)) if seed is None else seed
        return self.state.reset(own)

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        return self.state.step(action)

    def render(self) -> Any:
        """Return the position: text, pixels or SVG, as `render_mode` says."""
        if self.render_mode is None:
            gymnasium.logger.warn("nothing is rendered without a render_mode")
            return None
        return self.state.render(self.render_mode)


class Environments(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], Any]):
    """Many states of a game of one seat, stepped in Rust: `gymnasium.make_vec`.

    What ends begins anew in the same step (`AutoresetMode.SAME_STEP`). Arrays are those of a
    `quintain.Batch`: every step writes into the same ones.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["ansi", "rgb_array", "svg"],
        "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        num_envs: int = 1,
        encoding: str | None = None,
        letters: bool = False,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.batch = Batch(
            game, scenario, num_envs, threads=threads, encoding=encoding, letters=letters
        )
        layout = self.batch.layout
        if layout["seats"] != 1:
            raise ValueError(f"{game} has {layout['seats']} seats; see quintain.Batch")
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = board_space(layout)
        self.single_action_space = spaces.Discrete(layout["actions"])
        batch_space = gymnasium.vector.utils.batch_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _seen(self) -> Observation:
        return {"board": self.batch.board, "features": self.batch.features}

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin anew: with a seed, state n on seed + n."""
        if isinstance(seed, list):
            self.batch.reset([own or 0 for own in seed])
        else:
            self.batch.reset(seed)
        return self._seen(), {"action_mask": self.batch.masks}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in every state."""
        batch = self.batch
        batch.step(actions)
        information = {"action_mask": batch.masks, "score": batch.scores, "illegal": batch.illegal}
        return self._seen(), batch.rewards, batch.terminated, batch.truncated, information

    def render(self) -> Any:
        """Return every position."""
        if self.render_mode is None:
            return None
        return tuple(self.batch.render(n, self.render_mode) for n in range(self.num_envs))
