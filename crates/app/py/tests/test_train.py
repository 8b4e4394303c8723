"""Training: derivatives, files, symmetries, and that a learner learns what is plain."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quintain._quintain import _scenario_set
from quintain.train import Learner, Network, Shape, Window, begin, halve
from quintain.train.__main__ import main
from quintain.train.arguments import Refused
from quintain.train.comparison import figures_of as found_of
from quintain.train.comparison import sentence, varied
from quintain.train.estimate import fit_factors, fit_weight, refit
from quintain.train.held_out import measure, predict
from quintain.train.learner import rate_at, value_range
from quintain.train.lock import Lock
from quintain.train.matches import choose_generations, strengths
from quintain.train.network import initial
from quintain.train.page import STYLE, write_page
from quintain.train.plot import ticks
from quintain.train.run import Run, no_better, without_seed
from quintain.train.screen import Screen
from quintain.train.self_play import self_play
from quintain.train.settings import usual_channels
from quintain.train.symmetry import turned

SHAPE = Shape(
    game="connect-four",
    scenario="standard",
    encoding="board",
    board=(3, 4),
    planes=3,
    features=1,
    seats=2,
    actions=4,
    range=(-1.0, 1.0),
    channels=8,
    blocks=1,
)

#: What self-play tells of its positions.
ABOUT = {
    "game": "connect-four",
    "scenario": "standard",
    "encoding": "board",
    "board": [3, 4],
    "planes": 3,
    "words": False,
    "features": ["turn"],
    "seats": 2,
    "actions": 4,
    "range": [-1, 1],
}


def network(shape: Shape = SHAPE) -> Network:
    """Return a random network."""
    return Network(shape, initial(shape, 1), np.full(shape.features, 0.1, np.float32))


def positions(count: int, shape: Shape = SHAPE) -> NDArray[Any]:
    """Return positions whose best action and value are plain from their first row."""
    kind = np.dtype(
        [
            ("match", "<u8"),
            ("turn", "<u4"),
            ("seat", "<u2"),
            ("board", "|u1", shape.board),
            ("features", "<i4", (shape.features,)),
            ("legal", "|u1", (shape.actions,)),
            ("policy", "<f4", (shape.actions,)),
            ("search_value", "<f4"),
            ("value", "<f4"),
            ("estimate", "<f4"),
        ]
    )
    random = np.random.default_rng(1)
    made = np.zeros(count, kind)
    made["board"] = random.integers(shape.planes, size=(count, *shape.board))
    made["seat"] = random.integers(2, size=count)
    made["legal"] = 1
    best = (made["board"][:, 0] == 1).argmax(axis=1)
    made["policy"][np.arange(count), best] = 1
    made["value"] = np.where(made["board"][:, 0, 0] == 1, 1, -1)
    return made


def test_a_values_range_is_that_of_the_rules_where_they_say_something() -> None:
    """Lost and won are the ends; bounds that nothing comes near are not."""
    ends = np.array([-1.0, 1.0, 1.0, -1.0])
    assert value_range(ends, [-1.0, 1.0]) == (-1.0, 1.0)
    assert value_range(np.zeros(9), [-1.0, 1.0]) == (-1.0, 1.0)
    scores = np.linspace(10.0, 20.0, 1001)
    low, high = value_range(scores, [-500.0, 500.0])
    assert -5 < low < 10 and 20 < high < 35
    assert value_range(scores, None) == (low, high)
    assert value_range(scores, [8.0, 500.0]) == (8.0, high)
    # A dead end among a hundred does not make all others alike.
    assert value_range(np.append(scores, [-400.0] * 10), None)[0] > 0


def test_gradients_are_those_of_small_differences() -> None:
    learner = Learner(network(), 1)
    batch = positions(16)
    _, _, gradient = learner.loss(batch)

    def loss() -> float:
        entropy, error, _ = learner.loss(batch)
        return entropy + error

    for name, weights in learner.network.parameters.items():
        at = np.unravel_index(np.abs(gradient[name]).argmax(), weights.shape)
        before, step = weights[at], 2e-3
        weights[at] = before + step
        above = loss()
        weights[at] = before - step
        below = loss()
        weights[at] = before
        assert (above - below) / (2 * step) == pytest.approx(gradient[name][at], rel=0.15, abs=5e-3)


def test_what_is_plain_is_learned() -> None:
    learner = Learner(network(), 1)
    window = Window(10_000)
    window.shards.append(positions(2_000))
    first = learner.learn(window, 10, 64, 3e-3)
    last = [learner.learn(window, 50, 64, 3e-3) for _ in range(6)][-1]
    assert last[0] < 0.5 * first[0]
    assert last[1] < 0.5 * first[1]


def test_a_network_reads_back_from_its_file(tmp_path: Path) -> None:
    saved = network()
    saved.save(tmp_path / "a.safetensors")
    loaded = Network.load(tmp_path / "a.safetensors")
    assert loaded.shape == saved.shape
    batch = positions(4)
    for one, two in zip(
        saved.forward(batch["board"], batch["features"], batch["seat"])[:2],
        loaded.forward(batch["board"], batch["features"], batch["seat"])[:2],
        strict=True,
    ):
        assert np.array_equal(one, two)


def test_a_network_in_half_precision_is_the_same_to_a_thousandth(tmp_path: Path) -> None:
    saved = network()
    saved.save(tmp_path / "a.safetensors")
    halve.main([str(tmp_path / "a.safetensors"), str(tmp_path / "half.safetensors")])
    loaded = Network.load(tmp_path / "half.safetensors")
    assert loaded.shape == saved.shape
    for name, numbers in saved.parameters.items():
        np.testing.assert_allclose(loaded.parameters[name], numbers, rtol=2**-11, atol=2**-25)
    bytes_of_numbers = sum(4 * numbers.size for numbers in saved.parameters.values())
    sizes = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("a", "half")]
    assert sizes[0] - sizes[1] == pytest.approx(bytes_of_numbers / 2, abs=100)
    saved.parameters["stem.bias"][0] = 1e5
    saved.save(tmp_path / "a.safetensors")
    with pytest.raises(Refused, match="stem.bias holds 100000; half precision goes up to 65504"):
        halve.main([str(tmp_path / "a.safetensors"), str(tmp_path / "none.safetensors")])
    assert not (tmp_path / "none.safetensors").exists()


@pytest.mark.parametrize("symmetry", ["columns", "directions"])
def test_an_image_of_a_position_has_the_image_of_its_action(symmetry: str) -> None:
    # A disc in each column's place, or one beside the middle in each direction.
    random = np.random.default_rng(1)
    if symmetry == "columns":
        board = np.eye(4, dtype=np.uint8)[:, np.newaxis, :].repeat(3, axis=1)
    else:
        board = np.zeros((4, 3, 3), np.uint8)
        for action, (row, column) in enumerate([(0, 1), (1, 2), (2, 1), (1, 0)]):
            board[action, row, column] = 1
    actions = np.eye(4, dtype=np.float32)
    seen = set()
    for _ in range(50):
        image, [policy] = turned(symmetry, board, [actions], random)
        for place, shares in zip(image, policy, strict=True):
            same = next(n for n in range(4) if np.array_equal(board[n], place))
            assert shares.argmax() == same
        seen.add(image.tobytes())
    assert len(seen) == {"columns": 2, "directions": 8}[symmetry]


def test_a_window_keeps_the_last_positions_and_a_run_begins_from_its_folder(tmp_path: Path) -> None:
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        shard = positions(100)
        shard["match"] = np.arange(100) // (10 * (number + 1))
        np.save(folder / "positions-000000.npy", shard)
        (folder / "self-play.json").write_text(json.dumps({**ABOUT, "range": None}))
    window, matches = Window(150), []
    for number in range(3):
        assert window.add(tmp_path / str(number)) == 100
        matches.append(window.count_newest_matches())
    assert len(window) == 200
    # Whatever the window forgets meanwhile.
    assert matches == [10, 5, 4]
    begun = begin(tmp_path / "0", 1, channels=8, blocks=1)
    assert begun.shape.range == (-2.0, 3.0)


HELD_OUT = {
    "positions": 10,
    "policy": 1.5,
    "policy_guess": 2.5,
    "policy_least": 0.5,
    "value": 0.75,
    "value_guess": 1.25,
}
ROW = {
    "generation": 0,
    "minutes": 1.0,
    "positions": 10,
    "steps": 5,
    "policy_loss": 2.0,
    "value_loss": 1.0,
    "held_out": HELD_OUT,
}


def page_of(path: Path, progress: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """Return a run's page."""
    write_page(path / "index.html", replace(SHAPE, game="a<b"), progress, about)
    return (path / "index.html").read_text(encoding="utf-8")


