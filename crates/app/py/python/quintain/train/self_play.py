"""Runs self-play by the command as a process: reports its progress, and ends it once there is enough.

Whatever is written by then counts: a file of positions is either complete or absent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from quintain.train.command import run_until

#: Matches in each file but the last one.
MATCHES = 16


class Written:
    """What self-play has written into a folder so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sizes: dict[Path, int] = {}

    def look(self) -> None:
        """Count the files that are new."""
        for path in list_files(self.folder):
            if path not in self.sizes:
                self.sizes[path] = count_positions(path)

    @property
    def positions(self) -> int:
        """Positions in all files."""
        return sum(self.sizes.values())

    @property
    def matches(self) -> int:
        """Matches in all files, if every file is full."""
        return MATCHES * len(self.sizes)


def self_play(
    arguments: list[str],
    folder: Path,
    seconds: float,
    most_seconds: float,
    tell: Callable[[str], None],
    matches: int,
    enough: float,
) -> dict[str, Any] | None:
    """Run a command of self-play that writes into a folder, and return its figures.

    It is ended once there are `enough` positions, or after `seconds`. If it has not written a file of
    positions by then, it may go on until `most_seconds`, so that even on a slow machine there is something
    to learn from; None if nothing was written by then.
    """
    written = Written(folder)

    def is_enough(took: float) -> bool:
        written.look()
        is_over = took >= (seconds if written.sizes else most_seconds)
        if is_over or written.positions >= enough:
            return True
        tell(describe(written, matches, enough, took, seconds))
        return False

    done = run_until(arguments, is_enough)
    if done.code != 0 and not done.ended:
        raise SystemExit(done.errors.strip() or f"error: {arguments[0]} failed without a message")
    figures = _figures(done.output)
    if figures is None and not done.ended:
        raise SystemExit(
            f"error: {arguments[0]} self-play printed no figures; is it a command of Quintain's? "
            "Name the command with --command"
        )
    if not list_files(folder):
        if done.ended:
            return None
        raise SystemExit(f"error: {arguments[0]} self-play wrote no positions into {folder}")
    return figures or {"seconds": done.seconds}


def describe(
    written: Written, matches: int, enough: float, took: float, seconds: float
) -> str:
    """Say how far self-play is, in terms of what ends it: enough positions, or all matches."""
    far = f"{written.matches} of {matches} matches"
    if enough < math.inf:
        far = f"{written.positions} of {enough:.0f} positions"
    # Past its time, it only waits for the first file.
    time_of = f"{took:.0f} of {seconds:.0f} s" if took < seconds < math.inf else f"{took:.0f} s"
    return f"self-play: {far}, {time_of}"


def count_positions(path: Path) -> int:
    """Return how many positions a file has; 0 if it cannot be read, which its reader will report."""
    try:
        return len(np.load(path, mmap_mode="r"))
    except (OSError, ValueError, EOFError):
        return 0


def list_files(folder: Path) -> list[Path]:
    """Return the files of positions in a folder, in order."""
    return sorted(folder.glob("positions-*.npy"))


def _figures(output: str) -> dict[str, Any] | None:
    """Return the figures that a command has printed, if any."""
    try:
        figures = json.loads(output)
    except json.JSONDecodeError:
        return None
    return figures if isinstance(figures, dict) and "seconds" in figures else None
