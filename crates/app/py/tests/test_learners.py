"""What learners rely on: instances, opponents, self-play, policies as players, threads, memory."""

import multiprocessing
import os
import sys
import threading
import warnings

import gymnasium
import numpy as np
import pytest
from choices import drawn, first_legal, first_legal_of_each

import quintain

FAMILIES = [("hextris", "drawn?size=6"), ("polymer", "random?n=12"), ("polymer", "L08_s01")]


# Instances


@pytest.mark.parametrize(("game", "scenario"), FAMILIES)
def test_every_episode_draws_its_instance_by_its_seed(game, scenario):
    batch = quintain.Batch(game, scenario, 40, seed=3)
    assert len(np.unique(batch.features, axis=0)) > 2
    assert batch.scenario_of(5).endswith("seed=8")
    # The same states as fixed instances.
    for index in range(5):
        one = quintain.Batch(game, batch.scenario_of(index), 1, seed=3 + index)
        assert np.array_equal(one.board[0], batch.board[index])
        assert np.array_equal(one.features[0], batch.features[index])


@pytest.mark.parametrize(("game", "scenario"), FAMILIES)
def test_a_named_instance_is_every_episodes(game, scenario):
    joined = "&" if "?" in scenario else "?"
    with pytest.warns(quintain.SeedWarning, match="nothing depends on the seed"):
        batch = quintain.Batch(game, f"{scenario}{joined}seed=1", 20)
    assert len(np.unique(batch.board, axis=0)) == 1
    assert "seed=1" in batch.scenario


def test_an_environment_plays_the_instance_of_its_seed():
    env = gymnasium.make("quintain/Polymer-v0", scenario="random?n=12")
    observation, info = env.reset(seed=7)
    assert env.unwrapped.scenario == "random?n=12&seed=7"
    match = quintain.Game("polymer", env.unwrapped.scenario).begin(7)
    while True:
        action = int(np.flatnonzero(info["action_mask"])[0])
        match.play("RDLU"[action])
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    assert match.scores == [info["score"]]


def test_what_depends_on_the_seed_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for game, scenario in [("tron", "empty"), ("gather", None), ("hextris", "drawn")]:
            quintain.Batch(game, scenario, 2)


# Opponents


@pytest.mark.parametrize(
    ("game", "scenario", "opponent"),
    [("tron", "empty", "greedy"), ("gather", "torus?players=4&limit=200", "groovy")],
)
def test_an_opponent_plays_as_it_does_in_a_match(game, scenario, opponent):
    """The learner's actions, played in a match against the same player, give the same episode."""
    env = gymnasium.make(
        f"quintain/{game.title()}-v0", scenario=scenario, opponent=opponent, seat=0
    )
    names = quintain.Game(game, scenario).begin(1).actions(0)
    for seed in range(5):
        random = np.random.default_rng(seed)
        _, info = env.reset(seed=seed)
        actions = []
        for _ in range(300):
            action = int(drawn(info["action_mask"], random))
            actions.append(action)
            *_, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                break

        class Again(quintain.Player):
            def decide(self, observation, question):
                return names[actions[question.turn]]

        others = [opponent] * (quintain.Game(game, scenario).seats - 1)
        assert terminated or truncated
        record = quintain.play(game, [Again, *others], scenario=scenario, seed=seed)
        assert record.scores[0] == info["score"]


def test_opponents_and_seats_are_drawn_by_the_seed():
    def learners():
        batch = quintain.Batch("tron", "empty", 64, opponent=["random", "greedy"], seed=4)
        return batch.learners.tolist(), batch.board.copy()

    first, second = learners(), learners()
    assert first[0] == second[0]
    assert set(first[0]) == {0, 1}
    assert np.array_equal(first[1], second[1])
    fixed = quintain.Batch("tron", "empty", 64, opponent="random", seat=1)
    assert set(fixed.learners.tolist()) == {1}


def test_a_learner_sees_itself_as_seat_0_whatever_its_seat():
    for seat in range(3):
        batch = quintain.Batch("tron", "codingame?players=3", 8, opponent="random", seat=seat)
        for index in range(8):
            whole = quintain.Batch("tron", "codingame?players=3", 1, seed=1 + index)
            head = np.argwhere(batch.board[index] == 6)
            assert len(head) == 1
            assert whole.board.shape[1:] == batch.board.shape[1:]


def test_batches_with_opponents_do_not_depend_on_threads():
    def play(threads):
        batch = quintain.Batch(
            "tron", "empty", 200, opponent=["greedy", "random"], threads=threads, seed=2
        )
        random = np.random.default_rng(1)
        for _ in range(60):
            batch.step(drawn(batch.masks, random))
        return batch.board.copy(), batch.rewards.copy(), batch.seeds.copy()

    for one, other in zip(play(1), play(3), strict=True):
        assert np.array_equal(one, other)


