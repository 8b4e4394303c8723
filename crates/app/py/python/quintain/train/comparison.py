"""The network of a run against the same search without a network: what the network is worth.

A network that plays well may still make a search weaker: it may say less about positions than the game's own
estimate, or cost more time than it saves. So both searches meet with equally many simulations, and with equal
time for each move.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quintain._quintain import Game
from quintain.train.command import enough_after, run_until
from quintain.train.network import Shape
from quintain.train.tournament import last_line

#: Simulations of each decision, where both have equally many.
SIMULATIONS = 50
#: The time for each move, where both have equally much.
TIME = "10ms"
#: Seeds from here on, which no run has before its 990th generation, nor people who count from 1.
SEED = 990_000_001
#: Random turns before a match, where the scenario has a parameter for them.
OPENING = 6
#: The most matches of a comparison.
MATCHES = 400
#: How both searches are limited, in words.
WAYS = {"simulations": f"{SIMULATIONS} simulations each", "time": f"{TIME} a move each"}


def varied(game: str, scenario: str) -> str:
    """Return a scenario with random first turns, if it can have them: else all matches might be the same."""
    name, _, settings = scenario.removeprefix(f"{game}:").partition("?")
    try:
        known = {one["name"]: one["parameters"] for one in Game(game).scenarios}
    except ValueError:
        return scenario
    if "opening" not in {each["name"] for each in known.get(name, [])} or "opening=" in settings:
        return scenario
    return f"{name}?{'&'.join([*filter(None, [settings]), f'opening={OPENING}'])}"


def arguments_of(command: str, network: Path, shape: Shape, way: str) -> list[str]:
    """Return the command line of a comparison."""
    alone, limit = "puct", ["--budget", f"move={TIME}"]
    with_network = f"puct?net={network.name}"
    if way == "simulations":
        alone, with_network, limit = (
            f"puct?simulations={SIMULATIONS}",
            f"{with_network}&simulations={SIMULATIONS}",
            [],
        )
    scenario = varied(shape.game, shape.scenario)
    return [
        *(command, "compare", shape.game, with_network, alone, "--scenario", scenario, *limit),
        *("--seed", str(SEED), "--matches", str(MATCHES), "--format", "json"),
    ]


def compare_with_search(
    command: str, network: Path, shape: Shape, seconds: float, tell: Callable[[str], None]
) -> list[dict[str, Any]] | str:
    """Compare in either way, for at most half of the time each; return the figures, or why there are none."""
    rows, command = [], str(Path(command).resolve())
    for way, words in WAYS.items():
        what = f"against the search without a network, {words}: "
        done = run_until(
            arguments_of(command, network, shape, way),
            enough_after(seconds / 2, tell, what),
            folder=network.parent,
        )
        try:
            found = json.loads(done.output)["candidates"][0]
            if isinstance(found["effect"], str):
                return "the time was over before any pair was played"
            rows.append({"way": way, **figures_of(found)})
        except (ValueError, KeyError, IndexError, TypeError):
            return last_line(done.errors or "the comparison printed no figures")
    return rows


def figures_of(found: dict[str, Any]) -> dict[str, Any]:
    """Return from one candidate of a comparison what a run reports.

    `better` is the share of points of the search with the network; where scores are no rivals', the share of
    seeds on which its score is better, and half of those on which both are equal. Its interval is right 95
    times in 100.
    """
    effect = found["effect"]
    if rivals := effect.get("rivals"):
        games, interval = rivals["games"], {k: share_of(v) for k, v in rivals["interval"].items()}
    else:
        games = effect["scores"]["seeds"]
        interval = {k: v if v is None else (1 + v) / 2 for k, v in effect["scores"]["interval"].items()}
    played = max(1, sum(games.values()))
    better = (games["wins"] + games["draws"] / 2) / played
    figures = {"better": better, "low": interval["low"] or 0.0, "high": interval["high"] or 1.0}
    return {"matches": found["matches"], **games, **{k: round(v, 4) for k, v in figures.items()}}


def share_of(elo: float | None) -> float | None:
    """Return the share of points that a difference in Elo means."""
    return elo if elo is None else 1 / (1 + 10 ** (-elo / 400))


def sentence(row: dict[str, Any]) -> str:
    """Say how a comparison ended, in a line."""
    better, low, high = (100 * row[name] for name in ("better", "low", "high"))
    verdict = "the network makes the search stronger" if low > 50 else "no difference is certain"
    if high < 50:
        verdict = "the network makes the search weaker"
    return (
        f"against the search without a network, {WAYS[row['way']]}: {better:.1f} % "
        f"({low:.0f} to {high:.0f}) in {row['matches']} matches: {verdict}"
    )
