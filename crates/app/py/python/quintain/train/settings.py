"""The usual settings of a run, by its game and its minutes: those that nobody has to name.

They were measured for ten minutes on two cores (docs/learning.md); those for other boards and other times
are derived from them.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

from quintain.train.symmetry import SYMMETRY_OF

#: The numbers of channels to choose from.
CHANNELS = (8, 16, 24, 32, 48, 64)
#: Cells times squared channels, for the largest network that learns in ten minutes.
WORK = 84_000
#: Positions of a generation in ten minutes, and how many times as many the first one has.
POSITIONS, FIRST = 6_000, 15
#: Matches of the first generation of a run that is not limited by the clock.
FIRST_MATCHES = 512

#: What positions are worth before there is a network, where it is not by rollouts: games whose estimates say
#: much more than a rollout.
LEAVES_OF = {"tron": "estimates"}

#: Defaults that depend neither on the game nor on the minutes. None is settled later, or by the game.
ALWAYS: dict[str, Any] = {
    "scenario": None,
    "scenarios": None,
    "matches": None,
    "first_matches": None,
    "symmetry": None,
    "channels": None,
    "blocks": None,
    "steps": None,
    "first_simulations": 160,
    "first_leaves": None,
    "random_turns": 4,
    "precision": "f32",
    "window": 100_000,
    "batch": 128,
    "reuse": 2.0,
    "rate": 2e-3,
    "seed": 1,
}
#: The settings that are saved with a run, so that it goes on as it began.
NOTED = ("simulations", *ALWAYS)
#: Those of them that do not matter to a run that has not played with itself yet.
OF_SELF_PLAY = (
    "matches",
    "first_matches",
    "simulations",
    "first_simulations",
    "first_leaves",
    "random_turns",
    "window",
    "reuse",
)


def usual_simulations(minutes: float) -> int:
    """Return the number of simulations for a decision."""
    return 16 if minutes < 20 else 32


def usual_positions(minutes: float, *, is_first: bool) -> int:
    """Return how many positions a generation has: twice as many in four times the time."""
    positions = POSITIONS * math.sqrt(minutes / 10)
    return max(1, round(positions * (FIRST if is_first else 1)))


def usual_channels(cells: int, minutes: float) -> int:
    """Return the number of channels of a network that sees so many cells.

    The cost of a position is cells times squared channels. In four times the time, the network learns from
    twice as many positions and costs twice as much for each.
    """
    if cells == 1:
        return 32
    work = WORK * math.sqrt(minutes / 10)
    return max([size for size in CHANNELS if cells * size**2 <= work], default=CHANNELS[0])


def settle(options: argparse.Namespace, noted: dict[str, Any]) -> None:
    """Set what nobody named and does not depend on the board: as it was noted, or as is usual."""
    usual = {"simulations": usual_simulations(options.minutes), **ALWAYS}
    for name in NOTED:
        if getattr(options, name) is None:
            setattr(options, name, noted.get(name, usual[name]))


def settle_by_positions(options: argparse.Namespace, about: dict[str, Any]) -> None:
    """Set what nobody named and depends on the positions, from their description."""
    rows, columns = about["board"]
    cells = 1 if about["words"] else rows * columns
    usual = {
        "channels": usual_channels(cells, options.minutes),
        "blocks": 1 if cells == 1 else 2,
        "symmetry": SYMMETRY_OF.get((about["game"], about["encoding"]), "none"),
    }
    for name, value in usual.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
