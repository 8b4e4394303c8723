"""Players written in Python beside ours, and ours asked from Python."""

import random
import warnings

import pytest

import quintain


class Turning(quintain.Player):
    """Turns right whenever the way ahead is not free."""

    def start(self, match_start):
        self.seat = match_start["seat"]

    def decide(self, observation, question):
        assert question.seat == self.seat
        return question.actions[question.turn % 2]


class Drawing(quintain.Player):
    """Draws an action from its own seed."""

    def start(self, match_start):
        self.random = random.Random(match_start["seed"])

    def decide(self, observation, question):
        question.note("offered", len(question.actions))
        return self.random.choice(question.actions)


def test_a_python_player_plays_beside_ours():
    record = quintain.play("tron", [Turning, "random"], seed=4)
    assert record.players == ["python:Turning", "random"]
    assert set(record.actions[::2]) == {"U", "R"}
    record.verify()


def test_equal_seeds_give_equal_records():
    first = quintain.play("tron", [Drawing, Turning], seed=3, notes=True)
    second = quintain.play("tron", [Drawing, Turning], seed=3, notes=True)
    assert first == second
    assert {note["name"] for note in first.notes} == {"offered"}
    assert first != quintain.play("tron", [Drawing, Turning], seed=4, notes=True)


def test_an_instance_a_function_and_a_name_of_its_own_are_players_too():
    named = Turning()
    named.name = "mine"
    assert quintain.play("tron", [named, lambda: Drawing()]).players == [
        "python:mine",
        "python:<lambda>",
    ]


def test_one_player_takes_all_seats():
    assert quintain.play("gather", "groovy").players == ["groovy"] * 5


def test_one_class_takes_the_only_seat():
    class First(quintain.Player):
        def decide(self, observation, question):
            return question.actions[0]

    for player in (First, First(), First, lambda: First()):
        assert quintain.play("hextris", player).fault is None
    assert quintain.play("tron", First).players == ["python:First"] * 2
    with pytest.raises(TypeError, match="3 is not a player"):
        quintain.play("hextris", 3)


def test_a_player_that_fails_at_the_end_is_told_of():
    class Late(Turning):
        def finish(self, outcome):
            raise LookupError("too late")

    with pytest.warns(RuntimeWarning, match=r"python:Late: finish: LookupError: too late \(test_"):
        record = quintain.play("tron", [Late, "random"], seed=4)
    assert record.fault is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="too late"):
            quintain.play("tron", [Late, "random"], seed=4)


def test_an_action_may_have_its_json_form():
    class Json(quintain.Player):
        def decide(self, observation, question):
            return "up" if question.seat else {"no": "action"}

    record = quintain.play("tron", [Json, "random"])
    assert record.fault["seat"] == 0
    assert record.fault["kind"] == "protocol"


def test_an_exception_takes_the_seat_out_and_tells_where():
    class Broken(quintain.Player):
        def decide(self, observation, question):
            raise LookupError("no idea")

    record = quintain.play("tron", ["random", Broken])
    assert record.ending == "forfeit"
    assert record.scores == [1.0, 0.0]
    assert record.fault["detail"].startswith("LookupError: no idea (test_players.py, line ")
    assert record.fault["said"][-1] == "LookupError: no idea"


def test_an_illegal_action_is_a_fault_with_the_rule():
    class Wrong(quintain.Player):
        def decide(self, observation, question):
            return "sideways"

    fault = quintain.play("tron", [Wrong, Wrong]).fault
    assert fault["seat"] == 0
    assert "sideways" in fault["detail"]


def test_an_interrupt_ends_everything():
    class Stopping(quintain.Player):
        def decide(self, observation, question):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quintain.play("tron", [Stopping, "random"])
    with pytest.raises(KeyboardInterrupt):
        quintain.tournament("tron", [Stopping, "random"], seeds=5)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (("trno", ["random", "random"]), ValueError, "did you mean “tron”"),
        (("tron", ["randm", "random"]), ValueError, "did you mean “random”"),
        (("tron", ["random"] * 3), ValueError, "has 2 seats, but 3 players were given"),
        (("tron", ["champion?nods=3", "random"]), ValueError, "did you mean “nodes”"),
        (("tron", [3, "random"]), TypeError, "3 is not a player"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_line(arguments, error, said):
    with pytest.raises(error) as caught:
        quintain.play(*arguments)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_players_of_one_name_are_refused():
    first, second = (type("Same", (Turning,), {}) for _ in range(2))
    with pytest.raises(ValueError, match="two players are called Same"):
        quintain.play("tron", [first, second])


def test_a_player_of_ours_is_asked_on_an_observation():
    game = quintain.Game("tron")
    match = game.begin(1)
    adviser = game.adviser("champion?nodes=500", seat=1)
    action, notes = adviser.explain(match.observation(1), turn=0)
    assert action in match.actions(1)
    assert action == game.adviser("champion?nodes=500", seat=1).decide(match.observation(1))
    assert all(isinstance(value, float) for value in notes.values())


def test_an_observation_of_another_game_is_refused():
    adviser = quintain.Game("tron").adviser("random")
    with pytest.raises(ValueError, match="not an observation of the game"):
        adviser.decide({"a": 1})


def test_a_match_is_played_step_by_step():
    match = quintain.Game("tron").begin(1)
    assert match.acting == [0, 1]
    before = match.copy()
    match.play(["U", "D"])
    match.play({0: "U", 1: "D"})
    assert (match.turn, before.turn) == (2, 0)
    with pytest.raises(ValueError, match="seat 1 must move too"):
        match.play({0: "U"})
    with pytest.raises(ValueError, match="seat 0: "):
        match.play(["X", "U"])
    assert "A" in str(match)
    assert match._repr_svg_().startswith("<svg")


def test_a_match_is_printed_with_its_caption_once():
    lines = str(quintain.Game("tron", "empty").begin()).splitlines()
    assert lines.count("2 of 2 alive") == 1
    assert lines[-1] == "2 of 2 alive"
