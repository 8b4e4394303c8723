"""What cannot be is one line that names the argument; what means nothing is refused."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from choices import first_legal
from gymnasium.vector import AutoresetMode
from nim import Nim

import quintain
import quintain.pettingzoo as parallel
from quintain import search


NETWORK = Path(__file__).parents[3] / "games/tron/networks/tron.safetensors"


class Up(quintain.Player):
    def decide(self, observation, question):
        return question.actions[0]


def tron():
    return quintain.Game("tron", "empty")


def batch(**options):
    return quintain.Batch("tron", "empty", 4, **options)


def vector(**options):
    return gymnasium.make_vec("quintain/Tron-v0", num_envs=2, scenario="empty", **options)


def single(**options):
    return gymnasium.make("quintain/Tron-v0", scenario="empty", **options).unwrapped


def begun(env):
    env.reset(seed=1)
    return env


SEED = "expected a whole number from 0 to 18446744073709551615"

#: What is called, the error, and a part of its line.
REFUSED = {
    "a game's name": (lambda: quintain.Game(3), TypeError, "name=3: expected a string"),
    "a scenario": (
        lambda: quintain.play("tron", "random", scenario=3),
        TypeError,
        "scenario=3: expected a string",
    ),
    "a match's budget": (
        lambda: quintain.play("tron", "random", budget=3),
        TypeError,
        "budget=3: expected a string",
    ),
    "a module of WebAssembly": (
        lambda: quintain.play("tron", ["wasm:bot.wasm", "random"]),
        ValueError,
        "WebAssembly modules play only with the command that comes with this package",
    ),
    "a program": (
        lambda: quintain.play("tron", ["random", "bot:mine"]),
        ValueError,
        "programs play only with the command that comes with this package",
    ),
    "a tournament's game": (
        lambda: quintain.tournament(3, ["random"]),
        TypeError,
        "game=3: expected a string",
    ),
    "a tournament's budget": (
        lambda: quintain.tournament("tron", ["random", "greedy"], budget=3),
        TypeError,
        "budget=3: expected a string",
    ),
    "a batch's game": (lambda: quintain.Batch(3), TypeError, "game=3: expected a string"),
    "a batch's encoding": (lambda: batch(encoding=3), TypeError, "encoding=3: expected a string"),
    "an environment's budget": (lambda: single(budget=3), TypeError, "budget=3: expected a string"),
    "an adviser's player": (lambda: tron().adviser(3), TypeError, "player=3: expected a string"),
    "no truth value for letters": (
        lambda: quintain.Batch("hextris", letters=3),
        TypeError,
        "letters=3: expected True or False",
    ),
    "no truth value for an environment's letters": (
        lambda: single(letters="yes"),
        TypeError,
        "letters='yes': expected True or False",
    ),
    "no truth value for masks": (lambda: batch(masks=None), TypeError, "masks=None: expected True"),
    "a match's notes": (
        lambda: quintain.play("tron", "random", notes=3),
        TypeError,
        "notes=3: expected True or False",
    ),
    "a tournament's notes": (
        lambda: quintain.tournament("tron", ["random", "greedy"], notes=3),
        TypeError,
        "notes=3: expected True or False",
    ),
    "a tournament's store": (
        lambda: quintain.tournament("tron", ["random", "greedy"], store=3),
        TypeError,
        "store=3: expected a path",
    ),
    "what is tuned for": (
        lambda: quintain.tune("tron", "uct", ["exploration=0.1..2"], gain=3),
        TypeError,
        "gain=3: expected a string",
    ),
    "an action of a match": (
        lambda: tron().begin(1).check(3),
        TypeError,
        "action=3: expected a string",
    ),
    "a frame": (
        lambda: quintain.tournament("tron", ["random", "greedy"], seeds=1).standings(3),
        TypeError,
        "frame=3: expected a string",
    ),
    "a record's text": (lambda: quintain.Record.from_json(3), TypeError, "text=3: expected a string"),
    "a path of records": (lambda: quintain.load_records(3), TypeError, "path=3: expected a path"),
    "overlays": (
        lambda: tron().begin(1).render(overlays="x"),
        TypeError,
        "overlays='x': expected a list of strings",
    ),
    "marks of a reset": (
        lambda: batch().reset(which=3),
        TypeError,
        "which=3: expected an array of booleans",
    ),
    "a search's exploration": (
        lambda: search.uct(Nim(9), exploration="x"),
        TypeError,
        "exploration='x': expected a number",
    ),
    "a seat of a picture": (
        lambda: begun(single()).state.render("ansi", 7),
        ValueError,
        "seat 7: expected 0 to 1",
    ),
    "a seat that is to act": (
        lambda: begun(single()).state.acts(10**6),
        ValueError,
        "seat 1000000: expected 0 to 1",
    ),
    "a policy's name": (
        lambda: quintain.policy_player("a b/c?", first_legal),
        ValueError,
        "name='a b/c?': expected a string without spaces",
    ),
    "no name": (lambda: quintain.policy_player("", first_legal), ValueError, "name='': expected"),
    "a number for a name": (lambda: quintain.policy_player(5, first_legal), TypeError, "name=5: exp"),
    "no policy": (
        lambda: quintain.policy_player("mine", 5),
        TypeError,
        "policy=5: expected a function of arrays",
    ),
    "a policy's version": (
        lambda: quintain.policy_player("mine", first_legal, version=-1),
        ValueError,
        "version=-1: expected a whole number from 0 to 4294967295",
    ),
    "a policy's encoding": (
        lambda: quintain.policy_player("mine", first_legal, encoding="foo"),
        ValueError,
        "encoding='foo': expected one of board, ",
    ),
    "a snapshot": (
        lambda: single(opponent="self").add_snapshot(5),
        TypeError,
        "policy=5: expected a function of arrays",
    ),
    "progress of a tournament": (
        lambda: quintain.tournament("tron", ["random", "greedy"], progress=5),
        TypeError,
        "progress=5: expected a function of two numbers, or None",
    ),
    "progress of tuning": (
        lambda: quintain.tune("tron", "uct", ["exploration=0.1..2"], progress="x"),
        TypeError,
        "progress='x': expected a function",
    ),
    "nothing to tune": (
        lambda: quintain.tune("tron", "uct", []),
        ValueError,
        "parameters=[]: expected at least one",
    ),
    "one text for parameters": (
        lambda: quintain.tune("tron", "uct", "exploration=0.1..2"),
        TypeError,
        "parameters='exploration=0.1..2': expected a list of strings",
    ),
    "one text for scenarios": (
        lambda: quintain.tournament("tron", ["random", "greedy"], scenarios="empty"),
        TypeError,
        "scenarios='empty': expected a list of strings",
    ),
    "an empty vector": (
        lambda: gymnasium.make_vec("quintain/Tron-v0", num_envs=0),
        ValueError,
        "num_envs=0: expected a whole number from 1",
    ),
    "an empty vector of self-play": (
        lambda: gymnasium.make_vec("quintain/Tron-v0", num_envs=0, opponent="self"),
        ValueError,
        "num_envs=0: expected a whole number from 1",
    ),
    "a list of actions": (
        lambda: begun(parallel.tron("empty")).step([0, 1]),
        TypeError,
        "actions=[0, 1]: expected a dictionary with an action for each agent: seat_0, seat_1",
    ),
    "a step before a sequential reset": (
        lambda: parallel.Sequential("tron", "codingame").step(0),
        ValueError,
        "call reset() first",
    ),
    "records of a folder": (
        lambda: quintain.load_records(Path(__file__).parent),
        IsADirectoryError,
        "is a folder; expected a file of records, or a store",
    ),
    "a batch's seed": (lambda: batch(seed=-1), ValueError, f"seed=-1: {SEED}"),
    "a batch's great seed": (lambda: batch(seed=1 << 64), ValueError, SEED),
    "a batch's half seed": (lambda: batch(seed=1.5), TypeError, f"seed=1.5: {SEED}"),
    "a batch's count": (
        lambda: quintain.Batch("tron", "empty", -3),
        ValueError,
        "count=-3: expected a whole number of at least 1",
    ),
    "a reset's seeds": (
        lambda: batch().reset([1, 2, 3.0, 4]),
        TypeError,
        f"seed[2]=3.0: {SEED}",
    ),
    "a reset's seed": (lambda: batch().reset(-1), ValueError, f"seed=-1: {SEED}"),
    "a reset's word": (lambda: batch().reset("ab"), TypeError, f"seed[0]='a': {SEED}"),
    "a reset's few seeds": (lambda: batch().reset([1, 2]), ValueError, "2 seeds for 4 states"),
    "a state": (lambda: batch().render(-1), IndexError, "state -1: the batch has states 0 to 3"),
    "a great state": (lambda: batch().scenario_of(4), IndexError, "state 4: the batch has"),
    "a match's seed": (lambda: tron().begin(-1), ValueError, f"seed=-1: {SEED}"),
    "a match's seat": (
        lambda: tron().begin(1).actions(-1),
        ValueError,
        "seat=-1: expected a whole number of at least 0",
    ),
    "a turn": (
        lambda: tron().adviser("random").decide(tron().begin(1).observation(0), turn=-1),
        ValueError,
        "turn=-1: expected a whole number from 0 to",
    ),
    "an environment's seed": (lambda: single().reset(seed=-1), ValueError, f"seed=-1: {SEED}"),
    "a vector's seed": (lambda: vector().reset(seed=1.5), TypeError, f"seed=1.5: {SEED}"),
    "a vector's word": (lambda: vector().reset(seed="a"), TypeError, f"seed='a': {SEED}"),
    "a vector's seeds": (
        lambda: vector().reset(seed=[1.0, 2]),
        TypeError,
        f"seed[0]=1.0: {SEED}",
    ),
    "options": (lambda: single().reset(options=3), TypeError, "options=3: expected a dictionary"),
    "an option": (
        lambda: single().reset(options={"fast": 1}),
        ValueError,
        "unknown option 'fast' of reset; there are none",
    ),
    "a vector's option": (
        lambda: vector().reset(options={"mask": 1}),
        ValueError,
        "unknown option 'mask' of reset; known: reset_mask",
    ),
    "a step before reset": (lambda: single().step(0), ValueError, "call reset() first"),
    "masks before reset": (lambda: single().action_masks(), ValueError, "call reset() first"),
    "a vector's step before reset": (
        lambda: vector().step(np.zeros(2, np.int64)),
        gymnasium.error.ResetNeeded,
        "call reset() first",
    ),
    "a look before reset": (
        lambda: parallel.tron("empty").observe("seat_0"),
        ValueError,
        "call reset() first",
    ),
    "an opponent that is a class": (
        lambda: single(opponent=Up),
        TypeError,
        "expected players of the roster as strings",
    ),
    "no opponents": (lambda: batch(opponent=[]), ValueError, "expected at least one player"),
    "a seat without opponents": (
        lambda: batch(seat=1),
        ValueError,
        "seat: there are no opponents; name one",
    ),
    "a budget without opponents": (
        lambda: gymnasium.make("quintain/Hextris-v0", budget="nodes=5"),
        ValueError,
        "budget: there are no opponents; name one",
    ),
    "a snapshot's budget": (
        lambda: vector(opponent="self", budget="nodes=5"),
        ValueError,
        "a budget is for players of the roster",
    ),
    "half an action": (
        lambda: begun(single()).step(1.9),
        TypeError,
        "action=1.9: expected a whole number from 0 to 3",
    ),
    "an action in text": (lambda: begun(single()).step("1"), TypeError, "action='1': expected"),
    "half an action of a pair": (
        lambda: begun(parallel.tron("empty")).step({"seat_0": 1.9, "seat_1": 0}),
        TypeError,
        "seat_0: action=1.9: expected a whole number from 0 to 3",
    ),
    "an action of nobody": (
        lambda: begun(parallel.tron("empty")).step({"seat_0": 1, "seat_1": 0, "seat_2": 0}),
        ValueError,
        "'seat_2' is not an agent",
    ),
    "half an action in turn": (
        lambda: begun(parallel.Sequential("tron", "codingame")).step(0.5),
        TypeError,
        "seat_0: action=0.5: expected",
    ),
    "half actions of a vector": (
        lambda: begun(vector()).step(np.array([0.5, 1])),
        TypeError,
        "expected whole numbers, not an array of float64",
    ),
    "half actions beside snapshots": (
        lambda: begun(vector(opponent="self")).step(np.array([0.5, 1])),
        TypeError,
        "expected whole numbers, not an array of float64",
    ),
    "an action of a seat that does not move": (
        lambda: tron().begin(1).play({0: "U", 1: "D", 2: "L"}),
        ValueError,
        "seat 2 does not move now",
    ),
    "actions of another kind": (
        lambda: tron().begin(1).play(3),
        TypeError,
        "expected a string, a list of strings",
    ),
    "no questions at once": (
        lambda: quintain.policy_player("mine", len, batch=0),
        ValueError,
        "batch=0: expected a whole number from 1 to 1024",
    ),
    "no threads": (
        lambda: quintain.tournament("tron", ["random", "greedy"], threads=0),
        ValueError,
        "threads=0: expected a whole number from 1 to 1024",
    ),
    "a million threads": (
        lambda: quintain.tournament("tron", ["random", "greedy"], threads=10**6),
        ValueError,
        "threads=1000000: expected a whole number from 1 to 1024",
    ),
    "no threads to tune": (
        lambda: quintain.tune("tron", "uct", ["exploration=0.1..2"], threads=0),
        ValueError,
        "threads=0: expected",
    ),
    "seeds of a tournament": (
        lambda: quintain.tournament("tron", ["random", "greedy"], seeds=-1),
        ValueError,
        "seeds=-1: expected a whole number from 1 to 1000000000",
    ),
    "too many seeds of a tournament": (
        lambda: quintain.tournament("tron", ["random", "greedy"], seeds=10**12),
        ValueError,
        "seeds=1000000000000: expected a whole number from 1 to 1000000000",
    ),
    "more matches than memory holds": (
        lambda: quintain.tournament("tron", ["random", "greedy"], seeds=10**9),
        ValueError,
        "seeds: 2000000000 matches, but at most 10000000 are kept in memory",
    ),
    "too many seeds to tune": (
        lambda: quintain.tune("tron", "uct", ["exploration=0.1..2"], seeds=10**9),
        ValueError,
        "1000000000 seeds a generation: expected 1000000 at most",
    ),
    "too many held-out seeds": (
        lambda: quintain.tune("tron", "uct", ["exploration=0.1..2"], held_out=10**9),
        ValueError,
        "1000000000 held-out seeds: expected 1000000 at most",
    ),
    "a first seed without any after it": (
        lambda: quintain.tune("tron", "uct", ["exploration=0.1..2"], seed=2**64 - 1),
        ValueError,
        "seed 18446744073709551615: 80 seeds from there go beyond the last number",
    ),
    "seeds beside a file": (
        lambda: quintain.tournament("cup.toml", seeds=3),
        ValueError,
        "seeds: the tournament file sets this",
    ),
    "a turn of a replay": (
        lambda: quintain.play("tron", "random").replay().played(-1),
        IndexError,
        "turn -1: ",
    ),
    "a player's version": (
        lambda: quintain.play("tron", type("Old", (Up,), {"version": -1})),
        ValueError,
        "version=-1: expected a whole number from 0",
    ),
    "iterations": (
        lambda: search.uct(Nim(9), iterations=-5),
        ValueError,
        "iterations=-5: expected a whole number from 1",
    ),
    "a beam's depth": (
        lambda: search.beam(Nim(9), depth=10**18),
        ValueError,
        "depth=1000000000000000000: expected",
    ),
    "a network on a wrong board": (
        lambda: quintain.play("tron", f"net?file={NETWORK}", scenario="empty?width=12&height=12"),
        ValueError,
        "the network is for boards of 15×15, but this scenario has 12×12; it was trained on",
    ),
    "steps of an episode": (
        lambda: vector(max_episode_steps=0),
        ValueError,
        "max_episode_steps=0: expected a whole number from 1",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_one_line_that_names_it(what):
    call, error, said = REFUSED[what]
    with pytest.raises(error) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_that_mean_nothing_to_pettingzoo_are_warned_of():
    with pytest.warns(UserWarning, match="'fast': 1}: reset has no options"):
        parallel.tron("empty").reset(seed=1, options={"fast": 1})


def test_a_closed_vector_does_nothing_more():
    for options in ({}, {"opponent": "self"}):
        envs = vector(**options)
        envs.reset(seed=1)
        envs.close()
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="has been closed"):
            envs.step(np.zeros(2, np.int64))
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            envs.reset()


@pytest.mark.parametrize("answer", [1.9, "1", 7, None])
def test_a_policy_that_answers_no_action_is_at_fault(answer):
    player = quintain.policy_player("mine", lambda seen: answer)
    fault = quintain.play("tron", [player, "random"], scenario="empty").fault
    assert f"the policy's answer={answer!r}: expected a whole number from 0 to 3" in fault["detail"]


def test_a_policy_that_answers_halves_for_many_is_at_fault():
    player = quintain.policy_player(
        "mine", lambda seen: np.full(len(seen["board"]), 1.9), batch=2
    )
    record = quintain.play("tron", [player, "random"], scenario="empty")
    assert "the policy's answers: expected whole numbers" in record.fault["detail"]


@pytest.mark.parametrize(
    ("answers", "error", "said"),
    [
        (lambda count: np.full(count, 1.5), TypeError, "answers of snapshot 0: expected whole"),
        (lambda count: np.full(count, 4), ValueError, "answers of snapshot 0[0]=4: expected 0 to 3"),
        (lambda count: np.zeros((count, 2), np.int64), ValueError, "expected an array of shape"),
    ],
)
def test_snapshots_that_answer_no_actions_are_told_so(answers, error, said):
    envs = vector(opponent="self")
    envs.add_snapshot(lambda seen: answers(len(seen["board"])))
    envs.reset(seed=1)
    with pytest.raises(error) as caught:
        envs.step(np.zeros(2, np.int64))
    assert said in str(caught.value)
    # Nothing has moved: with another snapshot it goes on.
    envs.snapshots[0] = lambda seen: seen["action_mask"].argmax(axis=1)
    assert (envs.step(np.zeros(2, np.int64))[0]["features"] == 1).all()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_vector_against_snapshots_takes_what_the_other_vectors_take(mode):
    envs = vector(
        opponent="self", autoreset_mode=mode, copy=False, render_mode="ansi", max_episode_steps=3
    )
    assert envs.metadata["autoreset_mode"] == mode
    _, info = envs.reset(seed=1)
    assert len(envs.render()) == 2
    for step in range(1, 4):
        _, _, terminated, truncated, info = envs.step(info["action_mask"].argmax(axis=1))
        assert terminated.any() or truncated.all() == (step == 3)
        if terminated.any():
            break
