"""Self-play by the command, a program of its own: told of while it goes on, and ended at a deadline.

What is written by then counts: a file of positions is whole, or it is not there.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Seconds from one look at what is there to the next, and from one line to the next.
LOOK = 0.1
TELL = 10.0


def self_play(
    arguments: list[str],
    folder: Path,
    seconds: float,
    most_seconds: float,
    tell: Callable[[str], None],
) -> dict[str, Any] | None:
    """Run a command of self-play that writes into a folder, and return its figures.

    After so many seconds it is ended, unless it has not written a file of positions yet: however
    slow the machine, there is something to learn from. At most it takes `most_seconds`; None if
    nothing was written by then.
    """
    began = told = time.monotonic()
    ended = False
    try:
        process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise SystemExit(f"error: {arguments[0]} cannot be started: {error.strerror}") from None
    with process:
        try:
            while True:
                try:
                    output, errors = process.communicate(timeout=LOOK)
                    break
                except subprocess.TimeoutExpired:
                    now, files = time.monotonic(), count_files(folder)
                if not ended and now - began >= (seconds if files else most_seconds):
                    process.terminate()
                    ended = True
                elif now - told >= TELL:
                    tell(f"self-play: {now - began:.0f} s, files of positions: {files}")
                    told = now
        except BaseException:
            process.terminate()
            raise
    took = time.monotonic() - began
    if process.returncode != 0 and not ended:
        raise SystemExit(errors.strip() or f"error: {arguments[0]} failed without a word")
    figures = _figures(output)
    if figures is None and not ended:
        raise SystemExit(
            f"error: {arguments[0]} self-play printed no figures; is it a command of Quintain's? "
            "Name it by --command"
        )
    if not count_files(folder):
        if ended:
            return None
        raise SystemExit(f"error: {arguments[0]} self-play wrote no positions into {folder}")
    return figures or {"seconds": took}


def count_files(folder: Path) -> int:
    """Return how many files of positions there are."""
    return sum(1 for _ in folder.glob("positions-*.npy"))


def _figures(output: str) -> dict[str, Any] | None:
    """Return the figures that a command has printed, if it has."""
    try:
        figures = json.loads(output)
    except json.JSONDecodeError:
        return None
    return figures if isinstance(figures, dict) and "seconds" in figures else None
