"""Matches between the networks of a run. They show what losses do not: whether later ones play better.

The command plays them as a tournament of `net`, without search, in the run's folder. Where players are
rivals, each network gets an Elo rating; where everybody plays alone, a mean score.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quintain._quintain import Game
from quintain.train.network import Shape
from quintain.train.tournament import last_line, play_tournament, store_of

#: The most networks that play: the first, the last, and some between them.
NETWORKS = 6
#: The number of seeds on which each pair meets, on either side.
SEEDS = 24
#: How freely actions are drawn: always taking the likeliest would play one match again and again.
TEMPERATURE = 0.5
#: The tournament's name.
NAME = "generations"


def choose_generations(count: int) -> list[int]:
    """Return the generations that play, at equal distances."""
    if count <= NETWORKS:
        return list(range(count))
    return [round(number * (count - 1) / (NETWORKS - 1)) for number in range(NETWORKS)]


def reference_of(game: str) -> str | None:
    """Return the simple player that the networks are compared with, if there is one."""
    try:
        players = {player["name"] for player in Game(game).players}
    except ValueError:
        return None
    return next((name for name in ("greedy", "random") if name in players), None)


def tournament(shape: Shape, generations: list[int], reference: str | None) -> str:
    """Return the content of the tournament's file."""
    players = [player_of(number) for number in generations]
    if reference is not None:
        players.append(reference)
    return (
        f"game = {json.dumps(shape.game)}\n"
        f"scenarios = {json.dumps([shape.scenario])}\n"
        f"players = {json.dumps(players, indent=4)}\n"
        f"seeds = {SEEDS}\n"
    )


def player_of(number: int) -> str:
    """Return the player of a generation's network, with its file in the run's folder."""
    return f"net?file=generation-{number:03}.safetensors&temperature={TEMPERATURE}"


def play_generations(
    command: str, out: Path, count: int, shape: Shape, seconds: float, tell: Callable[[str], None]
) -> dict[str, Any] | str:
    """Play as many matches as there is time for; return each network's strength, or why it is unknown."""
    generations, reference = choose_generations(count), reference_of(shape.game)
    if len(generations) + (reference is not None) < 2:
        return "nobody to play against"
    command = str(Path(command).resolve())
    failed = play_tournament(
        command,
        out,
        NAME,
        tournament(shape, generations, reference),
        seconds,
        lambda far: tell(f"matches between the networks: {far}"),
    )
    if failed is not None:
        return failed
    found = subprocess.run(
        [command, "standings", NAME, "--store", store_of(NAME), "--format", "json"],
        cwd=out,
        capture_output=True,
        text=True,
    )
    try:
        return strengths(json.loads(found.stdout), generations, reference)
    except (ValueError, KeyError, TypeError):
        return last_line(found.stderr or "the standings have an unexpected form")


def strengths(
    standings: dict[str, Any], generations: list[int], reference: str | None
) -> dict[str, Any]:
    """Read from standings how strong each network was, with an interval that is right 95 times in 100."""
    rows = {row["player"]: row for row in standings["overall"]}
    is_elo = any(row["elo"] for row in rows.values())

    def strength(player: str) -> dict[str, Any] | None:
        row = rows.get(player)
        if row is None or (is_elo and not row["elo"]):
            return None
        elo = row["elo"]
        middle, ends = (elo["rating"], elo) if is_elo else (row["mean"], row["interval"])
        if middle is None or ends is None:
            return None
        figures = {"strength": middle, "low": ends["low"], "high": ends["high"]}
        return {name: round(figure, 3) for name, figure in figures.items()}

    found = {number: strength(player_of(number)) for number in generations}
    return {
        "measure": "elo" if is_elo else "score",
        "matches": standings["matches"],
        "generations": [
            {"generation": number, **figures} for number, figures in found.items() if figures
        ],
        "reference": reference and (beside := strength(reference)) and {"player": reference, **beside},
    }
