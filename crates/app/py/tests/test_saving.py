"""What is pickled or copied goes on as what it was made from."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from choices import drawn, first_legal, first_legal_of_each

import quintain


def test_draws_go_on_where_a_pickle_left_them():
    batch = quintain.Batch("tron", "empty", 30, seed=2)
    batch.sample()
    again = pickle.loads(pickle.dumps(batch))
    assert np.array_equal(batch.sample(), again.sample())


def test_pickles_of_before_are_read():
    batch = quintain.Batch("tron", "empty", 30, seed=2)
    random = np.random.default_rng(1)
    for _ in range(30):
        batch.step(drawn(batch.masks, random))
    _, _, (episodes, arrays, draws) = batch.__reduce__()
    assert isinstance(draws, int)
    again = quintain.Batch("tron", "empty", 30)
    again.__setstate__((episodes, arrays))
    for name in ("board", "seeds", "rewards", "scores"):
        assert np.array_equal(getattr(batch, name), getattr(again, name))
    episodes[3] = (episodes[3][0], 0, 77, episodes[3][3])
    with pytest.raises(ValueError, match="state 3: its episode cannot be played"):
        again.__setstate__((episodes, arrays))
    with pytest.raises(ValueError, match="interrupted or failed"):
        again.step(np.zeros((30, 2), np.uint8))


def test_encoders_advisers_and_policies_are_pickled():
    game = quintain.Game("hextris", "drawn?size=6")
    seen = game.begin(1).observation(0)
    encoder = quintain.Encoder("hextris", "drawn?size=6", encoding="letters")
    again = pickle.loads(pickle.dumps(encoder))
    assert again.layout == encoder.layout
    assert np.array_equal(again.encode(seen)["board"], encoder.encode(seen)["board"])
    tron = quintain.Game("tron", "empty")
    adviser = tron.adviser("uct", seat=1, seed=5, budget="iterations=50")
    again = pickle.loads(pickle.dumps(adviser))
    assert (again.player, again.seat) == (adviser.player, adviser.seat)
    seen = tron.begin(2).observation(1)
    assert again.decide(seen) == adviser.decide(seen)
    player = quintain.policy_player("mine", first_legal_of_each, version=3, batch=4)
    again = pickle.loads(pickle.dumps(player))
    assert (again.name, again.version, again.concurrent) == ("mine", 3, True)
    plain = pickle.loads(pickle.dumps(quintain.policy_player("mine", first_legal)))
    assert quintain.play("tron", [plain, "random"], scenario="empty").fault is None


SAVED = [
    ("tron", "empty", {}),
    ("gather", "torus?players=4&limit=60", {}),
    ("hextris", "drawn?size=6", {}),
    ("polymer", "random?n=12", {}),
    ("pentocity", "random?side=8", {}),
    ("tron", "empty", {"opponent": ["greedy", "random"]}),
]


@pytest.mark.parametrize(("game", "scenario", "options"), SAVED)
@pytest.mark.parametrize("save", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_saved_batch_goes_on_as_the_one_it_was_saved_from(game, scenario, options, save):
    batch = quintain.Batch(game, scenario, 30, seed=2, **options)
    random = np.random.default_rng(1)
    for _ in range(25 if game == "pentocity" else 300):
        batch.step(drawn(batch.masks, random))
    # Once more, to go on from what was restored.
    again = save(save(batch))
    names = ["board", "features", "masks", "rewards", "scores", "terminated", "seeds"]
    for _ in range(25):
        for name in names:
            assert np.array_equal(getattr(batch, name), getattr(again, name)), name
        actions = drawn(batch.masks, random)
        batch.step(actions)
        again.step(actions)


@pytest.mark.parametrize("save", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_saved_environment_goes_on(save):
    env = gymnasium.make("quintain/Hextris-v0").unwrapped
    env.reset(seed=4)
    for action in [0, 2, 2, 1]:
        env.step(action)
    again = save(env)
    for action in [2, 2, 1, 2]:
        one, other = env.step(action), again.step(action)
        assert np.array_equal(one[0]["board"], other[0]["board"])
        assert one[1:4] == other[1:4]
    assert env.scenario == again.scenario


def test_a_match_is_pickled_with_what_was_played():
    match = quintain.Game("tron", "empty").begin(3)
    match.play(["U", "D"])
    again = pickle.loads(pickle.dumps(match))
    assert again.turn == 1
    assert again.observation(0) == match.observation(0)
