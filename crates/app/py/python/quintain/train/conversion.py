"""Command lines that read one of our networks and write it to a file of another kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .arguments import Parser, Refused
from .network import Network


def convert(
    parser: Parser, out: str, arguments: list[str] | None, write: Callable[[Network, Path], None]
) -> None:
    """Read the network that a command line names, and write it; `out` is the help on the other file."""
    parser.add_argument("network", type=Path, help="a file of quintain.train")
    parser.add_argument("out", type=Path, help=out)
    options = parser.parse_args(arguments)
    try:
        network = Network.load(options.network)
    except OSError as error:
        raise Refused(f"error: cannot read {options.network}: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"error: {error}; expected a file of quintain.train") from None
    try:
        write(network, options.out)
    except OSError as error:
        raise Refused(f"error: cannot write {options.out}: {error.strerror}") from None
    print(f"{options.out}: {options.out.stat().st_size} bytes")
