"""Players written in Python beside ours, and ours asked from Python."""

import asyncio
import pickle
import random
import threading
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


# What a player depends on, and what it says


class Unreachable(quintain.Player):
    """Asks a server that is down in every other match."""

    error = ConnectionRefusedError("the server is down")
    is_down = True

    def start(self, match_start):
        self.fails = self.is_down and match_start["seat"] == 0

    def decide(self, observation, question):
        if self.fails:
            raise self.error
        return question.actions[0]


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError("the server is down"), quintain.VoidMatch("no licence")]
)
def test_a_match_in_which_something_else_failed_is_void_and_played_again(error, tmp_path):
    class Asking(Unreachable):
        pass

    Asking.error = error
    store = tmp_path / "kept.sqlite"
    options = {"seeds": 3, "store": store, "threads": 1}
    with pytest.warns(RuntimeWarning, match=f"3 of 6 matches have no result .*{error}"):
        results = quintain.tournament("tron", [Asking, "random"], **options)
    assert (results.played, results.failed, results.faults) == (3, 3, 0)
    assert repr(results) == "<Results of tron (tron): 3 of 6 matches, 3 without a result>"
    assert len(results.failures) == 3
    assert str(error) in results.failures[0]
    Asking.is_down = False
    results = quintain.tournament("tron", [Asking, "random"], **options)
    assert (results.played, results.skipped, results.failed) == (3, 3, 0)
    assert len(results.records) == 6


def test_a_single_void_match_raises_what_says_so():
    with pytest.raises(quintain.VoidMatch, match="python:Unreachable: ConnectionRefusedError: the"):
        quintain.play("tron", [Unreachable, "random"])


def test_faults_are_counted_whenever_they_happened(tmp_path):
    class Broken(quintain.Player):
        def decide(self, observation, question):
            raise LookupError("no idea")

    store = tmp_path / "kept.sqlite"
    for played, skipped in [(6, 0), (0, 6)]:
        results = quintain.tournament("tron", [Broken, "random"], seeds=3, store=store)
        assert (results.played, results.skipped, results.faults) == (played, skipped, 6)
    assert repr(results) == "<Results of tron (tron): 6 of 6 matches, 6 lost by a fault>"


def test_a_player_that_exits_takes_only_its_seat_out():
    class Exits(quintain.Player):
        def decide(self, observation, question):
            raise SystemExit(3)

    record = quintain.play("tron", [Exits, "random"])
    assert record.fault["detail"].startswith("SystemExit: 3 (test_players.py, line ")
    assert quintain.tournament("tron", [Exits, "random"], seeds=2).faults == 4


@pytest.mark.parametrize("count", [2, 4])
def test_seats_that_move_at_once_are_asked_at_once_if_they_may_be(count):
    class Together(quintain.Player):
        concurrent = True
        # Nobody gets past it alone.
        meeting = threading.Barrier(count)

        def decide(self, observation, question):
            self.meeting.wait(60)
            return question.actions[0]

        def finish(self, outcome):
            self.meeting.abort()

    class Until(Together):
        """Goes on while everybody is in the game: who has fallen does not come to the meeting."""

        def decide(self, observation, question):
            if question.turn > 1:
                return question.actions[0]
            return super().decide(observation, question)

    record = quintain.play("tron", Until, scenario=f"empty?players={count}", seed=2)
    assert record.fault is None
    record.verify()


def test_what_is_asked_at_once_is_what_is_asked_in_turn():
    class AtOnce(Drawing):
        concurrent = True
        name = "Drawing"

    options = {"scenario": "empty?players=4", "seed": 5, "notes": True}
    assert quintain.play("tron", AtOnce, **options) == quintain.play("tron", Drawing, **options)


def test_a_fault_of_one_seat_waits_for_the_others_that_think():
    class Thinking(quintain.Player):
        concurrent = True
        done = []

        def start(self, match_start):
            self.seat = match_start["seat"]

        def decide(self, observation, question):
            if self.seat == 0:
                raise LookupError("no idea")
            self.done.append("decided")
            return question.actions[0]

        def finish(self, outcome):
            self.done.append(f"finished {self.seat}")

    record = quintain.play("tron", Thinking)
    assert record.fault["seat"] == 0
    assert Thinking.done.index("decided") < Thinking.done.index("finished 1")


class Waiting(quintain.Player):
    """Is async throughout, and meets the others of its match."""

    concurrent = True

    async def start(self, match_start):
        await asyncio.sleep(0)
        self.seat = match_start["seat"]

    async def decide(self, observation, question):
        assert question.seat == self.seat
        await asyncio.sleep(0)
        return question.actions[question.turn % 2]

    async def finish(self, outcome):
        await asyncio.sleep(0)
        self.scores = outcome["scores"]


