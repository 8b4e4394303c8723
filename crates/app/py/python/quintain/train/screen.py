"""The progress of a run: lines that stay and, on a terminal, one line that is overwritten."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

#: Seconds between two lines of progress where none can be overwritten.
TELL = 10.0
#: Seconds until a line is overwritten.
REFRESH = 0.2


class Screen:
    """Standard output, with a prefix before each line."""

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
        """Show progress: overwrite the last line or, without a terminal, write one now and then."""
        now = time.monotonic()
        if now - self.told < (REFRESH if self.is_terminal else TELL):
            return
        if not self.is_terminal:
            self.tell(text)
            return
        # A line that wraps cannot be overwritten.
        line = f"{self.prefix()}  {text}"[: shutil.get_terminal_size().columns - 1]
        print(f"\r{line}\x1b[K", end="", flush=True)
        self.told, self.is_passing = now, True

    def clear(self) -> None:
        """Erase the line that is overwritten."""
        if self.is_passing:
            print("\r\x1b[K", end="", flush=True)
            self.is_passing = False
