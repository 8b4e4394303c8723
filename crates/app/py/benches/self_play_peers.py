"""Our AlphaZero-like self-play beside OpenSpiel's, and beside Pgx with mctx, in one run.

    cargo build --release -p connect-four
    python self_play_peers.py [seconds]

Install the peers into an environment of their own (`pip install pgx mctx open_spiel flax optax`); one that
is missing is left out, and the table says so. All play connect four against themselves with 32
simulations a decision and a residual network of 32 channels in two blocks, float32, on the processor.
The table counts decisions a second of processor time, however many threads they were spread over; what
JAX compiles is compiled before. Our network is that of the repository, in floats like the peers' and
rounded to integers of 16 bits (`--precision i16` of the trainer). The peers' networks have random weights,
which take as long. `quintain` must be on Python's search path (`PYTHONPATH=crates/app/py/python`).

- Pgx and mctx: `gumbel_muzero_policy` on so many games at once that more would be no faster, with a
  network of exactly the same layers as ours.
- OpenSpiel: the actor of its AlphaZero in Python, unchanged: one game, one position for each evaluation,
  which its cache keeps. Its network has batch normalization, and heads of its own. (No package contains
  its AlphaZero in C++.)
"""

from __future__ import annotations

import importlib
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import measure

from quintain.train.network import Network

SIMULATIONS = 32
CHANNELS, BLOCKS, HEADS, HIDDEN = 32, 2, (8, 4), 32
ROOT = Path(__file__).resolve().parents[4]
COMMAND = ROOT / "target" / "release" / "connect-four"
NETWORK = ROOT / "examples" / "connect-four" / "networks" / "connect-four.safetensors"


