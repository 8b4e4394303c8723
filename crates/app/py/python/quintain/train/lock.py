"""A run's folder belongs to one process at a time: two would write the same files.

The system unlocks it when the process ends, for whatever reason. On Windows nothing is locked.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

from quintain.train.arguments import Refused


class Lock:
    """The lock of a folder, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held: int | None = None

    def take(self) -> None:
        """Lock the folder, unless it is locked already; refuse one in which another run goes on."""
        if self.held is not None or sys.platform == "win32":
            return
        import fcntl

        self.held = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.release()
            raise Refused(
                f"error: another run is using {self.folder}; wait for it, or name another folder with --out"
            ) from None

    def __enter__(self) -> Lock:
        """Lock the folder if it exists."""
        if self.folder.is_dir():
            self.take()
        return self

    def release(self) -> None:
        """Unlock the folder."""
        if self.held is not None:
            os.close(self.held)
            self.held = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Unlock the folder."""
        self.release()
