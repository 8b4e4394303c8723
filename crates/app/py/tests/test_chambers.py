"""The trainer of the network that values tron's positions: its derivatives, and what it learns."""

import json
from pathlib import Path

import numpy as np
import pytest
from quintain.train import chambers


def rows(count: int, seed: int = 1) -> chambers.Array:
    """Return made-up positions in which the side with more of the fifth number wins more often."""
    random = np.random.default_rng(seed)
    made = random.random((count, chambers.INPUTS + 5), np.float32)
    made[:, chambers.INPUTS - 1] = random.random(count) < 0.5
    lead = 6 * (made[:, 4] - made[:, chambers.OWN + 4])
    made[:, chambers.GUESS] = 100 * (made[:, 0] - made[:, chambers.OWN])
    made[:, chambers.POINTS] = random.random(count) < 1 / (1 + np.exp(-lead))
    made[:, chambers.SEARCH] = np.where(random.random(count) < 0.1, np.nan, 1000 * lead)
    made[:, chambers.BOARD] = np.arange(count) // 20
    return made


def random_parameters(units: int = 4) -> chambers.Parameters:
    """Return a network of random weights."""
    random = np.random.default_rng(2)
    return {
        "hidden.weight": random.standard_normal((chambers.INPUTS, units), np.float32),
        "hidden.bias": random.standard_normal(units, np.float32),
        "out.weight": random.standard_normal(units, np.float32),
        "direct.weight": random.standard_normal(chambers.OWN, np.float32),
    }


def test_derivatives_are_those_of_small_differences() -> None:
    positions = rows(50)
    inputs = positions[:, : chambers.INPUTS].astype(np.float64)
    targets = positions[:, chambers.POINTS].astype(np.float64)
    parameters = {name: w.astype(np.float64) for name, w in random_parameters().items()}
    slopes = chambers.gradients(parameters, inputs, targets)
    for name, weights in parameters.items():
        place = tuple(0 for _ in weights.shape)
        losses = []
        for step in (1e-5, -1e-5):
            moved = {**parameters, name: weights.copy()}
            moved[name][place] += step
            losses.append(chambers.log_loss(chambers.forward(moved, inputs), targets))
        assert slopes[name][place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-4)


def test_who_changes_seats_changes_the_sign() -> None:
    ours, theirs = chambers.views(rows(20)[:, : chambers.INPUTS])
    parameters = random_parameters()
    np.testing.assert_allclose(
        chambers.forward(parameters, ours), -chambers.forward(parameters, theirs), rtol=1e-4, atol=1e-4
    )


def test_a_network_learns_what_the_weighted_sum_does_not_see(tmp_path: Path) -> None:
    np.save(tmp_path / "positions.npy", rows(6000))
    files = [tmp_path / "one.safetensors", tmp_path / "two.safetensors"]
    for out in files:
        arguments = [str(tmp_path / "positions.npy"), "--out", str(out), "--units", "8"]
        chambers.main(chambers.parser().parse_args([*arguments, "--batch", "128"]))
    figures = json.loads(files[0].with_suffix(".json").read_text())["all"]
    assert figures["network"]["log_loss"] < figures["weighted_sum"]["log_loss"] - 0.1
    assert files[0].read_bytes() == files[1].read_bytes()


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "other.npy", np.zeros((10, 3), np.float32))
    arguments = [str(tmp_path / "other.npy"), "--out", str(tmp_path / "net.safetensors")]
    with pytest.raises(SystemExit, match="expected rows of 32 numbers"):
        chambers.main(chambers.parser().parse_args(arguments))
