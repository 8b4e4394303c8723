"""Searches whose positions a Python function evaluates, and self-play with them."""

import numpy as np
import pytest

import quintain


def know_nothing(seen):
    """Take all actions to be equally likely, and all positions to be even."""
    count, actions = seen["action_mask"].shape
    return np.zeros((count, actions), np.float32), np.zeros(count, np.float32)


BATCHES = [
    ("tron", "codingame", None),
    ("tron", "empty?width=7&height=7", None),
    ("tron", "empty?players=4&width=9&height=9", None),
    ("polymer", "random?n=12", None),
    ("hextris", "drawn?size=6", "places"),
    ("gather", "torus?players=3&limit=20", None),
    ("pentocity", "random?side=6", None),
]


@pytest.mark.parametrize(("game", "scenario", "encoding"), BATCHES)
def test_a_search_finds_legal_actions_for_whoever_moves(game, scenario, encoding):
    batch = quintain.Batch(game, scenario, 6, seed=3, encoding=encoding)
    before = batch.board.copy()
    found = quintain.puct(batch, evaluate=know_nothing, simulations=12)
    assert np.array_equal(batch.board, before)
    policy, action = found["policy"], found["action"]
    shape = () if batch.layout["learner_seats"] == 1 or not batch.layout["simultaneous"] else (batch.layout["seats"],)
    assert policy.shape == (6, *shape, batch.layout["actions"])
    assert action.shape == found["value"].shape == (6, *shape)
    assert policy.sum(axis=-1) == pytest.approx(np.ones(action.shape), abs=1e-5)
    masks = batch.masks if shape or batch.layout["seats"] == 1 else batch.observe()["action_mask"]
    assert not policy[masks == 0].any()
    assert np.take_along_axis(masks, action[..., np.newaxis], -1).all()
    batch.step(action)
    assert not batch.illegal.any()


def test_all_searches_share_what_is_evaluated():
    batch = quintain.Batch("tron", "codingame", 10, seed=2)
    batch.step(batch.observe()["action_mask"].argmax(axis=1))
    asked = []

    def evaluate(seen):
        asked.append(seen)
        return know_nothing(seen)

    found = quintain.puct(batch, evaluate=evaluate, simulations=20)
    # The roots come first, as the seat that moves sees them.
    for key, values in batch.observe().items():
        assert np.array_equal(asked[0][key], values)
    assert [len(seen["board"]) for seen in asked] == [10] * 21
    assert found["evaluated"] == 210
    asked.clear()
    found = quintain.puct(batch, evaluate=evaluate, simulations=20, leaves=5)
    assert [len(seen["board"]) for seen in asked] == [10] + [50] * 4
    assert found["evaluated"] == 210


def test_equal_seeds_give_equal_searches():
    def of(seed):
        batch = quintain.Batch("tron", "empty", 8, seed=2)
        return quintain.puct(batch, evaluate=know_nothing, simulations=30, seed=seed)["action"]

    assert np.array_equal(of(1), of(1))
    assert not np.array_equal(of(1), of(2))


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_search_follows_what_it_is_told(root):
    # In polymer the features count the monomers that are laid; a board tells where the last one is.
    batch = quintain.Batch("tron", "codingame", 4, seed=1)
    wanted = 2

    def by_value(seen):
        """Take a position for won by seat 0 if it has gone down: what its rival sees is a loss."""
        logits, values = know_nothing(seen)
        head = (seen["board"] == 7).reshape(len(values), -1).argmax(axis=1)
        start = starts[np.arange(len(values)) % len(starts)]
        return logits, np.where(head == start + batch.layout["board"][1], -1.0, 0.0)

    def by_policy(seen):
        logits, values = know_nothing(seen)
        logits[:, wanted] = 9
        return logits, values

    starts = (batch.observe()["board"] == 6).reshape(4, -1).argmax(axis=1)
    legal = batch.observe()["action_mask"][:, wanted] == 1
    assert legal.any()
    for evaluate in (by_policy, by_value):
        found = quintain.puct(batch, evaluate=evaluate, simulations=16, root=root, noise=0.0)
        assert (found["action"][legal] == wanted).all()
    assert (found["value"][legal] > 0).all()


