"""The games of several seats for PettingZoo: every one that has an encoding for learners.

`quintain.pettingzoo.tron("rooms?width=19&height=15")` is short for `Parallel("tron", …)`, and so on for
every game (with _ for - in its name). `Parallel` is for seats that move at once, `Sequential` for seats
that move one after another; a game of one seat can be either.

Agents are `seat_0`, `seat_1`, … A seat sees itself as seat 0 and the others in order after it, so that
one policy can play every seat; with `own_view=False` all see the same. An observation has `observation`
(the board), `features` and `action_mask`; `docs/environments.md` says what the arrays mean. In `infos`, an agent
that has just left or ended the game has `score` and `illegal`: whether its own action was illegal and
ended the episode.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

try:
    from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
except ModuleNotFoundError as missing:
    said = "quintain.pettingzoo needs PettingZoo: pip install 'pettingzoo>=1.24' 'gymnasium>=1.1'"
    raise ModuleNotFoundError(said, name=missing.name) from None

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from quintain._quintain import Single, games
from quintain.arguments import seed_of, whole
from quintain.rendering import ALL_MODES, FRAMES_A_SECOND, Rendered, check_render_mode
from quintain.vector import board_space, check_one_hot, planes, seen_space

if TYPE_CHECKING:
    from collections.abc import Callable

Seen = dict[str, NDArray[Any]]


class _Seats(Rendered):
    """What both kinds of environment share: a state, its agents and their spaces."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ALL_MODES,
        "name": "quintain",
        "render_fps": FRAMES_A_SECOND,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        game: str,
        scenario: str | None,
        encoding: str | None,
        render_mode: str | None,
        own_view: bool,
        one_hot: bool,
    ) -> None:
        check_render_mode(render_mode, ALL_MODES)
        self._single = Single(game, scenario, encoding=encoding)
        layout = self._single.layout
        self.render_mode = render_mode
        self.own_view = own_view
        self.possible_agents = [f"seat_{seat}" for seat in range(layout["learner_seats"])]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._board_space = board_space(layout)
        self._planes = check_one_hot(layout, one_hot)
        board = board_space(layout, self._planes)
        mask = spaces.Box(0, 1, (layout["actions"],), np.int8)
        features = seen_space(layout)["features"]
        seen = spaces.Dict({"observation": board, "features": features, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        #: The names of the features, in order.
        self.features: list[str] = layout["features"]
        action = spaces.Discrete(layout["actions"])
        self.action_spaces = dict.fromkeys(self.possible_agents, action)

    @property
    def seed(self) -> int:
        """The seed of the episode: `quintain.Game(game, scenario).begin(seed)` begins the same match."""
        return self._single.seed

    @property
    def scenario(self) -> str:
        """The scenario, in its canonical text."""
        return self._single.scenario

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Seen:
        """Return what an agent sees: its `observation`, the `features`, and its `action_mask`."""
        self._check_agent(agent)
        seat = self._seats[agent]
        seen = self._single.observation(seat, self.own_view)
        return {
            "observation": planes(seen["board"], self._planes),
            "features": seen["features"],
            "action_mask": self._single.mask(seat),
        }

    def _draw(self, mode: str) -> Any:
        return self._single.render(mode)

    @property
    def scores(self) -> list[float]:
        """The score of each seat once the episode is over."""
        return self._single.scores

    @property
    def state_space(self) -> spaces.Space[Any]:
        """Return the space of `state()`."""
        board = self._board_space
        if not self._single.layout["words"]:
            return board
        return spaces.Box(0, 1, (len(self.possible_agents), *board.shape), np.uint8)

    def state(self) -> NDArray[Any]:
        """Return what the referee sees: the board, or all seats' boards if each has its own."""
        if not self._single.layout["words"]:
            return self._single.observation(0)["board"]
        seats = range(len(self.possible_agents))
        return np.stack([self._single.observation(seat)["board"] for seat in seats])

    def close(self) -> None:
        """Do nothing: an environment holds nothing that must be released."""

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin the match of a seed; without a seed, the match that follows the last one."""
        if options:
            # PettingZoo's own checks pass options that no environment knows.
            warnings.warn(f"options={options!r}: reset has no options", stacklevel=3)
        own = None if seed is None else seed_of(seed)
        if own is None and not self._single.has_begun:
            random, _ = seeding.np_random()
            own = int(random.integers(1 << 63))
        self._single.reset(own)
        self.agents = list(self.possible_agents)
        self._show()

    def _play(self, joint: list[int]) -> tuple[list[float], bool, bool]:
        """Play one action for each seat; return the rewards, terminated, truncated."""
        played = self._single.step_together(joint)
        self._show()
        return played

    def _check_agent(self, agent: Any) -> None:
        """Raise ValueError if there is no such agent."""
        if agent not in self._seats:
            raise ValueError(f"{agent!r} is not an agent; the agents are {', '.join(self._seats)}")

    def _number(self, agent: str, action: Any) -> int:
        """Return the number of an agent's action; nothing is rounded."""
        return whole(f"{agent}: action", action, 0, int(self.action_spaces[agent].n) - 1)

    def _information(self, agent: str, has_ended: bool) -> dict[str, Any]:
        """Return an agent's information after a step: once it is out, its score, and why."""
        if not has_ended:
            return {}
        seat = self._seats[agent]
        return {"score": self._single.score(seat), "illegal": self._single.offender == seat}

    def _is_out(self, agent: str) -> bool:
        """Return whether an agent has dropped out of an episode that goes on."""
        return not self._single.is_over and not self._single.lives(self._seats[agent])


class Parallel(_Seats, ParallelEnv[str, Seen, int]):  # type: ignore[misc]
    """A game whose seats move at once."""

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        render_mode: str | None = None,
        own_view: bool = True,
        one_hot: bool = False,
    ) -> None:
        super().__init__(game, scenario, encoding, render_mode, own_view, one_hot)
        if not self._single.layout["simultaneous"]:
            raise ValueError(
                f"{game}:{self._single.scenario}: seats move one after another, not in parallel; "
                "use quintain.pettingzoo.Sequential instead"
            )

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Begin the match of a seed; without a seed, the match that follows the last one."""
        self._begin(seed, options)
        return {agent: self.observe(agent) for agent in self.agents}, {
            agent: {} for agent in self.agents
        }

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Seen],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one action for every agent that is still in the game.

        The actions of agents that are out of it are read but change nothing, so that a loop over all
        agents works to the end.
        """
        if not isinstance(actions, Mapping):
            raise TypeError(
                f"actions={actions!r}: expected a dictionary with an action for each agent: "
                + ", ".join(self.agents)
            )
        for agent in actions:
            self._check_agent(agent)
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"{missing[0]} must move too, but has no action")
        joint = [self._number(agent, actions.get(agent, 0)) for agent in self.possible_agents]
        rewards, terminated, truncated = self._play(joint)
        was_in = self.agents
        out = {agent: terminated or self._is_out(agent) for agent in was_in}
        over = self._single.is_over
        self.agents = [] if over else [agent for agent in was_in if not out[agent]]
        return (
            {agent: self.observe(agent) for agent in was_in},
            {agent: rewards[self._seats[agent]] for agent in was_in},
            out,
            dict.fromkeys(was_in, truncated),
            {agent: self._information(agent, out[agent] or truncated) for agent in was_in},
        )