def test_a_run_has_its_curves_its_settings_and_its_figures_on_a_page(tmp_path: Path) -> None:
    about = {"commands": ["python -m quintain.train x --out '<'"], "settings": {"batch": 77}}
    page = page_of(tmp_path, [ROW, {**ROW, "generation": 1, "minutes": 2.0}], about)
    assert "Training a&lt;b" in page
    # Held out, learned from, and a guess; of the policy and of the value.
    assert page.count("<polyline") == 3 + 3
    assert "python -m quintain.train x --out &#x27;&lt;&#x27;" in page
    assert "<dt>positions per step</dt><dd>77</dd>" in page
    assert page.count("<tr>") == 2 + 2
    assert "<script" not in page and "http" not in page


def test_a_run_of_one_generation_has_points_and_levels_for_curves(tmp_path: Path) -> None:
    page = page_of(tmp_path, [ROW], {})
    assert "<polyline" not in page
    assert page.count("<circle") == 2 + 2
    # A level goes from one side to the other.
    assert len(re.findall(r'class="level[^"]*" d="M46 [0-9.]+H350"', page)) == 1 + 1


def test_a_page_of_a_run_before_matches_were_held_out_has_what_is_there(tmp_path: Path) -> None:
    row = {name: figure for name, figure in ROW.items() if name != "held_out"}
    page = page_of(tmp_path, [row, {**row, "held_out": None}], {})
    assert page.count("<polyline") == 2
    assert "<td>2.000</td>" in page and "<td>–</td>" in page


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        digits = colour * 2 if len(colour) == 3 else colour
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_lines_of_a_page_are_read_as_easily_as_its_text() -> None:
    by_scheme = re.findall(r":root\{(?:color-scheme:[^;]*;)?([^}]*)\}", STYLE)
    assert len(by_scheme) == 2, "light and dark"
    for colours in by_scheme:
        named = dict(re.findall(r"--(\w+):#(\w+)", colours))
        for name in ("ink", "soft", "held", "learned", "guess"):
            assert contrast(named[name], named["paper"]) >= 4.5, name
    # A line of a pixel is paler than its colour.
    for look in ("held", "learned", "level"):
        width = re.search(rf"\.{look}\{{[^}}]*stroke-width:([\d.]+)", STYLE)
        assert width is not None and float(width[1]) >= 1.5, look


def test_a_page_counts_passes_of_imitation_apart_from_generations(tmp_path: Path) -> None:
    rows = [{**ROW, "generation": number} for number in range(3)]
    page = page_of(tmp_path, [{**rows[0], "imitates": "records"}, *rows[1:]], {})
    assert "<p>one pass and 2 generations, " in page
    assert '<th scope="col">network</th>' in page


def test_a_page_tells_how_strong_generations_are(tmp_path: Path) -> None:
    one = {"generation": 0, "strength": -50.0, "low": -90.0, "high": -10.0}
    found = {
        "measure": "elo",
        "matches": 96,
        "generations": [one],
        "reference": {"player": "greedy", "strength": 50.0, "low": 10.0, "high": 90.0},
    }
    page = page_of(tmp_path, [ROW, {**ROW, "generation": 1}], {"strength": found})
    assert "Elo ± 95 %, 96 matches" in page
    assert "<td>−50 ± 40</td>" in page
    assert "greedy" in page


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 10.0, [0, 2, 4, 6, 8, 10]),
        (0.13, 0.71, [0.2, 0.4, 0.6]),
        (-120.0, 474.0, [0, 200, 400]),
        (-1.0, 1.0, [-1, -0.5, 0, 0.5, 1]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high, 6) == expected


