"""Players of other referees as players here: wrap the function, pass the class to `quintain.play`.

- `lightcycles(get_move)`: CodeClash's LightCycles, `get_move(obs)`, for tron.
- `kaggle(agent)`: an agent of kaggle-environments, `agent(observation, configuration)`, for every game.
- `aec(act)`: the policy in the loop over a PettingZoo environment, `act(observation, agent)`, for every game
  with an encoding.

Each docstring says what cannot be mapped. Programs keep their own protocols: `docs/protocols.md` lists them.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from quintain.player import Player, VoidMatch, policy_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from quintain._quintain import Question

#: Compass points for directions: what LightCycles says, and what tron says.
_POINTS = {"N": "U", "E": "R", "S": "D", "W": "L"}
#: How tron's observation names a heading.
_HEADINGS = {"up": "N", "right": "E", "down": "S", "left": "W"}
#: What a cell of LightCycles' grid holds that no player owns.
_EMPTY, _WALL = -1, -2
#: The seconds that Kaggle allows for a move, where nothing here limits it.
_ACT_TIMEOUT = 2.0


def _name(function: Any, name: str | None) -> str:
    return name or getattr(function, "__name__", type(function).__name__).strip("<>")


def lightcycles(
    get_move: Callable[[dict[str, Any]], str], *, name: str | None = None, version: int = 0
) -> type[Player]:
    """Return a tron player that asks `get_move(obs)` of CodeClash's LightCycles.

    `obs` has `tick`, `max_ticks`, `width`, `height`, `you`, `players` (`id`, `x`, `y`, `dir`, `alive`)
    and `grid[y][x]`: the player that owns a cell, -1 for an empty one. The ring of walls around a board is
    the edge of the grid; y counts from the top.

    Not mapped: walls inside a board are -2, since LightCycles' own walls have no number of their own. A late or
    unreadable answer goes straight on there; here an unreadable one goes straight on, and a late one is
    a matter of the match's budget. A step back goes straight on only where the scenario says so
    (`headings=drawn`); otherwise it is a crash. Where the scenario has no headings, `dir` is the last
    step, and at first the one away from the nearest edge.
    """

    class LightCycles(Player):
        def start(self, match_start: dict[str, Any]) -> None:
            if match_start["game"] != "tron":
                raise VoidMatch(f"adapters.lightcycles plays tron, not {match_start['game']}")
            setting = match_start.get("setting") or {}
            self.last_turn = setting.get("last_turn")
            self.heads: list[tuple[int, int]] = []
            self.directions: list[str] = []

        def decide(self, observation: dict[str, Any], question: Question) -> str:
            obs = self.translate(observation, question.seat)
            answer = get_move(obs)
            known = answer.strip().upper() if isinstance(answer, str) else ""
            return _POINTS.get(known) or _POINTS[self.directions[question.seat]]

        def translate(self, observation: dict[str, Any], seat: int) -> dict[str, Any]:
            rows = [row[1:-1] for row in observation["board"][1:-1]]
            height, width = len(rows), len(rows[0])
            heads = [(row - 1, column - 1) for row, column in observation["heads"]]
            self._turn(heads, observation.get("headings") or [], height, width)

            def owner(sign: str) -> int:
                if sign in " #":
                    return _EMPTY if sign == " " else _WALL
                return ord(sign.lower()) - ord("a")

            players = [
                {"id": id, "x": x, "y": y, "dir": self.directions[id], "alive": not fallen}
                for id, ((y, x), fallen) in enumerate(zip(heads, observation["fallen"]))
            ]
            return {
                "tick": observation["turn"],
                "max_ticks": self.last_turn or height * width,
                "width": width,
                "height": height,
                "you": seat,
                "players": players,
                "grid": [[owner(sign) for sign in row] for row in rows],
            }

        def _turn(
            self, heads: list[tuple[int, int]], headings: list[str], height: int, width: int
        ) -> None:
            """Notes where everybody is heading."""
            if headings:
                self.directions = [_HEADINGS[heading] for heading in headings]
            elif not self.heads:
                self.directions = [_away(y, x, height, width) for y, x in heads]
            else:
                steps = {(-1, 0): "N", (0, 1): "E", (1, 0): "S", (0, -1): "W"}
                moves = zip(self.heads, heads, self.directions)
                self.directions = [
                    steps.get((to[0] - at[0], to[1] - at[1]), before) for at, to, before in moves
                ]
            self.heads = heads

    LightCycles.name = _name(get_move, name)
    LightCycles.version = version
    return LightCycles


def _away(y: int, x: int, height: int, width: int) -> str:
    """The direction away from the nearest edge."""
    room = {"S": y, "W": width - 1 - x, "N": height - 1 - y, "E": x}
    return min(room, key=lambda direction: room[direction])


class Struct(dict):  # type: ignore[type-arg]
    """A dictionary whose keys are attributes too, as kaggle-environments passes it."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def kaggle(
    agent: Callable[..., Any], *, name: str | None = None, version: int = 0
) -> type[Player]:
    """Return a player that asks `agent(observation, configuration)` of kaggle-environments.

    `observation` has the fields of the game's observation here, and Kaggle's `step`, `player` and
    `remainingOverageTime`; `legalActions` are the actions offered. `configuration` has the scenario's
    setting, `actTimeout` and `scenario`. Both can be read as dictionaries or by attributes, and an agent
    may take the observation alone. It returns an action in text, its place in `legalActions`, or its
    JSON form.

    Not mapped: there is no overage time (it is 0), rewards and the status of others; an agent that
    plays a game of Kaggle's must be told the observations of the game here. An agent that returns None
    loses, as at Kaggle.
    """
    takes = _parameters(agent)

    class Kaggle(Player):
        def start(self, match_start: dict[str, Any]) -> None:
            setting = match_start.get("setting")
            fields = setting if isinstance(setting, dict) else {}
            self.configuration = Struct(fields, scenario=match_start["scenario"])

        def decide(self, observation: dict[str, Any], question: Question) -> Any:
            fields = observation if isinstance(observation, dict) else {"observation": observation}
            seen = Struct(
                fields,
                step=question.turn,
                player=question.seat,
                remainingOverageTime=0,
                legalActions=list(question.actions),
            )
            seconds = question.seconds
            self.configuration["actTimeout"] = _ACT_TIMEOUT if seconds is None else seconds
            action = agent(*[seen, self.configuration][:takes])
            if isinstance(action, bool) or not isinstance(action, int):
                return action
            if 0 <= action < len(question.actions):
                return question.actions[action]
            most = len(question.actions) - 1
            raise ValueError(f"the agent returned {action}; expected an action, or 0 to {most}")

    Kaggle.name = _name(agent, name)
    Kaggle.version = version
    return Kaggle


def _parameters(function: Callable[..., Any]) -> int:
    """How many arguments an agent takes: one or two."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some callables of other languages have none
        return 2
    if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters):
        return 2
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not places:
        raise TypeError(f"{_name(function, None)}: expected agent(observation, configuration)")
    return min(len(places), 2)


def aec(
    act: Callable[[dict[str, Any], str], Any],
    *,
    name: str | None = None,
    encoding: str | None = None,
    version: int = 0,
) -> type[Player]:
    """Return a player that asks `act(observation, agent)`, as in the loop over a PettingZoo environment.

    `observation` is what `quintain.pettingzoo` shows: `observation` (the board), `features` and
    `action_mask`, from the own view. So `agent` is always `"seat_0"`. It returns the number of an
    action.

    Not mapped: rewards, terminations and infos, since a match here tells nothing between its turns.
    """

    def policy(arrays: dict[str, Any]) -> Any:
        seen = {("observation" if key == "board" else key): value for key, value in arrays.items()}
        return act(seen, "seat_0")

    return policy_player(_name(act, name), policy, encoding=encoding, version=version)
