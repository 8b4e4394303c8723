"""Tournaments that the command plays for a trainer, in the folder of its run, for as long as there is time."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

#: Seconds from one look to the next.
LOOK = 0.1


def store_of(name: str) -> str:
    """Return the file of a tournament's records."""
    return f"{name}.sqlite"


def play_tournament(
    command: str, out: Path, name: str, content: str, seconds: float, tell: Callable[[str], None]
) -> str | None:
    """Play as many matches as there is time for; return why there are none, if it failed.

    `tell` hears how long it has been going on.
    """
    (out / f"{name}.toml").write_text(content)
    began, ended = time.monotonic(), False
    with subprocess.Popen(
        [command, "tournament", f"{name}.toml", "--quiet", "--store", store_of(name), "--format", "json"],
        # Files of networks are named from there.
        cwd=out,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            while True:
                try:
                    _, errors = process.communicate(timeout=LOOK)
                    break
                except subprocess.TimeoutExpired:
                    took = time.monotonic() - began
                if took >= seconds and not ended:
                    process.send_signal(signal.SIGTERM)
                    ended = True
                tell(f"{took:.0f} of {seconds:.0f} s")
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0 and not ended:
        # A command of a game of one's own may have no tournaments.
        return f"{Path(command).name} tournament: {last_line(errors)}"
    return None


def last_line(errors: str) -> str:
    """Return what a command has said in the end."""
    said = (errors.strip().splitlines() or ["it failed without a word"])[-1]
    return said.removeprefix("error: ")
