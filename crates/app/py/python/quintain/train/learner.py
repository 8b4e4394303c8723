"""Learns weights from positions of self-play: the replay window, the loss, and its descent."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from quintain.train.estimate import estimates, fit_weight
from quintain.train.held_out import cross_entropies, is_held_out
from quintain.train.network import Array, Network, Parameters, Shape, initial
from quintain.train.self_play import list_files
from quintain.train.symmetry import check_symmetry, turned

#: The weight of the value's error relative to the policy's.
VALUE_WEIGHT = 1.0
#: How strongly weights are pulled towards 0 (Loshchilov & Hutter 2019).
DECAY = 1e-4
#: Bounds of a score that are more than so many times as far apart as what happens say little.
FAR = 4.0
#: Cells in a part of a batch: what a layer needs for so many fits into a processor's cache.
PART = 4096


def rate_at(rate: float, share: float, last: float | None) -> float:
    """Return the learning rate when this share of the run is over: half a cosine, from all to 5 %.

    It never rises above the `last` rate: a run that is made longer goes on as it stopped.
    """
    falling = rate * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))
    return falling if last is None else min(last, falling)


class Window:
    """The positions to learn from: those of the latest shards, mapped into memory."""

    def __init__(self, positions: int) -> None:
        self.most = positions
        self.shards: list[NDArray[Any]] = []
        #: The shards that were added last.
        self.newest: list[NDArray[Any]] = []

    def add(self, folder: Path, *, is_whole: bool = False) -> int:
        """Add a folder's shards; drop the oldest beyond the window's size, unless `is_whole`."""
        self.newest = []
        for path in list_files(folder):
            try:
                shard = np.load(path, mmap_mode="r")
            except (ValueError, EOFError, OSError) as error:
                raise SystemExit(f"error: {path} is damaged, or not a file of positions: {error}") from None
            if len(shard):
                self.newest.append(shard)
        self.shards += self.newest
        while not is_whole and self.shards and len(self) - len(self.shards[0]) >= self.most:
            self.shards.pop(0)
        return sum(map(len, self.newest))

    def count_newest_matches(self) -> int:
        """Return how many matches the positions that were added last come from."""
        return sum(len(np.unique(shard["match"])) for shard in self.newest)

    def __len__(self) -> int:
        """Return how many positions there are."""
        return sum(map(len, self.shards))

    def all(self) -> NDArray[Any]:
        """Return the whole window as one array in memory."""
        fields = {shard.dtype for shard in self.shards}
        if len(fields) == 1:
            return np.concatenate(self.shards)
        # Files from before positions had estimates, beside newer ones.
        whole = max(fields, key=lambda dtype: len(dtype.names or ()))
        return np.concatenate([complete(shard, whole) for shard in self.shards])

    def split(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the positions to learn from, and those held out."""
        return split(self.all())


