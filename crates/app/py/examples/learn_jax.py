"""A network learns by proximal policy optimisation (PPO, Schulman and others 2017), in JAX.

    pip install jax optax
    python learn_jax.py tron [minutes]       # against players of ours
    python learn_jax.py hextris [minutes]    # another problem each episode

All environments are stepped in Rust at once. The policy sees the board as planes, one for each kind of cell
(in tron, the part of the board around its own head), and never takes an action that the mask forbids. In
hextris, where points come late, rewards also count what the board promises. At the end the policy takes a
seat in matches, as any player does, and is measured on seeds that it has not met.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax

import quintain

ENVIRONMENTS, STEPS, PASSES, PARTS = 256, 64, 3, 8
DISCOUNT, TRACE, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3

#: The options of the environments, and the number that rewards are divided by.
TASKS = {
    "tron": ({"scenario": "empty", "opponent": ["random", "greedy"]}, 1.0),
    "hextris": ({"scenario": "drawn?size=0&phrases=none"}, 100.0),
}
#: In tron: the byte of a wall, that of one's own head, and how far the policy sees around it.
WALL, OWN_HEAD, RADIUS = 1, 6, 6
#: In hextris: the byte of a full cell.
FULL = 1


def look_around(board):
    """Return the surroundings of one's own head, since what matters is where things are from there."""
    rows, columns = board.shape[1:]
    head = (board == OWN_HEAD).reshape(len(board), -1).argmax(axis=1)
    wide = jnp.pad(board, ((0, 0), (RADIUS, RADIUS), (RADIUS, RADIUS)), constant_values=WALL)
    side = 2 * RADIUS + 1

    def cut(board, head):
        return jax.lax.dynamic_slice(board, (head // columns, head % columns), (side, side))

    return jax.vmap(cut)(wide, head)


@jax.jit
def promise(board):
    """Return how promising boards of hextris are: full rows low down, and little above them."""
    filled = (board == FULL).mean(axis=2)
    depth = jnp.arange(1, board.shape[1] + 1) / board.shape[1]
    return (filled**2 * depth).sum(axis=1) - 0.5 * (filled * (1 - depth)).sum(axis=1)


def shape(reward, seen, board, over):
    """Return rewards, with the change in what the boards promise added.

    Over an episode, what is added sums to the same for all ways to play, so the best way stays the best
    (potential-based shaping, Ng, Harada and Russell 1999).
    """
    return reward + DISCOUNT * np.asarray(promise(board)) * ~over - np.asarray(promise(seen))


def prepare(observation, values):
    """Return inputs of a size around one: a plane for each byte that the board may hold, and features."""
    board = observation["board"]
    if values > OWN_HEAD:
        board = look_around(board)
    planes = jax.nn.one_hot(board, values).reshape(len(board), -1)
    features = jnp.sign(observation["features"]) * jnp.log1p(abs(observation["features"]))
    return jnp.concatenate([planes, features.astype(jnp.float32)], axis=1)


def initialise(key, observation, actions, values):
    """Return random weights: two hidden layers, a policy and a value."""
    size = prepare(observation, values).shape[1]
    shapes = {"first": (size, 256), "second": (256, 128), "policy": (128, actions), "value": (128, 1)}
    keys = jax.random.split(key, len(shapes))
    weights = {}
    for one, (name, shape) in zip(keys, shapes.items(), strict=True):
        scale = 0.01 if name == "policy" else np.sqrt(2 / shape[0])
        weights[name] = jax.random.normal(one, shape) * scale
        weights[name + " bias"] = jnp.zeros(shape[-1])
    return weights


def judge(weights, seen, mask):
    """Return log-probabilities of the actions, and the value of the state."""
    hidden = jax.nn.relu(seen @ weights["first"] + weights["first bias"])
    hidden = jax.nn.relu(hidden @ weights["second"] + weights["second bias"])
    logits = hidden @ weights["policy"] + weights["policy bias"]
    logits = jnp.where(mask > 0, logits, -1e9)
    value = hidden @ weights["value"] + weights["value bias"]
    return jax.nn.log_softmax(logits), value[:, 0]


@partial(jax.jit, static_argnames="values")
def act(weights, observation, mask, key, values):
    """Draw an action for each state; return it with its log-probability and the value."""
    chances, value = judge(weights, prepare(observation, values), mask)
    action = jax.random.categorical(key, chances)
    return action, jnp.take_along_axis(chances, action[:, None], axis=1)[:, 0], value


@partial(jax.jit, static_argnames="values")
def choose(weights, observation, mask, values):
    """Return the likeliest action of each state."""
    return judge(weights, prepare(observation, values), mask)[0].argmax(axis=1)


@jax.jit
def advantages(rewards, ends, values, last):
    """Return generalised advantages (Schulman and others 2015), and the targets of the values."""

    def back(carry, row):
        trace, following = carry
        reward, end, value = row
        error = reward + DISCOUNT * following * (1 - end) - value
        trace = error + DISCOUNT * TRACE * (1 - end) * trace
        return (trace, value), trace

    rows = (rewards, ends, values)
    _, found = jax.lax.scan(back, (jnp.zeros_like(last), last), rows, reverse=True)
    return found, found + values


def loss(weights, part, values):
    """Return the loss: clipped policy gain, error of the value, lack of entropy."""
    chances, value = judge(weights, prepare(part["seen"], values), part["mask"])
    own = jnp.take_along_axis(chances, part["action"][:, None], axis=1)[:, 0]
    ratio = jnp.exp(own - part["chance"])
    gain = (part["gain"] - part["gain"].mean()) / (part["gain"].std() + 1e-8)
    clipped = jnp.clip(ratio, 1 - CLIP, 1 + CLIP)
    policy = -jnp.minimum(ratio * gain, clipped * gain).mean()
    error = 0.5 * ((value - part["return"]) ** 2).mean()
    spread = -(jnp.exp(chances) * jnp.where(part["mask"] > 0, chances, 0)).sum(axis=1).mean()
    return policy + error - ENTROPY * spread


def learn(task, minutes):
    """Return a policy that plays as the network does after training for so many minutes."""
    options, scale = TASKS[task]
    name = f"quintain/{task.title()}-v0"
    envs = gymnasium.make_vec(
        name, num_envs=ENVIRONMENTS, vectorization_mode=None, autoreset_mode="SameStep", **options
    )
    values = envs.batch.layout["values"]
    optimiser = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(RATE))
    observation, info = envs.reset(seed=1)
    key = jax.random.PRNGKey(1)
    weights = initialise(key, observation, int(envs.single_action_space.n), values)
    momenta = optimiser.init(weights)

    @jax.jit
    def improve(weights, momenta, part):
        slope = jax.grad(loss)(weights, part, values)
        updates, momenta = optimiser.update(slope, momenta)
        return optax.apply_updates(weights, updates), momenta

    begun, steps, told, sums = time.time(), 0, 0.0, []
    total = np.zeros(ENVIRONMENTS)
    while time.time() - begun < 60 * minutes:
        rows = []
        for _ in range(STEPS):
            key, draw = jax.random.split(key)
            mask = info["action_mask"]
            action, chance, value = act(weights, observation, mask, draw, values)
            seen = observation
            observation, reward, terminated, truncated, info = envs.step(np.asarray(action))
            over = terminated | truncated
            total += reward
            sums.extend(total[over])
            total[over] = 0
            reward = reward / scale
            if task == "hextris":
                reward = shape(reward, seen["board"], observation["board"], over)
            rows.append((seen, mask, action, chance, value, reward, over))
        steps += STEPS * ENVIRONMENTS
        key, draw, mix = jax.random.split(key, 3)
        *_, last = act(weights, observation, info["action_mask"], draw, values)
        parts = [jax.tree.map(lambda *each: jnp.stack(each), *column) for column in zip(*rows)]
        seen, mask, action, chance, value, reward, over = parts
        gain, wanted = advantages(reward, over.astype(jnp.float32), value, last)
        flat = jax.tree.map(
            lambda array: array.reshape(-1, *array.shape[2:]),
            {
                "seen": seen,
                "mask": mask,
                "action": action,
                "chance": chance,
                "gain": gain,
                "return": wanted,
            },
        )
        for _ in range(PASSES):
            mix, draw = jax.random.split(mix)
            order = jax.random.permutation(draw, STEPS * ENVIRONMENTS).reshape(PARTS, -1)
            for which in order:
                part = jax.tree.map(lambda array, which=which: array[which], flat)
                weights, momenta = improve(weights, momenta, part)
        if time.time() - told > 20:
            told = time.time()
            recent = np.mean(sums[-500:]) if sums else float("nan")
            print(f"{told - begun:5.0f} s, {steps:9} steps, sum of rewards {recent:.2f}", flush=True)

    def policy(seen):
        mask = seen["action_mask"]
        return choose(weights, {key: seen[key] for key in ["board", "features"]}, mask, values)

    return policy


def main(task="tron", minutes=10.0, seeds=100):
    """Learn, and measure the result on seeds of its own."""
    if task not in TASKS:
        sys.exit(f"unknown task {task}: expected one of {', '.join(TASKS)}")
    options, _ = TASKS[task]
    player = quintain.policy_player("learnt", learn(task, minutes), batch=32)
    if task == "tron":
        rivals, scenarios = ["random", "greedy"], [options["scenario"]]
    else:
        # Every problem is a scenario of its own and is played once.
        rivals = ["random", "greedy"]
        scenarios = [f"{options['scenario']}&seed={10_000 + seed}" for seed in range(seeds)]
        seeds = 1
    results = quintain.tournament(
        task, [player, *rivals], scenarios=scenarios, seeds=seeds, seed=10_000, threads=32
    )
    print(results)
    return results


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
