"""Players of other referees play here, each asked as its own referee asks."""

import runpy
from pathlib import Path

import pytest

import quintain
from quintain import adapters

STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}


def rider(obs):
    """A bot of LightCycles: it goes where a cell is empty."""
    own = obs["players"][obs["you"]]
    assert own["id"] == obs["you"] and own["alive"]
    assert obs["grid"][own["y"]][own["x"]] == obs["you"]
    for direction, (dx, dy) in STEPS.items():
        x, y = own["x"] + dx, own["y"] + dy
        if 0 <= x < obs["width"] and 0 <= y < obs["height"] and obs["grid"][y][x] == -1:
            return direction
    return own["dir"]


@pytest.mark.parametrize("scenario", ["riddles", "obstacles", "obstacles?headings=drawn&turns=60"])
def test_a_bot_of_lightcycles_beats_a_random_player(scenario):
    record = quintain.play("tron", [adapters.lightcycles(rider), "random"], scenario=scenario, seed=2)
    assert record.players[0] == "python:rider"
    assert record.scores[0] == 1.0
    record.verify()


def test_lightcycles_refuses_other_games():
    with pytest.raises(quintain.VoidMatch, match="adapters.lightcycles plays tron, not gather"):
        quintain.play("gather", [adapters.lightcycles(rider)], seed=1)


def test_lightcycles_asks_in_this_form():
    asked = []

    def straight(obs):
        asked.append(obs)
        return "stay"

    game = adapters.lightcycles(straight)
    quintain.play("tron", [game, "random"], scenario="empty?width=7&height=6", seed=1)
    first, second = asked[:2]
    assert sorted(first) == ["grid", "height", "max_ticks", "players", "tick", "width", "you"]
    assert (first["width"], first["height"], first["you"], first["tick"]) == (5, 4, 0, 0)
    assert sum(cell != -1 for row in first["grid"] for cell in row) == 2
    own, then = first["players"][0], second["players"][0]
    # What it cannot read goes straight on.
    dx, dy = STEPS[own["dir"]]
    assert (then["x"], then["y"]) == (own["x"] + dx, own["y"] + dy)
    assert then["dir"] == own["dir"]


def test_a_kaggle_agent_plays_any_game():
    seen = []

    def agent(observation, configuration):
        seen.append((observation, configuration))
        assert observation.player == observation["player"]
        return len(observation.legalActions) - 1

    def alone(obs):
        return obs.legalActions[0]

    record = quintain.play("tron", [adapters.kaggle(agent), adapters.kaggle(alone)], seed=1)
    assert set(record.actions[::2]) == {"L"} and set(record.actions[1::2]) == {"U"}
    observation, configuration = seen[0]
    assert observation.step == 0 and observation.board and configuration.moves == "simultaneous"
    assert configuration.actTimeout == 2.0
    quintain.play("polymer", adapters.kaggle(alone, name="mine"), scenario="random?n=6&width=4&height=4")


def test_a_kaggle_agent_that_answers_nonsense_loses():
    record = quintain.play("tron", [adapters.kaggle(lambda obs: 9), "random"], seed=1)
    assert "expected an action, or 0 to 3" in record.fault["detail"]
    with pytest.raises(TypeError, match="expected agent"):
        adapters.kaggle(lambda: 0)


def test_a_policy_of_pettingzoos_loop_plays():
    def act(observation, agent):
        assert agent == "seat_0" and set(observation) >= {"observation", "action_mask"}
        return int(observation["action_mask"].argmax())

    record = quintain.play("tron", [adapters.aec(act), "random"], seed=1)
    assert record.players[0] == "python:act"


def test_the_starters_of_the_documentation_play(tmp_path, capsys):
    pytest.importorskip("numpy")
    page = (Path(__file__).parents[4] / "docs/protocols.md").read_text(encoding="utf-8")
    file = tmp_path / "functions.py"
    text = page.split("```python functions.py\n")[1].split("```\n")[0]
    file.write_text(text, encoding="utf-8")
    starters = runpy.run_path(str(file))
    played = capsys.readouterr().out.splitlines()
    assert [line.split("'")[1] for line in played] == ["python:get_move", "python:agent", "python:act"]
    assert played[0].endswith("[1.0, 0.0]"), "a random player crashes first"
    # A recorded conversation of each referee, as it is described.
    grid = [[-1, 0, -1], [-1, 0, 1], [-1, -1, 1]]
    players = [
        {"id": 0, "x": 1, "y": 0, "dir": "N", "alive": True},
        {"id": 1, "x": 2, "y": 2, "dir": "S", "alive": True},
    ]
    obs = {"tick": 1, "max_ticks": 9, "width": 3, "height": 3, "you": 0, "players": players}
    assert starters["get_move"]({**obs, "grid": grid}) == "E"
    seen = adapters.Struct(step=5, player=0, legalActions=["U", "R", "D", "L"])
    assert starters["agent"](seen, adapters.Struct(actTimeout=2.0)) == "R"
    numpy = pytest.importorskip("numpy")
    assert starters["act"]({"action_mask": numpy.array([0, 0, 1, 0])}, "seat_0") == 2
