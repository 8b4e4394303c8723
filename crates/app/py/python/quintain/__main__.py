"""`python -m quintain …` runs the command that is installed with this package: `quintain …`."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path


def command() -> Path | None:
    """Return the program that installing this package put among the scripts, if it did."""
    try:
        installed = files("quintain") or []
    except PackageNotFoundError:
        return None
    for file in installed:
        if file.name in {"quintain", "quintain.exe"} and file.parent.name in {"bin", "Scripts"}:
            return Path(file.locate()).resolve()
    return None


def main() -> None:
    """Replace this process by the command."""
    program = command()
    if program is None:
        sys.exit(
            "quintain: only the package is installed here (as by `maturin develop`), not the command; "
            "`pip install .` in the repository installs both"
        )
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
