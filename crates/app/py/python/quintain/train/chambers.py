"""`python -m quintain.train.chambers POSITIONS…`: the network of tron's champion, which values positions.

The positions are those of the example `positions` in `crates/games/tron/examples`. The network has one
hidden layer that sees a position from either side; what it sees from theirs counts against what it
sees from ours. It learns how likely we are to win: from how games ended, and from what a search says.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quintain.train.arguments import (
    Parser,
    Refused,
    count,
    count_or_none,
    positive,
    run_command_line,
)
from quintain.train.network import write_tensors

Array = NDArray[np.float32]
Parameters = dict[str, Array]

FORM = "quintain-tron-chambers 1"

#: How many numbers each side has, and how many are of both, as the champion's `network.rs` writes them.
OWN, COMMON = 11, 5
INPUTS = 2 * OWN + COMMON
#: The columns after them.
GUESS, POINTS, SEARCH, BOARD = range(INPUTS, INPUTS + 4)
#: The weights of fillable cells, edges and front in the weighted sum that a network begins with.
WEIGHTED_SUM = 0.76e-3 * np.array([55, 4 * 194, 55], np.float32)


def parser() -> Parser:
    """Return the options."""
    made = Parser(prog="python -m quintain.train.chambers", description=__doc__)
    made.add_argument("positions", type=Path, nargs="+", help="files that the example `positions` wrote")
    made.add_argument("--out", type=Path, required=True, help="the network's file")
    made.add_argument("--units", type=count, default=32, help="units of the hidden layer [%(default)s]")
    made.add_argument("--epochs", type=count, default=12, help="[%(default)s]")
    made.add_argument("--batch", type=count, default=512, help="positions per step [%(default)s]")
    made.add_argument("--rate", type=positive, default=2e-3, help="learning rate [%(default)s]")
    made.add_argument(
        "--search",
        type=float,
        default=0.5,
        help="share of a search's value in the target; the rest is the result of the game [%(default)s]",
    )
    made.add_argument("--seed", type=count_or_none, default=1, help="[%(default)s]")
    return made


def sigmoid(logits: Array) -> Array:
    """Return probabilities."""
    half: Array = 0.5 + 0.5 * np.tanh(0.5 * logits)
    return half


def log_loss(logits: Array, targets: Array) -> float:
    """Return the mean cross-entropy, where a draw is half a win."""
    return float(np.mean(np.logaddexp(0, logits) - targets * logits))


def fit_scale(guesses: Array, points: Array) -> float:
    """Return the factor that makes guesses the best logits (Newton's method)."""
    factor = 1e-3
    for _ in range(30):
        found = sigmoid(factor * guesses)
        slope = np.sum((points - found) * guesses)
        factor += float(slope / np.sum(found * (1 - found) * guesses**2))
    return factor


def views(inputs: Array) -> tuple[Array, Array]:
    """Return positions as we see them, and as the other side does."""
    ours, theirs, common = np.split(inputs, [OWN, 2 * OWN], axis=1)
    return inputs, np.concatenate([theirs, ours, common], axis=1)


def forward(parameters: Parameters, inputs: Array) -> Array:
    """Return the logits of our probability of winning."""
    from_ours, from_theirs = (
        np.maximum(view @ parameters["hidden.weight"] + parameters["hidden.bias"], 0)
        for view in views(inputs)
    )
    direct = (inputs[:, :OWN] - inputs[:, OWN : 2 * OWN]) @ parameters["direct.weight"]
    logits: Array = (from_ours - from_theirs) @ parameters["out.weight"] + direct
    return logits


def gradients(parameters: Parameters, inputs: Array, targets: Array) -> Parameters:
    """Return the derivatives of the mean log loss."""
    seen = [
        (view, view @ parameters["hidden.weight"] + parameters["hidden.bias"])
        for view in views(inputs)
    ]
    difference = inputs[:, :OWN] - inputs[:, OWN : 2 * OWN]
    active = np.maximum(seen[0][1], 0) - np.maximum(seen[1][1], 0)
    logits = active @ parameters["out.weight"] + difference @ parameters["direct.weight"]
    error = (sigmoid(logits) - targets) / len(targets)
    found = {
        "out.weight": active.T @ error,
        "direct.weight": difference.T @ error,
        "hidden.weight": np.zeros_like(parameters["hidden.weight"]),
        "hidden.bias": np.zeros_like(parameters["hidden.bias"]),
    }
    for sign, (view, sums) in zip((1, -1), seen, strict=True):
        passed = sign * np.outer(error, parameters["out.weight"]) * (sums > 0)
        found["hidden.weight"] += view.T @ passed
        found["hidden.bias"] += passed.sum(axis=0)
    return found


def learn(rows: Array, targets: Array, options: argparse.Namespace) -> Parameters:
    """Descend the log loss (Adam, Kingma & Ba 2015) at a decreasing rate."""
    random = np.random.default_rng(options.seed)
    inputs = rows[:, :INPUTS]
    # Both sides' numbers are scaled alike, or changing seats would not change the sign.
    scale = np.concatenate(
        [np.tile(inputs[:, : 2 * OWN].reshape(-1, OWN).std(axis=0), 2), inputs[:, 2 * OWN :].std(axis=0)]
    )
    units = options.units
    parameters: Parameters = {
        "hidden.weight": (
            random.standard_normal((INPUTS, units)) / np.sqrt(INPUTS) / scale[:, None]
        ).astype(np.float32),
        "hidden.bias": np.zeros(units, np.float32),
        "out.weight": np.zeros(units, np.float32),
        "direct.weight": np.zeros(OWN, np.float32),
    }
    parameters["direct.weight"][:3] = WEIGHTED_SUM
    # The sizes of steps are fitted to the scale of each number.
    sizes = {
        "hidden.weight": 1 / scale[:, None],
        "hidden.bias": 1.0,
        "out.weight": 1.0,
        "direct.weight": 1 / scale[:OWN],
    }
    means = {name: np.zeros_like(weights) for name, weights in parameters.items()}
    squares = {name: np.zeros_like(weights) for name, weights in parameters.items()}
    steps, step = options.epochs * (len(rows) // options.batch), 0
    for _ in range(options.epochs):
        order = random.permutation(len(rows))
        for begin in range(0, len(rows) - options.batch + 1, options.batch):
            batch = order[begin : begin + options.batch]
            step += 1
            rate = options.rate * 0.5 * (1 + np.cos(np.pi * step / steps))
            for name, slope in gradients(parameters, inputs[batch], targets[batch]).items():
                means[name] += 0.1 * (slope - means[name])
                squares[name] += 0.001 * (slope**2 - squares[name])
                mean = means[name] / (1 - 0.9**step)
                root = np.sqrt(squares[name] / (1 - 0.999**step))
                move = rate * sizes[name] * mean / (root + 1e-8)
                parameters[name] -= move.astype(np.float32)
    return parameters


def read_rows(path: Path) -> Array:
    """Read a file of positions."""
    try:
        rows: Array = np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise Refused(f"error: cannot read {path}: {error}") from None
    return rows


def main(options: argparse.Namespace) -> None:
    """Learn from nine boards in ten, and print how well the others are predicted."""
    rows: Array = np.concatenate([read_rows(path) for path in options.positions])
    if rows.ndim != 2 or rows.shape[1] != INPUTS + 5:
        raise Refused(f"error: expected rows of {INPUTS + 5} numbers, as the example writes them")
    held_out = rows[:, BOARD] % 10 == 0
    train, test = rows[~held_out], rows[held_out]
    guess_scale = fit_scale(train[:, GUESS], train[:, POINTS])
    is_searched = np.isfinite(train[:, SEARCH])
    search_scale = fit_scale(train[is_searched, SEARCH], train[is_searched, POINTS])
    said = sigmoid(np.nan_to_num(search_scale * train[:, SEARCH]))
    share = np.where(is_searched, options.search, 0).astype(np.float32)
    targets = (1 - share) * train[:, POINTS] + share * said
    parameters = learn(train, targets.astype(np.float32), options)
    write_tensors(options.out, {"format": FORM, "game": "tron"}, parameters)
    figures: dict[str, object] = {
        "positions": len(train),
        "positions_held_out": len(test),
        "boards_held_out": len(np.unique(test[:, BOARD])),
        "units": options.units,
        "epochs": options.epochs,
        "search_share": options.search,
        "seed": options.seed,
    }
    # The fifth of the numbers of both sides is 1 if the distance between the heads is odd.
    is_odd = test[:, INPUTS - 1] == 1
    logits = forward(parameters, test[:, :INPUTS])
    for name, part in (("all", np.full(len(test), True)), ("even", ~is_odd), ("odd", is_odd)):
        points = test[part, POINTS]
        decided = points != 0.5
        figures[name] = {
            kind: {
                "log_loss": round(log_loss(guesses[part], points), 4),
                "sign_right": round(
                    float(np.mean((guesses[part] > 0)[decided] == (points > 0.5)[decided])), 4
                ),
            }
            for kind, guesses in (
                ("weighted_sum", guess_scale * test[:, GUESS]),
                ("network", logits),
                ("search", np.nan_to_num(search_scale * test[:, SEARCH])),
            )
        }
    text = json.dumps(figures, indent=1)
    options.out.with_suffix(".json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    run_command_line(lambda: main(parser().parse_args()))