def test_a_search_without_knowledge_plays_better_than_chance():
    batch = quintain.Batch("tron", "codingame?players=2", 30, seed=7, autoreset=False)
    random = np.random.default_rng(1)
    # The searcher has seat 0 in even states and seat 1 in odd ones.
    seats = np.arange(30) % 2
    while (batch.current_player >= 0).any():
        found = quintain.puct(batch, evaluate=know_nothing, simulations=24)
        masks = batch.observe()["action_mask"]
        chance = (random.random(masks.shape) * masks).argmax(axis=1)
        batch.step(np.where(batch.current_player == seats, found["action"], chance))
    assert batch.scores[np.arange(30), seats].mean() > 0.6


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (lambda seen: None, TypeError, "expected a pair of arrays, logits and values, not NoneType"),
        (lambda seen: (np.zeros((3, 3)), np.zeros(4)), ValueError, "logits: expected an array of shape (4, 4), not (3, 3)"),
        (lambda seen: (np.zeros((4, 4)), np.zeros((4, 1))), ValueError, "values: expected an array of shape (4,), not (4, 1)"),
        (lambda seen: (np.full((4, 4), np.nan), np.zeros(4)), ValueError, "logits: some are not finite numbers"),
    ],
)
def test_what_is_no_evaluation_is_told_in_a_line(answer, error, said):
    batch = quintain.Batch("tron", "codingame", 4)
    with pytest.raises(error) as caught:
        quintain.puct(batch, evaluate=answer)
    assert said in str(caught.value)


def test_an_exception_of_what_evaluates_ends_the_search():
    def fails(seen):
        raise ConnectionError("the server is down")

    batch = quintain.Batch("tron", "codingame", 4)
    with pytest.raises(ConnectionError, match="the server is down"):
        quintain.puct(batch, evaluate=fails)
    # The batch goes on.
    batch.step(batch.observe()["action_mask"].argmax(axis=1))


def test_what_evaluates_may_use_the_batch():
    batch = quintain.Batch("tron", "codingame", 4)

    def evaluate(seen):
        assert (batch.current_player == 0).all()
        return know_nothing(seen)

    quintain.puct(batch, evaluate=evaluate, simulations=4)


@pytest.mark.parametrize(
    ("make", "options", "said"),
    [
        (lambda: quintain.Batch("tron", "empty", 2, opponent="random"), {}, "the batch must have no opponents"),
        (lambda: quintain.Batch("tron", "empty", 2), {"root": "gumble"}, "expected “gumbel” or “puct”"),
        (lambda: quintain.Batch("tron", "empty", 2), {"noise": 2.0}, "noise=2: expected a number from 0 to 1"),
        (lambda: quintain.Batch("tron", "empty", 2), {"simulations": 0}, "simulations=0: expected a whole number from 1"),
    ],
)
def test_searches_that_cannot_be_are_told_in_a_line(make, options, said):
    with pytest.raises(ValueError, match="(?s).") as caught:
        quintain.puct(make(), evaluate=know_nothing, **options)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("game", "scenario", "encoding"), [batch for batch in BATCHES if batch[0] in ("tron", "polymer")]
)
def test_self_play_writes_what_every_seat_decided_and_how_its_match_ended(game, scenario, encoding):
    options = {"evaluate": know_nothing, "matches": 7, "simulations": 6, "side_by_side": 3, "seed": 5}
    positions = quintain.self_play(game, scenario, encoding=encoding, **options)
    again = quintain.self_play(game, scenario, encoding=encoding, **options)
    for key, values in positions.items():
        assert np.array_equal(values, again[key]), key
    match, turn, seat = positions["match"], positions["turn"], positions["seat"]
    assert sorted(set(match)) == list(range(7))
    assert len(np.unique(np.stack([match, turn, seat]), axis=1).T) == len(match)
    assert positions["policy"].sum(axis=1) == pytest.approx(np.ones(len(match)), abs=1e-5)
    assert not positions["policy"][positions["legal"] == 0].any()
    for number in range(7):
        own = match == number
        # Every match begins as that of its seed, and misses no turn.
        assert sorted(set(turn[own])) == list(range(turn[own].max() + 1))
        fresh = quintain.Batch(game, scenario, 1, seed=5 + number, encoding=encoding)
        first = np.flatnonzero(own & (turn == 0))[0]
        assert np.array_equal(fresh.observe(seats=[seat[first]])["board"][0], positions["board"][first])
        values = {int(s): set(positions["value"][own & (seat == s)]) for s in set(seat[own])}
        assert all(len(of_seat) == 1 for of_seat in values.values())
        if len(values) == 2:
            assert sum(next(iter(of_seat)) for of_seat in values.values()) == pytest.approx(0)
