"""The games of several seats for PettingZoo, as parallel environments: tron and gather.

`quintain.pettingzoo.tron("rooms?width=19&height=15")`, `quintain.pettingzoo.gather()`. Agents are
`seat_0`, `seat_1`, … What the arrays mean stands in the documentation of Python.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from quintain._quintain import Single

Seen = dict[str, NDArray[Any]]


class Parallel(ParallelEnv[str, Seen, int]):  # type: ignore[misc]
    """A game whose seats move at once. An observation has `observation` and `action_mask`."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "rgb_array", "svg"],
        "name": "quintain",
        "render_fps": 10,
        "is_parallelizable": True,
    }

    def __init__(
        self, game: str, scenario: str | None = None, *, render_mode: str | None = None
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"render_mode={render_mode!r}: expected one of {known}, or None")
        self.state = Single(game, scenario)
        layout = self.state.layout
        if not layout["together"]:
            raise ValueError(
                f"{game}:{self.state.scenario}: seats move one after another, which is no parallel "
                "environment; quintain.Batch takes it"
            )
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(layout["seats"])]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        if layout["words"]:
            words = layout["board"][1] // np.dtype(np.uint64).itemsize
            board = spaces.Box(0, 1, (words, layout["seats"]), np.uint8)
        else:
            board = spaces.Box(0, layout["values"] - 1, tuple(layout["board"]), np.uint8)
        mask = spaces.Box(0, 1, (layout["actions"],), np.int8)
        both = spaces.Dict({"observation": board, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, both)
        action = spaces.Discrete(layout["actions"])
        self.action_spaces = dict.fromkeys(self.possible_agents, action)
        self._random, _ = seeding.np_random()

    @property
    def seed(self) -> int:
        """The seed of the episode: the match that `quintain.Game.begin` starts with it."""
        return self.state.seed

    @property
    def scenario(self) -> str:
        """The scenario, in its canonical text."""
        return self.state.scenario

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def _seen(self) -> dict[str, Seen]:
        state, seats = self.state, self._seats
        return {
            agent: {
                "observation": state.observation(seats[agent])["board"],
                "action_mask": state.mask(seats[agent]),
            }
            for agent in self.agents
        }

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Begin the match of a seed; without one, that of a seed drawn from the last one."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        own = int(self._random.integers(1 << 63)) if seed is None else seed
        self.state.reset(own)
        self.agents = list(self.possible_agents)
        return self._seen(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Seen],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play an action of every agent that is still in the game."""
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"{missing[0]} moves too, and has no action")
        # Seats that are out have an action that nobody looks at.
        joint = [int(actions.get(agent, 0)) for agent in self.possible_agents]
        rewards, terminated, truncated = self.state.step_together(joint)
        seats, was_in = self._seats, self.agents
        over = self.state.is_over
        out = {
            agent: terminated or (not over and not self.state.lives(seats[agent]))
            for agent in was_in
        }
        seen = self._seen()
        self.agents = [] if over else [agent for agent in was_in if not out[agent]]
        return (
            seen,
            {agent: rewards[seats[agent]] for agent in was_in},
            out,
            dict.fromkeys(was_in, truncated),
            {agent: {} for agent in was_in},
        )

    def render(self) -> Any:
        """Return the position: text, pixels or SVG, as `render_mode` says."""
        return None if self.render_mode is None else self.state.render(self.render_mode)


def tron(scenario: str = "hackerrank", *, render_mode: str | None = None) -> Parallel:
    """Light cycles. Seats that fall leave the game; a win is worth 1, a loss −1."""
    return Parallel("tron", scenario, render_mode=render_mode)


def gather(scenario: str = "course", *, render_mode: str | None = None) -> Parallel:
    """Players that must meet on a torus. Every round costs everybody 1."""
    return Parallel("gather", scenario, render_mode=render_mode)