class Sequential(_Seats, AECEnv[str, Seen, int]):  # type: ignore[misc]
    """A game whose seats move one after another, as an environment of PettingZoo's AEC kind."""

    metadata: ClassVar[dict[str, Any]] = {**_Seats.metadata, "is_parallelizable": False}

    def __init__(
        self,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        render_mode: str | None = None,
        own_view: bool = True,
        one_hot: bool = False,
    ) -> None:
        super().__init__(game, scenario, encoding, render_mode, own_view, one_hot)
        layout = self._single.layout
        if layout["simultaneous"] and layout["learner_seats"] > 1:
            raise ValueError(
                f"{game}:{self._single.scenario}: seats move at once; use "
                "quintain.pettingzoo.Parallel instead"
            )

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the match of a seed; without a seed, the match that follows the last one."""
        self._begin(seed, options)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._acting()

    def last(
        self, observe: bool = True
    ) -> tuple[Seen | None, float, bool, bool, dict[str, Any]]:
        """Return what the agent that moves sees, its reward since its last move, and how it stands."""
        self._check_begun()
        last: tuple[Seen | None, float, bool, bool, dict[str, Any]] = super().last(observe)
        return last

    def _check_begun(self) -> None:
        if not hasattr(self, "agent_selection"):
            raise ValueError("no episode has begun: call reset() first")

    def step(self, action: int | None) -> None:
        """Play an action for `agent_selection`; None for an agent that is out of the game."""
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} must move, but has no action")
        joint = [0] * len(self.possible_agents)
        joint[self._seats[agent]] = self._number(agent, action)
        rewards, terminated, truncated = self._play(joint)
        for other in self.agents:
            self.rewards[other] = rewards[self._seats[other]]
            self.terminations[other] = terminated or self._is_out(other)
            self.truncations[other] = truncated
            has_ended = self.terminations[other] or truncated
            self.infos[other] = self._information(other, has_ended)
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        if not self._single.is_over:
            self.agent_selection = self._acting()
        self._deads_step_first()

    def _acting(self) -> str:
        """Return the agent whose move it is."""
        return next(agent for agent in self.agents if self._single.acts(self._seats[agent]))


def __getattr__(name: str) -> Callable[..., Parallel]:
    """Return the function that makes the parallel environments of the game of this name."""
    game = name.replace("_", "-")
    if game in games():
        return partial(Parallel, game)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names of classes and games."""
    return ["Parallel", "Sequential", *(name.replace("-", "_") for name in games())]