def test_whole_matches_are_held_out_and_what_is_said_of_them_is_beside_a_guess() -> None:
    window = Window(10_000)
    shard = positions(1_000)
    shard["match"] = np.arange(1_000) // 10
    window.shards.append(shard)
    learned, held_out = window.split()
    assert len(learned) == 900 and len(held_out) == 100
    assert not set(learned["match"]) & set(held_out["match"])
    found = network()
    before = measure(found, held_out, learned)
    assert before is not None
    # Four actions of which one is right; wins and losses by the board.
    assert before["policy_guess"] == pytest.approx(np.log(4), abs=1e-3)
    assert before["policy_least"] == pytest.approx(0, abs=1e-3)
    assert before["value_guess"] == pytest.approx(np.var(held_out["value"]), abs=0.05)
    Learner(found, 1).learn(window, 200, 64, 3e-3)
    after = measure(found, held_out, learned)
    assert after is not None
    assert after["policy"] < 0.5 * before["policy"]
    assert after["value"] < after["value_guess"]


def estimated(share: float) -> NDArray[Any]:
    """Return positions of 100 matches whose estimates are right so often, and else as wrong as can be."""
    shard = positions(1_000)
    shard["match"] = np.arange(1_000) // 10
    is_right = np.random.default_rng(2).random(1_000) < share
    shard["estimate"] = np.where(is_right, 0.5, -0.5) * shard["value"]
    return shard


@pytest.mark.parametrize(("share", "weight"), [(0.9, 1.6), (1.0, 2.0), (0.5, 0.0), (0.2, 0.0)])
def test_an_estimate_weighs_as_much_as_it_explains(share: float, weight: float) -> None:
    """At ±½, right in 9 of 10 positions, it is to be multiplied by about 2 · (0.9 − 0.1)."""
    assert fit_weight(SHAPE, estimated(share)) == pytest.approx(weight, abs=0.15)


def test_positions_without_estimates_leave_values_to_the_network() -> None:
    """Those of imitated players have none, nor those of older files."""
    shard = estimated(0.9)
    shard["estimate"] = np.nan
    assert fit_weight(SHAPE, shard) == 0
    older = shard[[name for name in shard.dtype.names or () if name != "estimate"]]
    assert fit_weight(SHAPE, older) == 0
    window = Window(10_000)
    window.shards += [np.array(older.tolist(), older.dtype), estimated(0.9)]
    assert np.isnan(window.all()["estimate"][:1_000]).all()
    assert not np.isnan(window.all()["estimate"][1_000:]).any()


def test_a_network_learns_what_the_estimate_leaves_unexplained() -> None:
    shard = estimated(0.8)
    window = Window(10_000)
    window.shards.append(shard)
    learned, held_out = window.split()
    shape = replace(SHAPE, estimate=fit_weight(SHAPE, learned))
    found = Network(shape, initial(shape, 1), np.full(shape.features, 0.1, np.float32))
    Learner(found, 1).learn(window, 300, 64, 3e-3)
    refit(found, held_out, predict(found, held_out)[1])
    figures = measure(found, held_out, learned)
    assert figures is not None
    assert figures["value_estimate"] == pytest.approx(1 - 0.6**2, abs=0.15)
    assert figures["value"] < 0.5 * figures["value_estimate"]


def test_a_network_that_knows_nothing_of_values_leaves_the_estimate_as_it_is() -> None:
    known = estimated(0.9)
    noise = np.random.default_rng(5).standard_normal(1_000).astype(np.float32)
    factor, weight = fit_factors(noise, known["estimate"], known["value"])
    assert factor < 0.05 and weight == pytest.approx(1.6, abs=0.1)
    # A network that says the contrary of what is right counts for nothing.
    factor, weight = fit_factors(-known["value"], known["estimate"], known["value"])
    assert factor == 0 and weight == pytest.approx(1.6, abs=0.1)
    # One that is right is taken as it is.
    factor, weight = fit_factors(known["value"], known["estimate"], known["value"])
    assert factor == pytest.approx(1) and weight == pytest.approx(0, abs=1e-5)


def test_an_estimates_weight_reads_back_from_a_networks_file(tmp_path: Path) -> None:
    shape = replace(SHAPE, estimate=1.25)
    network(shape).save(tmp_path / "a.safetensors")
    assert Network.load(tmp_path / "a.safetensors").shape == shape
    network().save(tmp_path / "b.safetensors")
    assert b"estimate" not in (tmp_path / "b.safetensors").read_bytes()


def test_a_comparison_says_what_a_network_is_worth_to_the_search() -> None:
    """Intervals in Elo become shares; where scores are no rivals', problems are counted."""
    rivals = {
        "games": {"wins": 30, "draws": 2, "losses": 8},
        "interval": {"low": 70.4366, "high": None},
    }
    row = {"way": "simulations", **found_of({"matches": 40, "effect": {"rivals": rivals}})}
    assert (row["better"], row["low"], row["high"]) == (0.775, 0.6, 1.0)
    assert sentence(row) == (
        "against the search without a network, 50 simulations each: 77.5 % (60 to 100) in 40 matches: "
        "the network makes the search stronger"
    )
    scores = {
        "seeds": {"wins": 1, "draws": 1, "losses": 8},
        "interval": {"low": -0.9, "high": -0.2},
    }
    row = {"way": "time", **found_of({"matches": 20, "effect": {"scores": scores}})}
    assert (row["better"], row["low"], row["high"]) == (0.15, 0.05, 0.4)
    assert sentence(row).endswith("10ms a move each: 15.0 % (5 to 40) in 20 matches: "
                                  "the network makes the search weaker")


@pytest.mark.parametrize(
    ("game", "scenario", "expected"),
    [
        ("tron", "tron:hackerrank", "hackerrank?opening=6"),
        ("tron", "tron:hackerrank?opening=2", "hackerrank?opening=2"),
        ("polymer", "L08_s01?seed={seed}", "L08_s01?seed={seed}"),
        ("my-own", "my-own:any", "my-own:any"),
    ],
)
def test_matches_of_a_comparison_differ(game: str, scenario: str, expected: str) -> None:
    varied_scenario = varied(game, scenario)
    assert varied_scenario.removeprefix(f"{game}:") == expected.removeprefix(f"{game}:")


def test_where_no_match_is_held_out_nothing_is_said_of_one() -> None:
    window = Window(10)
    window.shards.append(positions(10))
    learned, held_out = window.split()
    assert len(learned) == 10
    assert measure(network(), held_out, learned) is None


def test_any_number_of_threads_learns_the_same() -> None:
    batch = positions(1_000)
    losses = [Learner(network(), 1, threads=threads).loss(batch) for threads in (1, 3)]
    assert losses[0][:2] == losses[1][:2]
    for name, slope in losses[0][2].items():
        assert np.array_equal(slope, losses[1][2][name])


