"""Measures the steps of batches and of single environments. `python steps.py [seconds]`

The time includes everything that a call of `Batch.step` does: reading the actions from NumPy, turns,
scores, ends, the next episodes, and writing rewards, flags and seeds; `observe` adds boards and
features, `masks` the masks. Actions are drawn before the clock starts: uniformly (`any`), or, where
that would end every episode at once, as the masks allow (`allowed`, drawn along a recorded course
that is stepped again from the same seeds). Two processes of one thread each, which share nothing,
show the most that the machine could give to two threads.
"""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
from measure import Speed, measure, million

import quintain
from quintain._quintain import Single

COURSE = 64

# Some of the scenarios have no chance, so that a course can be stepped again.
warnings.simplefilter("ignore", quintain.SeedWarning)


@dataclass(frozen=True)
class Setting:
    """What is stepped: a game on a scenario, how many states at once, and by which actions."""

    game: str
    scenario: str
    states: int
    allowed: bool


#: As many states as fit into a processor's cache of a megabyte.
SETTINGS = [
    Setting("tron", "hackerrank", 1024, allowed=True),
    Setting("tron", "hackerrank", 1024, allowed=False),
    Setting("tron", "empty", 1024, allowed=True),
    Setting("hextris", "drawn?size=6&seed=1", 1024, allowed=True),
    Setting("hextris", "drawn?size=6&seed=1", 1024, allowed=False),
    # Another problem each episode: drawing it takes longer than playing it at random.
    Setting("hextris", "drawn?size=6", 1024, allowed=True),
    Setting("gather", "course?board=35x35&players=9", 128, allowed=False),
]


def recorded(batch: quintain.Batch, seeds: list[int]) -> list[np.ndarray]:
    """Draw a course of allowed actions from these seeds."""
    random = np.random.default_rng(1)
    batch.reset(seeds)
    course = []
    for _ in range(COURSE):
        masks = batch.masks
        # Draws uniformly among the allowed actions: the one with the greatest random number.
        chances = random.random(masks.shape, np.float32) * masks
        course.append(chances.argmax(axis=-1).astype(np.uint8))
        batch.step(course[-1])
    return course


def batch_speed(setting: Setting, threads: int, seconds: float, *, full: bool) -> Speed:
    """Measure a batch, with everything that a learner reads (`full`) or with rewards and ends alone."""
    game, scenario, count = setting.game, setting.scenario, setting.states
    batch = quintain.Batch(game, scenario, count, observe=full, masks=full, threads=threads)
    seeds = list(range(count))
    if setting.allowed:
        course = recorded(quintain.Batch(game, scenario, count, threads=threads), seeds)
    else:
        random = np.random.default_rng(1)
        shape = batch.rewards.shape
        number = batch.layout["actions"]
        course = [random.integers(0, number, shape, np.uint8) for _ in range(COURSE)]

    def run() -> int:
        if setting.allowed:
            # The reset is part of what is measured, as it is part of every episode.
            batch.reset(seeds)
        for actions in course:
            batch.step(actions)
        return COURSE * count

    return measure(run, seconds)


def apart_speed(setting: Setting, seconds: float, *, full: bool) -> float:
    """Measure two batches at once, each in its own process; return the steps a second of both."""
    alone = partial(batch_speed, setting, 1, seconds, full=full)
    with multiprocessing.get_context("spawn").Pool(2, initializer=alone) as pool:
        # The initializer runs in each process first, so that neither begins before the other.
        both = [pool.apply_async(alone) for _ in range(2)]
        return sum(speed.get().per_second for speed in both)


def single_speed(game: str, scenario: str, seconds: float) -> tuple[Speed, Speed]:
    """Measure a single environment: the same course from Python, and in Rust alone."""
    seeds = [1]
    batch = quintain.Batch(game, scenario, 1, threads=1)
    course = [int(actions.reshape(-1)[0]) for actions in recorded(batch, seeds)]
    state = Single(game, scenario)

    def single() -> int:
        state.reset(1)
        step = state.step
        steps = 0
        for action in course:
            steps += 1
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                break
        return steps

    count = 1024
    many = quintain.Batch(game, scenario, count, threads=1)
    same = [np.full(count, action, np.uint8) for action in course]

    def rust() -> int:
        many.reset([1] * count)
        for actions in same:
            many.step(actions)
        return COURSE * count

    return measure(single, seconds), measure(rust, seconds)


def main() -> None:
    """Print both tables."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    print("| batch | actions | read | one thread | two threads | two processes |")
    print("|---|---|---|---|---|---|")
    for setting in SETTINGS:
        for full in [True, False]:
            one, two = (
                batch_speed(setting, threads, seconds, full=full).per_second for threads in [1, 2]
            )
            apart = apart_speed(setting, seconds, full=full)
            words = "allowed" if setting.allowed else "any"
            read = "board, features, masks" if full else "rewards, ends"
            print(
                f"| {setting.states} × {setting.game}:{setting.scenario} | {words} | {read} "
                f"| {million(one)} | {million(two)}, {two / one:.2f} × "
                f"| {million(apart)}, {apart / one:.2f} × |",
                flush=True,
            )
    print()
    print("| single environment | a step from Python | a step in Rust | added |")
    print("|---|---|---|---|")
    for game, scenario in [("hextris", "drawn?size=6&seed=1"), ("polymer", "L08_s01?seed=1")]:
        single, rust = single_speed(game, scenario, seconds)
        here, there = 1e9 / single.per_cpu_second, 1e9 / rust.per_cpu_second
        print(f"| {game}:{scenario} | {here:.0f} ns | {there:.0f} ns | {here - there:.0f} ns |")


if __name__ == "__main__":
    main()
