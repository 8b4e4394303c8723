"""The environments for Gymnasium, by its own checks and by the workbench's rules."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import quintain
from quintain.registration import environment_id

#: Every game of one seat that has an encoding.
NAMES = [
    environment_id(game)
    for game in quintain.games()
    if quintain.Game(game).encodings and quintain.Game(game).seats == 1
]


def episode(env, seed, choose):
    """Play an episode; return everything that came of it."""
    observation, info = env.reset(seed=seed)
    seen = [observation]
    actions, rewards = [], []
    while True:
        action = choose(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append(observation)
        actions.append(action)
        rewards.append(reward)
        if terminated or truncated:
            return seen, actions, rewards, info


def by_mask(seed):
    random = np.random.default_rng(seed)
    return lambda mask: int(random.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:.*minimum value of.*", "ignore:.*maximum value of.*")
def test_gymnasiums_checks_pass(name):
    check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_and_actions_give_the_same_episode(name):
    first = episode(gymnasium.make(name), 7, by_mask(1))
    second = episode(gymnasium.make(name), 7, by_mask(1))
    for one, other in zip(first[0], second[0], strict=True):
        assert all(np.array_equal(one[key], other[key]) for key in one)
    assert first[1] == second[1]
    assert first[2] == second[2]


@pytest.mark.parametrize("name", NAMES)
def test_actions_of_the_mask_are_legal_and_rewards_add_up_to_the_score(name):
    env = gymnasium.make(name)
    for seed in range(3):
        _, _, rewards, info = episode(env, seed, by_mask(seed))
        assert not info["illegal"]
        start = quintain.Game(env.unwrapped.state.game, env.unwrapped.scenario).begin(seed)
        gain = 1 if quintain.Game(env.unwrapped.state.game).goal == "highest" else -1
        assert sum(rewards) == pytest.approx(gain * (info["score"] - start.scores[0]))


def test_a_step_writes_nothing_into_what_was_seen_before():
    env = gymnasium.make("quintain/Hextris-v0")
    before, _ = env.reset(seed=1)
    copy = before["board"].copy()
    after, *_ = env.step(2)
    assert np.array_equal(before["board"], copy)
    assert not np.array_equal(after["board"], copy)


def test_an_episode_of_polymer_is_the_match_that_the_rules_play():
    env = gymnasium.make("quintain/Polymer-v0")
    _, actions, _, info = episode(env, 3, by_mask(3))
    match = quintain.Game("polymer", env.unwrapped.scenario).begin(3)
    for action in actions:
        match.play("RDLU"[action])
    assert match.is_over
    assert match.scores == [info["score"]]


def test_an_episode_of_hextris_is_the_match_that_the_rules_play():
    env = gymnasium.make("quintain/Hextris-v0")
    _, actions, _, info = episode(env, 3, by_mask(3))
    match = quintain.Game("hextris", env.unwrapped.scenario).begin(3)
    for action in actions:
        match.play("pbaldk"[action])
    assert match.is_over
    assert match.scores == [info["score"]]


def test_every_game_with_an_encoding_is_registered():
    registered = [name for name in gymnasium.registry if name.startswith("quintain/")]
    known = [environment_id(game) for game in quintain.games() if quintain.Game(game).encodings]
    assert sorted(registered) == sorted(known)
    assert {"quintain/Hextris-v0", "quintain/Polymer-v0", "quintain/Pentocity-v0"} <= set(NAMES)
    assert environment_id("nine-men") == "quintain/NineMen-v0"


def test_an_encoding_is_chosen_by_name():
    env = gymnasium.make("quintain/Hextris-v0", encoding="letters")
    assert env.action_space.n == 36
    envs = gymnasium.make_vec("quintain/Hextris-v0", num_envs=2, encoding="letters")
    assert envs.single_action_space.n == 36


def test_letters_speak_phrases_of_power():
    env = gymnasium.make("quintain/Hextris-v0", letters=True)
    letters = "p'!.03bcefy2aghij4lmno 5dqrvz1kstuwx"
    assert env.action_space.n == len(letters)
    env.reset(seed=1)
    rewards = [env.step(letters.index(letter))[1] for letter in "ei!"]
    # 2 points for each of three letters, and 300 for the first time.
    assert rewards == [0, 0, 306]


def test_an_illegal_action_ends_the_episode_with_the_score_so_far():
    env = gymnasium.make("quintain/Polymer-v0")
    env.reset(seed=1)
    env.step(0)
    _, _, terminated, truncated, info = env.step(2)
    assert (terminated, truncated, info["illegal"]) == (True, False, True)
    with pytest.raises(ValueError, match="the episode is over; reset"):
        env.unwrapped.step(0)


def test_pictures_are_text_pixels_and_svg():
    for mode, kind in [("ansi", str), ("rgb_array", np.ndarray), ("svg", str)]:
        env = gymnasium.make("quintain/Hextris-v0", render_mode=mode)
        env.reset(seed=1)
        assert isinstance(env.render(), kind)


def test_a_person_sees_every_position(capsys):
    env = gymnasium.make("quintain/Tron-v0", render_mode="human", opponent="greedy")
    env.reset(seed=1)
    begun = capsys.readouterr().out
    assert begun.strip() == env.unwrapped.state.render("ansi").strip()
    env.step(0)
    moved = capsys.readouterr().out
    assert moved.strip() == env.unwrapped.state.render("ansi").strip() != begun.strip()
    # No terminal is told to clear itself where there is none.
    assert "\x1b" not in moved


def test_vectors_of_environments_step_together_and_begin_anew():
    envs = gymnasium.make_vec("quintain/Polymer-v0", num_envs=50, autoreset_mode="SameStep")
    _, info = envs.reset(seed=5)
    ended = 0
    for _ in range(200):
        actions = np.array([np.flatnonzero(mask)[0] for mask in info["action_mask"]])
        _, _, terminated, truncated, info = envs.step(actions)
        ended += terminated.sum() + truncated.sum()
    assert ended > 50


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"scenario": "contst"}, "did you mean “contest”"),
        ({"scenario": "drawn?siz=3"}, "did you mean “size”"),
        ({"encoding": "lettrs"}, "did you mean “letters”"),
        ({"encoding": "letters", "letters": True}, "letters"),
        ({"render_mode": "text"}, "expected one of human, ansi, rgb_array, svg"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(arguments, said):
    with pytest.raises(ValueError, match="(?s).") as caught:
        gymnasium.make("quintain/Hextris-v0", **arguments)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def masked_end(name, **options):
    """Play by the mask until it leaves something out, and play that; return how it ends."""
    env = gymnasium.make(name, **options).unwrapped
    for seed in range(50):
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            mask = info["action_mask"]
            action = int(mask.argmin())
            if mask[action]:
                action = int(mask.argmax())
            _, reward, terminated, truncated, info = env.step(action)
            total, over = total + reward, terminated or truncated
            if not mask[action]:
                return over, info, total
    raise AssertionError("every action is allowed")


def test_what_the_mask_leaves_out_ends_an_episode_as_the_page_says():
    for name in ["quintain/Hextris-v0", "quintain/Pentocity-v0"]:
        over, info, total = masked_end(name)
        assert (over, info["illegal"], info["score"]) == (True, True, total)
    # No solution: less than any chain has, or than the part that was laid.
    over, info, _ = masked_end("quintain/Polymer-v0")
    _, part, _ = masked_end("quintain/Polymer-v0", scenario="random?n=12&partial=true")
    assert over
    assert info["illegal"]
    assert part["illegal"]
    assert part["score"] > info["score"]
    # Into a wall: legal, and a crash.
    over, info, total = masked_end("quintain/Tron-v0", scenario="empty", opponent="random")
    assert (over, info["illegal"]) == (True, False)
    assert total == 2 * info["score"] - 1


@pytest.mark.parametrize("mode", ["rgb_array_list", "ansi_list", "svg_list"])
def test_pictures_are_collected(mode):
    env = gymnasium.make("quintain/Hextris-v0", render_mode=mode)
    env.reset(seed=1)
    env.step(2)
    pictures = env.render()
    assert len(pictures) == 2
    single = gymnasium.make("quintain/Hextris-v0", render_mode=mode.removesuffix("_list"))
    single.reset(seed=1)
    assert np.array_equal(pictures[0], single.render())


@pytest.mark.parametrize("options", [{}, {"scenario": "codingame", "opponent": "self"}])
def test_vectors_say_what_gymnasium_looks_for(options):
    envs = gymnasium.make_vec("quintain/Tron-v0", 2, **options)
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    assert envs.metadata["render_fps"] > 0
    assert {"ansi", "rgb_array", "svg"} <= set(envs.metadata["render_modes"])


def test_wrappers_of_observations_take_vectors_as_they_are_made():
    envs = gymnasium.wrappers.vector.FlattenObservation(
        gymnasium.make_vec("quintain/Hextris-v0", 3, scenario="drawn?size=6")
    )
    seen, info = envs.reset(seed=1)
    assert seen.shape == envs.observation_space.shape
    for _ in range(20):
        seen, *_, info = envs.step(info["action_mask"].argmax(axis=1))
        assert seen in envs.observation_space


def test_boards_may_be_planes():
    plain = gymnasium.make("quintain/Hextris-v0", scenario="drawn?size=6")
    env = gymnasium.make("quintain/Hextris-v0", scenario="drawn?size=6", one_hot=True)
    check_env(env.unwrapped, skip_render_check=True)
    (seen, info), (other, _) = env.reset(seed=3), plain.reset(seed=3)
    for _ in range(5):
        assert seen["board"].shape == env.observation_space["board"].shape
        assert (seen["board"].sum(axis=0) == 1).all()
        assert np.array_equal(seen["board"].argmax(axis=0), other["board"])
        action = int(np.flatnonzero(info["action_mask"])[0])
        (seen, *_, info), (other, *_) = env.step(action), plain.step(action)
    for options in ({"opponent": "random"}, {"opponent": "self"}):
        envs = gymnasium.make_vec("quintain/Tron-v0", 3, scenario="empty", one_hot=True, **options)
        seen, _ = envs.reset(seed=1)
        assert seen in envs.observation_space
    with pytest.raises(ValueError, match="one_hot=True: this board consists of bits already"):
        gymnasium.make("quintain/Gather-v0", one_hot=True)
    with pytest.raises(TypeError, match="one_hot=1: expected True or False"):
        gymnasium.make("quintain/Hextris-v0", one_hot=1)


def test_boards_of_pettingzoo_may_be_planes():
    pytest.importorskip("pettingzoo")
    import quintain.pettingzoo
    from pettingzoo.test import parallel_api_test

    env = quintain.pettingzoo.tron("empty", one_hot=True)
    parallel_api_test(env, num_cycles=30)
    seen, _ = env.reset(seed=1)
    board = seen["seat_1"]["observation"]
    plain = quintain.pettingzoo.tron("empty")
    told, _ = plain.reset(seed=1)
    assert np.array_equal(board.argmax(axis=0), told["seat_1"]["observation"])