@pytest.mark.parametrize(
    ("cells", "minutes", "channels"),
    [
        # What was measured in some ten minutes: tron, connect four, hextris, pentocity, gather.
        (15 * 15, 10, 16),
        (6 * 7, 10, 32),
        (10 * 8, 10, 32),
        (12 * 12, 10, 24),
        (1, 10, 32),
        # More time, a larger network; never one without channels.
        (15 * 15, 60, 24),
        (15 * 15, 1, 8),
        (100 * 100, 10, 8),
    ],
)
def test_a_network_is_as_large_as_learns_in_the_time(
    cells: int, minutes: float, channels: int
) -> None:
    assert usual_channels(cells, minutes) == channels


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--minutes", "0"),
        ("--minutes", "nan"),
        ("--matches", "0"),
        ("--batch", "2.5"),
        ("--random-turns", "-1"),
        ("--rate", "-0.1"),
    ],
)
def test_options_that_cannot_be_are_told_by_their_names(
    option: str, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["tron", f"{option}={given}"])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: argument {option}: {given}: expected a")
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "the following arguments are required: game; "),
        (["tron", "--minuets", "5"], "unrecognized arguments: --minuets 5; did you mean --minutes? "),
        (["tron", "--nothing=like-it"], "unrecognized arguments: --nothing=like-it; "),
        (["tron", "--symmetry", "rows"], "argument --symmetry: invalid choice: 'rows' (choose from "),
    ],
)
def test_a_command_line_that_cannot_be_read_is_told_in_a_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith(f"error: {told}")
    assert line.endswith("python -m quintain.train --help lists the options\n")
    assert line.count("\n") == 1


def test_self_play_that_has_no_end_is_ended_and_what_it_wrote_is_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "some.npy", positions(100))
    command = tmp_path / "endless"
    # Only the first generation comes to a file of positions.
    command.write_text(
        f"""#!{sys.executable}
import pathlib, shutil, sys, time
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir(parents=True, exist_ok=True)
(out / "self-play.json").write_text({json.dumps(json.dumps(ABOUT))})
if out.name == "generation-000":
    shutil.copy({str(tmp_path / "some.npy")!r}, out / "whole")
    (out / "whole").rename(out / "positions-000000.npy")
time.sleep(10**6)
"""
    )
    command.chmod(0o755)
    run = tmp_path / "run"
    options = ["--command", str(command), "--channels", "4", "--blocks", "1", "--batch", "32"]
    for minutes in ["0.01", "0.1"]:
        main(["connect-four", "--out", str(run), "--minutes", minutes, *options])
    [row] = json.loads((run / "progress.json").read_text())
    assert row["positions"] == 100
    assert row["steps"] > 0
    assert (run / "network.safetensors").exists()
    assert "generation   0  100 positions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("true", "printed no figures; is it a command of Quintain's"),
        ("echo '{\"seconds\": 1}'", "wrote no positions into"),
        ("echo 'error: no such scenario' >&2; exit 2", "^error: no such scenario$"),
        ("exit 3", "failed without a message"),
    ],
)
def test_a_command_that_plays_nothing_is_told_in_a_line(
    script: str, told: str, tmp_path: Path
) -> None:
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    run = tmp_path / "run"
    with pytest.raises(SystemExit, match=told):
        main(["tron", "--out", str(run), "--command", str(command)])
    assert not run.exists()


def test_an_unknown_game_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="^error: unknown game “trno”; did you mean “tron”"):
        main(["trno"])
    assert not list(tmp_path.iterdir())


def test_a_missing_command_is_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="^error: there is no command no-such; name the command with "):
        main(["tron", "--out", str(tmp_path / "run"), "--command", "no-such"])


def write_imitation(folder: Path, **changes: Any) -> None:
    """Write positions as an export of records has them."""
    folder.mkdir()
    np.save(folder / "positions-000000.npy", positions(500))
    (folder / "self-play.json").write_text(json.dumps({**ABOUT, **changes}))


def test_a_player_is_imitated_in_passes_and_a_run_goes_on_with_the_same_positions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_imitation(tmp_path / "records")
    run = tmp_path / "run"
    options = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(run)]
    options += ["--channels", "8", "--blocks", "1", "--batch", "50"]
    for minutes in ["0.02", "0.06"]:
        main(["connect-four", "--minutes", minutes, *options])
    rows = json.loads((run / "progress.json").read_text())
    assert [row["positions"] for row in rows] == [500] + [0] * (len(rows) - 1)
    assert rows[-1]["policy_loss"] < rows[0]["policy_loss"]
    assert (run / "network.safetensors").exists()
    told = capsys.readouterr().out
    assert "pass   0  500 positions" in told
    assert "self-play" not in told and "generation   " not in told
    page = (run / "index.html").read_text(encoding="utf-8")
    assert f"<p>{len(rows)} passes, 500 positions" in page
    assert '<th scope="col">pass</th>' in page


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": "tron"}, "has positions of tron, not of connect-four"),
        ({"game": None}, "has no positions; quintain export --what positions --out"),
    ],
)
def test_positions_that_cannot_be_imitated_are_told_before_anything_is_written(
    changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    write_imitation(tmp_path / "records", **changes)
    options = ["--imitate", str(tmp_path / "records"), "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit, match=told):
        main(["connect-four", *options])
    assert not (tmp_path / "run").exists()


def test_who_is_imitated_is_a_player_or_a_folder(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "run"), "--no-self-play"]
    told = "^error: --imitate nobody: it is neither a player of tron nor a folder; quintain players tron "
    with pytest.raises(SystemExit, match=told):
        main(["tron", "--imitate", "nobody", *out, "--command", sys.executable])
    several = ["--scenario", "hackerrank", "--scenario", "rooms"]
    with pytest.raises(SystemExit, match="^error: several --scenario need --imitate PLAYER; "):
        main(["tron", *several, "--out", str(tmp_path / "run"), "--command", sys.executable])
    with pytest.raises(SystemExit, match="^error: --no-self-play needs --imitate PLAYER$"):
        main(["tron", *out, "--command", sys.executable])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("game", "scenario", "expected"),
    [
        ("polymer", "L08_s01", "L08_s01?seed={seed}"),
        ("hextris", "drawn?size=8&phrases=none", "drawn?size=8&phrases=none&seed={seed}"),
        ("hextris", "drawn?seed=7&size=8", "drawn?seed=7&size=8"),
        ("tron", "hackerrank?opening=6", "hackerrank?opening=6"),
    ],
)
def test_each_match_of_who_is_imitated_has_a_problem_of_its_own(
    game: str, scenario: str, expected: str
) -> None:
    assert _scenario_set(game, scenario) == expected


