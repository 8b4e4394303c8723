"""Environments in which the learner meets snapshots of itself: `opponent="self"`.

Policies are Python functions on arrays. The game is stepped in Rust, all states at once, and each
snapshot is asked once a step for all seats that it plays. This is for games whose seats move at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quintain._quintain import Batch
from quintain.arguments import (
    MOST,
    check_options,
    check_policy,
    seed_of,
    whole,
    whole_numbers,
)
from quintain.rendering import ALL_MODES, FRAMES_A_SECOND, Rendered, check_render_mode
from quintain.vector import Observation, Played, Vector, unpack

if TYPE_CHECKING:
    from quintain.player import Policy

#: The opponent of a state before there is a snapshot: random play.
_RANDOM = -1


class SelfPlay(Vector):
    """Many matches of a learner against snapshots of itself.

    `add_snapshot` adds a policy to the pool. The seed of each episode draws a policy from the pool (and
    the learner's seat, unless `seat` sets it); while the pool is empty, opponents play at random. A seat
    sees itself as seat 0. `autoreset_mode`, `render_mode` and `max_episode_steps` mean the same as for
    `Environments`. The arrays returned are always copies, whatever `copy` says.
    """

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        num_envs: int = 1,
        encoding: str | None = None,
        letters: bool = False,
        seat: int | None = None,
        budget: str = "",
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        num_envs = whole("num_envs", num_envs, 1, MOST)
        if budget:
            raise ValueError(
                f"budget={budget!r}: snapshots are functions, whose time is not limited; "
                "a budget is for players of the roster"
            )
        batch = Batch(
            game,
            scenario,
            num_envs,
            encoding=encoding,
            letters=letters,
            threads=threads,
            autoreset=False,
        )
        layout = batch.layout
        self._seats, self._actions = layout["learner_seats"], layout["actions"]
        if self._seats < 2:
            raise ValueError(f"{game} has one seat: there is no opponent")
        if not layout["simultaneous"]:
            raise ValueError(
                f"{game}:{batch.scenario}: seats move one after another; self-play is for games "
                "whose seats move at once. Use quintain.pettingzoo.Sequential instead"
            )
        self._seat = None if seat is None else whole("seat", seat, 0, self._seats - 1)
        self._words = layout["words"]
        self._own = None if self._words else _own_bytes(layout)
        one_seat = {**layout, "board": layout["board"][1:] if self._words else layout["board"]}
        self._open(batch, one_seat, autoreset_mode, copy, render_mode, max_episode_steps)
        #: The pool.
        self.snapshots: list[Policy] = []
        #: The learner's seat in each state, and the snapshot that it meets there.
        self.seats = np.zeros(num_envs, np.int64)
        self.opponents = np.full(num_envs, _RANDOM)

    def add_snapshot(self, policy: Policy) -> None:
        """Add a policy to the pool; it may be the opponent in episodes that begin from now on."""
        self.snapshots.append(check_policy(policy))

    def _begin(self, which: NDArray[np.bool_]) -> None:
        """Draw seats and opponents of the marked states, by the seeds of their episodes."""
        for n in np.flatnonzero(which):
            random = np.random.default_rng(int(self.batch.seeds[n]))
            seat = int(random.integers(self._seats))
            self.seats[n] = seat if self._seat is None else self._seat
            pool = len(self.snapshots)
            self.opponents[n] = random.integers(pool) if pool else _RANDOM

    def _joint(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = np.arange(self.num_envs)
        joint = np.zeros((self.num_envs, self._seats), np.int64)
        joint[rows, self.seats] = actions
        for ahead in range(1, self._seats):
            seats = (self.seats + ahead) % self._seats
            joint[rows, seats] = self._answers(seats)
        return joint

    def _play(self, joint: NDArray[np.int64]) -> Played:
        batch, rows = self.batch, np.arange(self.num_envs)
        batch.step(joint)
        rewards = batch.rewards[rows, self.seats].astype(np.float64)
        truncated = batch.truncated.copy()
        # A learner that is out of the game can do nothing more, even if the others go on.
        is_out = ~self._masks().any(axis=1)
        terminated = (batch.terminated | is_out) & ~truncated
        return rewards, terminated, truncated, {"opponent": self.opponents.copy()}, (
            terminated | truncated
        )

    def _answers(self, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponents' actions at these seats, one seat in each state."""
        numbers = np.zeros(self.num_envs, np.int64)
        masks = self._masks_of(seats)
        for opponent in np.unique(self.opponents):
            which = np.flatnonzero((self.opponents == opponent) & masks.any(axis=1))
            if which.size == 0:
                continue
            if opponent == _RANDOM:
                chances = self.np_random.random((which.size, self._actions)) * masks[which]
                numbers[which] = chances.argmax(axis=1)
                continue
            seen = self._look(seats, which) | {"action_mask": masks[which]}
            numbers[which] = whole_numbers(
                f"answers of snapshot {opponent}",
                self.snapshots[opponent](seen),
                which.size,
                0,
                self._actions - 1,
            )
        return numbers

    def _masks(self) -> NDArray[np.int8]:
        return self._masks_of(self.seats)

    def _masks_of(self, seats: NDArray[np.int64]) -> NDArray[np.int8]:
        return self.batch.masks[np.arange(self.num_envs), seats]

    def _seen(self) -> Observation:
        return self._look(self.seats, np.arange(self.num_envs))

    def _seen_of(self, rows: NDArray[np.int64]) -> Observation:
        return self._look(self.seats, rows)

    def _look(self, seats: NDArray[np.int64], rows: NDArray[np.int64]) -> Observation:
        """Return what these seats see in some of the states, one seat in each."""
        seats = seats[rows]
        if self._own is None:
            board = unpack(self.batch.board[rows, seats], self._seats)
        else:
            board = self._own[seats[:, np.newaxis, np.newaxis], self.batch.board[rows]]
        return {"board": board, "features": self.batch.features[rows]}


class SelfPlayOne(Rendered, gymnasium.Env[Observation, np.int64]):
    """One match at a time of a learner against snapshots of itself; see `SelfPlay`."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ALL_MODES,
        "render_fps": FRAMES_A_SECOND,
    }

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        letters: bool = False,
        seat: int | None = None,
        budget: str = "",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode, ALL_MODES)
        self.states = SelfPlay(
            game,
            scenario,
            threads=1,
            encoding=encoding,
            letters=letters,
            seat=seat,
            budget=budget,
            autoreset_mode=AutoresetMode.DISABLED,
        )
        self.render_mode = render_mode
        self.observation_space = self.states.single_observation_space
        self.action_space = self.states.single_action_space

    def add_snapshot(self, policy: Policy) -> None:
        """Add a policy to the pool."""
        self.states.add_snapshot(policy)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the match of a seed; without a seed, the match that follows the last one."""
        check_options(options)
        own = None if seed is None else seed_of(seed)
        super().reset(seed=own)
        seen, information = self.states.reset(seed=own)
        self._show()
        return _first(seen), _first(information)

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        number = whole("action", action, 0, self.states.actions - 1)
        seen, rewards, terminated, truncated, information = self.states.step(np.array([number]))
        self._show()
        return (
            _first(seen),
            float(rewards[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            _first(information),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal."""
        mask: NDArray[np.bool_] = self.states.action_masks()[0]
        return mask

    def _draw(self, mode: str) -> Any:
        return self.states.batch.render(0, mode)


def _first(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the arrays that belongs to the first state."""
    return {key: values[0] for key, values in arrays.items() if not key.startswith("_")}


def _own_bytes(layout: dict[str, Any]) -> NDArray[np.uint8]:
    """Return, for each seat, the byte that it sees in place of each byte of the board."""
    seats = layout["learner_seats"]
    bytes_of = np.tile(np.arange(256, dtype=np.uint8), (seats, 1))
    for first in layout["seat_values"]:
        for seat in range(seats):
            for owner in range(seats):
                bytes_of[seat, first + owner] = first + (owner - seat) % seats
    return bytes_of
