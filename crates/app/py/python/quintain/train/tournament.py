"""Tournaments that the command plays for a trainer, in its run's folder, for as long as there is time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quintain.train.command import enough_after, run_until


def store_of(name: str) -> str:
    """Return the name of the file with a tournament's records."""
    return f"{name}.sqlite"


def play_tournament(
    command: str, out: Path, name: str, content: str, seconds: float, tell: Callable[[str], None]
) -> str | None:
    """Play as many matches as there is time for; return the reason if that failed.

    `tell` is told how long it has taken so far.
    """
    (out / f"{name}.toml").write_text(content)
    # The tournament names the files of networks relative to the folder.
    done = run_until(
        [command, "tournament", f"{name}.toml", "--quiet", "--store", store_of(name), "--format", "json"],
        enough_after(seconds, tell),
        folder=out,
    )
    if done.code != 0 and not done.ended:
        # The command of a user's own game may have no tournaments.
        return f"{Path(command).name} tournament: {last_line(done.errors)}"
    return None


def last_line(errors: str) -> str:
    """Return the last line of a command's error output."""
    said = (errors.strip().splitlines() or ["it failed without a message"])[-1]
    return said.removeprefix("error: ")