def test_async_players_play():
    one, other = Waiting(), Waiting()
    other.name = "other"
    record = quintain.play("tron", [one, other], seed=4)
    assert record.fault is None
    assert one.scores == other.scores == record.scores
    assert quintain.tournament("tron", [Waiting, "random"], seeds=3, threads=2).faults == 0


def test_async_players_share_an_event_loop():
    loops = set()

    class Looks(quintain.Player):
        async def decide(self, observation, question):
            loops.add(asyncio.get_running_loop())
            return question.actions[0]

    quintain.play("tron", Looks)
    quintain.play("tron", Looks, seed=2)
    assert len(loops) == 1


def test_an_exception_of_an_async_player_is_its_fault():
    class Broken(quintain.Player):
        async def decide(self, observation, question):
            raise TimeoutError("too slow")

    record = quintain.play("tron", [Broken, "random"])
    assert record.fault["detail"].startswith("TimeoutError: too slow (test_players.py, line ")


def test_notes_may_be_words(tmp_path):
    class Explains(quintain.Player):
        def decide(self, observation, question):
            question.note("why", f"turn {question.turn}")
            question.note("depth", 3)
            return question.actions[0]

    record = quintain.play("tron", [Explains, "random"], notes=True)
    assert {"turn": 0, "seat": 0, "name": "why", "value": "turn 0"} in record.notes
    assert {"turn": 0, "seat": 0, "name": "depth", "value": 3.0} in record.notes
    assert quintain.play("tron", [Explains, "random"]).notes == []
    store = tmp_path / "kept.sqlite"
    results = quintain.tournament("tron", [Explains, "random"], seeds=1, notes=True, store=store)
    for records in (results.records, quintain.load_records(store), pickle.loads(pickle.dumps(results)).records):
        assert any(note["value"] == "turn 0" for note in records[0].notes)


def test_what_is_neither_number_nor_words_is_no_note():
    class Noting(quintain.Player):
        def decide(self, observation, question):
            question.note("what", None)

    fault = quintain.play("tron", [Noting, "random"]).fault
    assert fault["detail"].startswith("TypeError: value=None: expected a number")


@pytest.mark.parametrize(
    ("game", "scenario", "legal", "illegal", "rule"),
    [
        # A step west and one east lead back, which no unit may do.
        ("hextris", "drawn?size=6", "p", "pb", "a position it already had"),
        ("pentocity", "random?side=6", "reject", "r0@5,5", "outside of the land"),
        ("tron", "empty", "U", "sideways", "sideways"),
    ],
)
def test_a_player_may_ask_whether_an_action_is_legal(game, scenario, legal, illegal, rule):
    checked = []

    class Asks(quintain.Player):
        def decide(self, observation, question):
            for action in question.actions:
                question.check(action)
            if legal:
                question.check(legal)
            try:
                question.check(illegal)
            except ValueError as error:
                checked.append(str(error))
            return question.actions[0]

    quintain.play(game, Asks, scenario=scenario)
    assert rule in checked[0]
    assert all("\n" not in line for line in checked)


def test_more_actions_may_be_legal_than_are_offered():
    found = []

    def is_legal(question, action):
        try:
            question.check(action)
        except ValueError:
            return False
        return True

    class Asks(quintain.Player):
        def decide(self, observation, question):
            built = [f"r0@{row},{column}" for row in range(6) for column in range(6)]
            legal = {action for action in built if is_legal(question, action)}
            found.append(legal - set(question.actions))
            return question.actions[0]

    quintain.play("pentocity", Asks, scenario="random?side=6")
    assert found[0]


# Results


def test_matches_are_a_frame():
    results = quintain.tournament("tron", ["greedy", "random"], seeds=2)
    for library in ("pandas", "polars"):
        frame = results.matches(library)
        assert frame.shape == (8, 10)
        assert sorted(frame["player"].unique()) == ["greedy", "random"]
        assert set(frame["id"]) == {record.id for record in results.records}
        assert sum(frame["score"]) == 4
    with pytest.raises(ValueError, match="did you mean “pandas”"):
        results.matches("panda")


def test_a_notebook_shows_standings_as_tables():
    results = quintain.tournament("tron", ["greedy", "random"], seeds=2)
    shown = results._repr_html_()
    assert shown.count("<table>") == shown.count("</table>") > 0
    assert "<td>greedy</td>" in shown
    assert "|" not in shown
