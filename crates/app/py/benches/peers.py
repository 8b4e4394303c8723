"""Quintain beside public libraries of environments, in one run: steps a second of processor time.

    python peers.py [seconds] [repeats: 5 to 12]

Install the peers into an environment of their own
(`pip install pgx jumanji gymnax envpool open_spiel six`); one that is missing is left out, and the table
says so. Everything runs on one core. All play random legal actions; drawing them from the masks is part of
what is measured: ours by `Batch.sample`, those of peers compiled by JAX inside the step of all states, as
their own documentation does, EnvPool's by NumPy, OpenSpiel's by Python. A step is one action of one
environment (in tron one joint action, which is two moves); all that a learner reads is written: boards,
masks, rewards, ends.

The first table is of the same game, connect four, which our package has if it is built with it
(`cargo build --profile wheel -p quintain-py --features connect-four`). Libraries take turns; a figure is the
mean of all turns with its interval of 95 %, and so is the ratio, of figures of the same turn. Gymnax and
Jumanji have no game that we have too, and the games of the second table all differ, so it has no ratios: only
figures of the same game say how fast a library is beside another.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import warnings
from collections.abc import Callable

import numpy as np
from measure import interval, million, rate
from steps import SETTINGS

import quintain

Run = Callable[[], int]


def keep_to_one_core() -> None:
    """Restrict this process and the threads of its libraries to one core. Call it before JAX begins."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
        os.environ[name] = "1"


def ours(game: str, scenario: str, states: int) -> Run:
    """Return a run of our batch whose actions are drawn from its masks, turn by turn."""
    batch = quintain.Batch(game, scenario, states, threads=1)

    def run() -> int:
        for _ in range(32):
            batch.step(batch.sample())
        return 32 * states

    return run


def scanned(jax, turn, carry, states: int) -> Run:
    """Turns of a batch, 32 compiled into one."""
    length = 32
    many = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length)[0])

    def run() -> int:
        nonlocal carry
        carry = jax.block_until_ready(many(carry))
        return length * states

    return run


def pgx(name: str, states: int) -> Run:
    """A board game of Pgx."""
    jax = importlib.import_module("jax")
    env = importlib.import_module("pgx").make(name)
    auto = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)

    def turn(carry, _):
        state, key = carry
        key, draw, again = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        action = jax.random.categorical(draw, logits, axis=-1)
        return (jax.vmap(auto)(state, action, jax.random.split(again, states)), key), None

    key = jax.random.PRNGKey(0)
    state = jax.vmap(env.init)(jax.random.split(key, states))
    return scanned(jax, turn, (state, key), states)


def jumanji(name: str, states: int) -> Run:
    """A game of Jumanji, restarted when it ends."""
    jax = importlib.import_module("jax")
    wrappers = importlib.import_module("jumanji.wrappers")
    env = wrappers.AutoResetWrapper(importlib.import_module("jumanji").make(name))

    def allowed(mask, key):
        logits = jax.numpy.log(mask.reshape(states, -1).astype(jax.numpy.float32))
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
    state, timestep = jax.vmap(env.reset)(jax.random.split(key, states))
    return scanned(jax, turn, (state, timestep, key), states)


def gymnax(name: str, states: int) -> Run:
    """An environment of gymnax, which has no masks; it restarts by itself."""
    jax = importlib.import_module("jax")
    env, params = importlib.import_module("gymnax").make(name)
    count = env.action_space(params).n

    def turn(carry, _):
        state, _, key = carry
        key, draw, again = jax.random.split(key, 3)
        action = jax.random.randint(draw, (states,), 0, count)
        keys = jax.random.split(again, states)
        seen, state, *_ = jax.vmap(env.step, in_axes=(0, 0, 0, None))(keys, state, action, params)
        return (state, seen, key), None

    key = jax.random.PRNGKey(0)
    keys = jax.random.split(key, states)
    seen, state = jax.vmap(env.reset, in_axes=(0, None))(keys, params)
    return scanned(jax, turn, (state, seen, key), states)


def envpool(name: str, count: int) -> Run:
    """As many environments of EnvPool, stepped together by one thread."""
    library = importlib.import_module("envpool")
    envs = library.make(name, env_type="gymnasium", num_envs=count, num_threads=1)
    _, info = envs.reset()
    draws = np.random.default_rng(1)
    actions = int(envs.action_space.n)

    def run() -> int:
        nonlocal info
        for _ in range(16):
            chances = draws.random((count, actions), np.float32)
            if "legal_action_mask" in info:
                chances *= info["legal_action_mask"]
            *_, info = envs.step(chances.argmax(axis=1).astype(np.int32))
        return 16 * count

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


