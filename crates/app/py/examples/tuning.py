"""Tunes a number of a player by evolution, and measures the result on held-out seeds.

    python tuning.py [generations] [held_out]
"""

import sys

import quintain


def main(generations=4, held_out=40):
    tuned = quintain.tune(
        "tron",
        "uct?exploration=2",
        ["exploration=0.05..3"],
        scenarios=["hackerrank?opening=4"],
        budget="iterations=60",
        generations=generations,
        seeds=6,
        held_out=held_out,
        progress=lambda number, best: print(f"generation {number}: best {best:+.1f}"),
    )
    low, high = tuned["interval"]
    print(f"held out: {tuned['gain']:+.1f} {tuned['unit']} ({low:+.1f} to {high:+.1f})")
    print(tuned["player"])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
