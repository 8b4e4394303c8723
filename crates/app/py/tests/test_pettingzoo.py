"""The environments for PettingZoo, by its own checks and by the workbench's rules."""

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils import parallel_to_aec

import quintain
import quintain.pettingzoo as parallel

MAKERS = [
    parallel.tron,
    parallel.gather,
    lambda: parallel.tron("empty?players=4"),
    lambda: parallel.gather("torus?players=6&limit=50"),
]

SEQUENTIAL = [
    ("tron", "codingame"),
    ("tron", "empty?players=4&moves=sequential&trails=vanish"),
    ("hextris", "drawn?size=6"),
]


def episode(env, seed):
    """Play an episode at random; return observations, actions and rewards of every turn."""
    random = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    turns = []
    while env.agents:
        masks = {agent: seen[agent]["action_mask"] for agent in env.agents}
        actions = {agent: int(random.choice(np.flatnonzero(masks[agent]))) for agent in masks}
        seen, rewards, terminated, truncated, _ = env.step(actions)
        turns.append((actions, rewards, terminated, truncated, seen))
    return turns


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoos_checks_pass(make):
    parallel_api_test(make(), num_cycles=200)


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_and_actions_give_the_same_episode(make):
    parallel_seed_test(make, num_cycles=50)
    first, second = episode(make(), 9), episode(make(), 9)
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one[:4] == other[:4]
        for agent, seen in one[4].items():
            assert np.array_equal(seen["observation"], other[4][agent]["observation"])


@pytest.mark.parametrize(
    "make",
    [
        lambda render_mode: parallel_to_aec(parallel.tron(render_mode=render_mode)),
        lambda render_mode: parallel_to_aec(parallel.gather(render_mode=render_mode)),
        lambda render_mode: parallel.Sequential("tron", "codingame", render_mode=render_mode),
        lambda render_mode: parallel.Sequential("hextris", "drawn?size=0", render_mode=render_mode),
    ],
)
def test_pettingzoos_check_of_drawings_passes(make, capsys):
    render_test(make, {"svg": lambda drawn: drawn.startswith("<svg")})
    # What a person is shown.
    assert capsys.readouterr().out


@pytest.mark.parametrize("scenario", ["hackerrank", "empty?players=4", "rooms?width=19"])
def test_an_episode_of_tron_is_the_match_that_the_rules_play(scenario):
    env = parallel.tron(scenario)
    for seed in range(5):
        totals = dict.fromkeys(env.possible_agents, 0.0)
        match = quintain.Game("tron", scenario).begin(seed)
        for actions, rewards, *_ in episode(env, seed):
            assert [f"seat_{seat}" for seat in match.acting] == list(actions)
            match.play(["URDL"[action] for action in actions.values()])
            for agent, reward in rewards.items():
                totals[agent] += reward
        assert match.is_over
        assert env.scores == match.scores
        assert list(totals.values()) == pytest.approx([2 * score - 1 for score in match.scores])


def test_an_episode_of_gather_is_the_match_that_the_rules_play():
    env = parallel.gather("torus?players=4")
    moves = ["stay", "w", "e", "n", "s", "nw", "ne", "sw", "se"]
    game = quintain.Game("gather", "torus?players=4")
    offered = game.begin(1).actions(0)
    assert [move.lower() for move in offered] == moves or len(offered) == 9
    match = game.begin(2)
    rounds = episode(env, 2)
    for actions, rewards, *_ in rounds:
        match.play([offered[action] for action in actions.values()])
        assert set(rewards.values()) == {-1.0}
    assert match.is_over
    assert match.scores == [len(rounds)] * 4


def test_a_seat_of_gather_sees_what_the_rules_show_it():
    env = parallel.gather("torus?players=4")
    seen, _ = env.reset(seed=2)
    match = quintain.Game("gather", "torus?players=4").begin(2)
    for seat in range(4):
        told = match.observation(seat)
        sets = [told["holds"]]
        sets += [look["trail"] for look in told["around"]]
        sets += [look["players"] for look in told["around"]]
        shown = [np.flatnonzero(row).tolist() for row in seen[f"seat_{seat}"]["observation"]]
        assert shown == sets


def one_step(env, actions):
    """Play an action for each agent, in either kind of environment; return what all were told."""
    if isinstance(env, parallel.Parallel):
        return env.step(actions)[4]
    env.step(actions[env.agent_selection])
    return env.infos


@pytest.mark.parametrize("make", [parallel.pentocity, lambda s: parallel.Sequential("pentocity", s)])
def test_positions_that_share_a_board_differ_in_their_features(make):
    env = make("random?side=6")
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        told = env.observe("seat_0")
        assert told["observation"].sum() == 0
        assert env.observation_space("seat_0").contains(told)
        seen.add(told["features"].tobytes())
    # The request decides what can be built; no board shows it.
    assert len(seen) > 10
    assert len(env.features) == told["features"].size


