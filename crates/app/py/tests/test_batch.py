"""Batches of states: what they write, and that nothing depends on threads."""

import pickle

import numpy as np
import pytest
from choices import drawn

import quintain

GAMES = [
    ("tron", "hackerrank"),
    ("tron", "obstacles?width=13&height=11"),
    ("tron", "empty?players=4&trails=vanish"),
    ("tron", "codingame?players=3"),
    ("gather", "torus?players=5&limit=60"),
    ("hextris", "drawn?size=6"),
    ("polymer", None),
    ("pentocity", None),
]

#: What cannot be, and a part of the line that says why.
REFUSED = [
    (("trno",), {}, "unknown game “trno”; did you mean “tron”"),
    (("tron",), {"encoding": "bord"}, "unknown tron encoding “bord”; did you mean “board”"),
    (("tron",), {"letters": True}, "unknown tron encoding “letters”"),
    (("hextris",), {"letters": True, "encoding": "commands"}, "give only one of them"),
    (("gather", "torus?width=11&height=7&players=70"), {}, "70 players; environments take at most 64"),
]


def digest(batch, steps, seed):
    """Step at random; return copies of all that was written, step by step."""
    random = np.random.default_rng(seed)
    written = []
    for _ in range(steps):
        batch.step(drawn(batch.masks, random))
        names = ["board", "features", "masks", "rewards", "terminated", "truncated", "seeds"]
        written.append([getattr(batch, name).copy() for name in names])
        assert not batch.illegal.any()
    return written


@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_results_do_not_depend_on_the_number_of_threads(game, scenario):
    steps = 4 if game == "pentocity" else 60
    one = digest(quintain.Batch(game, scenario, 300, seed=3, threads=1), steps, 1)
    many = digest(quintain.Batch(game, scenario, 300, seed=3, threads=4), steps, 1)
    for first, second in zip(one, many, strict=True):
        for left, right in zip(first, second, strict=True):
            assert np.array_equal(left, right)


@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_what_is_drawn_bit_by_bit_is_what_is_drawn_at_once(game, scenario):
    batch = quintain.Batch(game, scenario, 20, seed=3)
    random = np.random.default_rng(2)
    for turn in range(40 if game != "pentocity" else 8):
        batch.step(drawn(batch.masks, random))
        if turn % 4 == 0:
            for index in range(20):
                assert_board_is_the_picture(batch, index)


def assert_board_is_the_picture(batch, index):
    """A tron board beside the text of the same position; of others, only its size."""
    if batch.game != "tron":
        assert batch.render(index)
        return
    rows, columns = batch.layout["board"]
    text = batch.render(index).splitlines()[1 : rows + 1]
    board = batch.board[index]
    for row in range(rows):
        for column in range(columns):
            wall = text[row][1 + 2 * column] == "#"
            assert wall == (board[row, column] == 1), (text, board)


def test_a_state_begins_anew_as_the_match_of_its_seed():
    batch = quintain.Batch("tron", "empty", 50, seed=9)
    first = batch.seeds.copy()
    assert first.tolist() == list(range(9, 59))
    random = np.random.default_rng(2)
    for _ in range(60):
        batch.step(drawn(batch.masks, random))
    assert (batch.seeds != first).all()
    ended = np.flatnonzero(batch.terminated)
    for index in ended:
        fresh = quintain.Batch("tron", "empty", 1, seed=int(batch.seeds[index]))
        assert np.array_equal(fresh.board[0], batch.board[index])


def test_a_batch_of_tron_plays_the_matches_that_the_rules_play():
    batch = quintain.Batch("tron", "hackerrank?opening=3", 40, seed=5)
    matches = [quintain.Game("tron", "hackerrank?opening=3").begin(5 + n) for n in range(40)]
    random = np.random.default_rng(2)
    going = set(range(40))
    while going:
        actions = random.integers(0, 4, (40, 2))
        batch.step(actions)
        for index in list(going):
            matches[index].play(["URDL"[action] for action in actions[index]])
            assert matches[index].is_over == bool(batch.terminated[index])
            if matches[index].is_over:
                assert batch.scores[index].tolist() == matches[index].scores
                rewards = [2 * score - 1 for score in matches[index].scores]
                assert batch.rewards[index].tolist() == rewards
                going.remove(index)


def test_an_illegal_action_ends_the_episode_as_a_forfeit():
    batch = quintain.Batch("hextris", None, 3)
    # West and east again: back to where the unit has been.
    batch.step(np.array([0, 0, 2]))
    batch.step(np.array([1, 2, 2]))
    assert batch.terminated.tolist() == [True, False, False]
    assert batch.illegal.tolist() == [True, False, False]