def write_tournament_command(command: Path, records: Path) -> None:
    """Write a command that plays and exports what was written before, and notes what it was asked."""
    command.write_text(
        f"""#!{sys.executable}
import pathlib, shutil, sys
with open({str(command.with_suffix(".log"))!r}, "a") as log:
    print(*sys.argv[1:], file=log)
if sys.argv[1] == "export":
    print("500 positions of 9 matches in imitated")
    shutil.copytree({str(records)!r}, sys.argv[sys.argv.index("--out") + 1])
"""
    )
    command.chmod(0o755)


def test_a_player_that_is_imitated_plays_first_and_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = {"game": "tron", "scenario": "hackerrank?opening=6"}
    write_imitation(tmp_path / "records", **game)
    write_tournament_command(tmp_path / "command", tmp_path / "records")
    run = ["--out", str(tmp_path / "run"), "--command", str(tmp_path / "command"), "--no-self-play"]
    run += ["--channels", "4", "--blocks", "1", "--batch", "250"]
    scenarios = ["--scenario", "hackerrank?opening=6", "--scenario", "hackerrank"]
    tron = ["tron", *scenarios, *run, "--imitate"]
    for minutes in ["0.01", "0.02"]:
        main([*tron, "champion?nodes=9", "--minutes", minutes])
    assert "pass   0  500 positions of 9 matches in imitated" in capsys.readouterr().out
    asked = (tmp_path / "command.log").read_text().splitlines()
    # A few matches tell how many it takes.
    assert [line.split()[0] for line in asked] == ["tournament", "export"] * 2
    tournament = (tmp_path / "run" / "imitated.toml").read_text()
    assert 'scenarios = ["hackerrank?opening=6", "hackerrank"]\nplayers = ["champion?nodes=9"]\n' in tournament
    # 500 positions on four seeds; a run of 0.01 minutes has the 90 000 of ten, as the root of the time.
    assert "seeds = 22\n" in tournament
    rows = json.loads((tmp_path / "run" / "progress.json").read_text())
    assert rows[0]["positions"] == 500 and rows[0]["imitates"].endswith("imitated")
    told = "--imitate is greedy, but the run in .* imitates another player; name another folder with --out"
    with pytest.raises(SystemExit, match=told):
        main([*tron, "greedy", "--minutes", "1"])


def test_matches_that_are_refused_are_no_run(tmp_path: Path) -> None:
    command = tmp_path / "refuses"
    command.write_text("#!/bin/sh\necho 'error: parameter nodes=x: no number' >&2\nexit 2\n")
    command.chmod(0o755)
    run = ["--out", str(tmp_path / "run"), "--command", str(command)]
    with pytest.raises(SystemExit, match="^error: refuses tournament: parameter nodes=x: no number$"):
        main(["tron", "--imitate", "champion?nodes=x", *run])
    assert not (tmp_path / "run").exists()


def test_a_network_of_actions_for_each_cell_has_the_gradients_of_small_differences() -> None:
    shape = replace(SHAPE, actions=2 + 2 * SHAPE.cells, cell_actions=2)
    learner, batch = Learner(network(shape), 1), positions(16, shape)
    batch["policy"] = np.random.default_rng(2).dirichlet(np.ones(shape.actions), 16)
    _, _, gradient = learner.loss(batch)
    for name in ("policy.cells.weight", "policy.cells.bias", "policy.weight", "stem.weight"):
        weights = learner.network.parameters[name]
        at = np.unravel_index(np.abs(gradient[name]).argmax(), weights.shape)
        before, step, losses = weights[at], 2e-3, []
        for sign in (1, -1):
            weights[at] = before + sign * step
            losses.append(sum(learner.loss(batch)[:2]))
        weights[at] = before
        slope = (losses[0] - losses[1]) / (2 * step)
        assert slope == pytest.approx(gradient[name][at], rel=0.15, abs=5e-3)


def test_self_play_goes_on_from_what_was_imitated(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    command = tmp_path / "quick"
    command.write_text(
        f"""#!{sys.executable}
import pathlib, shutil, sys
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
assert "--net" in sys.argv
assert sys.argv[sys.argv.index("--scenario") + 1] == "standard"
shutil.copytree({str(tmp_path / "records")!r}, out)
print('{{"seconds": 0.1}}')
"""
    )
    command.chmod(0o755)
    run = tmp_path / "run"
    options = ["--imitate", str(tmp_path / "records"), "--command", str(command), "--out", str(run)]
    options += ["--channels", "8", "--blocks", "1", "--batch", "50", "--minutes", "0.1"]
    main(["connect-four", *options])
    rows = json.loads((run / "progress.json").read_text())
    imitated = ["imitates" in row for row in rows]
    assert imitated == sorted(imitated, reverse=True)
    assert imitated[0] and not imitated[-1]
    assert rows[-1]["positions"] == 500


@pytest.mark.parametrize(
    ("scenario", "family"),
    [
        ("drawn?phrases=none&seed={seed}&size=8", "drawn?phrases=none&size=8"),
        ("L08_s01?seed={seed}", "L08_s01"),
        ("drawn?seed={seed}&size=8", "drawn?size=8"),
        ("hackerrank", "hackerrank"),
    ],
)
def test_self_play_goes_on_where_positions_are_from(scenario: str, family: str) -> None:
    assert without_seed(scenario) == family


@pytest.mark.parametrize(
    ("symmetry", "sizes", "told"),
    [
        ("directions", {"actions": 7}, "encoding board has 7 actions, not four directions"),
        ("columns", {"actions": 5}, "has 5 actions, not one for each of 4 columns"),
        ("columns", {"board": (1, 1), "planes": 16}, "encoding board sees no board"),
        ("columns", {"actions": 60, "cell_actions": 1}, "has actions for each cell of the board"),
    ],
)
def test_a_symmetry_that_an_encoding_cannot_have_is_told(
    symmetry: str, sizes: dict[str, Any], told: str
) -> None:
    shape = replace(SHAPE, game="draughts", **sizes)
    with pytest.raises(SystemExit, match=f"^error: --symmetry {symmetry}: the .*{told}"):
        Learner(network(shape), 1, symmetry=symmetry)


def test_a_symmetry_of_other_actions_is_told_before_anything_is_played(tmp_path: Path) -> None:
    """Four actions in as many directions are no columns, though they can be counted as such."""
    run = ["--out", str(tmp_path / "run"), "--symmetry"]
    told = "^error: --symmetry columns: tron's encoding board has directions; expected that, or none$"
    with pytest.raises(SystemExit, match=told):
        main(["tron", *run, "columns"])
    write_imitation(tmp_path / "records")
    imitate = ["--imitate", str(tmp_path / "records"), "--no-self-play"]
    with pytest.raises(SystemExit, match="connect-four's encoding board has columns; expected that"):
        main(["connect-four", *imitate, *run, "directions"])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("policy", "value", "told"),
    [
        (0.5, 0.5, None),
        (0.71, 0.5, "the policy no better than a guess (0.710, guess 0.700); try more --minutes"),
        (0.5, 0.9, "the value no better than a guess (0.900, guess 0.900); try more --minutes"),
    ],
)
def test_a_network_no_better_than_a_guess_is_told(
    policy: float, value: float, told: str | None
) -> None:
    figures = {"policy": policy, "policy_guess": 0.7, "value": value, "value_guess": 0.9}
    said = no_better(figures)
    if told is None:
        assert said is None
    else:
        assert said is not None
        assert said.startswith("warning: ") and told in said
    assert no_better(None) is None


