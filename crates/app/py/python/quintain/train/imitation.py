"""What is imitated: the positions of a folder, or a player, whose matches are played first.

The player plays against itself, in every seat, for a small share of the time. Its decisions are exported as
positions, into a folder of the run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from quintain._quintain import Batch, Game, _scenario_set
from quintain.train.arguments import Refused, hint
from quintain.train.self_play import count_positions, list_files
from quintain.train.settings import usual_positions
from quintain.train.symmetry import check_symmetry
from quintain.train.tournament import last_line, play_tournament, store_of

#: The name of a run's files and folder for imitation.
NAME = "imitated"
#: The share of the time that a player's matches take, and the least number of seconds for them.
SHARE, LEAST = 0.1, 10.0
#: The number of seeds at first, which shows how many positions a match has; and the most seeds.
FEW, MOST = 4, 4000


def is_player(name: str, game: str) -> bool:
    """Return whether the name is that of a player of the game, perhaps with parameters."""
    try:
        players = Game(game).players
    except ValueError:
        return False
    return name.partition("?")[0] in {player["name"] for player in players}


def check_player(out: Path, player: str) -> None:
    """Refuse a player other than the one whose positions a run has."""
    played = out / f"{NAME}.toml"
    if (out / NAME).exists() and played.exists() and players_line(player) not in played.read_text():
        raise Refused(
            f"error: --imitate is {player}, but the run in {out}, which would continue, imitates another "
            "player; name another folder with --out to start over"
        )


def refuse_unknown(whom: str, game: str) -> Refused:
    """Return the refusal of a name that is neither a player nor a folder."""
    known = [player["name"] for player in Game(game).players]
    return Refused(
        f"error: --imitate {whom}: it is neither a player of {game} nor a folder; "
        f"{hint(whom.partition('?')[0], known)}quintain players {game} lists its players"
    )


def check_scenarios(
    game: str, scenarios: list[str], encoding: str | None, symmetry: str | None
) -> None:
    """Refuse, before anything is played, scenarios that no single network could learn from."""
    first: tuple[str, list[int], int] | None = None
    for scenario in scenarios or [Game(game).scenario]:
        try:
            with warnings.catch_warnings():
                # The warning that all problems are the same comes when they are played.
                warnings.simplefilter("ignore")
                layout = Batch(
                    game, scenario, 1, threads=1, observe=False, masks=False, encoding=encoding
                ).layout
        except ValueError as error:
            raise Refused(f"error: {error}") from None
        board, actions = layout["board"], layout["actions"]
        first = first or (scenario, board, actions)
        if first[1:] != (board, actions):
            raise Refused(
                f"error: --scenario {first[0]} has boards of {first[1][1]}×{first[1][0]} cells and "
                f"{first[2]} actions, {scenario} of {board[1]}×{board[0]} and {actions}: one "
                "network cannot learn from both"
            )
        check_symmetry(
            symmetry,
            game,
            encoding or Game(game).encodings[0],
            board=(1, 1) if layout["words"] else (board[0], board[1]),
            actions=actions,
        )


def players_line(player: str) -> str:
    """Return the line of a tournament that names its only player."""
    return f"players = {json.dumps([player])}\n"


def write_positions(
    command: str,
    player: str,
    game: str,
    out: Path,
    *,
    scenarios: list[str],
    encoding: str | None,
    seed: int,
    minutes: float,
    tell: Callable[[str], None],
) -> str:
    """Play a player's matches and write its decisions, in a run of so many minutes; return the report."""
    where = [_scenario_set(game, scenario) for scenario in scenarios or [Game(game).scenario]]
    began, seconds = time.monotonic(), max(60 * SHARE * minutes, LEAST)
    wanted = usual_positions(minutes, is_first=True)

    def play(seeds: int) -> str:
        content = (
            f"game = {json.dumps(game)}\n"
            'format = "mirror"\n'
            f"scenarios = {json.dumps(where)}\n"
            f"{players_line(player)}"
            f"seeds = {seeds}\n"
            f"seed = {seed}\n"
        )
        left = seconds - (time.monotonic() - began)
        failed = play_tournament(
            command, out, NAME, content, left, lambda far: tell(f"matches of {player}: {far}")
        )
        if failed is not None:
            raise SystemExit(f"error: {failed}")
        return export(command, out, encoding)

    said = play(FEW)
    found = sum(map(count_positions, list_files(out / NAME)))
    seeds = min(FEW * wanted // max(found, 1), MOST)
    if seeds > FEW and time.monotonic() - began < seconds:
        # Matches that were already played are not played again.
        shutil.rmtree(out / NAME)
        said = play(seeds)
    return said


def export(command: str, out: Path, encoding: str | None) -> str:
    """Write the positions of all matches; return what the command reported."""
    arguments = ["export", "--what", "positions", "--store", store_of(NAME), "--out", NAME]
    if encoding is not None:
        arguments += ["--encoding", encoding]
    done = subprocess.run([command, *arguments], cwd=out, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"error: {Path(command).name} export: {last_line(done.stderr)}")
    return done.stdout.strip()
