"""Quintain beside public libraries of environments, in one run: steps a second of processor time.

    python peers.py [seconds] [NAME…]

Install the peers into an environment of their own (`pip install pgx jumanji envpool open_spiel`);
one that is missing is left out, and the table says so. The games differ, so the table has no ratios:
only figures of the same game say how fast a library is beside another. All play random allowed actions; drawing
them from the masks is part of what is measured: ours by `Batch.sample`, those of peers compiled by JAX
inside the step of `BATCH` states, as their own documentation does. EnvPool has 64 environments, and as
many threads as there are cores. A step is one action of one environment (in tron one joint action,
which is two moves).
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator

import numpy as np
from measure import measure, million
from steps import SETTINGS, Setting

import quintain

BATCH = 1024
Run = Callable[[], int]


def ours(seconds: float) -> Iterator[tuple[str, float]]:
    """Measure our batches, with everything that a learner reads."""
    for setting in [SETTINGS[0], SETTINGS[3], SETTINGS[6]]:
        name = f"Quintain, {setting.game}, {setting.states} states"
        yield name, measure(sampled(setting), seconds).per_cpu_second


def sampled(setting: Setting) -> Run:
    """Return a run of our batch whose actions are drawn from its masks, turn by turn."""
    batch = quintain.Batch(setting.game, setting.scenario, setting.states, threads=1)

    def run() -> int:
        for _ in range(32):
            batch.step(batch.sample())
        return 32 * setting.states

    return run


def scanned(jax, turn, carry) -> Run:
    """Turns of a batch, 32 compiled into one."""
    length = 32
    many = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length)[0])

    def run() -> int:
        nonlocal carry
        carry = jax.block_until_ready(many(carry))
        return length * BATCH

    return run


def pgx(name: str) -> Run:
    """A board game of Pgx."""
    jax = importlib.import_module("jax")
    env = importlib.import_module("pgx").make(name)
    auto = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)

    def turn(carry, _):
        state, key = carry
        key, draw, again = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        action = jax.random.categorical(draw, logits, axis=-1)
        return (jax.vmap(auto)(state, action, jax.random.split(again, BATCH)), key), None

    key = jax.random.PRNGKey(0)
    state = jax.vmap(env.init)(jax.random.split(key, BATCH))
    return scanned(jax, turn, (state, key))


def jumanji(name: str) -> Run:
    """A game of Jumanji, begun anew when it ends."""
    jax = importlib.import_module("jax")
    wrappers = importlib.import_module("jumanji.wrappers")
    env = wrappers.AutoResetWrapper(importlib.import_module("jumanji").make(name))

    def allowed(mask, key):
        logits = jax.numpy.log(mask.reshape(BATCH, -1).astype(jax.numpy.float32))
        flat = jax.random.categorical(key, logits, axis=-1)
        if mask.ndim == 2:
            return flat
        return jax.numpy.stack([flat // mask.shape[-1], flat % mask.shape[-1]], axis=-1)

    def turn(carry, _):
        state, timestep, key = carry
        key, draw = jax.random.split(key)
        action = allowed(timestep.observation.action_mask, draw)
        state, timestep = jax.vmap(env.step)(state, action)
        return (state, timestep, key), None

    key = jax.random.PRNGKey(0)
    state, timestep = jax.vmap(env.reset)(jax.random.split(key, BATCH))
    return scanned(jax, turn, (state, timestep, key))


def envpool(name: str) -> Run:
    """64 environments of EnvPool, stepped together."""
    library = importlib.import_module("envpool")
    envs = library.make(name, env_type="gymnasium", num_envs=64)
    envs.reset()
    draws = np.random.default_rng(1)
    count = envs.action_space.n
    actions = [draws.integers(0, count, 64).astype(np.int32) for _ in range(16)]

    def run() -> int:
        for action in actions:
            envs.step(action)
        return 64 * len(actions)

    return run


def open_spiel(name: str) -> Run:
    """A game of OpenSpiel, one state stepped from Python."""
    game = importlib.import_module("pyspiel").load_game(name)
    draw = random.Random(1)

    def run() -> int:
        steps = 0
        for _ in range(200):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(draw.choice(state.legal_actions()))
                steps += 1
        return steps

    return run


PEERS: list[tuple[str, Callable[[], Run]]] = [
    ("Pgx, connect four, 1024 states", lambda: pgx("connect_four")),
    ("Pgx, othello, 1024 states", lambda: pgx("othello")),
    ("Jumanji, Snake, 1024 states", lambda: jumanji("Snake-v1")),
    ("Jumanji, Tetris, 1024 states", lambda: jumanji("Tetris-v0")),
    ("EnvPool, CartPole, 64 environments", lambda: envpool("CartPole-v1")),
    ("EnvPool, FrozenLake, 64 environments", lambda: envpool("FrozenLake-v1")),
    ("OpenSpiel, connect four, one state", lambda: open_spiel("connect_four")),
]


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    wanted = sys.argv[2:]
    mine = list(ours(seconds))
    print("| library, game | steps a second of processor time |")
    print("|---|---|")
    for name, rate in mine:
        print(f"| {name} | {million(rate)} |", flush=True)
    for name, make in PEERS:
        if wanted and not any(word.lower() in name.lower() for word in wanted):
            continue
        try:
            rate = measure(make(), seconds).per_cpu_second
            print(f"| {name} | {million(rate)} |", flush=True)
        except (ImportError, AttributeError) as missing:
            print(f"| {name} | left out: {missing} |", flush=True)


if __name__ == "__main__":
    main()
