"""How well a network predicts matches that it has not learned from.

One match in ten is held out, by a rule that was fixed before any was played: those whose number ends in 9.
Whole matches are held out because positions of one match are much alike. The network is compared with a
guess, which takes all legal actions for equally likely, and expects what happened on average.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quintain.train.estimate import estimates, fit_weight
from quintain.train.network import Array, Network, softmax

#: One match in so many is held out.
EVERY = 10
#: The most positions that are evaluated: a sample at equal distances from all that are held out.
MOST = 2048
#: Positions that the network sees at once.
BATCH = 64


def is_held_out(positions: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which positions no network learns from."""
    held_out: NDArray[np.bool_] = positions["match"] % EVERY == EVERY - 1
    return held_out


def cross_entropies(
    logits: Array, legal: NDArray[np.bool_], policy: NDArray[Any]
) -> tuple[NDArray[Any], Array]:
    """Return each position's cross-entropy with a policy, and the predicted probabilities."""
    shares = softmax(np.where(legal, logits, np.float32(-1e9)))
    return -(policy * np.log(shares + 1e-9)).sum(axis=1), shares


def sample(held_out: NDArray[Any]) -> NDArray[Any]:
    """Return as many of these positions as are evaluated, at equal distances."""
    return held_out[:: -(-len(held_out) // MOST)] if len(held_out) else held_out


def predict(network: Network, positions: NDArray[Any]) -> tuple[Array, Array]:
    """Return a network's logits and its own part of the values."""
    logits, values = [], []
    for begin in range(0, len(positions), BATCH):
        part = positions[begin : begin + BATCH]
        found = network.forward(part["board"], part["features"], part["seat"])
        logits.append(found[0])
        values.append(found[1])
    return np.concatenate(logits), np.concatenate(values)


def measure(
    network: Network, held_out: NDArray[Any], learned_from: NDArray[Any]
) -> dict[str, float] | None:
    """Return both losses on held-out positions, and those of a guess; None if nothing is held out.

    `policy_least` is the loss that remains when every policy is predicted exactly, `value_estimate` that of the
    game's estimate without the network.
    """
    if not len(held_out):
        return None
    held_out = sample(held_out)
    logits, own = predict(network, held_out)
    legal, policy = held_out["legal"].astype(bool), held_out["policy"]
    wanted = network.shape.scaled(held_out["value"])
    mean = float(network.shape.scaled(learned_from["value"]).mean())
    known = estimates(network.shape, held_out)
    entropies, _ = cross_entropies(logits, legal, policy)
    guesses, _ = cross_entropies(np.zeros(legal.shape, np.float32), legal, policy)
    figures = {
        "positions": len(held_out),
        "policy": float(entropies.mean()),
        "policy_guess": float(guesses.mean()),
        "policy_least": float(-(policy * np.log(policy + 1e-9)).sum(axis=1).mean()),
        "value": float(np.mean((own + network.shape.estimate * known - wanted) ** 2)),
        "value_guess": float(np.mean((mean - wanted) ** 2)),
    }
    if network.shape.estimate:
        alone = fit_weight(network.shape, learned_from)
        figures["value_estimate"] = float(np.mean((alone * known - wanted) ** 2))
    return {name: round(figure, 4) for name, figure in figures.items()}
