"""Training: derivatives, files, symmetries, and that a learner learns what is plain."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quintain.train import Learner, Network, Shape, Window, begin
from quintain.train.__main__ import main, without_seed
from quintain.train.learner import turned, value_range
from quintain.train.network import initial
from quintain.train.page import write_page

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
        np.save(folder / "positions-000000.npy", positions(100))
        (folder / "self-play.json").write_text(json.dumps({**ABOUT, "range": None}))
    window = Window(150)
    assert [window.add(tmp_path / str(number)) for number in range(3)] == [100] * 3
    assert len(window) == 200
    begun = begin(tmp_path / "0", 1, channels=8, blocks=1)
    assert begun.shape.range == (-2.0, 3.0)


def test_a_run_has_its_curves_on_a_page(tmp_path: Path) -> None:
    row = {"generation": 0, "minutes": 1.0, "positions": 10, "policy_loss": 2.0, "value_loss": 1.0}
    write_page(tmp_path / "index.html", "a<b", [row, {**row, "minutes": 2.0}])
    page = (tmp_path / "index.html").read_text()
    assert "Training a&lt;b" in page
    assert page.count("<polyline") == 2


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
    assert f"argument {option}: {given}: expected a" in capsys.readouterr().err


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
    assert "generation   0  self-play begins: 0 s at most" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("true", "printed no figures; is it a command of Quintain's"),
        ("echo '{\"seconds\": 1}'", "wrote no positions into"),
        ("echo 'error: no such scenario' >&2; exit 2", "^error: no such scenario$"),
        ("exit 3", "failed without a word"),
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
    with pytest.raises(SystemExit, match="^error: there is no command no-such; name it by --command$"):
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
    assert "self-play" not in capsys.readouterr().out


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
    options += ["--channels", "8", "--blocks", "1", "--batch", "50", "--minutes", "0.05"]
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
        ("columns", {"board": (1, 1), "planes": 16}, "encoding board sees no board"),
        ("columns", {"actions": 60, "cell_actions": 1}, "has actions for each cell of the board"),
    ],
)
def test_a_symmetry_that_an_encoding_cannot_have_is_told(
    symmetry: str, sizes: dict[str, Any], told: str
) -> None:
    shape = replace(SHAPE, **sizes)
    with pytest.raises(SystemExit, match=f"^error: --symmetry {symmetry}: the .*{told}"):
        Learner(network(shape), 1, symmetry=symmetry)


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
    assert refused().startswith(f"error: {shard} is damaged, or no file of positions: ")
    shard.write_bytes(whole)
    generation = sorted(run.glob("generation-*.safetensors"))[-1]
    whole = generation.read_bytes()
    generation.write_bytes(whole[:40])
    assert refused() == (
        f"error: {generation}: damaged, or no network; delete {run} to begin anew"
    )
    generation.write_bytes(whole)
    (run / "progress.json").write_text("[{")
    assert refused().startswith(f"error: {run / 'progress.json'} is damaged: ")


def test_positions_in_another_encoding_are_told(tmp_path: Path) -> None:
    write_imitation(tmp_path / "records")
    options = ["--imitate", str(tmp_path / "records"), "--encoding", "views"]
    with pytest.raises(SystemExit, match="has positions in the encoding .*, not in views$"):
        main(["connect-four", *options])
