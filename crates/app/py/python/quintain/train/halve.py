"""Writes our networks in half precision: files of half the size, which play almost alike.

    python -m quintain.train.halve network.safetensors half.safetensors

Each number is rounded to 11 bits (binary16 of IEEE 754); players still compute in floats, as before. A
different file is a different player, so its results are kept apart.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .arguments import Parser, Refused, run_command_line
from .conversion import convert
from .network import Network

#: The greatest number in half precision.
MOST = 65504


def write(network: Network, out: Path) -> None:
    """Write a network in half precision, if its numbers are not too large for that."""
    for name, numbers in network.parameters.items():
        if numbers.size and (largest := float(np.abs(numbers).max())) > MOST:
            raise Refused(f"error: {name} holds {largest:g}; half precision goes up to {MOST}")
    network.save(out, is_half=True)


def main(arguments: list[str] | None = None) -> None:
    """Write a network of quintain.train in half precision."""
    parser = Parser(prog="python -m quintain.train.halve", description=main.__doc__)
    convert(parser, "the file to write, FILE.safetensors", arguments, write)


if __name__ == "__main__":
    run_command_line(main)
