"""Writes our networks as ONNX files, for whatever reads these: ONNX Runtime, Netron, `net?file=FILE.onnx`.

    python -m quintain.train.onnx network.safetensors network.onnx

The file has the inputs `board`, planes of zeros and ones ([batch, planes, rows, columns]), and `features`
([batch, numbers]: each feature times its `feature_scale`, then the seat, one-hot, if the network gets it),
and the outputs `policy`, logits ([batch, actions]), and `value` ([batch, 1], from -1 to 1). What else a
reader must know is in its `metadata_props`, as in the header of our own files.

An ONNX file is a Protocol Buffers message. The dozen kinds of fields that it needs are written here, so that
no package is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .arguments import Parser, run_command_line
from .conversion import convert
from .network import Array, Network

#: The version of the operator set; the operators used here have been the same since then.
OPSET = 13
#: The version of the file format that goes with it.
FORM = 8
FLOAT, INT64 = 1, 7


def _varint(number: int) -> bytes:
    content = bytearray()
    while number > 0x7F:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    content.append(number)
    return bytes(content)


def _list(numbers: Iterable[float]) -> str:
    return ",".join(map(str, numbers))


def _message(*fields: tuple[int, int | str | bytes | float]) -> bytes:
    """Return a message of fields: pairs of a field number and an integer, text, float or message."""
    content = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            # All 64 bits: negative numbers have the upper ones set.
            content += _varint(number << 3) + _varint(value % (1 << 64))
        elif isinstance(value, float):
            content += _varint(number << 3 | 5) + np.array(value, "<f4").tobytes()
        else:
            inner = value.encode() if isinstance(value, str) else value
            content += _varint(number << 3 | 2) + _varint(len(inner)) + inner
    return bytes(content)


def _tensor(name: str, numbers: Any) -> bytes:
    kind, form = (INT64, "<i8") if numbers.dtype.kind == "i" else (FLOAT, "<f4")
    sides = [(1, side) for side in numbers.shape]
    return _message(*sides, (2, kind), (8, name), (9, numbers.astype(form).tobytes()))


def _value(name: str, sides: Iterable[int | str]) -> bytes:
    """Return an input or an output of floats; an axis without a fixed size has a name."""
    axes = [(1, _message((2 if isinstance(side, str) else 1, side))) for side in sides]
    tensor = _message((1, FLOAT), (2, _message(*axes)))
    return _message((1, name), (2, _message((1, tensor))))


class _Graph:
    """Nodes and weights, in the order of computation."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.weights: list[bytes] = []

    def weight(self, name: str, numbers: Any) -> str:
        self.weights.append(_tensor(name, numbers))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node; attributes are whole numbers or lists of them."""
        written = []
        for name, value in attributes.items():
            if isinstance(value, int):
                written.append((5, _message((1, name), (3, value), (20, 2))))
            else:
                written.append((5, _message((1, name), *((8, n) for n in value), (20, 7))))
        names = [(1, name) for name in inputs]
        self.nodes.append(_message(*names, (2, output), (3, output), (4, operator), *written))
        return output

    def convolution(self, p: dict[str, Array], name: str, reads: str) -> str:
        """Add a convolution; reorder its weights from tap, input, output to output, input, row, column."""
        weight = p[f"{name}.weight"]
        taps, inputs, outputs = weight.shape
        side = 3 if taps == 9 else 1
        by_output = weight.transpose(2, 1, 0).reshape(outputs, inputs, side, side)
        weights = [
            self.weight(f"{name}.weight", by_output),
            self.weight(f"{name}.bias", p[f"{name}.bias"]),
        ]
        pads = [side // 2] * 4
        return self.node("Conv", [reads, *weights], name, pads=pads, kernel_shape=[side, side])

    def dense(self, p: dict[str, Array], name: str, reads: str, weight: Any, output: str) -> str:
        weights = [
            self.weight(f"{name}.weight", weight),
            self.weight(f"{name}.bias", p[f"{name}.bias"]),
        ]
        return self.node("Gemm", [reads, *weights], output)


def model(network: Network) -> bytes:
    """Return a network as the content of an ONNX file."""
    shape, p, graph = network.shape, network.parameters, _Graph()
    numbers = shape.features + shape.seats
    rows, columns = shape.board
    inputs = [_value("board", ["batch", shape.planes, rows, columns])]
    trunk = graph.convolution(p, "stem", "board")
    if numbers:
        inputs.append(_value("features", ["batch", numbers]))
        weights = graph.weight("stem.numbers", p["stem.numbers"])
        told = graph.node("MatMul", ["features", weights], "told")
        sides = graph.weight("told.sides", np.array([-1, shape.channels, 1, 1]))
        told = graph.node("Reshape", [told, sides], "told.cells")
        trunk = graph.node("Add", [trunk, told], "stem.sum")
    trunk = graph.node("Relu", [trunk], "trunk")
    for block in range(shape.blocks):
        half = graph.convolution(p, f"block{block}.a", trunk)
        half = graph.node("Relu", [half], f"block{block}.half")
        whole = graph.convolution(p, f"block{block}.b", half)
        whole = graph.node("Add", [whole, trunk], f"block{block}.sum")
        trunk = graph.node("Relu", [whole], f"block{block}")

    def head(name: str, layer: str) -> tuple[str, Array]:
        """Return a head's flattened channels, and the weights of the layer that reads them in that order."""
        flat = graph.node("Relu", [graph.convolution(p, f"{name}.conv", trunk)], f"{name}.channels")
        flat = graph.node("Flatten", [flat], f"{name}.flat", axis=1)
        # Our weights are ordered by cell, then channel; in ONNX it is the other way round.
        weight = p[f"{layer}.weight"]
        by_channel = weight.reshape(shape.cells, -1, weight.shape[1]).swapaxes(0, 1)
        return flat, by_channel.reshape(weight.shape)

    parts = []
    is_whole = not shape.cell_actions
    if shape.other_actions:
        flat, weight = head("policy", "policy")
        output = "policy" if is_whole else "policy.others"
        parts.append(graph.dense(p, "policy", flat, weight, output))
    if shape.cell_actions:
        cells = graph.convolution(p, "policy.cells", trunk)
        output = "policy.cells.flat" if parts else "policy"
        parts.append(graph.node("Flatten", [cells], output, axis=1))
    if len(parts) > 1:
        graph.node("Concat", parts, "policy", axis=1)
    flat, weight = head("value", "value.hidden")
    hidden = graph.dense(p, "value.hidden", flat, weight, "value.hidden")
    hidden = graph.node("Relu", [hidden], "value.units")
    value = graph.dense(p, "value", hidden, p["value.weight"], "value.raw")
    low = graph.weight("value.low", np.array(-1, np.float32))
    high = graph.weight("value.high", np.array(1, np.float32))
    graph.node("Clip", [value, low, high], "value")

    outputs = [_value("policy", ["batch", shape.actions]), _value("value", ["batch", 1])]
    content = _message(
        *((1, node) for node in graph.nodes),
        (2, f"{shape.game} {shape.encoding}"),
        *((5, weight) for weight in graph.weights),
        *((11, value) for value in inputs),
        *((12, value) for value in outputs),
    )
    about = {
        "game": shape.game,
        "scenario": shape.scenario,
        "encoding": shape.encoding,
        "feature_scale": _list(network.feature_scale.tolist()),
        "range": _list(shape.range),
        **({"estimate": str(shape.estimate)} if shape.estimate else {}),
    }
    return _message(
        (1, FORM),
        (2, "quintain.train"),
        (7, content),
        (8, _message((1, ""), (2, OPSET))),
        *((14, _message((1, key), (2, value))) for key, value in about.items()),
    )


def write(network: Network, out: Path) -> None:
    """Write a network as an ONNX file."""
    out.write_bytes(model(network))


def main(arguments: list[str] | None = None) -> None:
    """Write a network of quintain.train as an ONNX file."""
    parser = Parser(prog="python -m quintain.train.onnx", description=main.__doc__)
    convert(parser, "the file to write, FILE.onnx", arguments, write)


if __name__ == "__main__":
    run_command_line(main)
