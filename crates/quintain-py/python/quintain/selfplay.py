"""Environments in which the learner meets snapshots of itself: `opponent="self"`.

Policies are Python's own functions on arrays; the game is stepped in Rust, all states at once, and
each snapshot is asked once a step for all seats that it plays. For games whose seats move at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from quintain._quintain import Batch
from quintain.environments import Observation, board_space, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quintain.player import Policy

#: Plays at random: what a state has for an opponent before there is a snapshot.
_RANDOM = -1


class SelfPlay(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], Any]):
    """Many matches of a learner against snapshots of itself.

    `add_snapshot` adds a policy to the pool. Each episode draws one of the pool (and the learner's
    seat, unless `seat` says it) by its seed; while the pool is empty, opponents play at random.
    What ends begins anew in the same step. A seat sees itself as seat 0.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        num_envs: int = 1,
        encoding: str | None = None,
        seat: int | None = None,
        threads: int | None = None,
    ) -> None:
        self.batch = Batch(
            game, scenario, num_envs, encoding=encoding, threads=threads, autoreset=False
        )
        layout = self.batch.layout
        self._seats, self._actions = layout["learner_seats"], layout["actions"]
        if self._seats < 2:
            raise ValueError(f"{game} has one seat: there is no opponent")
        if not layout["simultaneous"]:
            raise ValueError(
                f"{game}:{self.batch.scenario}: seats move one after another; self-play is for "
                "those that move at once. quintain.pettingzoo.Sequential takes it"
            )
        if seat is not None and not 0 <= seat < self._seats:
            raise ValueError(f"seat {seat}: expected 0 to {self._seats - 1}")
        self._words = layout["words"]
        self._own = None if self._words else _own_bytes(layout)
        self._seat = seat
        self.num_envs = num_envs
        #: The pool.
        self.snapshots: list[Policy] = []
        #: The learner's seat in each state, and the snapshot that it meets there.
        self.seats = np.zeros(num_envs, np.int64)
        self.opponents = np.full(num_envs, _RANDOM)
        one_seat = {**layout, "board": layout["board"][1:] if self._words else layout["board"]}
        self.single_observation_space = board_space(one_seat)
        self.single_action_space = spaces.Discrete(self._actions)
        batch_space = gymnasium.vector.utils.batch_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def add_snapshot(self, policy: Policy) -> None:
        """Add a policy to the pool; episodes that begin from now on may meet it."""
        self.snapshots.append(policy)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin anew: with a seed, state n on seed + n; with a list, on these."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if isinstance(seed, int):
            seeds = [seed + n for n in range(self.num_envs)]
        elif seed is None:
            seeds = self.np_random.integers(1 << 63, size=self.num_envs).tolist()
        else:
            seeds = list(seed)
        self.batch.reset(seeds)
        self._draw(np.ones(self.num_envs, np.bool_))
        return self._seen(self.seats), {"action_mask": self._masks(self.seats)}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in every state, with those of the snapshots."""
        batch, rows = self.batch, np.arange(self.num_envs)
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(
                f"actions: expected an array of shape ({self.num_envs},), not {actions.shape}"
            )
        joint = np.zeros((self.num_envs, self._seats), np.int64)
        joint[rows, self.seats] = actions
        for ahead in range(1, self._seats):
            seats = (self.seats + ahead) % self._seats
            joint[rows, seats] = self._answers(seats)
        batch.step(joint)
        rewards = batch.rewards[rows, self.seats].copy()
        truncated = batch.truncated.copy()
        # Whoever is out of a game that others go on with can do nothing more.
        is_out = ~batch.masks[rows, self.seats].any(axis=1)
        terminated = (batch.terminated | is_out) & ~truncated
        over = terminated | truncated
        information: dict[str, Any] = {}
        if over.any():
            seen = self._seen(self.seats)
            last = np.full(self.num_envs, None, dtype=object)
            for n in np.flatnonzero(over):
                last[n] = {key: values[n].copy() for key, values in seen.items()}
            information = {"final_obs": last, "_final_obs": over}
            information["opponent"], information["_opponent"] = self.opponents.copy(), over
            batch.reset(None, over)
            self._draw(over)
        information["action_mask"] = self._masks(self.seats)
        return self._seen(self.seats), rewards, terminated, truncated, information

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions of the learner are legal, a row for each state."""
        return self._masks(self.seats).astype(np.bool_)

    def _draw(self, which: NDArray[np.bool_]) -> None:
        """Draw seats and opponents of the marked states, by the seeds of their episodes."""
        for n in np.flatnonzero(which):
            random = np.random.default_rng(int(self.batch.seeds[n]))
            seat = int(random.integers(self._seats))
            self.seats[n] = seat if self._seat is None else self._seat
            pool = len(self.snapshots)
            self.opponents[n] = random.integers(pool) if pool else _RANDOM

    def _answers(self, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what the opponents do at these seats, one in each state."""
        numbers = np.zeros(self.num_envs, np.int64)
        masks = self._masks(seats)
        for opponent in np.unique(self.opponents):
            which = np.flatnonzero((self.opponents == opponent) & masks.any(axis=1))
            if which.size == 0:
                continue
            if opponent == _RANDOM:
                chances = self.np_random.random((which.size, self._actions)) * masks[which]
                numbers[which] = chances.argmax(axis=1)
                continue
            seen = self._seen(seats, which) | {"action_mask": masks[which]}
            answered = np.asarray(self.snapshots[opponent](seen))
            if answered.shape != which.shape:
                raise ValueError(
                    f"snapshot {opponent} returned an array of shape {answered.shape}; expected "
                    f"{which.shape}, a number for each question"
                )
            numbers[which] = answered
        return numbers

    def _masks(self, seats: NDArray[np.int64]) -> NDArray[np.int8]:
        return self.batch.masks[np.arange(self.num_envs), seats]

    def _seen(
        self, seats: NDArray[np.int64], which: NDArray[np.int64] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return what these seats see, one in each state, or in some of them."""
        rows = np.arange(self.num_envs) if which is None else which
        seats = seats[rows]
        if self._own is None:
            board = unpack(self.batch.board[rows, seats], self._seats)
        else:
            board = self._own[seats[:, np.newaxis, np.newaxis], self.batch.board[rows]]
        return {"board": board, "features": self.batch.features[rows].copy()}


class SelfPlayOne(gymnasium.Env[Observation, np.int64]):
    """One match at a time of a learner against snapshots of itself; see `SelfPlay`."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, game: str, scenario: str | None = None, **options: Any) -> None:
        self.states = SelfPlay(game, scenario, num_envs=1, threads=1, **options)
        self.observation_space = self.states.single_observation_space
        self.action_space = self.states.single_action_space

    def add_snapshot(self, policy: Policy) -> None:
        """Add a policy to the pool."""
        self.states.add_snapshot(policy)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the match of a seed."""
        super().reset(seed=seed)
        own = int(self.np_random.integers(1 << 63)) if seed is None else seed
        seen, information = self.states.reset(seed=own)
        return _first(seen), _first(information)

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        seen, rewards, terminated, truncated, information = self.states.step(np.array([action]))
        over = bool(terminated[0] or truncated[0])
        last = information["final_obs"][0] if over else _first(seen)
        mask = information["action_mask"][0]
        told = {"action_mask": np.zeros_like(mask) if over else mask}
        return last, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), told

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal."""
        mask: NDArray[np.bool_] = self.states.action_masks()[0]
        return mask


def _first(arrays: dict[str, Any]) -> dict[str, Any]:
    return {key: values[0] for key, values in arrays.items()}


def _own_bytes(layout: dict[str, Any]) -> NDArray[np.uint8]:
    """Return, for each seat, the byte that it sees for each of the board's."""
    seats = layout["learner_seats"]
    bytes_of = np.tile(np.arange(256, dtype=np.uint8), (seats, 1))
    for first in layout["seat_values"]:
        for seat in range(seats):
            for owner in range(seats):
                bytes_of[seat, first + owner] = first + (owner - seat) % seats
    return bytes_of
