"""What all vector environments share: seeds, resets, and the information on episodes that end.

A class derived from `Vector` defines how a step is taken and what is observed. The methods return what
Gymnasium's own vector of such environments returns.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quintain.arguments import MOST, SEEDS, check_options, seed_of, whole, whole_numbers
from quintain.rendering import VECTOR_METADATA, check_render_mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quintain._quintain import Batch

Observation = dict[str, Any]
#: Rewards, terminated, truncated, the information on episodes that have ended, and which ones have.
Played = tuple[
    NDArray[np.float64],
    NDArray[np.bool_],
    NDArray[np.bool_],
    dict[str, NDArray[Any]],
    NDArray[np.bool_],
]

#: The range of the features' whole numbers.
_WHOLE = np.iinfo(np.int32)
#: Bits of a word, for boards that are made of words.
WORD = 64


def check_one_hot(layout: dict[str, Any], one_hot: Any) -> int | None:
    """Return how many planes a board has if it is to be shown as planes."""
    if not isinstance(one_hot, bool):
        raise TypeError(f"one_hot={one_hot!r}: expected True or False")
    if one_hot and layout["words"]:
        raise ValueError("one_hot=True: this board consists of bits already")
    return layout["values"] if one_hot else None


def planes(board: NDArray[np.uint8], values: int | None) -> NDArray[np.uint8]:
    """Return boards as planes: 1 in the plane of each cell's value, else 0; None leaves them as bytes."""
    if values is None:
        return board
    each = np.arange(values, dtype=np.uint8)[:, np.newaxis, np.newaxis]
    shown: NDArray[np.uint8] = (board[..., np.newaxis, :, :] == each).view(np.uint8)
    return shown


def board_space(layout: dict[str, Any], values: int | None = None) -> spaces.Box:
    """Return the space of the board that one seat sees, as so many planes if they are wanted."""
    if values is not None:
        return spaces.Box(0, 1, (values, *layout["board"]), np.uint8)
    if layout["words"]:
        words = layout["board"][-1] * 8 // WORD
        return spaces.Box(0, 1, (words, layout["seats"]), np.uint8)
    return spaces.Box(0, layout["values"] - 1, tuple(layout["board"]), np.uint8)


def seen_space(layout: dict[str, Any], values: int | None = None) -> spaces.Dict:
    """Return the space of what one seat sees of one state, its board as so many planes if wanted."""
    features = (len(layout["features"]),)
    return spaces.Dict(
        {
            "board": board_space(layout, values),
            "features": spaces.Box(_WHOLE.min, _WHOLE.max, features, np.int32),
        }
    )


def unpack(board: NDArray[np.uint8], players: int) -> NDArray[np.uint8]:
    """Unpack words, given as bytes, into one byte for each bit: the first `players` bits of each word."""
    bits = np.unpackbits(board, axis=-1, bitorder="little")
    return bits.reshape(*board.shape[:-1], -1, WORD)[..., :players].copy()


