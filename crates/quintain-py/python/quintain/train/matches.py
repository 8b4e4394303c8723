"""Matches between the networks of a run, which tell what losses do not: whether later ones play better.

The command plays them as a tournament of `net`, without search, in the run's folder. Where players are rivals
a network has a rating by Elo; where everybody plays alone, a mean score.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quintain._quintain import Game
from quintain.train.network import Shape

#: Networks at most: the first, the last, and some between them.
NETWORKS = 6
#: Seeds on which each meets each, on either side.
SEEDS = 24
#: How freely actions are drawn: one that always takes the likeliest plays one match again and again.
TEMPERATURE = 0.5
#: Seconds from one look to the next.
LOOK = 0.1


def choose_generations(count: int) -> list[int]:
    """Return the generations that play, at equal distances."""
    if count <= NETWORKS:
        return list(range(count))
    return [round(number * (count - 1) / (NETWORKS - 1)) for number in range(NETWORKS)]


def reference_of(game: str) -> str | None:
    """Return the simple player that all are beside."""
    try:
        players = {player["name"] for player in Game(game).players}
    except ValueError:
        return None
    return next((name for name in ("greedy", "random") if name in players), None)


def tournament(shape: Shape, generations: list[int], reference: str | None) -> str:
    """Return the tournament's file."""
    players = [player_of(number) for number in generations]
    if reference is not None:
        players.append(reference)
    return (
        'name = "generations"\n'
        f"game = {json.dumps(shape.game)}\n"
        f"scenarios = {json.dumps([shape.scenario])}\n"
        f"players = {json.dumps(players, indent=4)}\n"
        f"seeds = {SEEDS}\n"
    )


def player_of(number: int) -> str:
    """Return the player of a generation's network, as the run's folder has it."""
    return f"net?file=generation-{number:03}.safetensors&temperature={TEMPERATURE}"


def play_generations(
    command: str, out: Path, count: int, shape: Shape, seconds: float, tell: Callable[[str], None]
) -> dict[str, Any] | str:
    """Play as many matches as there is time for; return how strong each was, or why nobody knows."""
    generations, reference = choose_generations(count), reference_of(shape.game)
    if len(generations) + (reference is not None) < 2:
        return "nobody to play against"
    (out / "generations.toml").write_text(tournament(shape, generations, reference))
    # The networks' files are named from the folder.
    command = str(Path(command).resolve())
    store = ["--store", "generations.sqlite", "--format", "json"]
    began = time.monotonic()
    with subprocess.Popen(
        [command, "tournament", "generations.toml", "--quiet", *store],
        cwd=out,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            ended = False
            while True:
                try:
                    _, errors = process.communicate(timeout=LOOK)
                    break
                except subprocess.TimeoutExpired:
                    took = time.monotonic() - began
                if took >= seconds and not ended:
                    process.send_signal(signal.SIGTERM)
                    ended = True
                tell(f"matches between the networks: {took:.0f} of {seconds:.0f} s")
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0 and not ended:
        # A command of a game of one's own may have no tournaments.
        said = (errors.strip().splitlines() or ["it failed without a word"])[-1]
        return f"{Path(command).name} tournament: {said.removeprefix('error: ')}"
    found = subprocess.run(
        [command, "standings", "generations", *store], cwd=out, capture_output=True, text=True
    )
    try:
        return strengths(json.loads(found.stdout), generations, reference)
    except (ValueError, KeyError, TypeError):
        return (found.stderr.strip().splitlines() or ["the standings have another form"])[-1]


def strengths(
    standings: dict[str, Any], generations: list[int], reference: str | None
) -> dict[str, Any]:
    """Read from standings how strong each was, with an interval that is right 95 times of 100."""
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