def test_a_run_that_has_learned_nothing_says_so_at_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_imitation(tmp_path / "records")
    # What is held out has the other actions.
    learned = positions(500)
    learned["match"] = np.arange(500)
    held_out = learned["match"] % 10 == 9
    learned["policy"][held_out] = np.roll(learned["policy"][held_out], 1, axis=1)
    np.save(tmp_path / "records" / "positions-000000.npy", learned)
    run = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(tmp_path / "run")]
    main(["connect-four", "--minutes", "0.03", *run, "--channels", "8", "--symmetry", "none"])
    assert "the policy no better than a guess" in capsys.readouterr().out


def test_damaged_files_are_told_in_a_line(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    run = tmp_path / "run"
    options = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(run)]
    options += ["--channels", "4", "--blocks", "1", "--batch", "250"]
    main(["connect-four", "--minutes", "0.001", *options])

    def refused() -> str:
        with pytest.raises(SystemExit) as caught:
            main(["connect-four", "--minutes", "1", *options])
        return str(caught.value)

    shard = tmp_path / "records" / "positions-000000.npy"
    whole = shard.read_bytes()
    shard.write_bytes(whole[: len(whole) // 2])
    assert refused().startswith(f"error: {shard} is damaged, or not a file of positions: ")
    shard.write_bytes(whole)
    generation = sorted(run.glob("generation-*.safetensors"))[-1]
    whole = generation.read_bytes()
    generation.write_bytes(whole[:40])
    header = 8 + int.from_bytes(whole[:8], "little")
    assert refused() == (
        f"error: {generation}: cut off: 40 bytes, expected at least {header}; "
        f"delete {run} to start over"
    )
    generation.write_bytes(whole.replace(b'"board":', b'"beard":'))
    assert refused() == (
        f"error: {generation}: damaged, or not a network; delete {run} to start over"
    )
    generation.write_bytes(whole)
    (run / "progress.json").write_text("[{")
    assert refused().startswith(f"error: {run / 'progress.json'} is damaged: ")


def test_positions_in_another_encoding_are_told(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    options = ["--imitate", str(tmp_path / "records"), "--encoding", "views"]
    with pytest.raises(SystemExit, match="has positions in the encoding .*, not in views$"):
        main(["connect-four", *options])


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (["--channels", "8"], "--channels is 8, but the run in .* has 4;"),
        (["--blocks", "2"], "--blocks is 2, but the run in .* has 1;"),
        (["--precision", "i16"], "--precision is i16, but the run in .* has f32;"),
        (["--seed", "5"], "--seed is 5, but the run in .* has 1;"),
    ],
)
def test_what_contradicts_a_run_that_goes_on_is_refused(
    option: list[str], told: str, tmp_path: Path
) -> None:
    write_imitation(tmp_path / "records")
    options = ["--imitate", str(tmp_path / "records"), "--no-self-play"]
    options += ["--out", str(tmp_path / "run")]
    sizes = ["--channels", "4", "--blocks", "1", "--batch", "250"]
    main(["connect-four", "--minutes", "0.001", *options, *sizes])
    before = (tmp_path / "run" / "progress.json").read_text()
    with pytest.raises(SystemExit, match=f"^error: {told} name another folder with --out"):
        main(["connect-four", "--minutes", "1", *options, *option])
    assert (tmp_path / "run" / "progress.json").read_text() == before


#: What a run says of itself that has played a generation with itself.
PLAYED = {
    "scenario": None,
    "simulations": 16,
    "reuse": 2.0,
    "rate": 0.002,
    "matches": None,
    "symmetry": "columns",
}


def begin_run(folder: Path, settings: dict[str, Any], *, imitates: bool = False) -> list[str]:
    """Write a run of one generation; return the command line that goes on with it."""
    folder.mkdir()
    network(SHAPE).save(folder / "generation-000.safetensors")
    row = {"generation": 0, "minutes": 1.0, "positions": 0} | ({"imitates": "records"} if imitates else {})
    (folder / "progress.json").write_text(json.dumps([row]))
    (folder / "run.json").write_text(json.dumps({"settings": settings}))
    return ["connect-four", "--minutes", "0.5", "--command", "true", "--out", str(folder)]


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (["--scenario", "arena"], "--scenario is arena, but the run in .* has the usual one;"),
        (["--simulations", "64"], "--simulations is 64, but the run in .* has 16;"),
        (["--reuse", "4"], "--reuse is 4.0, but the run in .* has 2.0;"),
        (["--rate", "0.01"], "--rate is 0.01, but the run in .* has 0.002;"),
        (["--matches", "50"], "--matches is 50, but the run in .* has the usual one;"),
        (["--symmetry", "none"], "--symmetry is none, but the run in .* has columns;"),
    ],
)
def test_other_settings_than_those_of_a_run_that_goes_on_are_refused(
    option: list[str], told: str, tmp_path: Path
) -> None:
    again = begin_run(tmp_path / "run", PLAYED)
    with pytest.raises(Refused, match=f"^error: {told} name another folder with --out"):
        main([*again, *option])