class Vector(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], Any]):
    """Many states of a game for one learner, stepped in Rust."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        **VECTOR_METADATA,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    batch: Batch

    def _open(
        self,
        batch: Batch,
        single: dict[str, Any],
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        render_mode: str | None,
        max_episode_steps: int | None,
        one_hot: bool,
    ) -> None:
        """Take a batch without autoreset; `single` is the layout of what one learner sees."""
        check_render_mode(render_mode)
        if max_episode_steps is not None and max_episode_steps != -1:
            self._most_steps: int | None = whole("max_episode_steps", max_episode_steps, 1, MOST)
        else:
            self._most_steps = None
        self.batch = batch
        self.num_envs = len(batch)
        self.copy = copy
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.render_mode = render_mode
        self._planes = check_one_hot(single, one_hot)
        self.single_observation_space = seen_space(single, self._planes)
        #: How many actions there are.
        self.actions: int = single["actions"]
        self.single_action_space = spaces.Discrete(self.actions)
        batch_space = gymnasium.vector.utils.batch_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        #: Whether every state has been reset, and no step has been broken off since.
        self._has_begun = False
        #: Which states are over and have not restarted, and the steps of each episode.
        self._over = np.zeros(self.num_envs, np.bool_)
        self._steps = np.zeros(self.num_envs, np.int64)

    def _joint(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the joint action that the batch gets for the learner's actions."""
        return actions

    @abstractmethod
    def _play(self, joint: NDArray[np.int64]) -> Played:
        """Play a turn in every state."""

    @abstractmethod
    def _seen(self) -> Observation:
        """Return what the learner sees of every state."""

    @abstractmethod
    def _seen_of(self, rows: NDArray[np.int64]) -> Observation:
        """Return a copy of what the learner sees of some states."""

    @abstractmethod
    def _masks(self) -> NDArray[np.int8]:
        """Return which actions of the learner are legal, a row for each state."""

    def _begin(self, which: NDArray[np.bool_]) -> None:
        """Do what a derived class needs in the states whose episode has just begun."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start over: with a seed, state n uses seed + n; with a list, each state uses its own.

        Without a seed (or where the list has None) a state goes on to its next episode, as a single
        environment does; on the first reset its seed is drawn at random.
        `options={"reset_mask": …}` resets only the marked states.
        """
        self._check_open()
        which = self._marked(check_options(options, ("reset_mask",)))
        seeds, is_given = self._seeds_of(seed)
        is_one = seed is not None and np.ndim(seed) == 0  # type: ignore[arg-type]
        super().reset(seed=seeds[0] if is_one else None)
        if not self._has_begun:
            if not which.all():
                raise ValueError("reset_mask: the first reset must be of every environment")
            drawn = self.np_random.integers(1 << 63, size=self.num_envs).tolist()
            seeds = [own if given else new for own, given, new in zip(seeds, is_given, drawn)]
            is_given = np.ones(self.num_envs, np.bool_)
        was_whole, self._has_begun = self._has_begun, False
        if is_given.all() and which.all():
            self.batch.reset(seeds)
        else:
            assert was_whole
            for marked, own in [(which & is_given, seeds), (which & ~is_given, None)]:
                if marked.any():
                    self.batch.reset(own, marked)
        self._over &= ~which
        self._steps[which] = 0
        self._begin(which)
        self._has_begun = True
        return self._shown(self._seen()), self._with_masks({})

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in every state."""
        self._check_open()
        if not self._has_begun:
            raise gymnasium.error.ResetNeeded("no episode has begun: call reset() first")
        was_over = self._over
        if self.autoreset_mode == AutoresetMode.DISABLED and was_over.any():
            first = int(was_over.argmax())
            raise ValueError(
                f"environment {first} is over: reset(options={{'reset_mask': …}}) restarts it"
            )
        # Invalid actions, and opponents that fail, change nothing.
        checked = whole_numbers("actions", actions, self.num_envs, 0, self.actions - 1)
        joint = self._joint(checked)
        self._has_begun = False
        rewards, terminated, truncated, ended, has_ended = self._play(joint)
        self._steps += 1
        if self._most_steps is not None:
            truncated |= self._steps >= self._most_steps
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and was_over.any():
            self._renew(was_over)
            rewards[was_over] = 0
            for flags in (terminated, truncated, has_ended):
                flags[was_over] = False
        over = terminated | truncated
        information: dict[str, Any] = {}
        if has_ended.any():
            for key, values in ended.items():
                # States without information have zeros.
                values[~has_ended] = 0
                information |= {key: values, f"_{key}": has_ended.copy()}
        if over.any() and self.autoreset_mode == AutoresetMode.SAME_STEP:
            information = self._final(over, information)
            self._renew(over)
            over = np.zeros(self.num_envs, np.bool_)
        self._over = over
        self._has_begun = True
        seen = self._shown(self._seen())
        return seen, rewards, terminated, truncated, self._with_masks(information)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, a row for each state."""
        return self._masks().astype(np.bool_)

    def render(self) -> Any:
        """Return the position of every state, in the form of `render_mode`."""
        self._check_open()
        if self.render_mode is None:
            return None
        return tuple(self.batch.render(n, self.render_mode) for n in range(self.num_envs))

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} has been closed")

    def _marked(self, options: dict[str, Any]) -> NDArray[np.bool_]:
        """Return which states are to start over."""
        which = options.get("reset_mask")
        if which is None:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(which)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(
                f"reset_mask: expected {self.num_envs} booleans, not an array of "
                f"{mask.dtype} of shape {mask.shape}"
            )
        return mask

    def _seeds_of(self, seed: Any) -> tuple[list[int], NDArray[np.bool_]]:
        """Return a seed for each state, and which states were given one at all."""
        if seed is None:
            return [0] * self.num_envs, np.zeros(self.num_envs, np.bool_)
        if np.ndim(seed) == 0:
            first = seed_of(seed)
            return [(first + n) % SEEDS for n in range(self.num_envs)], np.ones(
                self.num_envs, np.bool_
            )
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
        seeds = [0 if one is None else seed_of(one, f"seed[{n}]") for n, one in enumerate(seed)]
        return seeds, np.array([one is not None for one in seed], np.bool_)

    def _renew(self, which: NDArray[np.bool_]) -> None:
        """Go on to the next episodes of the marked states."""
        self.batch.reset(None, which)
        self._steps[which] = 0
        self._begin(which)

    def _final(self, over: NDArray[np.bool_], information: dict[str, Any]) -> dict[str, Any]:
        """Return the last observations of the episodes that are over, in Gymnasium's form."""
        seen = np.full(self.num_envs, None, dtype=object)
        rows = np.flatnonzero(over)
        last = self._shown(self._seen_of(rows))
        for place, n in enumerate(rows):
            seen[n] = {key: values[place] for key, values in last.items()}
        masks = self._masks().copy()
        masks[~over] = 0
        final = {"action_mask": masks, "_action_mask": over.copy(), **information}
        return {
            "final_obs": seen,
            "_final_obs": over.copy(),
            "final_info": final,
            "_final_info": over.copy(),
        }

    def _with_masks(self, information: dict[str, Any]) -> dict[str, Any]:
        information["action_mask"] = self._given(self._masks())
        information["_action_mask"] = np.ones(self.num_envs, np.bool_)
        return information

    def _shown(self, seen: Observation) -> Observation:
        """Return observations with their boards as planes, if these are wanted."""
        if self._planes is not None:
            seen["board"] = planes(seen["board"], self._planes)
        return seen

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array
