"""Networks of ours as files of ONNX: the files that other tests read are still written to the byte."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from quintain.train import onnx
from quintain.train.network import Network, Shape, initial

REPOSITORY = Path(__file__).parents[4]
FILES = REPOSITORY / "crates/learn/net/tests/onnx"


@pytest.mark.parametrize("game", ["tron", "connect-four"])
def test_a_network_is_written_as_the_tests_in_rust_read_it(game: str, tmp_path: Path) -> None:
    """What is in these files was compared with ours, and with ONNX's own checker and runtime."""
    out = tmp_path / "network.onnx"
    onnx.main([str(FILES / f"{game}.safetensors"), str(out)])
    assert out.read_bytes() == (FILES / f"{game}.onnx").read_bytes()


def test_what_is_no_network_is_said_in_a_line_and_ends_with_2(tmp_path: Path) -> None:
    whole = (FILES / "tron.safetensors").read_bytes()
    path, out = tmp_path / "a.safetensors", tmp_path / "a.onnx"
    expected = "expected a file of quintain.train"
    for content, told in [
        (None, f"cannot read {path}: No such file or directory"),
        (b"a picture of a network", f"{path}: damaged, or not a network; {expected}"),
        (
            whole[:9000],
            f"{path}: cut off: 9000 bytes, expected at least {len(whole)}; {expected}",
        ),
    ]:
        if content is not None:
            path.write_bytes(content)
        command = [sys.executable, "-m", "quintain.train.onnx", str(path), str(out)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (2, f"error: {told}\n")
        assert not out.exists()


def test_whole_numbers_are_written_by_seven_bits_the_lowest_first() -> None:
    """As the encoding of Protocol Buffers says, with its own examples."""
    assert onnx._message((1, 150)) == b"\x08\x96\x01"
    assert onnx._message((2, "testing")) == b"\x12\x07testing"
    assert onnx._message((1, -2)) == b"\x08" + b"\xfe" + b"\xff" * 8 + b"\x01"
    assert onnx._message((3, onnx._message((1, 150)))) == b"\x1a\x03\x08\x96\x01"


@pytest.mark.parametrize(("features", "seats", "cell_actions"), [(0, 0, 0), (2, 2, 0), (0, 0, 2)])
def test_a_file_has_the_inputs_that_the_network_has(
    features: int, seats: int, cell_actions: int
) -> None:
    shape = Shape(
        game="a-game",
        scenario="small",
        encoding="board",
        board=(2, 3),
        planes=4,
        features=features,
        seats=seats,
        actions=12,
        range=(-1.0, 1.0),
        cell_actions=cell_actions,
        channels=4,
        blocks=1,
    )
    network = Network(shape, initial(shape, 1), np.full(features, 0.5, np.float32))
    content = onnx.model(network)
    assert (b"stem.numbers" in content) == bool(features + seats)
    # All actions are those of a cell: then there is no layer for others.
    assert (b"policy.weight" in content) == (not cell_actions)
    for text in [b"a-game", b"small", b"encoding", b"-1.0,1.0"]:
        assert text in content
