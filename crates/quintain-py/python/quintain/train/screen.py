"""Where a run stands, as it is told: lines that stay, and on a terminal one that is written over."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

#: Seconds from one line to the next where nothing is written over.
TELL = 10.0
#: Seconds until a line is written over.
REFRESH = 0.2


class Screen:
    """Standard output, with what stands before each line."""

    def __init__(self, prefix: Callable[[], str]) -> None:
        self.prefix = prefix
        self.is_terminal = sys.stdout.isatty()
        self.told = time.monotonic()
        self.is_passing = False

    def tell(self, text: str) -> None:
        """Write a line that stays."""
        self.clear()
        print(f"{self.prefix()}  {text}", flush=True)
        self.told = time.monotonic()

    def pass_on(self, text: str) -> None:
        """Write how far it is: over the line before, or a line now and then where that cannot be."""
        now = time.monotonic()
        if now - self.told < (REFRESH if self.is_terminal else TELL):
            return
        if not self.is_terminal:
            self.tell(text)
            return
        # A line that wraps cannot be written over.
        line = f"{self.prefix()}  {text}"[: shutil.get_terminal_size().columns - 1]
        print(f"\r{line}\x1b[K", end="", flush=True)
        self.told, self.is_passing = now, True

    def clear(self) -> None:
        """Take back the line that is written over."""
        if self.is_passing:
            print("\r\x1b[K", end="", flush=True)
            self.is_passing = False