def test_the_settings_of_a_run_may_be_named_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = begin_run(tmp_path / "run", PLAYED | {"scenario": "standard", "scenarios": ["standard"]})
    main([*again, "--scenario", "standard", "--simulations", "16", "--reuse", "2", "--rate", "2e-3"])
    assert "minutes are over" in capsys.readouterr().out


def test_what_has_only_imitated_may_play_with_itself_as_it_likes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_imitation(tmp_path / "records")
    again = begin_run(tmp_path / "run", PLAYED, imitates=True)
    again += ["--imitate", str(tmp_path / "records")]
    main([*again, "--scenario", "arena", "--simulations", "64"])
    assert "minutes are over" in capsys.readouterr().out
    with pytest.raises(Refused, match="^error: --rate is 0.01, but the run in .* has 0.002;"):
        main([*again, "--rate", "0.01"])


def test_an_encoding_that_contradicts_a_run_is_refused(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    run = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(tmp_path / "run")]
    main(["connect-four", "--minutes", "0.001", *run, "--channels", "4"])
    again = ["connect-four", "--command", "true", "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit, match="^error: --encoding is views, but the run .* has board;"):
        main([*again, "--encoding", "views"])


def test_what_self_play_refuses_is_no_part_of_the_run(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    run = ["--imitate", str(tmp_path / "records"), "--out", str(tmp_path / "run")]
    main(["connect-four", "--minutes", "0.001", *run, "--no-self-play", "--channels", "4"])
    before = (tmp_path / "run" / "run.json").read_text()
    refuses = tmp_path / "refuses"
    refuses.write_text("#!/bin/sh\necho 'error: unknown scenario' >&2\nexit 2\n")
    refuses.chmod(0o755)
    again = ["connect-four", "--minutes", "1", "--out", str(tmp_path / "run")]
    # What only imitated may go on elsewhere.
    with pytest.raises(SystemExit, match="^error: unknown scenario$"):
        main([*again, "--command", str(refuses), "--scenario", "arena"])
    assert (tmp_path / "run" / "run.json").read_text() == before


def test_a_file_is_no_folder_for_a_run(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    (tmp_path / "run").write_text("")
    run = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit, match="^error: .* cannot be the run's folder: it is a file$"):
        main(["connect-four", "--minutes", "0.001", *run])


def test_a_run_goes_on_with_the_settings_that_it_began_with(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    run = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(tmp_path / "run")]
    main(["connect-four", "--minutes", "0.001", *run, "--channels", "4", "--batch", "250"])
    main(["connect-four", "--minutes", "0.02", *run])
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    assert about["settings"]["batch"] == 250
    assert about["settings"]["symmetry"] == "columns"
    assert len(about["commands"]) == 2
    rows = json.loads((tmp_path / "run" / "progress.json").read_text())
    # With the usual batch there would be four steps in a pass; the last pass may be broken off.
    assert rows[-2]["steps"] == 2
    assert Network.load(tmp_path / "run" / "network.safetensors").shape.channels == 4


def test_self_play_ends_when_there_are_enough_positions(tmp_path: Path) -> None:
    np.save(tmp_path / "some.npy", positions(100))
    command = tmp_path / "endless"
    command.write_text(
        f"""#!{sys.executable}
import pathlib, shutil, time
out = pathlib.Path({str(tmp_path / "out")!r})
out.mkdir()
for number in range(10**6):
    shutil.copy({str(tmp_path / "some.npy")!r}, out / "whole")
    (out / "whole").rename(out / f"positions-{{number:06}}.npy")
    time.sleep(0.05)
"""
    )
    command.chmod(0o755)
    told: list[str] = []
    figures = self_play([str(command)], tmp_path / "out", 600, 600, told.append, 10**6, 1_000)
    assert figures is not None
    window = Window(10_000)
    assert 1_000 <= window.add(tmp_path / "out") < 10_000
    assert re.fullmatch(r"self-play: \d+ of 1000 positions, \d+ of 600 s", told[-1])


def test_how_far_it_is_goes_over_one_line_on_a_terminal_and_is_rare_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("quintain.train.screen.time.monotonic", lambda: now[0])
    screen = Screen(lambda: "here")
    for _ in range(100):
        now[0] += 0.25
        screen.pass_on("on the way")
    assert capsys.readouterr().out == 2 * "here  on the way\n"
    screen.is_terminal = True
    screen.tell("begun")
    screen.pass_on("too soon")
    now[0] += 0.25
    screen.pass_on("over the line")
    screen.tell("done")
    expected = "here  begun\n\rhere  over the line\x1b[K\r\x1b[Khere  done\n"
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("count", "chosen"),
    [(1, [0]), (6, [0, 1, 2, 3, 4, 5]), (21, [0, 4, 8, 12, 16, 20]), (8, [0, 1, 3, 4, 6, 7])],
)
def test_the_first_and_the_last_generation_play_and_some_between(
    count: int, chosen: list[int]
) -> None:
    assert choose_generations(count) == chosen


def test_strengths_are_ratings_among_rivals_and_means_of_those_who_play_alone() -> None:
    net = "net?file=generation-000.safetensors&temperature=0.5"
    interval = {"low": 1.0, "high": 3.0}
    alone = {"player": net, "mean": 2.0, "interval": interval, "elo": None}
    found = strengths({"matches": 24, "overall": [alone]}, [0], None)
    assert found["measure"] == "score"
    assert found["generations"] == [{"generation": 0, "strength": 2.0, "low": 1.0, "high": 3.0}]
    rival = {**alone, "elo": {"rating": 40.0, "low": 20.0, "high": 60.0}}
    greedy = {**rival, "player": "greedy", "elo": {"rating": -40.0, "low": -60.0, "high": -20.0}}
    found = strengths({"matches": 48, "overall": [rival, greedy]}, [0], "greedy")
    assert found["measure"] == "elo"
    assert found["generations"][0]["strength"] == 40.0
    assert found["reference"] == {"player": "greedy", "strength": -40.0, "low": -60.0, "high": -20.0}


def test_a_run_goes_on_wherever_it_and_its_positions_were_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_imitation(tmp_path / "records")
    sizes = ["--no-self-play", "--channels", "4", "--blocks", "1", "--batch", "250"]
    main(["connect-four", "--minutes", "0.001", "--imitate", "records", "--out", "run", *sizes])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").rename(tmp_path / "elsewhere" / "run")
    (tmp_path / "records").rename(tmp_path / "elsewhere" / "positions")
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = ["connect-four", "--out", "run", "--minutes", "0.05"]
    main([*again, "--imitate", "positions", "--no-self-play"])
    assert len(json.loads(Path("run/progress.json").read_text())) > 1
    with pytest.raises(SystemExit, match="learned from positions in records, which are not there any more;"):
        main([*again, "--command", "true"])


def test_a_folder_in_which_a_run_goes_on_is_refused(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    (tmp_path / "run").mkdir()
    run = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(tmp_path / "run")]
    with Lock(tmp_path / "run"), pytest.raises(SystemExit, match="^error: another run is using .*run;"):
        main(["connect-four", "--minutes", "0.001", *run])
    main(["connect-four", "--minutes", "0.001", *run, "--channels", "4"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--scenario", "drawn?size=8", "--scenario", "drawn?size=10"],
            "--scenario drawn.size=8 has boards of 10×8 cells and 480 actions, drawn.size=10 of 10×7 and 420",
        ),
        (["--symmetry", "directions"], "--symmetry directions: the encoding places has 480 actions,"),
        (["--scenario", "drawn?sizze=8"], ".*did you mean “size”"),
    ],
)
def test_what_no_network_could_learn_from_is_refused_before_it_is_played(
    options: list[str], told: str, tmp_path: Path
) -> None:
    where = [] if "--scenario" in options else ["--scenario", "drawn?size=8"]
    run = ["hextris", "--imitate", "greedy", "--encoding", "places", "--out", str(tmp_path / "run")]
    with pytest.raises(Refused, match=f"^error: {told}"):
        main([*run, *where, *options])
    assert not (tmp_path / "run").exists()


