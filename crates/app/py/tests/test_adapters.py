"""Players of other referees play here, each asked as its own referee asks."""

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
