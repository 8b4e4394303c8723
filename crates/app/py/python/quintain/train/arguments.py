"""Command lines of the trainers: how their numbers are read, and refused in one line."""

from __future__ import annotations

import argparse
import difflib
import math
import sys
from collections.abc import Callable, Iterable
from typing import NoReturn


def hint(name: str, known: Iterable[str]) -> str:
    """Say which of the known names may have been meant, if one is similar."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


class Refused(SystemExit):
    """An exit that refuses a request in one line, before anything is played or learned."""


def run_command_line(run: Callable[[], None]) -> None:
    """Run what a command line asks for; a refusal exits with status 2, as in the command."""
    try:
        run()
    except Refused as refused:
        print(refused, file=sys.stderr)
        sys.exit(2)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as those of the command are."""

    def __init__(self, prog: str, description: str | None, epilog: str | None = None) -> None:
        super().__init__(prog=prog, description=description, epilog=epilog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what may help."""
        known = [name for name in self._option_string_actions if name.startswith("--")]
        words = message.removeprefix("unrecognized arguments: ").split()
        name = words[0].partition("=")[0]
        meant = hint(name, known) if name.startswith("--") else ""
        self.exit(2, f"error: {message}; {meant}{self.prog} --help lists the options\n")


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of at least 1")
    return int(text)


def count_up_to(most: int) -> Callable[[str], int]:
    """Return a function that reads a whole number from 1 to `most`."""

    def read(text: str) -> int:
        if (number := count(text)) > most:
            raise argparse.ArgumentTypeError(f"{text}: expected a whole number from 1 to {most}")
        return number

    return read


def count_or_none(text: str) -> int:
    """Read a whole number of at least 0."""
    return 0 if text == "0" else count(text)


def positive(text: str) -> float:
    """Read a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return number
