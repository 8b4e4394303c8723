"""How many positions a second `quintain.puct` has evaluated by a function that knows nothing.

    python leaves.py [rounds]

So this is what the search, the arrays and the calls of Python take, in seconds of processor time.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np

import quintain

#: Game, scenario, encoding, states.
SETTINGS = [
    ("tron", "codingame", None, 256),
    ("tron", "empty", None, 256),
    ("polymer", "random?n=12", None, 256),
    ("hextris", "drawn?size=6", "places", 64),
]


def know_nothing(seen: dict[str, Any]) -> tuple[Any, Any]:
    """Take all actions to be equally likely, and all positions to be even."""
    count, actions = seen["action_mask"].shape
    return np.zeros((count, actions), np.float32), np.zeros(count, np.float32)


def main() -> None:
    """Print the table: the best of some rounds each."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    warnings.simplefilter("ignore", quintain.SeedWarning)
    print("| game, states | simulations | positions a second of processor time |")
    print("|---|--:|--:|")
    for game, scenario, encoding, states in SETTINGS:
        batch = quintain.Batch(game, scenario, states, encoding=encoding, threads=1)
        for simulations in (32, 256):
            best = 0.0
            for _ in range(rounds):
                begun = time.process_time()
                found = quintain.puct(batch, evaluate=know_nothing, simulations=simulations)
                best = max(best, found["evaluated"] / (time.process_time() - begun))
            print(f"| {game}:{scenario}, {states} | {simulations} | {best:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
