"""Steps of batches and of single environments. `python steps.py [seconds]`

Counted is everything that a call of `Batch.step` does: reading the actions from NumPy, turns,
scores, ends, the next episodes, and writing rewards, flags and seeds; `observe` adds boards and
features, `masks` the masks. Actions are drawn before the clock starts: uniformly (`any`), or, where
that would end every episode at once, as the masks allow (`allowed`, drawn along a recorded course
that is stepped again from the same seeds).
"""

from __future__ import annotations

import sys

import numpy as np
from measure import Speed, measure, million

import quintain
from quintain._quintain import Single

COUNT = 8192
COURSE = 64


def recorded(batch: quintain.Batch, seeds: list[int]) -> list[np.ndarray]:
    """Draw a course of allowed actions from these seeds."""
    random = np.random.default_rng(1)
    batch.reset(seeds)
    course = []
    for _ in range(COURSE):
        masks = batch.masks
        # Draws among the allowed actions, uniformly: the greatest of random numbers.
        chances = random.random(masks.shape, np.float32) * masks
        course.append(chances.argmax(axis=-1).astype(np.uint8))
        batch.step(course[-1])
    return course


def batch_speed(
    game: str, scenario: str, threads: int, seconds: float, *, full: bool, allowed: bool
) -> Speed:
    """Measure a batch, with all that a learner reads (`full`) or with rewards and ends alone."""
    options = {"observe": full, "masks": full, "threads": threads}
    batch = quintain.Batch(game, scenario, COUNT, **options)
    seeds = list(range(COUNT))
    if allowed:
        course = recorded(quintain.Batch(game, scenario, COUNT, threads=threads), seeds)
    else:
        random = np.random.default_rng(1)
        shape = (COUNT, batch.layout["seats"])
        course = [random.integers(0, batch.layout["actions"], shape, np.uint8) for _ in range(COURSE)]

    def run() -> int:
        if allowed:
            # Beginning anew is part of what is measured: an episode's share of it is small.
            batch.reset(seeds)
        for actions in course:
            batch.step(actions)
        return COURSE * COUNT

    return measure(run, seconds)


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

    many = quintain.Batch(game, scenario, COUNT, threads=1)
    same = [np.full(COUNT, action, np.uint8) for action in course]

    def rust() -> int:
        many.reset([1] * COUNT)
        for actions in same:
            many.step(actions)
        return COURSE * COUNT

    return measure(single, seconds), measure(rust, seconds)


def main() -> None:
    """Print both tables."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    print("| batch | actions | read | threads | steps a second | a second of processor time |")
    print("|---|---|---|---|---|---|")
    grounds = [
        ("tron", "hackerrank", True),
        ("tron", "hackerrank", False),
        ("tron", "empty", True),
        ("hextris", "drawn?size=6", True),
        ("hextris", "drawn?size=6", False),
        ("gather", "course?board=35x35&players=9", False),
    ]
    for game, scenario, allowed in grounds:
        for full in [True, False]:
            for threads in [1, 2]:
                speed = batch_speed(
                    game, scenario, threads, seconds, full=full, allowed=allowed
                )
                words = "allowed" if allowed else "any"
                read = "board, features, masks" if full else "rewards, ends"
                print(
                    f"| {game}:{scenario} | {words} | {read} | {threads} "
                    f"| {million(speed.per_second)} | {million(speed.per_cpu_second)} |",
                    flush=True,
                )
    print()
    print("| single environment | a step from Python | a step in Rust | added |")
    print("|---|---|---|---|")
    for game, scenario in [("hextris", "drawn?size=6"), ("polymer", "L08_s01")]:
        single, rust = single_speed(game, scenario, seconds)
        here, there = 1e9 / single.per_cpu_second, 1e9 / rust.per_cpu_second
        print(f"| {game}:{scenario} | {here:.0f} ns | {there:.0f} ns | {here - there:.0f} ns |")


if __name__ == "__main__":
    main()
