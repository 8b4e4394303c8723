"""Who is imitated: positions of a folder, or a player, whose matches are played first.

A player plays with itself, in every seat, for a small share of the time; what it decided there is exported
as positions, into a folder of the run.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from quintain._quintain import Game
from quintain.train.tournament import last_line, play_tournament, store_of

#: The files of a run that have to do with it.
NAME = "imitated"
#: The share of the time in which a player's matches are played, and the seconds that there are at least.
SHARE, LEAST = 0.1, 10.0
#: Matches at most.
MATCHES = 4000


def is_player(name: str, game: str) -> bool:
    """Return whether that is a player of a game, perhaps with parameters."""
    try:
        players = Game(game).players
    except ValueError:
        return False
    return name.partition("?")[0] in {player["name"] for player in players}


def check_player(out: Path, player: str) -> None:
    """Refuse another player than the one whose positions a run has."""
    played = out / f"{NAME}.toml"
    if (out / NAME).exists() and played.exists() and players_line(player) not in played.read_text():
        raise SystemExit(
            f"error: --imitate is {player}, but the run in {out} that would go on imitates another player; "
            "name another folder by --out to begin anew"
        )


def players_line(player: str) -> str:
    """Return the line of a tournament that names its only player."""
    return f"players = {json.dumps([player])}\n"


def with_seed(scenario: str, game: str) -> str:
    """Return a scenario as a tournament names it: of a family of problems, each match has its own."""
    name, _, settings = scenario.partition("?")
    family = next((known for known in Game(game).scenarios if known["name"] == name), None)
    is_family = family is not None and "seed" in {one["name"] for one in family["parameters"]}
    given = [setting for setting in settings.split("&") if setting]
    if not is_family or any(setting.startswith("seed=") for setting in given):
        return scenario
    return f"{name}?{'&'.join([*given, 'seed={seed}'])}"


def write_positions(
    command: str,
    player: str,
    game: str,
    out: Path,
    *,
    scenario: str | None,
    encoding: str | None,
    seed: int,
    minutes: float,
    tell: Callable[[str], None],
) -> str:
    """Play matches of a player and write what it decided, in a run of so many minutes; return what came of it."""
    where = with_seed(scenario or Game(game).scenario, game)
    content = (
        f"game = {json.dumps(game)}\n"
        'format = "mirror"\n'
        f"scenarios = {json.dumps([where])}\n"
        f"{players_line(player)}"
        f"seeds = {MATCHES}\n"
        f"seed = {seed}\n"
    )
    seconds = max(60 * SHARE * minutes, LEAST)
    failed = play_tournament(
        command, out, NAME, content, seconds, lambda far: tell(f"matches of {player}: {far}")
    )
    if failed is not None:
        raise SystemExit(f"error: {failed}")
    arguments = ["export", "--what", "positions", "--store", store_of(NAME), "--out", NAME]
    if encoding is not None:
        arguments += ["--encoding", encoding]
    export = subprocess.run([command, *arguments], cwd=out, capture_output=True, text=True)
    if export.returncode != 0:
        raise SystemExit(f"error: {Path(command).name} export: {last_line(export.stderr)}")
    return export.stdout.strip()
