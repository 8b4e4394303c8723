"""Searches on games written in Python."""

import itertools

import pytest
from nim import Nim

from quintain import search


class Digits:
    """Write digits; the sum of products of neighbours counts. One seat."""

    def __init__(self, length=6):
        self.length = length

    def start(self):
        return ()

    def to_act(self, state):
        return 0 if len(state) < self.length else None

    def actions(self, state):
        return [digit for digit in range(self.length) if digit not in state]

    def apply(self, state, action):
        return (*state, action)

    def score(self, state, seat):
        return float(sum(a * b for a, b in itertools.pairwise(state)))

    def best(self):
        orders = itertools.permutations(range(self.length))
        return max(self.score(order, 0) for order in orders)


@pytest.mark.parametrize(("heap", "take"), [(5, 1), (6, 2), (7, 3), (9, 1), (10, 2)])
def test_uct_leaves_a_multiple_of_four(heap, take):
    found = search.uct(Nim(heap), iterations=2000, seed=1)
    assert found["action"] == take
    assert found["iterations"] == 2000


def test_equal_seeds_give_equal_searches():
    first, second = (search.uct(Nim(21), iterations=200, seed=5) for _ in range(2))
    assert first == second


def test_a_wide_beam_finds_the_best_line():
    game = Digits()
    line = search.beam(game, width=1000)
    assert line["score"] == game.best()
    assert line["over"]
    assert sorted(line["actions"]) == list(range(6))
    assert line["state"] == tuple(line["actions"])


def test_nrpa_finds_the_best_line_and_the_same_one_again():
    game = Digits()
    line = search.nrpa(game, level=2, iterations=30, seed=2)
    assert line["score"] == game.best()
    assert line == search.nrpa(game, level=2, iterations=30, seed=2)


def test_less_is_better_where_the_game_says_so():
    game = Digits()
    game.goal = "lowest"
    least = min(game.score(order, 0) for order in itertools.permutations(range(6)))
    assert search.beam(game, width=1000)["score"] == least
    assert search.nrpa(game, level=2, iterations=30)["score"] == least


def test_a_search_begins_where_it_is_told():
    assert search.uct(Nim(21), (6, 0), iterations=2000)["action"] == 2
    with pytest.raises(ValueError, match="the game is over"):
        search.uct(Nim(21), (0, 0))


def failing(method):
    """A game one of whose methods fails on the second move."""
    calls = itertools.count()

    class Failing(Nim):
        pass

    def fail(self, *arguments):
        if next(calls) > 3:
            raise LookupError(f"{method} fails")
        return getattr(Nim, method)(self, *arguments)

    setattr(Failing, method, fail)
    return Failing(9)


class Breaking:
    """A game (Nim, Digits) that is broken off at one of its calls, as by Ctrl-C."""

    def __init__(self, game, at):
        self.game, self.left = game, at

    def __getattr__(self, name):
        value = getattr(self.game, name)
        if not callable(value):
            return value

        def call(*arguments):
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return value(*arguments)

        return call


# Most of these calls are those with which a search begins, where it is promised whose turn it is.
@pytest.mark.parametrize("at", range(60))
def test_a_search_may_be_broken_off_at_any_call(at):
    for work in (
        lambda: search.uct(Breaking(Nim(400), at), iterations=500),
        lambda: search.nrpa(Breaking(Digits(), at), level=3),
        lambda: search.beam(Breaking(Digits(), at), width=100),
    ):
        with pytest.raises(KeyboardInterrupt):
            work()


@pytest.mark.parametrize("method", ["to_act", "actions", "apply", "score"])
def test_an_exception_in_the_game_comes_out_as_it_is(method):
    with pytest.raises(LookupError, match=f"{method} fails"):
        search.uct(failing(method), iterations=500)


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"apply": None}, TypeError, "object is not callable"),
        ({"seats": 0}, ValueError, "expected 1 to 64"),
        ({"goal": "most"}, ValueError, "unknown goal “most”"),
        ({"actions": lambda state: []}, ValueError, "no actions in"),
        ({"to_act": lambda state: 7}, ValueError, "to_act is 7; expected 0 to 1"),
        ({"score": lambda state, seat: float("nan")}, ValueError, "expected a finite number"),
        ({"actions": lambda state: [[1]]}, TypeError, "unhashable"),
        ({"score": lambda state, seat: 7.0}, ValueError, "score is 7 in"),
        ({"estimate": lambda state, seat: -1.0}, ValueError, "score_range says 0 to 1"),
        ({"score_range": (1, 0)}, ValueError, "the least and the greatest score"),
        ({"score_range": "ab"}, ValueError, "the least and the greatest score"),
    ],
)
def test_a_game_that_is_none_is_told_so(changes, error, said):
    game = Nim(9)
    for name, value in changes.items():
        setattr(game, name, value)
    with pytest.raises(error) as caught:
        search.uct(game, iterations=50, playout=1)
    assert said in str(caught.value)


@pytest.mark.parametrize("plan", [search.beam, search.nrpa])
def test_a_plan_of_a_game_that_offers_nothing_is_told_so(plan):
    game = Digits()
    game.actions = lambda state: []
    with pytest.raises(ValueError, match="no actions in"):
        plan(game)


@pytest.mark.parametrize("plan", [search.beam, search.nrpa])
def test_an_exception_in_a_hash_comes_out_as_it_is(plan):
    class Bad(tuple):
        def __hash__(self):
            raise LookupError("no hash")

    game = Digits()
    game.apply = lambda state, action: Bad((*state, action))
    if plan is search.beam:
        with pytest.raises(LookupError, match="no hash"):
            plan(game)
    else:
        # It compares no positions.
        assert plan(game)["over"]


def test_what_has_no_methods_is_no_game():
    with pytest.raises(TypeError, match="it has no “start”"):
        search.uct(object())
    with pytest.raises(ValueError, match="the game has 2 seats"):
        search.beam(Nim(5))
