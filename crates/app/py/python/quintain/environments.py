"""The games for Gymnasium: every one that has an encoding for learners.

A game of one seat is played alone. In a game of several seats the learner has one of them; opponents
from the roster, which run in Rust, have the others. `docs/environments.md` says what the arrays mean.

An action that the rules refuse (its entry in the mask is 0) ends the episode with the score so far, as
it does in a match. Rewards add up to the score, or to its negative where less is better. Between
rivals the last reward is 1 for a win and -1 for a loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

try:
    import gymnasium
except ModuleNotFoundError as missing:
    said = "quintain.environments needs Gymnasium: pip install 'gymnasium>=1.1'"
    raise ModuleNotFoundError(said, name=missing.name) from None

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quintain._quintain import Batch, Single
from quintain.arguments import MOST, check_options, seed_of, whole
from quintain.rendering import ALL_MODES, ONE_METADATA, Rendered, check_render_mode
from quintain.vector import (
    Observation,
    Played,
    Vector,
    check_one_hot,
    planes,
    seen_space,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def _check_alone(game: str, layout: dict[str, Any]) -> None:
    if layout["learner_seats"] != 1:
        raise ValueError(
            f"{game} has {layout['learner_seats']} seats: say who plays the others, such as "
            'opponent="random"; to play all seats, use quintain.pettingzoo or quintain.Batch'
        )


class Environment(Rendered, gymnasium.Env[Observation, np.int64]):
    """A game for one learner. `info["action_mask"]` says which actions are legal.

    `opponent` is a player of the roster, or several; the seed then draws one of them for each seat.
    `seat` is the learner's own; by default the seed draws it. `budget` limits the work of each opponent
    (`nodes=500`, `iterations=100`). The learner sees itself as seat 0. With `one_hot`, a board is shown
    as planes: 1 in the plane of each cell's value, else 0.
    """

    metadata: ClassVar[dict[str, Any]] = ONE_METADATA  # type: ignore[misc]

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        letters: bool = False,
        opponent: str | Sequence[str] | None = None,
        seat: int | None = None,
        budget: str = "",
        one_hot: bool = False,
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode, ALL_MODES)
        self.state = Single(
            game,
            scenario,
            encoding=encoding,
            letters=letters,
            opponent=opponent,
            seat=seat,
            budget=budget,
        )
        layout = self.state.layout
        _check_alone(game, layout)
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(layout["actions"])
        self._planes = check_one_hot(layout, one_hot)
        self.observation_space = seen_space(layout, self._planes)
        #: The names of the features, in order.
        self.features: list[str] = layout["features"]

    @property
    def seed(self) -> int:
        """The seed of the episode: `quintain.Game(game, scenario).begin(seed)` begins the same match."""
        return self.state.seed

    @property
    def scenario(self) -> str:
        """The scenario of the episode, in its canonical text, as `quintain.Game` takes it."""
        return self.state.scenario

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the match of a seed; without a seed, the match that follows the last one.

        The seed decides everything but the learner's actions: how the match begins, chance, the
        instance that is played, who the opponents are and their random draws. If others end a match
        before the learner's first turn, the next match is played instead: the property `seed` says
        which one that is.
        """
        check_options(options)
        own = None if seed is None else seed_of(seed)
        super().reset(seed=own)
        if own is None and not self.state.has_begun:
            own = int(self.np_random.integers(1 << 63))
        seen, information = self.state.reset(own)
        self._show()
        return self._shown(seen), information

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        seen, reward, terminated, truncated, information = self.state.step(action)
        self._show()
        return self._shown(seen), reward, terminated, truncated, information

    def _shown(self, seen: Observation) -> Observation:
        """Return an observation with its board as planes, if these are wanted."""
        seen["board"] = planes(seen["board"], self._planes)
        return seen

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal. The method has the name that MaskablePPO looks for."""
        return self.state.mask().astype(np.bool_)

    def _draw(self, mode: str) -> Any:
        return self.state.render(mode)


class Environments(Vector):
    """Many states of a game for one learner, stepped in Rust: `gymnasium.make_vec`.

    `autoreset_mode` says when a state whose episode has ended begins the next one: with the next step
    (`NEXT_STEP`), in the same step (`SAME_STEP`, with the last observation in `info["final_obs"]`), or
    only when it is reset with `options={"reset_mask": …}` (`DISABLED`). After `max_episode_steps` an
    episode is cut off. Arrays are copies, unless `copy=False`: then every step writes into the same
    ones. `opponent`, `seat`, `budget` and `one_hot` mean the same as for `Environment`.
    """

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        num_envs: int = 1,
        encoding: str | None = None,
        letters: bool = False,
        opponent: str | Sequence[str] | None = None,
        seat: int | None = None,
        budget: str = "",
        one_hot: bool = False,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        num_envs = whole("num_envs", num_envs, 1, MOST)
        batch = Batch(
            game,
            scenario,
            num_envs,
            threads=threads,
            encoding=encoding,
            letters=letters,
            opponent=opponent,
            seat=seat,
            budget=budget,
            autoreset=False,
        )
        layout = batch.layout
        _check_alone(game, layout)
        self._open(
            batch, layout, autoreset_mode, copy, render_mode, max_episode_steps, one_hot
        )
        self._players: int | None = layout["seats"] if layout["words"] else None

    def _play(self, joint: NDArray[np.int64]) -> Played:
        batch = self.batch
        batch.step(joint)
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        ended = {"score": batch.scores.copy(), "illegal": batch.illegal.copy()}
        rewards = batch.rewards.astype(np.float64)
        return rewards, terminated, truncated, ended, terminated | truncated

    def _masks(self) -> NDArray[np.int8]:
        return self.batch.masks

    def _seen(self) -> Observation:
        board = self.batch.board
        if self._players is None:
            board = self._given(board)
        else:
            board = unpack(board, self._players)
        return {"board": board, "features": self._given(self.batch.features)}

    def _seen_of(self, rows: NDArray[np.int64]) -> Observation:
        board = self.batch.board[rows]
        if self._players is not None:
            board = unpack(board, self._players)
        return {"board": board, "features": self.batch.features[rows]}
