"""Checks of arguments: what is wrong is said in one line, with the argument's name."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from quintain.player import Policy

#: All seeds are below this number.
SEEDS = 1 << 64
#: The greatest number of states or steps.
MOST = (1 << 63) - 1


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`; nothing is rounded."""
    expected = f"{name}={value!r}: expected a whole number from {least} to {most}"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(expected) from None
    if not least <= number <= most:
        raise ValueError(expected)
    return number


def seed_of(seed: Any, name: str = "seed") -> int:
    """Return a seed as a number."""
    return whole(name, seed, 0, SEEDS - 1)


def check_policy(policy: Any) -> Policy:
    """Return the policy, if it can be called."""
    if not callable(policy):
        raise TypeError(f"policy={policy!r}: expected a function of arrays")
    checked: Policy = policy
    return checked


def whole_numbers(name: str, values: Any, count: int, least: int, most: int) -> NDArray[np.int64]:
    """Return an array of `count` whole numbers from `least` to `most`; nothing is rounded."""
    numbers = np.asarray(values)
    if numbers.shape != (count,):
        raise ValueError(f"{name}: expected an array of shape ({count},), not {numbers.shape}")
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected whole numbers, not an array of {numbers.dtype}")
    wrong = np.flatnonzero((numbers < least) | (numbers > most))
    if wrong.size:
        first = wrong[0]
        raise ValueError(f"{name}[{first}]={numbers[first]}: expected {least} to {most}")
    return np.ascontiguousarray(numbers, np.int64)


def check_options(options: Any, known: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the options of a reset, if all of them are known."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options={options!r}: expected a dictionary or None")
    for name in options:
        if name not in known:
            there_is = f"known: {', '.join(known)}" if known else "there are none"
            raise ValueError(f"unknown option {name!r} of reset; {there_is}")
    return dict(options)