def test_the_same_arrays_are_written_again():
    batch = quintain.Batch("tron", count=4)
    board = batch.board
    batch.step(np.zeros((4, 2), np.int64))
    assert board is batch.board


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_actions_may_be_of_several_kinds(kind):
    batch = quintain.Batch("tron", count=4)
    batch.step(np.zeros((4, 2), kind))
    assert (batch.features == 1).all()


@pytest.mark.parametrize(
    ("actions", "error", "said"),
    [
        (np.zeros(8, np.int64), ValueError, "expected an array of shape (4, 2), not (8,)"),
        (np.zeros((2, 4), np.int64), ValueError, "expected an array of shape (4, 2), not (2, 4)"),
        (np.full((4, 2), 4), ValueError, "state 0, seat 0: action 4: expected 0 to 3"),
        (np.full((4, 2), -1), ValueError, "action -1: expected 0 to 3"),
        (np.zeros((4, 2)), TypeError, "int64, int32 or uint8, not an array of float64"),
        (np.zeros((2, 4), np.int64).T, ValueError, "not contiguous"),
        ([0] * 8, TypeError, "expected a NumPy array of int64, int32 or uint8, not list"),
    ],
)
def test_actions_that_cannot_be_are_refused_before_anything_moves(actions, error, said):
    batch = quintain.Batch("tron", count=4)
    with pytest.raises(error) as caught:
        batch.step(actions)
    assert said in str(caught.value)
    assert (batch.features == 0).all()


def test_what_is_not_wanted_is_not_written():
    batch = quintain.Batch("tron", count=4, observe=False, masks=False)
    batch.step(np.zeros((4, 2), np.int64))
    assert batch.board.size == batch.features.size == batch.masks.size == 0


@pytest.mark.parametrize("game", quintain.games())
def test_every_game_with_an_encoding_makes_batches(game):
    for encoding in quintain.Game(game).encodings:
        batch = quintain.Batch(game, count=2, encoding=encoding)
        assert batch.game == game
        batch.step(drawn(batch.masks, np.random.default_rng(1)))
        assert not batch.illegal.any()


