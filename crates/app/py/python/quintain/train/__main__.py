"""`python -m quintain.train GAME --minutes N`: alternates self-play and learning until the time is over.

Everything is written into a folder: the positions and the network of every generation, figures
(`progress.json`), what was asked for (`run.json`) and the curves (`index.html`). A run that was stopped
continues where it left off.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from quintain.train.arguments import run_command_line
from quintain.train.lock import Lock
from quintain.train.options import parser
from quintain.train.run import Run

#: The environment variables that limit matrix products to one thread each.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def main(arguments: list[str]) -> None:
    """Run the command line."""
    options = parser().parse_args(arguments)
    try:
        with Lock(options.out or Path("runs") / options.game) as lock:
            Run(options, arguments, lock).train()
    except KeyboardInterrupt:
        raise SystemExit("\nstopped; the same command continues from here") from None


def share_no_product() -> None:
    """Start this program again with matrix products that take one thread each.

    Our products are small: the parts of a batch are divided among threads instead, which takes a third of the
    processor time. NumPy reads these settings once, when it is imported, which has already happened.
    """
    if any(name in os.environ for name in ONE_THREAD) or os.name != "posix":
        return
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    os.execve(sys.executable, [sys.executable, "-m", "quintain.train", *sys.argv[1:]], environment)


if __name__ == "__main__":
    share_no_product()
    run_command_line(lambda: main(sys.argv[1:]))
