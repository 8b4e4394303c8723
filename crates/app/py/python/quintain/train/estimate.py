"""The rules' own estimate of positions, which a network corrects rather than replaces.

A search without a network takes a game's estimate for the value of a position: in tron, the share of the
board that a seat reaches first, which no small network computes. So the value of a position is

    estimate · weight + network

where the network learns what the weighted estimate leaves unexplained. Both factors, the estimate's and the
network's own, are fitted by least squares on matches from which nothing is learned. A network that has learned
nothing about values therefore gets a factor near 0, and takes nothing away from the search.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quintain.train.network import Array, Network, Shape

#: The estimate explains something if it takes away this share of the error of the mean.
LEAST = 0.01
#: The field of a position.
FIELD = "estimate"


def estimates(shape: Shape, positions: NDArray[Any]) -> Array:
    """Return the estimates of positions as values from -1 to 1; 0 where there is none."""
    names = positions.dtype.names or ()
    if FIELD not in names:
        return np.zeros(len(positions), np.float32)
    found = positions[FIELD]
    return np.where(np.isnan(found), np.float32(0), shape.scaled(found))


def fit_weight(shape: Shape, positions: NDArray[Any]) -> float:
    """Return the estimate's weight before the network has learned; 0 if the estimate explains nothing."""
    known, wanted = estimates(shape, positions).astype(float), shape.scaled(positions["value"]).astype(float)
    known, wanted = known - known.mean(), wanted - wanted.mean()
    least = float((known**2).sum())
    if not least:
        return 0.0
    weight = float(known @ wanted) / least
    explained = weight * float(known @ wanted) / max(float((wanted**2).sum()), 1e-12)
    return weight if weight > 0 and explained >= LEAST else 0.0


def fit_factors(own: Array, known: Array, wanted: Array) -> tuple[float, float]:
    """Return the factors of the network's value, from 0 to 1, and of the estimate, from 0 on."""
    columns = np.stack([own, known], axis=1).astype(float)
    (network, estimate), *_ = np.linalg.lstsq(columns, wanted.astype(float), rcond=None)
    if 0 <= network <= 1 and estimate >= 0:
        return float(network), float(estimate)
    # With one of them at its bound, the best of the other.
    network = min(max(network, 0.0), 1.0)
    rest = wanted - network * own
    return float(network), max(0.0, float(known @ rest) / max(float(known @ known), 1e-12))


def refit(network: Network, positions: NDArray[Any], own: Array) -> None:
    """Scale a network's values, which are `own` in these positions, and the estimate's weight."""
    shape = network.shape
    wanted = shape.scaled(positions["value"])
    factor, weight = fit_factors(own, estimates(shape, positions), wanted)
    for name in ("value.weight", "value.bias"):
        network.parameters[name] *= np.float32(factor)
    network.shape = replace(shape, estimate=round(weight, 6))