@pytest.mark.parametrize(("game", "options", "said"), REFUSED)
def test_games_and_encodings_that_cannot_be_are_told_in_a_line(game, options, said):
    with pytest.raises(ValueError, match="(?s).") as caught:
        quintain.Batch(*game, **options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_first_encoding_is_the_default():
    first = quintain.Game("hextris").encodings[0]
    named = quintain.Batch("hextris", encoding=first)
    assert named.layout == quintain.Batch("hextris").layout
    assert quintain.Batch("hextris", letters=True).layout["actions"] == 36


@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_sampled_actions_are_allowed_and_uniform(game, scenario):
    batch = quintain.Batch(game, scenario, 100, seed=3)
    again = quintain.Batch(game, scenario, 100, seed=3)
    counts = np.zeros(batch.layout["actions"])
    for _ in range(10):
        actions = batch.sample()
        assert np.array_equal(actions, again.sample())
        allowed = np.take_along_axis(batch.masks, actions[..., np.newaxis], axis=-1)[..., 0]
        some = batch.masks.any(axis=-1)
        assert (allowed[some] == 1).all()
        counts += np.bincount(actions[some], minlength=len(counts))
    if game == "gather":
        # Every action is allowed: each is drawn about as often.
        assert counts.min() > 0.8 * counts.mean()


ARRAYS = [
    "board", "features", "masks", "rewards", "scores", "terminated", "truncated", "illegal", "seeds"
]


def test_what_a_batch_has_written_cannot_be_overwritten():
    batch = quintain.Batch("tron", count=4)
    fresh = quintain.Batch("tron", count=4)
    for name in ARRAYS:
        array = getattr(batch, name)
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1
        with pytest.raises(ValueError, match="read-only"):
            array[array == 1] = 0
        with pytest.raises(ValueError, match="read-only"):
            array.reshape(-1)[:] = 0
    for _ in range(5):
        actions = fresh.sample()
        batch.step(actions)
        fresh.step(actions)
    for name in ARRAYS:
        assert np.array_equal(getattr(batch, name), getattr(fresh, name)), name


@pytest.mark.parametrize(("game", "scenario"), [("tron", "codingame"), ("hextris", None)])
def test_only_the_marked_states_take_a_turn(game, scenario):
    batch, all_step = (quintain.Batch(game, scenario, 30, seed=2) for _ in range(2))
    random = np.random.default_rng(1)
    for _ in range(30):
        which = random.random(30) < 0.5
        before = {name: getattr(batch, name).copy() for name in ARRAYS}
        actions = drawn(batch.masks, random)
        batch.step(actions, which)
        for name in ("board", "features", "masks", "scores", "seeds"):
            assert np.array_equal(getattr(batch, name)[~which], before[name][~which]), name
        assert not batch.rewards[~which].any()
        assert not (batch.terminated | batch.truncated | batch.illegal)[~which].any()
    # A pickle has only the turns that were taken.
    again = pickle.loads(pickle.dumps(batch))
    for name in ARRAYS:
        assert np.array_equal(getattr(again, name), getattr(batch, name)), name
    all_step.step(drawn(all_step.masks, random), [True] * 30)
    assert (all_step.features != 0).any()


@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_a_copied_state_goes_on_as_its_source_does(game, scenario):
    batch = quintain.Batch(game, scenario, 40, seed=3)
    steps = 3 if game == "pentocity" else 20
    random = np.random.default_rng(4)
    for _ in range(steps):
        batch.step(drawn(batch.masks, random))
    sources, targets = np.arange(20), np.arange(20)[::-1] + 20
    batch.copy_states(sources, targets)
    for _ in range(2 * steps):
        for name in ARRAYS:
            array = getattr(batch, name)
            assert np.array_equal(array[sources], array[targets]), name
        actions = drawn(batch.masks, random)
        actions[targets] = actions[sources]
        batch.step(actions)
    again = pickle.loads(pickle.dumps(batch))
    assert np.array_equal(again.board, batch.board)
    assert np.array_equal(again.seeds, batch.seeds)


def test_states_that_are_swapped_are_read_before_any_is_written():
    batch = quintain.Batch("tron", "rooms", 2, seed=3)
    before = batch.board.copy()
    batch.copy_states([0, 1], [1, 0])
    assert np.array_equal(batch.board, before[::-1])
    with pytest.raises(ValueError, match=r"targets\[0\]=2: expected .* 0 to 1"):
        batch.copy_states([0], [2])
    with pytest.raises(ValueError, match="1 sources for 2 targets"):
        batch.copy_states([0], [0, 1])
    with pytest.raises(ValueError, match="opponents cannot be copied"):
        quintain.Batch("tron", count=2, opponent="random").copy_states([0], [1])


def test_the_seat_that_moves_is_known_and_sees_itself_as_seat_0():
    batch = quintain.Batch("tron", "codingame?players=3", 20, seed=1, autoreset=False)
    matches = [quintain.Game("tron", "codingame?players=3").begin(1 + n) for n in range(20)]
    random = np.random.default_rng(1)
    encoder = quintain.Encoder("tron", "codingame?players=3")
    while (batch.current_player >= 0).any():
        player = batch.current_player
        seen = batch.observe()
        actions = drawn(seen["action_mask"], random)
        for n, match in enumerate(matches):
            assert match.acting == ([player[n]] if player[n] >= 0 else [])
            if match.is_over:
                assert not seen["action_mask"][n].any()
                continue
            told = encoder.encode(match.observation(player[n]), player[n])
            for key, values in told.items():
                assert np.array_equal(seen[key][n], values), key
            match.play(["URDL"[actions[n]]])
        batch.step(actions)
    assert [scores.tolist() for scores in batch.scores] == [match.scores for match in matches]


def test_a_view_of_some_states_and_of_named_seats():
    batch = quintain.Batch("tron", "codingame", 6, seed=1)
    whole = batch.observe(seats=[1] * 6)
    some = batch.observe(seats=np.ones(6, np.int64), states=[4, 2])
    for key, values in whole.items():
        assert np.array_equal(some[key], values[[4, 2]])
    with pytest.raises(ValueError, match=r"seats\[5\]=2: expected .* 0 to 1"):
        batch.observe(seats=[0, 0, 0, 0, 0, 2])
    with pytest.raises(ValueError, match="seats: 1 values for 6 states"):
        batch.observe(seats=[0])
    with pytest.raises(ValueError, match="several seats move at once"):
        quintain.Batch("tron", count=2).observe()
    words = quintain.Batch("gather", "torus?players=3", 2).observe(seats=[2, 0])
    assert words["board"].shape == (2, 19 * 8)


def test_what_shows_itself_as_an_array_gives_actions():
    class Tensor:
        def __init__(self, values):
            self.values = values

        def __array__(self, dtype=None, copy=None):
            return self.values

    batch = quintain.Batch("tron", count=4)
    batch.step(Tensor(np.zeros((4, 2), np.int64)))
    assert (batch.features == 1).all()
    with pytest.raises(TypeError, match="int64, int32 or uint8, not .*Tensor"):
        batch.step(Tensor(np.zeros((4, 2))))


def test_who_played_an_illegal_action_is_known():
    batch = quintain.Batch("hextris", None, 3)
    batch.step(np.array([0, 0, 2]))
    batch.step(np.array([1, 2, 2]))
    assert batch.offenders.tolist() == [0, -1, -1]
    batch.step(np.array([2, 2, 2]))
    assert batch.offenders.tolist() == [-1, -1, -1]
