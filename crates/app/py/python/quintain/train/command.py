"""Runs a command of the workbench as a process, watches it, and ends it once there is enough."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: Seconds between two looks at the process.
LOOK = 0.1


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    output: str
    errors: str
    seconds: float
    #: Whether it was ended because there was enough.
    ended: bool


def run_until(
    arguments: list[str], is_enough: Callable[[float], bool], *, folder: Path | None = None
) -> Finished:
    """Run a command in a folder to its end, or until there is enough.

    `is_enough` is called at each look, with the seconds since the start, until it returns True.
    """
    began, ended = time.monotonic(), False
    try:
        process = subprocess.Popen(
            arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
                    if not ended and is_enough(time.monotonic() - began):
                        process.terminate()
                        ended = True
        except BaseException:
            process.terminate()
            raise
    return Finished(process.returncode, output, errors, time.monotonic() - began, ended)


def enough_after(
    seconds: float, tell: Callable[[str], None], what: str = ""
) -> Callable[[float], bool]:
    """Return for `run_until` whether so many seconds are over; tells how many are, after `what`."""

    def is_enough(took: float) -> bool:
        tell(f"{what}{took:.0f} of {seconds:.0f} s")
        return took >= seconds

    return is_enough