def test_whoever_is_imitated_is_guessed_from_a_slip() -> None:
    with pytest.raises(Refused, match="did you mean champion. quintain players tron lists its players$"):
        main(["tron", "--imitate", "champoin?net=none"])


def test_a_run_whose_minutes_are_over_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_imitation(tmp_path / "records")
    run = ["--imitate", str(tmp_path / "records"), "--no-self-play", "--out", str(tmp_path / "run")]
    command = ["connect-four", "--minutes", "0.001", *run, "--channels", "4"]
    main(command)
    assert "are over" not in capsys.readouterr().out
    main(command)
    assert "minutes are over; with more --minutes it continues" in capsys.readouterr().out


def by_generations(folder: Path, records: Path, generations: int) -> list[str]:
    """Return the command line of a run that the clock does not limit."""
    options = ["--imitate", str(records), "--no-self-play", "--out", str(folder), "--steps", "3"]
    options += ["--channels", "8", "--blocks", "1", "--batch", "50"]
    return ["connect-four", "--generations", str(generations), *options]


def figures_of(run: Path) -> list[dict[str, Any]]:
    """Return a run's figures without its times."""
    rows = json.loads((run / "progress.json").read_text())
    return [{key: row[key] for key in row if key not in ("minutes", "self_play_seconds")} for row in rows]


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_imitation(tmp_path / "records")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    main(by_generations(whole, tmp_path / "records", 4))
    learn = Run.learn

    def stopped(self: Run, *played: Any) -> None:
        if len(self.progress) == 2:
            raise KeyboardInterrupt
        learn(self, *played)

    with monkeypatch.context() as patched, pytest.raises(SystemExit, match="stopped"):
        patched.setattr(Run, "learn", stopped)
        main(by_generations(parts, tmp_path / "records", 4))
    assert len(figures_of(parts)) == 2
    main(by_generations(parts, tmp_path / "records", 4))
    assert figures_of(parts) == figures_of(whole)
    assert [row["steps"] for row in figures_of(whole)] == [3] * 4
    for number in range(4):
        name = f"generation-{number:03}.safetensors"
        assert (parts / name).read_bytes() == (whole / name).read_bytes()
    # Only the last one is kept.
    assert [path.name for path in sorted(parts.glob("*.npz"))] == ["generation-003.learner.npz"]


def test_a_run_that_is_made_longer_does_not_learn_faster_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_imitation(tmp_path / "records")
    run = tmp_path / "run"
    main(by_generations(run, tmp_path / "records", 2))
    main(by_generations(run, tmp_path / "records", 2))
    assert "2 generations are over; with more --generations it continues" in capsys.readouterr().out
    main(by_generations(run, tmp_path / "records", 5))
    rates = [row["rate"] for row in figures_of(run)]
    assert len(rates) == 5
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == 0.002


@pytest.mark.parametrize(
    ("share", "last", "rate"), [(0, None, 1), (0.5, None, 0.525), (1, None, 0.05), (0.2, 0.3, 0.3), (2, 1, 0.05)]
)
def test_the_rate_falls_in_half_a_cosine(share: float, last: float | None, rate: float) -> None:
    assert rate_at(1.0, share, last) == pytest.approx(rate)


def test_what_learning_goes_on_from_is_told_where_it_is_damaged(tmp_path: Path) -> None:
    learner, other = Learner(network(), 1), Learner(network(), 2)
    learner.step(positions(20), 1e-3)
    learner.save(tmp_path / "saved.npz")
    other.load(tmp_path / "saved.npz")
    assert other.steps == 1
    assert other.random.bit_generator.state == learner.random.bit_generator.state
    for name, mean in learner.mean.items():
        assert np.array_equal(mean, other.mean[name])
        assert np.array_equal(learner.square[name], other.square[name])
    (tmp_path / "saved.npz").write_bytes(b"no archive")
    with pytest.raises(SystemExit, match="^error: .*saved.npz is damaged .*; without it, learning starts over"):
        other.load(tmp_path / "saved.npz")


def test_a_run_whose_last_self_play_had_no_time_ends_without_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_imitation(tmp_path / "records")
    command = tmp_path / "quick"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setattr(Run, "play", lambda self, folder: None)
    options = ["--imitate", str(tmp_path / "records"), "--command", str(command), "--no-matches"]
    options += ["--channels", "8", "--blocks", "1", "--out", str(tmp_path / "run"), "--minutes", "0.01"]
    main(["connect-four", *options])
    assert "fewer --simulations" not in capsys.readouterr().out
