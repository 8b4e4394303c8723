"""Environments in which the learner meets snapshots of itself: `opponent="self"`.

Policies are Python functions on arrays. The game is stepped in Rust, all states at once, and each
snapshot is asked once a turn for all seats that it plays. Where seats move one after another, a step
plays the learner's action, and then those of its opponents until it has to move again.
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
from quintain.rendering import ALL_MODES, ONE_METADATA, Rendered, check_render_mode
from quintain.vector import Observation, Played, Vector, unpack

if TYPE_CHECKING:
    from quintain.player import Policy

#: The opponent of a state before there is a snapshot: random play.
_RANDOM = -1
#: After this many matches in a row that are over before the learner's first turn, no more are tried.
_MOST_SKIPPED = 1000


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
        one_hot: bool = False,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
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
        self._seats = layout["learner_seats"]
        if self._seats < 2:
            raise ValueError(f"{game} has one seat: there is no opponent")
        self._takes_turns = not layout["simultaneous"]
        self._seat = None if seat is None else whole("seat", seat, 0, self._seats - 1)
        self._words = layout["words"]
        one_seat = {**layout, "board": layout["board"][1:] if self._words else layout["board"]}
        self._open(
            batch, one_seat, autoreset_mode, copy, render_mode, max_episode_steps, one_hot
        )
        #: The pool.
        self.snapshots: list[Policy] = []
        #: The learner's seat in each state, and the snapshot that it meets there.
        self.seats = np.zeros(num_envs, np.int64)
        self.opponents = np.full(num_envs, _RANDOM)
        #: How many random actions each episode has drawn.
        self._draws = np.zeros(num_envs, np.uint64)

    def add_snapshot(self, policy: Policy) -> None:
        """Add a policy to the pool; it may be the opponent in episodes that begin from now on."""
        self.snapshots.append(check_policy(policy))

    def _begin(self, which: NDArray[np.bool_]) -> None:
        """Draw seats and opponents of the marked states, and play until the learner moves."""
        self._draw_opponents(which)
        if not self._takes_turns:
            return
        for _ in range(_MOST_SKIPPED):
            self._play_others()
            is_over = which & (self.batch.current_player != self.seats)
            if not is_over.any():
                return
            # As against players of the roster, the match that follows is played instead.
            self.batch.reset(None, is_over)
            self._draw_opponents(is_over)
        n = int(is_over.argmax())
        raise ValueError(
            f"state {n}: {_MOST_SKIPPED} episodes in a row ended before the learner's first turn"
        )

    def _draw_opponents(self, which: NDArray[np.bool_]) -> None:
        """Draw seats and opponents of the marked states, by the seeds of their episodes."""
        for n in np.flatnonzero(which):
            random = np.random.default_rng(int(self.batch.seeds[n]))
            seat = int(random.integers(self._seats))
            self.seats[n] = seat if self._seat is None else self._seat
            pool = len(self.snapshots)
            self.opponents[n] = random.integers(pool) if pool else _RANDOM
            self._draws[n] = 0

    def _joint(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        if self._takes_turns:
            return actions
        rows = np.arange(self.num_envs)
        joint = np.zeros((self.num_envs, self._seats), np.int64)
        joint[rows, self.seats] = actions
        for ahead in range(1, self._seats):
            seats = (self.seats + ahead) % self._seats
            joint[rows, seats] = self._answers(seats, rows)
        return joint

    def _play(self, joint: NDArray[np.int64]) -> Played:
        batch, rows = self.batch, np.arange(self.num_envs)
        batch.step(joint, ~self._over if self._takes_turns else None)
        rewards = batch.rewards[rows, self.seats].astype(np.float64)
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        illegal = batch.offenders == self.seats
        if self._takes_turns:
            self._play_others(rewards, terminated, truncated)
        # A learner that is out of the game can do nothing more, even if the others go on.
        lives, score = batch.standing(self.seats)
        is_over = terminated | truncated
        score = np.where(is_over, batch.scores[rows, self.seats], score)
        terminated = (terminated | ~lives) & ~truncated
        ended = {"score": score, "illegal": illegal, "opponent": self.opponents.copy()}
        return rewards, terminated, truncated, ended, terminated | truncated

    def _play_others(
        self,
        rewards: NDArray[np.float64] | None = None,
        terminated: NDArray[np.bool_] | None = None,
        truncated: NDArray[np.bool_] | None = None,
    ) -> None:
        """Let the others play until the learner moves, in every state in which it is in the game.

        Adds what their turns come to.
        """
        batch = self.batch
        while True:
            movers = batch.current_player
            waits = (movers >= 0) & (movers != self.seats)
            if waits.any():
                waits &= batch.standing(self.seats)[0]
            if not waits.any():
                return
            rows = np.flatnonzero(waits)
            numbers = np.zeros(self.num_envs, np.int64)
            numbers[rows] = self._answers(np.maximum(movers, 0), rows)
            batch.step(numbers, waits)
            if rewards is not None and terminated is not None and truncated is not None:
                rewards[rows] += batch.rewards[rows, self.seats[rows]]
                terminated |= batch.terminated
                truncated |= batch.truncated

    def _answers(
        self, seats: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the opponents' actions in these states, each at its seat."""
        numbers = np.zeros(rows.size, np.int64)
        seen = self._look(seats, rows)
        masks = seen["action_mask"]
        opponents = self.opponents[rows]
        for opponent in np.unique(opponents):
            which = np.flatnonzero((opponents == opponent) & masks.any(axis=1))
            if which.size == 0:
                continue
            if opponent == _RANDOM:
                numbers[which] = self._draw(rows[which], masks[which])
                continue
            numbers[which] = whole_numbers(
                f"answers of snapshot {opponent}",
                self.snapshots[opponent](
                    self._shown({key: values[which] for key, values in seen.items()})
                ),
                which.size,
                0,
                self.actions - 1,
            )
        return numbers

    def _draw(self, rows: NDArray[np.int64], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Draw a legal action in each of these states, by the seed of its episode (SplitMix64)."""
        self._draws[rows] += 1
        mixed = self.batch.seeds[rows] + self._draws[rows] * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
        allowed = masks.cumsum(axis=1, dtype=np.int64)
        chosen = ((mixed >> np.uint64(11)) * 2.0**-53 * allowed[:, -1]).astype(np.int64)
        drawn: NDArray[np.int64] = (allowed > chosen[:, np.newaxis]).argmax(axis=1)
        return drawn

    def _masks(self) -> NDArray[np.int8]:
        masks: NDArray[np.int8] = self.batch.masks[np.arange(self.num_envs), self.seats]
        return masks

    def _seen(self) -> Observation:
        return self._seen_of(np.arange(self.num_envs))

    def _seen_of(self, rows: NDArray[np.int64]) -> Observation:
        seen = self._look(self.seats, rows)
        del seen["action_mask"]
        return seen

    def _look(self, seats: NDArray[np.int64], rows: NDArray[np.int64]) -> Observation:
        """Return what one seat of each of these states sees, and what it may do."""
        seen: Observation = self.batch.observe(seats, rows)
        if self._words:
            seen["board"] = unpack(seen["board"], self._seats)
        return seen


class SelfPlayOne(Rendered, gymnasium.Env[Observation, np.int64]):
    """One match at a time of a learner against snapshots of itself; see `SelfPlay`."""

    metadata: ClassVar[dict[str, Any]] = ONE_METADATA  # type: ignore[misc]

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        letters: bool = False,
        seat: int | None = None,
        budget: str = "",
        one_hot: bool = False,
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
            one_hot=one_hot,
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