def ours(seconds: float, precision: str) -> float:
    """Return the decisions of `connect-four self-play` a second of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        network = Network.load(NETWORK)
        network.shape = replace(network.shape, precision=precision)
        file = Path(folder, "network.safetensors")
        network.save(file)
        return measure_ours(seconds, file)


def measure_ours(seconds: float, network: Path) -> float:
    """Return the best of three runs."""
    best = 0.0
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            # As in training, matches begin with up to eight random turns, which are not counted.
            arguments = ["connect-four", "--net", network, "--out", folder, "--threads", "1"]
            arguments += ["--matches", str(64 * max(1, round(seconds))), "--random-turns", "8"]
            arguments += ["--simulations", str(SIMULATIONS)]
            subprocess.run([COMMAND, "self-play", *arguments], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = max(best, positions(folder) / spent)
    return best


def positions(folder: str) -> int:
    """Return how many positions were written."""
    import numpy as np

    return sum(len(np.load(shard, mmap_mode="r")) for shard in Path(folder).glob("*.npy"))


def pgx_with_mctx(games: int, seconds: float) -> float:
    """Return the decisions a second of a batch of Pgx games that mctx plays with a network like ours."""
    jax, mctx, pgx = (importlib.import_module(name) for name in ("jax", "mctx", "pgx"))
    nn = importlib.import_module("flax.linen")
    jnp = jax.numpy
    env = pgx.make("connect_four")
    begin_again = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)

    class Network(nn.Module):
        @nn.compact
        def __call__(self, boards):
            x = nn.relu(nn.Conv(CHANNELS, (3, 3))(boards.astype(jnp.float32)))
            for _ in range(BLOCKS):
                half = nn.relu(nn.Conv(CHANNELS, (3, 3))(x))
                x = nn.relu(x + nn.Conv(CHANNELS, (3, 3))(half))
            policy, value = (nn.relu(nn.Conv(n, (1, 1))(x)).reshape(len(x), -1) for n in HEADS)
            value = nn.Dense(1)(nn.relu(nn.Dense(HIDDEN)(value)))[:, 0]
            return nn.Dense(env.num_actions)(policy), jnp.clip(value, -1, 1)

    network = Network()
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
    weights = network.init(jax.random.PRNGKey(1), states.observation)

    def mask(logits, legal):
        return jnp.where(legal, logits, jnp.finfo(logits.dtype).min)

    def expand(weights, key, action, state):
        seat = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = network.apply(weights, state.observation)
        over = state.terminated
        output = mctx.RecurrentFnOutput(
            reward=jax.vmap(lambda rewards, seat: rewards[seat])(state.rewards, seat),
            discount=jnp.where(over, 0.0, -1.0),
            prior_logits=mask(logits, state.legal_action_mask),
            value=jnp.where(over, 0.0, value),
        )
        return output, state

    @jax.jit
    def turn(state, key):
        search, again, key = jax.random.split(key, 3)
        logits, value = network.apply(weights, state.observation)
        root = mctx.RootFnOutput(
            prior_logits=mask(logits, state.legal_action_mask), value=value, embedding=state
        )
        found = mctx.gumbel_muzero_policy(
            weights,
            search,
            root,
            expand,
            num_simulations=SIMULATIONS,
            invalid_actions=~state.legal_action_mask,
        )
        keys = jax.random.split(again, games)
        return jax.vmap(begin_again)(state, found.action, keys), key

    carry = (states, jax.random.PRNGKey(2))

    def run() -> int:
        nonlocal carry
        carry = jax.block_until_ready(turn(*carry))
        return games

    return measure(run, seconds).per_cpu_second


def open_spiel(seconds: float) -> float:
    """Return the decisions a second of an actor of OpenSpiel's AlphaZero."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    spiel = importlib.import_module("pyspiel")
    package = "open_spiel.python.algorithms.alpha_zero"
    alpha_zero, evaluator, models = (
        importlib.import_module(f"{package}.{name}") for name in ("alpha_zero", "evaluator", "utils")
    )
    searches = importlib.import_module("open_spiel.python.algorithms.mcts")
    game = spiel.load_game("connect_four")
    model = models.api_selector("nnx").Model.build_model(
        "resnet",
        game.observation_tensor_shape(),
        game.num_distinct_actions(),
        CHANNELS,
        BLOCKS,
        weight_decay=1e-4,
        learning_rate=1e-3,
        path=None,
    )
    asked = evaluator.AlphaZeroEvaluator(game, model)
    bot = searches.MCTSBot(
        game,
        2,
        SIMULATIONS,
        asked,
        dirichlet_noise=(0.25, 1),
        child_selection_fn=searches.SearchNode.puct_value,
        dont_return_chance_node=True,
    )

    class Silent:
        def print(self, *_):
            pass

        opt_print = print

    def run() -> int:
        return len(alpha_zero._play_game(Silent(), 0, game, [bot, bot], 1, 10).states)

    return measure(run, seconds).per_cpu_second


def best_of_batches(seconds: float) -> float:
    """Return the best rate among several numbers of games."""
    return max(pgx_with_mctx(games, seconds) for games in (64, 256, 1024))


PEERS: list[tuple[str, Callable[[float], float]]] = [
    ("Pgx with mctx, games side by side", best_of_batches),
    ("OpenSpiel's AlphaZero in Python", open_spiel),
]


def main() -> None:
    """Print the table; all are compared with our self-play."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    if not COMMAND.exists():
        sys.exit(f"{COMMAND} is not there; build it: cargo build --release -p connect-four")
    floats, rounded = (ours(seconds, precision) for precision in ("f32", "i16"))
    print("| self-play | decisions a second of processor time | Quintain's beside it, i16 | f32 |")
    print("|---|---|---|---|")
    print(f"| Quintain, i16 | {rounded:.0f} | 1 | |")
    print(f"| Quintain, f32 | {floats:.0f} | {rounded / floats:.1f} × | 1 |", flush=True)
    for name, run in PEERS:
        try:
            rate = partial(run, seconds)()
            print(f"| {name} | {rate:.1f} | {rounded / rate:.1f} × | {floats / rate:.1f} × |", flush=True)
        except ImportError as missing:
            print(f"| {name} | left out: {missing} | – | – |", flush=True)


if __name__ == "__main__":
    main()