def test_games_in_turns_are_played_until_the_learner_moves():
    env = gymnasium.make("quintain/Tron-v0", scenario="codingame?players=4", opponent="random")
    for seed in range(20):
        _, info = env.reset(seed=seed)
        total = 0.0
        while True:
            assert info["action_mask"].any()
            action = int(np.flatnonzero(info["action_mask"])[0])
            _, reward, terminated, truncated, info = env.step(action)
            total += reward
            if terminated or truncated:
                break
        assert -1 <= total <= 1
        assert total == pytest.approx(2 * info["score"] - 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"opponent": "gredy"}, "did you mean “greedy”"),
        ({"opponent": "greedy", "seat": 2}, "seat 2: expected 0 to 1"),
        ({"opponent": "greedy", "budget": "move=10ms"}, "opponents of learners need a limit"),
        ({"opponent": None}, "tron has 2 seats: say who plays the others"),
    ],
)
def test_opponents_that_cannot_be_are_told_in_a_line(options, said):
    with pytest.raises(ValueError, match="(?s).") as caught:
        gymnasium.make("quintain/Tron-v0", scenario="empty", **options)
    assert said in str(caught.value)


def test_a_game_of_one_seat_has_no_opponent():
    with pytest.raises(ValueError, match="has one seat: there is no opponent"):
        quintain.Batch("hextris", opponent="random")


# Self-play


def highest(seen):
    """A policy: the last legal action."""
    mask = seen["action_mask"]
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def test_snapshots_are_met_and_see_themselves_as_seat_0():
    envs = gymnasium.make_vec(
        "quintain/Tron-v0", scenario="empty", opponent="self", num_envs=64, vectorization_mode=None
    )
    asked = []

    def snapshot(seen):
        asked.append(len(seen["board"]))
        assert (seen["board"] == 6).reshape(len(seen["board"]), -1).sum(axis=1).tolist() == [
            1
        ] * len(seen["board"])
        return highest(seen)

    _, info = envs.reset(seed=1)
    assert set(envs.opponents) == {-1}
    envs.add_snapshot(snapshot)
    ended = 0
    for _ in range(80):
        _, rewards, terminated, truncated, info = envs.step(highest(info))
        ended += terminated.sum()
        assert not rewards[~(terminated | truncated)].any()
    assert ended > 64
    assert asked
    assert set(envs.opponents) == {0}
    assert set(envs.seats.tolist()) == {0, 1}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("scenario", ["codingame", "codingame?players=3"])
def test_snapshots_are_met_where_seats_move_one_after_another(scenario, mode):
    envs = gymnasium.make_vec(
        "quintain/Tron-v0", 12, scenario=scenario, opponent="self", autoreset_mode=mode
    )
    envs.unwrapped.add_snapshot(first_legal_of_each)
    encoder, random = quintain.Encoder("tron", scenario), np.random.default_rng(1)
    game = quintain.Game("tron", scenario)

    def until_the_learner_moves(match, seat):
        """Play the others' turns by the rules; return what the learner sees, or None at its end."""
        while not match.is_over and match.acting != [seat]:
            (mover,) = match.acting
            told = encoder.encode(match.observation(mover), mover)
            match.play("URDL"[first_legal(told)])
        return None if match.is_over else encoder.encode(match.observation(seat), seat)

    seen, info = envs.reset(seed=5)
    matches = [game.begin(5 + n) for n in range(12)]
    ended, over = 0, np.zeros(12, bool)
    for _ in range(120):
        seats = envs.unwrapped.seats.copy()
        for n, match in enumerate(matches):
            if over[n] and mode == "NextStep":
                continue
            told = until_the_learner_moves(match, seats[n])
            assert np.array_equal(told["board"], seen["board"][n])
            assert np.array_equal(told["action_mask"], info["action_mask"][n])
        actions = drawn(info["action_mask"], random)
        for n, match in enumerate(matches):
            if not (over[n] and mode == "NextStep"):
                match.play("URDL"[actions[n]])
        was_over = over
        seen, rewards, terminated, truncated, info = envs.step(actions)
        over = terminated | truncated
        for n in np.flatnonzero(over):
            seat, ended = seats[n], ended + 1
            until_the_learner_moves(matches[n], seat)
            last = info["final_info"] if mode == "SameStep" else info
            if matches[n].is_over:
                assert last["score"][n] == matches[n].scores[seat]
            assert rewards[n] == 2 * last["score"][n] - 1
            assert not last["illegal"][n]
        begun = over if mode == "SameStep" else was_over
        for n in np.flatnonzero(begun):
            matches[n] = game.begin(int(envs.unwrapped.batch.seeds[n]))
    assert ended > 12


@pytest.mark.parametrize("scenario", ["empty", "codingame"])
def test_random_opponents_before_the_first_snapshot_are_the_seeds(scenario):
    def boards(count, seeds):
        envs = gymnasium.make_vec("quintain/Tron-v0", count, scenario=scenario, opponent="self")
        _, info = envs.reset(seed=seeds)
        met = []
        for _ in range(12):
            seen, *_, info = envs.step(info["action_mask"].argmax(axis=1))
            met.append(seen["board"])
        return np.stack(met)

    many = boards(8, 20)
    assert np.array_equal(many, boards(8, [20 + n for n in range(8)]))
    # A state does not depend on the others.
    assert np.array_equal(many[:, 3:4], boards(1, 23))
    assert not np.array_equal(many[:, 3], many[:, 4])