def split(positions: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return those of the positions to learn from, and those held out."""
    held_out = is_held_out(positions)
    if held_out.all():
        return positions, positions[:0]
    return positions[~held_out], positions[held_out]


def complete(shard: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return positions with all fields of a type; those that they lack are not a number."""
    if shard.dtype == dtype:
        return shard
    found = np.empty(len(shard), dtype)
    for name in dtype.names or ():
        found[name] = shard[name] if name in (shard.dtype.names or ()) else np.nan
    return found


def describe(folder: Path) -> dict[str, Any]:
    """Return the description that self-play wrote into a folder."""
    about: dict[str, Any] = json.loads((folder / "self-play.json").read_text())
    return about


def value_range(values: NDArray[Any], bounds: list[float] | None) -> tuple[float, float]:
    """Return the utilities that values of -1 and 1 stand for.

    These are the rules' bounds, if they are meaningful. For scores without bounds, or with bounds far
    beyond what happens, they are the worst and the best value that are not rare, with some room.
    """
    worst, best = (float(value) for value in np.quantile(values, (0.02, 0.98)))
    room = max(best - worst, 1.0)
    low, high = worst - room / 2, best + room
    if bounds is None:
        return low, high
    if bounds[1] - bounds[0] <= FAR * room:
        return float(bounds[0]), float(bounds[1])
    return max(low, float(bounds[0])), min(high, float(bounds[1]))


def begin(folder: Path, seed: int, **sizes: Any) -> Network:
    """Return a random network for the positions of a folder."""
    about = describe(folder)
    window = Window(1 << 30)
    window.add(folder)
    positions = window.all()
    features = np.abs(positions["features"]).max(axis=0) if len(positions) else np.ones(0)
    scale = (1 / np.maximum(features, 1)).astype(np.float32)
    low, high = value_range(positions["value"], about["range"])
    if about["words"]:
        # With a single cell, the few channels of a head would be all that it sees.
        sizes.setdefault("heads", (sizes.get("channels", Shape.channels),) * 2)
    shape = Shape(
        game=about["game"],
        scenario=about["scenario"],
        encoding=about["encoding"],
        board=tuple(about["board"]),
        planes=about["planes"],
        features=len(about["features"]),
        seats=about["seats"],
        actions=about["actions"],
        range=(low, high),
        cell_actions=about.get("cell_actions", 0),
        **sizes,
    )
    shape = replace(shape, estimate=round(fit_weight(shape, split(positions)[0]), 6))
    return Network(shape, initial(shape, seed), scale)


class Learner:
    """Minimizes the loss of AlphaZero with Adam (Kingma & Ba 2015)."""

    def __init__(
        self, network: Network, seed: int, *, symmetry: str = "none", threads: int = 1
    ) -> None:
        shape = network.shape
        check_symmetry(
            symmetry,
            shape.game,
            shape.encoding,
            board=shape.board,
            actions=shape.actions,
            cell_actions=shape.cell_actions,
        )
        self.pool = ThreadPoolExecutor(threads)
        self.network = network
        self.symmetry = symmetry
        self.random = np.random.default_rng(seed)
        self.mean = {name: np.zeros_like(w) for name, w in network.parameters.items()}
        self.square = {name: np.zeros_like(w) for name, w in network.parameters.items()}
        self.steps = 0

    def save(self, path: Path) -> None:
        """Write what the next step depends on besides the network: Adam's means, and the random draws."""
        arrays = {f"mean.{name}": mean for name, mean in self.mean.items()}
        arrays |= {f"square.{name}": square for name, square in self.square.items()}
        state = json.dumps({"steps": self.steps, "random": self.random.bit_generator.state})
        # Complete or absent, whenever the run is stopped.
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(file, allow_pickle=False, state=np.array(state), **arrays)
        part.replace(path)

    def load(self, path: Path) -> None:
        """Go on from what was saved; without the file, from nothing, as a new learner does."""
        if not path.exists():
            return
        try:
            with np.load(path) as saved:
                state = json.loads(str(saved["state"]))
                mean = {name: saved[f"mean.{name}"] for name in self.mean}
                square = {name: saved[f"square.{name}"] for name in self.square}
        except (ValueError, KeyError, OSError, EOFError, BadZipFile) as error:
            raise SystemExit(f"error: {path} is damaged ({error}); without it, learning starts over") from None
        self.mean, self.square, self.steps = mean, square, state["steps"]
        self.random.bit_generator.state = state["random"]

    def loss(self, positions: NDArray[Any]) -> tuple[float, float, Parameters]:
        """Return the policy's cross-entropy, the value's squared error, and their gradient."""
        network, count = self.network, len(positions)
        board, policy = positions["board"], positions["policy"]
        legal = positions["legal"].astype(bool)
        board, (policy, legal) = turned(self.symmetry, board, [policy, legal], self.random)
        # What the estimate leaves to the network.
        known = network.shape.estimate * estimates(network.shape, positions)
        wanted = network.shape.scaled(positions["value"]) - known

        def of(part: slice) -> tuple[float, float, Parameters]:
            """Return what a part adds to the means."""
            logits, value, kept = network.forward(
                board[part], positions["features"][part], positions["seat"][part]
            )
            entropies, shares = cross_entropies(logits, legal[part], policy[part])
            error = value - wanted[part]
            said = policy[part].sum(axis=1, keepdims=True)
            by_logits = np.where(legal[part], shares * said - policy[part], 0) / count
            by_value = 2 * VALUE_WEIGHT * error / count
            gradient = network.backward(
                by_logits.astype(np.float32), by_value.astype(np.float32), kept
            )
            return float(entropies.sum()) / count, float((error**2).sum()) / count, gradient

        size = max(1, PART // network.shape.cells)
        parts = [slice(begin, begin + size) for begin in range(0, count, size)]
        # Summed in the order of the parts, so that the number of threads does not change the result.
        (entropy, square, gradient), *others = self.pool.map(of, parts)
        for one, two, slopes in others:
            entropy, square = entropy + one, square + two
            for name, slope in slopes.items():
                gradient[name] += slope
        return entropy, square, gradient

    def step(self, positions: NDArray[Any], rate: float) -> tuple[float, float]:
        """Learn from a batch; return both losses before the step."""
        entropy, error, gradient = self.loss(positions)
        self.steps += 1
        one, two = 1 - 0.9**self.steps, 1 - 0.999**self.steps
        norm = float(np.sqrt(sum(float((g**2).sum()) for g in gradient.values())))
        clip = min(1.0, 5.0 / max(norm, 1e-9))
        for name, weights in self.network.parameters.items():
            slope: Array = gradient[name] * np.float32(clip)
            self.mean[name] += 0.1 * (slope - self.mean[name])
            self.square[name] += 0.001 * (slope**2 - self.square[name])
            move = (self.mean[name] / one) / (np.sqrt(self.square[name] / two) + 1e-8)
            weights -= np.float32(rate) * (move + np.float32(DECAY) * weights)
        return entropy, error

    def learn(
        self,
        window: Window,
        steps: int,
        batch: int,
        rate: float,
        seconds: float = math.inf,
        tell: Callable[[int], None] = lambda _: None,
    ) -> tuple[float, float, int]:
        """Take `steps` steps on random positions, or as many as there is time for.

        Returns the means of both losses, and the steps taken.
        """
        (positions, _), end = window.split(), time.monotonic() + seconds
        losses: list[tuple[float, float]] = []
        while len(losses) < steps and (not losses or time.monotonic() < end):
            tell(len(losses))
            chosen = positions[self.random.integers(len(positions), size=batch)]
            losses.append(self.step(chosen, rate))
        entropy, error = np.mean(losses, axis=0)
        return float(entropy), float(error), len(losses)
