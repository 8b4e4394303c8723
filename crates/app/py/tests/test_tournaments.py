"""Tournaments and records."""

import copy
import pickle
import warnings

import pytest

import quintain


class Up(quintain.Player):
    def decide(self, observation, question):
        return question.actions[0]


class Other(Up):
    def decide(self, observation, question):
        return question.actions[question.turn % 4]


@pytest.fixture(scope="module")
def results():
    return quintain.tournament("tron", [Up, Other, "greedy"], seeds=4, threads=2)


def test_everybody_meets_everybody_on_both_sides(results):
    # Three pairs, two sides, four seeds.
    assert (results.played, results.skipped, results.faults) == (24, 0, 0)
    records = results.records
    assert len(records) == 24
    assert {player for record in records for player in record.players} == {
        "python:Up",
        "python:Other",
        "greedy",
    }


def test_standings_are_a_frame(results):
    pandas = pytest.importorskip("pandas")
    frame = results.standings()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["player"].iloc[0] == "greedy"
    polars = pytest.importorskip("polars")
    other = results.standings("polars")
    assert isinstance(other, polars.DataFrame)
    assert other["player"].to_list() == frame["player"].to_list()
    assert "greedy" in results.table()
    assert results.to_dict()["matches"] == 24
    with pytest.raises(ValueError, match="unknown frame “arrow”"):
        results.standings("arrow")


def test_results_do_not_depend_on_the_number_of_threads(results):
    again = quintain.tournament("tron", [Up, Other, "greedy"], seeds=4, threads=1)
    assert again.records == results.records


def test_results_are_pickled(results, tmp_path):
    again = pickle.loads(pickle.dumps(results))
    assert again.records == results.records
    assert again.table() == results.table()
    assert again.to_csv() == results.to_csv()
    assert repr(again) == repr(results)
    assert (again.played, again.skipped, again.faults) == (24, 0, 0)
    store = tmp_path / "kept.sqlite"
    stored = quintain.tournament("tron", [Up, "random"], seeds=3, store=store)
    assert copy.deepcopy(stored).records == stored.records


def test_a_store_keeps_records_for_the_next_time(results, tmp_path):
    store = tmp_path / "kept.sqlite"
    first = quintain.tournament("tron", [Up, "random"], seeds=3, store=store)
    second = quintain.tournament("tron", [Up, "random"], seeds=5, store=store)
    assert (first.played, second.played, second.skipped) == (6, 4, 6)
    assert sorted(r.id for r in quintain.load_records(store)) == sorted(
        r.id for r in second.records
    )