def test_a_match_against_snapshots_tells_who_was_illegal():
    env = gymnasium.make("quintain/Tron-v0", scenario="codingame", opponent="self")
    env.reset(seed=3)
    while True:
        *_, terminated, truncated, info = env.step(int(env.unwrapped.action_masks().argmax()))
        if terminated or truncated:
            break
    assert info["illegal"] is np.False_
    assert info["score"] in (0.0, 0.5, 1.0)


def test_one_environment_has_a_pool_too():
    env = gymnasium.make("quintain/Tron-v0", scenario="empty", opponent="self")
    env.unwrapped.add_snapshot(highest)
    _, info = env.reset(seed=3)
    for _ in range(500):
        _, reward, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        if terminated:
            assert reward in (-1.0, 0.0, 1.0)
            break
    else:
        pytest.fail("the match does not end")


# Policies as players


def test_a_policy_gets_the_arrays_of_the_environments():
    seen = []

    def policy(arrays):
        seen.append(arrays)
        return first_legal(arrays)

    record = quintain.play(
        "tron", [quintain.policy_player("mine", policy), "random"], scenario="empty", seed=5
    )
    assert record.players == ["python:mine", "random"]
    env = gymnasium.make("quintain/Tron-v0", scenario="empty", opponent="random", seat=0)
    observation, info = env.reset(seed=5)
    for arrays in seen:
        assert np.array_equal(observation["board"], arrays["board"])
        assert np.array_equal(observation["features"], arrays["features"])
        assert np.array_equal(info["action_mask"], arrays["action_mask"])
        observation, _, terminated, _, info = env.step(first_legal(arrays))
    assert terminated
    assert info["score"] == record.scores[0]


@pytest.mark.parametrize("game", quintain.games())
def test_a_policy_sits_in_every_game(game):
    player = quintain.policy_player("first", first_legal)
    seats = quintain.Game(game).seats
    scenario = {"gather": "torus?players=3&limit=20"}.get(game)
    seats = quintain.Game(game, scenario).seats
    record = quintain.play(game, [player] * seats, scenario=scenario)
    assert record.fault is None


def test_a_policy_is_asked_for_many_matches_at_once():
    sizes = []

    def policy(arrays):
        sizes.append(len(arrays["board"]))
        return first_legal_of_each(arrays)

    together = quintain.policy_player("together", policy, batch=8)
    alone = quintain.policy_player("together", first_legal)
    options = {"scenarios": ["empty"], "seeds": 8}
    first = quintain.tournament("tron", [together, "greedy"], threads=8, **options)
    second = quintain.tournament("tron", [alone, "greedy"], **options)
    assert [r.actions for r in first.records] == [r.actions for r in second.records]
    assert max(sizes) > 1


# Threads


def test_matches_of_python_players_are_played_one_at_a_time():
    shared = {"inside": 0, "most": 0}
    lock = threading.Lock()

    class Sharing(quintain.Player):
        def start(self, match_start):
            with lock:
                shared["inside"] += 1
                shared["most"] = max(shared["most"], shared["inside"])

        def decide(self, observation, question):
            sum(range(2000))
            return question.actions[0]

        def finish(self, outcome):
            with lock:
                shared["inside"] -= 1

    quintain.tournament("tron", [Sharing, "random"], scenarios=["empty"], seeds=10, threads=4)
    assert shared["most"] == 1


def test_two_threads_on_one_batch_are_an_error_not_a_race():
    batch = quintain.Batch("tron", "empty", 20000, threads=1)
    actions = np.zeros((20000, 2), np.uint8)
    refused = []

    def step():
        for _ in range(30):
            try:
                batch.step(actions)
            except ValueError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("stepped by another thread" in line for line in refused)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"count": 10**12}, "do not fit into the free memory"),
        ({"threads": 10**6}, "threads=1000000: expected a whole number from 1 to 1024"),
        ({"threads": 0}, "threads=0: expected a whole number from 1 to 1024"),
        ({"count": 0}, "count=0: expected a whole number of at least 1"),
    ],
)
def test_counts_that_cannot_be_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        quintain.Batch("tron", "empty", **options)


def step_in_child(batch):
    batch.step(np.zeros((64, 2), np.uint8))
    # Where a match has ended, the next one has begun.
    os._exit(0 if set(batch.features.ravel().tolist()) <= {0, 1} and batch.features.any() else 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_batch_goes_on_in_a_forked_process():
    batch = quintain.Batch("tron", "empty", 64, threads=3)
    child = multiprocessing.get_context("fork").Process(target=step_in_child, args=(batch,))
    child.start()
    child.join(30)
    assert child.exitcode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs to know what memory is free")
@pytest.mark.filterwarnings("ignore::quintain.SeedWarning")
@pytest.mark.parametrize(("game", "count"), [("polymer", 10**8), ("hextris", 10**9)])
def test_more_states_than_memory_are_refused_before_it_ends(game, count):
    with pytest.raises(ValueError, match=r"count=\d+: that many states .* do not fit"):
        quintain.Batch(game, None, count, observe=False, masks=False)
