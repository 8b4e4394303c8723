"""Measures steps a second: by the wall clock, and by this process's processor time."""

from __future__ import annotations

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


def million(rate: float) -> str:
    """Write a rate in millions."""
    return f"{rate / 1e6:.3g} M"