def test_pettingzoo_tells_the_features_that_gymnasium_tells():
    import gymnasium

    for game in ("hextris", "polymer", "pentocity"):
        single = gymnasium.make(f"quintain/{game.title()}-v0").unwrapped
        env = parallel.Sequential(game)
        seen, _ = single.reset(seed=5)
        env.reset(seed=5)
        for _ in range(3):
            assert np.array_equal(env.observe("seat_0")["features"], seen["features"])
            action = int(np.flatnonzero(single.action_masks())[-1])
            seen, *_, information = single.step(action)
            env.step(action)
            information.pop("action_mask")
            assert env.infos["seat_0"] == information


@pytest.mark.parametrize("make", [parallel.hextris, lambda s: parallel.Sequential("hextris", s)])
def test_an_illegal_action_is_told_apart_from_a_normal_end(make):
    env = make("drawn?size=6")
    env.reset(seed=1)
    assert one_step(env, {"seat_0": 0})["seat_0"] == {}
    # East leads back to where the unit has been.
    told = one_step(env, {"seat_0": 1})["seat_0"]
    assert told["illegal"] is True
    assert told["score"] == env.scores[0]


def test_a_normal_end_tells_scores_and_that_nothing_was_illegal():
    env = parallel.tron("empty?players=4")
    for seed in range(3):
        left = {}
        for _, rewards, terminated, _, _ in (turns := episode(env, seed)):
            for agent, is_out in terminated.items():
                if is_out:
                    left[agent] = rewards[agent]
        assert set(left) == set(env.possible_agents), len(turns)
    told = {}
    env.reset(seed=1)
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, 0))
        told |= {agent: information for agent, information in infos.items() if information}
    assert {agent: information["score"] for agent, information in told.items()} == dict(
        zip(env.possible_agents, env.scores, strict=True)
    )
    assert not any(information["illegal"] for information in told.values())


def test_nothing_is_told_before_a_reset():
    with pytest.raises(ValueError, match="no episode has begun: call reset"):
        parallel.Sequential("tron", "codingame").last()


def test_who_gives_no_action_is_told():
    env = parallel.tron()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="seat_1 must move too"):
        env.step({"seat_0": 0})


def test_seats_that_move_one_after_another_are_no_parallel_environment():
    with pytest.raises(ValueError, match="tron:codingame.*one after another.*Sequential"):
        parallel.tron("codingame")
    with pytest.raises(ValueError, match="gather:course.*at once.*Parallel"):
        parallel.Sequential("gather")


@pytest.mark.parametrize(("game", "scenario"), SEQUENTIAL)
def test_pettingzoos_checks_of_agents_in_cycles_pass(game, scenario):
    api_test(parallel.Sequential(game, scenario), num_cycles=200)
    seed_test(lambda: parallel.Sequential(game, scenario), num_cycles=50)


@pytest.mark.parametrize("scenario", [scenario for game, scenario in SEQUENTIAL if game == "tron"])
def test_a_sequential_episode_is_the_match_that_the_rules_play(scenario):
    env = parallel.Sequential("tron", scenario)
    random = np.random.default_rng(1)
    for seed in range(5):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        match = quintain.Game("tron", scenario).begin(seed)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            if terminated or truncated:
                env.step(None)
                continue
            assert match.acting == [int(agent.removeprefix("seat_"))]
            action = int(random.choice(np.flatnonzero(seen["action_mask"])))
            match.play(["URDL"[action]])
            env.step(action)
        assert match.is_over
        assert env.scores == match.scores
        assert list(totals.values()) == pytest.approx([2 * score - 1 for score in match.scores])


def test_a_game_of_one_seat_is_both_kinds_of_environment():
    for make in (parallel.hextris, lambda: parallel.Sequential("hextris")):
        env = make()
        env.reset(seed=1)
        assert env.agents == ["seat_0"]
    parallel_api_test(parallel.hextris("drawn?size=6"), num_cycles=100)


def test_actions_of_seats_that_are_out_change_nothing():
    env = parallel.tron("empty?players=4")
    random = np.random.default_rng(3)
    seen, _ = env.reset(seed=2)
    sizes = set()
    while env.agents:
        actions = dict.fromkeys(env.possible_agents, 0)
        for agent in env.agents:
            actions[agent] = int(random.choice(np.flatnonzero(seen[agent]["action_mask"])))
        seen, *_ = env.step(actions)
        sizes.add(len(env.agents))
    assert len(sizes) > 1


def test_resets_without_a_seed_go_on_to_other_matches():
    env = parallel.tron("rooms?width=19")
    env.reset(seed=4)
    env.reset()
    second = env.seed
    env.reset()
    assert len({4, second, env.seed}) == 3
    other = parallel.tron("rooms?width=19")
    other.reset(seed=4)
    other.reset()
    assert other.seed == second


def test_every_game_is_found_by_its_name():
    names = {game.replace("-", "_") for game in quintain.games()}
    assert set(dir(parallel)) >= {"Parallel", "Sequential", *names}
    assert parallel.gather("torus?players=2").possible_agents == ["seat_0", "seat_1"]
    with pytest.raises(AttributeError, match="no attribute 'trno'"):
        parallel.trno()
