"""Batches of states: what they write, and that nothing depends on threads."""

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
