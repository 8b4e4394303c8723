"""Measures steps a second: by the wall clock, and by this process's processor time."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Speed:
    """How fast something was."""

    steps: int
    wall: float
    cpu: float

    @property
    def per_second(self) -> float:
        return self.steps / self.wall

    @property
    def per_cpu_second(self) -> float:
        """Steps a second of processor time: other work on the machine hardly changes it."""
        return self.steps / self.cpu


def measure(run: Callable[[], int], seconds: float = 2.0, repeats: int = 3) -> Speed:
    """Call `run`, which returns the steps it took, for so long; return the best of some repeats."""
    run()
    best: Speed | None = None
    for _ in range(repeats):
        wall, cpu, steps = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - wall < seconds:
            steps += run()
        speed = Speed(steps, time.perf_counter() - wall, time.process_time() - cpu)
        if best is None or speed.per_cpu_second > best.per_cpu_second:
            best = speed
    assert best is not None
    return best


def rate(run: Callable[[], int], seconds: float) -> float:
    """Call `run` for so much processor time; return the steps a second of it."""
    begun, steps = time.process_time(), 0
    while (spent := time.process_time() - begun) < seconds:
        steps += run()
    return steps / spent


#: Student's t with an interval of 95 %, for 5 to 12 figures.
QUANTILES = {5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 11: 2.228, 12: 2.201}


def interval(figures: list[float]) -> tuple[float, float]:
    """Return the mean of some figures, and half the width of its interval of 95 %."""
    half = QUANTILES[len(figures)] * statistics.stdev(figures) / math.sqrt(len(figures))
    return statistics.fmean(figures), half


def million(rate: float) -> str:
    """Write a rate in millions."""
    return f"{rate / 1e6:.3g} M"
