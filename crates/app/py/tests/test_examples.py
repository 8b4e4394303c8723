"""The examples run, with little to do."""

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_run_here():
    here = Path(__file__).read_text()
    for file in FOLDER.glob("*.py"):
        assert f'example("{file.stem}")' in here


def test_random_rollouts(capsys):
    example("random_rollouts").main(states=32, steps=60)
    assert capsys.readouterr().out.count("episodes, mean score") == 3


def test_the_learner_learns(capsys):
    learner = example("learn_tron")
    table = learner.learn(steps=300, states=64)
    untaught = learner.measured(table * 0, states=128)
    taught = learner.measured(table, states=128)
    assert taught > untaught + 0.1, (untaught, taught)


def test_two_players(capsys):
    example("two_players").main(seeds=1)
    out = capsys.readouterr().out
    assert "python:Room" in out
    assert "python:Walls" in out


def test_tuning(capsys):
    example("tuning").main(generations=1, held_out=2)
    assert "uct?" in capsys.readouterr().out


def test_a_sixth_game_in_sixty_lines(capsys):
    sixth = example("sixth_game")
    sixth.main(games=2, iterations=40)
    assert "of 2 games" in capsys.readouterr().out
    lines = (FOLDER / "sixth_game.py").read_text().splitlines()
    assert len(lines) <= 60


def test_a_first_domino_leaves_room():
    game = example("sixth_game").Domineering()
    assert len(game.actions(game.start())) == 20
    after = game.apply(game.start(), game.actions(game.start())[0])
    assert game.to_act(after) == 1
    with pytest.raises(IndexError):
        game.actions((0, 2))


def test_a_network_learns_and_takes_a_seat(capsys):
    pytest.importorskip("jax")
    pytest.importorskip("optax")
    learner = example("learn_jax")
    for task in ["tron", "hextris"]:
        learner.main(task, minutes=0.01, seeds=1)
        assert "python:learnt" in capsys.readouterr().out


def test_maskable_ppo_learns_and_takes_a_seat(capsys):
    pytest.importorskip("sb3_contrib")
    learner = example("learn_sb3")
    for task in ["tron", "hextris"]:
        learner.main(task, minutes=0.01, seeds=1)
        assert "python:learnt" in capsys.readouterr().out