def test_a_tournament_file_is_played_as_it_stands(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('game = "polymer"\nplayers = ["random", "greedy"]\nseeds = 2\n')
    results = quintain.tournament(str(file))
    assert (results.name, results.played) == ("small", 4)


def test_progress_is_told():
    told = []
    quintain.tournament("tron", [Up, "random"], seeds=2, progress=lambda *now: told.append(now))
    assert told[-1] == (4, 4)


def test_an_exception_in_the_listener_ends_the_tournament():
    def listener(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        quintain.tournament("tron", [Up, "random"], seeds=2, progress=listener)


def test_a_player_that_fails_loses_its_matches_and_nothing_else():
    class Failing(quintain.Player):
        def decide(self, observation, question):
            raise ValueError("cannot")

    results = quintain.tournament("tron", [Failing, "random"], seeds=2)
    assert results.faults == 4
    assert all(record.fault["detail"].startswith("ValueError: cannot") for record in results.records)


def test_a_player_that_cannot_be_made_leaves_no_record():
    def maker():
        raise OSError("no model")

    results = quintain.tournament("tron", [maker, "random"], seeds=1)
    assert results.played == 0
    assert "OSError: no model" in results.failures[0]


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"players": ["random", "gredy"]}, "did you mean “greedy”"),
        ({"players": ["random"]}, "needs 2 different players, but 1 is listed"),
        ({"players": ["random", "greedy"], "budget": "node=3"}, "did you mean “nodes”"),
        ({"players": ["random", "greedy"], "format": "league"}, "versus"),
        ({"players": ["random", "greedy"], "scenarios": ["rings?apart=0"]}, "apart=0"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_line(keywords, said):
    with pytest.raises(ValueError) as caught:
        quintain.tournament("tron", **keywords)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_instance_cannot_play_many_matches_at_once():
    with pytest.raises(TypeError, match="give its class"):
        quintain.tournament("tron", [Up(), "random"])


def test_records_go_to_a_file_and_come_back(results, tmp_path):
    file = tmp_path / "records.jsonl"
    results.save(file)
    assert quintain.load_records(file) == results.records
    record = results.records[0]
    assert pickle.loads(pickle.dumps(record)) == record
    assert quintain.Record.from_json(record.to_json()) == record


def test_a_record_that_was_changed_is_refused(results, tmp_path):
    text = results.records[0].to_json()
    with pytest.raises(ValueError, match="digest"):
        quintain.Record.from_json(text.replace('"ending":"', '"ending":"a '))
    file = tmp_path / "broken.jsonl"
    file.write_text(text + "\n{}\n")
    with pytest.raises(ValueError, match=r"broken.jsonl, line 2: "):
        quintain.load_records(file)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        quintain.load_records(tmp_path / "none.jsonl")


def test_a_replay_has_every_position(results):
    record = results.records[0]
    replay = record.replay()
    turns = int(record.metrics["turns"])
    assert len(replay) == turns + 1
    assert replay[0].turn == 0
    assert replay[-1].scores == record.scores
    assert [position.turn for position in replay] == list(range(turns + 1))
    assert replay.played(0) == record.actions[:2]
    with pytest.raises(IndexError, match="positions 0 to"):
        replay[turns + 1]


def test_a_record_shows_itself_in_a_notebook(results):
    record = results.records[0]
    page = record.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert record._repr_html_().startswith("<iframe srcdoc=")
    svg = record._repr_svg_()
    assert svg.startswith("<svg")
    assert "greedy" in svg or "Up" in svg


def test_a_players_numbers_are_tuned():
    arguments = {"generations": 1, "population": 4, "seeds": 1, "held_out": 2, "budget": "iterations=5"}
    tuned = quintain.tune("tron", "uct", ["exploration=0.1..2"], **arguments)
    assert tuned["player"].startswith("uct?")
    assert len(tuned["course"]["generations"]) == 1
    with pytest.raises(ValueError, match="did you mean “exploration”"):
        quintain.tune("tron", "uct", ["explaration"])


def test_seeds_that_all_play_one_problem_are_told_of():
    with pytest.warns(quintain.SeedWarning, match=r"drawn\?size=0: all 2 seeds.*seed=\{seed\}"):
        same = quintain.tournament("hextris", [Up], scenarios=["drawn?size=0"], seeds=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scenarios = ["drawn?size=0&seed={seed}"]
        each = quintain.tournament("hextris", [Up], scenarios=scenarios, seeds=2)
        quintain.tournament("hextris", [Up], scenarios=["drawn?size=0&seed=1"], seeds=2)
        quintain.tournament("tron", ["random", "greedy"], seeds=2)
    assert len({record.scenario for record in same.records}) == 1
    assert len({record.scenario for record in each.records}) == 2


def test_a_match_of_a_family_is_had_by_the_scenario_of_its_state():
    batch = quintain.Batch("hextris", "drawn?size=0", 4, seed=5)
    for state, seed in enumerate(batch.seeds.tolist()):
        match = quintain.Game("hextris", batch.scenario_of(state)).begin(seed)
        other = quintain.Encoder("hextris", batch.scenario_of(state))
        seen = other.encode(match.observation(0))
        assert (seen["board"] == batch.board[state]).all()
    with pytest.warns(quintain.SeedWarning, match="size=0&seed=7"):
        quintain.Game("hextris", "drawn?size=0").begin(7)
    with pytest.warns(quintain.SeedWarning, match="one problem, whatever the seed"):
        quintain.play("hextris", Up, scenario="drawn?size=0", seed=7)