SAME_GAME: list[tuple[str, Callable[[], Run]]] = [
    ("Quintain, 1024 states", lambda: ours("connect-four", "standard", 1024)),
    ("Quintain, 4096 states", lambda: ours("connect-four", "standard", 4096)),
    ("Pgx, 1024 states", lambda: pgx("connect_four", 1024)),
    ("Pgx, 4096 states", lambda: pgx("connect_four", 4096)),
    ("EnvPool, 64 environments", lambda: envpool("ConnectFour-v1", 64)),
    ("EnvPool, 1024 environments", lambda: envpool("ConnectFour-v1", 1024)),
    ("OpenSpiel, one state", lambda: open_spiel("connect_four")),
]

OTHER_GAMES: list[tuple[str, Callable[[], Run]]] = [
    *(
        (f"Quintain, {s.game}, {s.states} states", lambda s=s: ours(s.game, s.scenario, s.states))
        for s in [SETTINGS[0], SETTINGS[3], SETTINGS[6]]
    ),
    ("Pgx, othello, 1024 states", lambda: pgx("othello", 1024)),
    ("gymnax, Catch, 1024 states", lambda: gymnax("Catch-bsuite", 1024)),
    ("gymnax, Breakout, 1024 states", lambda: gymnax("Breakout-MinAtar", 1024)),
    ("Jumanji, Snake, 1024 states", lambda: jumanji("Snake-v1", 1024)),
    ("Jumanji, Tetris, 1024 states", lambda: jumanji("Tetris-v0", 1024)),
    ("EnvPool, CartPole, 64 environments", lambda: envpool("CartPole-v1", 64)),
    ("EnvPool, FrozenLake, 64 environments", lambda: envpool("FrozenLake-v1", 64)),
]


def prepare(makers: list[tuple[str, Callable[[], Run]]]) -> dict[str, Run]:
    """Make each run and call it once, which compiles it. Says which are left out."""
    runs = {}
    for name, make in makers:
        try:
            run = make()
            run()
            runs[name] = run
        except (ImportError, AttributeError, ValueError) as missing:
            print(f"{name} is left out: {missing}", flush=True)
    return runs


def measure_in_turns(runs: dict[str, Run], seconds: float, repeats: int) -> dict[str, list[float]]:
    """Measure each run as often, every other time in reverse order."""
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(repeats):
        for name in list(runs)[:: 1 if turn % 2 == 0 else -1]:
            rates[name].append(rate(runs[name], seconds))
    return rates


def print_same_game(seconds: float, repeats: int) -> None:
    """Print the table of connect four; a peer's ratio is to our batch of as many states, or of 1024."""
    rates = measure_in_turns(prepare(SAME_GAME), seconds, repeats)
    print("| library, connect four | steps a second of processor time | Quintain's beside it |")
    print("|---|---|---|")
    for name, figures in rates.items():
        own = "Quintain, 4096 states" if "4096" in name else "Quintain, 1024 states"
        mean, half = interval(figures)
        beside = "–"
        if name != own and own in rates:
            ratio = interval([ours / theirs for ours, theirs in zip(rates[own], figures, strict=True)])
            beside = f"{ratio[0]:.3g} ± {ratio[1]:.2g} ×"
        print(f"| {name} | {million(mean)} ± {million(half)} | {beside} |", flush=True)


def print_other_games(seconds: float, repeats: int) -> None:
    """Print the table of games that differ."""
    rates = measure_in_turns(prepare(OTHER_GAMES), seconds, repeats)
    print("| library, game | steps a second of processor time |")
    print("|---|---|")
    for name, figures in rates.items():
        mean, half = interval(figures)
        print(f"| {name} | {million(mean)} ± {million(half)} |", flush=True)


def main() -> None:
    """Print both tables."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    keep_to_one_core()
    # Connect four has no chance, which our batch warns of.
    warnings.simplefilter("ignore", quintain.SeedWarning)
    print_same_game(seconds, repeats)
    print()
    print_other_games(seconds, repeats)


if __name__ == "__main__":
    main()
