"""The games for Gymnasium: every one that has an encoding for learners.

A game of one seat is played alone; in a game of several the learner has one seat, and opponents
from the roster, played in Rust, have the others. What the arrays mean stands in the documentation
of Python (`docs/python.md`). An action that the rules refuse (its place in the mask is 0) ends the
episode with the score so far, as it does in a match; rewards add up to the score, or to its
negative where less is better. Between rivals the last reward is 1 for a win and -1 for a loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quintain._quintain import Batch, Single

if TYPE_CHECKING:
    from collections.abc import Sequence

Observation = dict[str, Any]

#: Whole numbers of any size that features have.
_WHOLE = np.iinfo(np.int32)
#: Seeds are below this.
_SEEDS = 1 << 63
_RENDER_MODES = ["ansi", "rgb_array", "svg"]
#: Bits of the words that a seat's board may have.
_WORD = 64


def board_space(layout: dict[str, Any]) -> spaces.Dict:
    """Return the space of what one seat sees of one state."""
    if layout["words"]:
        words = layout["board"][-1] * 8 // _WORD
        board = spaces.Box(0, 1, (words, layout["seats"]), np.uint8)
    else:
        board = spaces.Box(0, layout["values"] - 1, tuple(layout["board"]), np.uint8)
    features = (len(layout["features"]),)
    return spaces.Dict(
        {"board": board, "features": spaces.Box(_WHOLE.min, _WHOLE.max, features, np.int32)}
    )


def _check_render_mode(render_mode: str | None) -> None:
    if render_mode is not None and render_mode not in _RENDER_MODES:
        known = ", ".join(_RENDER_MODES)
        raise ValueError(f"render_mode={render_mode!r}: expected one of {known}, or None")


def _check_alone(game: str, layout: dict[str, Any]) -> None:
    if layout["learner_seats"] != 1:
        raise ValueError(
            f"{game} has {layout['learner_seats']} seats: say who plays the others, such as "
            'opponent="random"; for all seats at once there are quintain.pettingzoo and '
            "quintain.Batch"
        )


class Environment(gymnasium.Env[Observation, np.int64]):
    """A game for one learner. `info["action_mask"]` says which actions are legal.

    `opponent` is a player of the roster, or several, one of which is drawn by the seed for each
    seat; `seat` is the learner's own, drawn by the seed if it is not said; `budget` is what each
    opponent may think, in work (`nodes=500`, `iterations=100`). The learner sees itself as seat 0.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": _RENDER_MODES,
        "render_fps": 10,
    }

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
        render_mode: str | None = None,
    ) -> None:
        _check_render_mode(render_mode)
        self.state = Single(
            game,
            scenario,
            encoding=encoding,
            letters=letters,
            opponent=_listed(opponent),
            seat=seat,
            budget=budget,
        )
        layout = self.state.layout
        _check_alone(game, layout)
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
        """The scenario of the episode, in its canonical text, as `quintain.Game` takes it."""
        return self.state.scenario

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the match of a seed; without one, that of a seed drawn from the last one.

        The seed decides everything that is not the learner's doing: how the match begins, chance,
        the instance that is played, who the opponents are and what they draw.
        """
        super().reset(seed=seed)
        own = int(self.np_random.integers(_SEEDS)) if seed is None else seed
        return self.state.reset(own)

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        return self.state.step(action)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, under the name that MaskablePPO asks for."""
        return self.state.mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the position: text, pixels or SVG, as `render_mode` says."""
        if self.render_mode is None:
            gymnasium.logger.warn("nothing is rendered without a render_mode")
            return None
        return self.state.render(self.render_mode)


class Environments(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], Any]):
    """Many states of a game for one learner, stepped in Rust: `gymnasium.make_vec`.

    What ends begins anew as `autoreset_mode` says: in the same step (`SAME_STEP`, with what was
    seen last in `info["final_obs"]`), with the next one (`NEXT_STEP`), or not before it is reset
    with `options={"reset_mask": …}` (`DISABLED`). Arrays are copies, unless `copy=False`: then
    every step writes into the same ones. `opponent`, `seat` and `budget` are those of
    `Environment`.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": _RENDER_MODES,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

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
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        _check_render_mode(render_mode)
        self.batch = Batch(
            game,
            scenario,
            num_envs,
            threads=threads,
            encoding=encoding,
            letters=letters,
            opponent=_listed(opponent),
            seat=seat,
            budget=budget,
            autoreset=False,
        )
        layout = self.batch.layout
        _check_alone(game, layout)
        self.num_envs = num_envs
        self.copy = copy
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.render_mode = render_mode
        self.single_observation_space = board_space(layout)
        self.single_action_space = spaces.Discrete(layout["actions"])
        batch_space = gymnasium.vector.utils.batch_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._players: int | None = layout["seats"] if layout["words"] else None
        #: Which states are over and have not begun anew.
        self._over = np.zeros(num_envs, np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin anew: with a seed, state n on seed + n; with a list, on these.

        Where no seed is given (or None stands in the list), it is drawn from the last one, or at
        random. `options={"reset_mask": …}` begins only the marked states anew.
        """
        which = (options or {}).get("reset_mask")
        if which is None:
            which = np.ones(self.num_envs, np.bool_)
        else:
            which = np.asarray(which)
            if which.dtype != np.bool_ or which.shape != (self.num_envs,):
                raise ValueError(
                    f"reset_mask: expected {self.num_envs} truth values, not an array of "
                    f"{which.dtype} of shape {which.shape}"
                )
        super().reset(seed=seed if isinstance(seed, int) else None)
        if isinstance(seed, int | np.integer):
            seeds = [int(seed) + n for n in range(self.num_envs)]
        elif seed is None:
            seeds = self._draw_seeds().tolist()
        else:
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
            drawn = self._draw_seeds().tolist()
            seeds = [own if given is None else int(given) for given, own in zip(seed, drawn)]
        self.batch.reset(seeds, which)
        self._over &= ~which
        return self._seen(), {"action_mask": self._given(self.batch.masks)}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in every state."""
        batch = self.batch
        renewed = None
        if self.autoreset_mode == AutoresetMode.DISABLED:
            if self._over.any():
                first = int(self._over.argmax())
                raise ValueError(
                    f"environment {first} is over: reset(options={{'reset_mask': …}}) begins it "
                    "anew"
                )
        elif self.autoreset_mode == AutoresetMode.NEXT_STEP and self._over.any():
            renewed = self._over
        batch.step(np.ascontiguousarray(actions))
        if renewed is not None:
            batch.reset(None, renewed)
        rewards, terminated, truncated = (
            array.copy() for array in (batch.rewards, batch.terminated, batch.truncated)
        )
        information: dict[str, Any] = {}
        over = np.logical_or(terminated, truncated)
        self._over = over
        if over.any():
            scores, illegal = batch.scores.copy(), batch.illegal.copy()
            information = {"score": scores, "_score": over, "illegal": illegal, "_illegal": over}
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                information |= self._final(over, scores, illegal)
                batch.reset(None, over)
                self._over = np.zeros(self.num_envs, np.bool_)
        information["action_mask"] = self._given(batch.masks)
        return self._seen(), rewards, terminated, truncated, information

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, a row for each state."""
        return self.batch.masks.astype(np.bool_)

    def render(self) -> Any:
        """Return every position."""
        if self.render_mode is None:
            return None
        return tuple(self.batch.render(n, self.render_mode) for n in range(self.num_envs))

    def _draw_seeds(self) -> NDArray[np.int64]:
        return self.np_random.integers(_SEEDS, size=self.num_envs)

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _seen(self) -> Observation:
        board = self.batch.board
        if self._players is None:
            board = self._given(board)
        else:
            board = unpack(board, self._players)
        return {"board": board, "features": self._given(self.batch.features)}

    def _final(
        self, over: NDArray[np.bool_], scores: NDArray[Any], illegal: NDArray[Any]
    ) -> dict[str, Any]:
        """Return what was seen last of the episodes that are over, as Gymnasium has it."""
        seen = np.full(self.num_envs, None, dtype=object)
        boards, features, masks = self.batch.board, self.batch.features, self.batch.masks
        for n in np.flatnonzero(over):
            board = boards[n].copy()
            if self._players is not None:
                board = unpack(board[np.newaxis], self._players)[0]
            seen[n] = {"board": board, "features": features[n].copy()}
        last = {
            "action_mask": masks.copy(),
            "_action_mask": over,
            "score": scores,
            "_score": over,
            "illegal": illegal,
            "_illegal": over,
        }
        return {"final_obs": seen, "_final_obs": over, "final_info": last, "_final_info": over}


def unpack(board: NDArray[np.uint8], players: int) -> NDArray[np.uint8]:
    """Return words, in bytes, as a byte a bit: the first `players` of each word."""
    bits = np.unpackbits(board, axis=-1, bitorder="little")
    return bits.reshape(*board.shape[:-1], -1, _WORD)[..., :players].copy()


def _listed(opponent: str | Sequence[str] | None) -> str | list[str] | None:
    return opponent if opponent is None or isinstance(opponent, str) else list(opponent)
