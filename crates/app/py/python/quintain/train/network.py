"""A residual network with a policy and a value in NumPy, whose gradients are derived by hand.

It is the network that `quintain-net` evaluates in Rust: the same tensors, with the same names. Small
networks on a CPU spend their time in matrix products, which NumPy hands to a BLAS. A framework would save
the derivatives in this file, but add half a gigabyte to the installation.

A batch's activations are ordered by position, row, column, channel. A convolution is a matrix product with
nine shifted copies of the board side by side.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Parameters = dict[str, Array]

FORM = "quintain-net 1"
#: How numbers are stored in a file, by the name of their type.
TYPES = {"F32": "<f4", "F16": "<f2"}
#: The most bytes that a header may have.
MOST_HEADER = 1 << 20


#: The formats in which residual blocks may be computed when the network plays: floats of 32 bits, or
#: integers of 16.
PRECISIONS = ("f32", "i16")


@dataclass(frozen=True)
class Shape:
    """What a network is for, and how large it is; the header of its file."""

    game: str
    scenario: str
    encoding: str
    board: tuple[int, int]
    planes: int
    features: int
    seats: int
    actions: int
    range: tuple[float, float]
    #: How many kinds of actions there are for each cell; these are the last of all actions.
    cell_actions: int = 0
    channels: int = 32
    blocks: int = 2
    heads: tuple[int, int] = (4, 4)
    hidden: int = 32
    #: The format in which blocks are computed when the network plays; it learns in floats.
    precision: str = "f32"
    #: The weight of the rules' estimate, on the scale of `range`; the network's value is added to it.
    estimate: float = 0.0

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        return self.board[0] * self.board[1]

    @property
    def other_actions(self) -> int:
        """The number of actions that do not belong to a cell."""
        return self.actions - self.cell_actions * self.cells

    @property
    def taps(self) -> int:
        """The number of places that a kernel reads."""
        return 1 if self.cells == 1 else 9

    def scaled(self, values: NDArray[Any]) -> Array:
        """Return utilities as values from -1 to 1."""
        low, high = self.range
        return np.clip(2 * (values - low) / (high - low) - 1, -1, 1).astype(np.float32)

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return names and shapes of all tensors, in the order of the file."""
        taps, channels = self.taps, self.channels
        policy, value = self.heads
        shapes: dict[str, tuple[int, ...]] = {
            "stem.weight": (taps, self.planes, channels),
            "stem.bias": (channels,),
            "stem.numbers": (self.features + self.seats, channels),
        }
        for block in range(self.blocks):
            for half in "ab":
                shapes[f"block{block}.{half}.weight"] = (taps, channels, channels)
                shapes[f"block{block}.{half}.bias"] = (channels,)
        if self.cell_actions:
            shapes["policy.cells.weight"] = (1, channels, self.cell_actions)
            shapes["policy.cells.bias"] = (self.cell_actions,)
        if self.other_actions:
            shapes |= {
                "policy.conv.weight": (1, channels, policy),
                "policy.conv.bias": (policy,),
                "policy.weight": (self.cells * policy, self.other_actions),
                "policy.bias": (self.other_actions,),
            }
        shapes |= {
            "value.conv.weight": (1, channels, value),
            "value.conv.bias": (value,),
            "value.hidden.weight": (self.cells * value, self.hidden),
            "value.hidden.bias": (self.hidden,),
            "value.weight": (self.hidden, 1),
            "value.bias": (1,),
        }
        return shapes


def initial(shape: Shape, seed: int) -> Parameters:
    """Return random weights (He et al. 2015), small ones for the last layer of blocks and both outputs."""
    random = np.random.default_rng(seed)
    parameters = {}
    for name, sides in shape.tensors().items():
        weights = random.standard_normal(sides, dtype=np.float32)
        if name.endswith("bias"):
            weights[:] = 0
        else:
            # A one-hot board has a single input that is not 0 for each tap.
            inputs = shape.taps if name == "stem.weight" else int(np.prod(sides[:-1]))
            ends = {"policy.weight", "policy.cells.weight", "value.weight"}
            small = name.endswith(".b.weight") or name in ends
            weights *= np.sqrt(2 / max(inputs, 1)) * (0.2 if small else 1)
        parameters[name] = weights
    return parameters


def _windows(board: Array, taps: int) -> Array:
    """Return the cells that a kernel reads, one row for each cell of the batch."""
    count, rows, columns, channels = board.shape
    if taps == 1:
        return board.reshape(-1, channels)
    padded = np.zeros((count, rows + 2, columns + 2, channels), np.float32)
    padded[:, 1:-1, 1:-1] = board
    windows = np.empty((count, rows, columns, 9, channels), np.float32)
    for tap in range(9):
        down, right = divmod(tap, 3)
        windows[:, :, :, tap] = padded[:, down : down + rows, right : right + columns]
    return windows.reshape(-1, 9 * channels)


def _unwindow(gradient: Array, sides: tuple[int, int, int, int]) -> Array:
    """Add up each cell's gradient over the windows that read it: `_windows`, transposed."""
    count, rows, columns, channels = sides
    if gradient.shape[1] == channels:
        return gradient.reshape(sides)
    windows = gradient.reshape(count, rows, columns, 9, channels)
    padded = np.zeros((count, rows + 2, columns + 2, channels), np.float32)
    for tap in range(9):
        down, right = divmod(tap, 3)
        padded[:, down : down + rows, right : right + columns] += windows[:, :, :, tap]
    return padded[:, 1:-1, 1:-1]


def softmax(logits: Array) -> Array:
    """Return probabilities, row by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


class Network:
    """The weights of a network, and its computations."""

    def __init__(self, shape: Shape, parameters: Parameters, feature_scale: Array) -> None:
        self.shape = shape
        self.parameters = parameters
        self.feature_scale = feature_scale

    def _inputs(self, board: Any, features: Any, seat: Any) -> tuple[Any, Any]:
        shape = self.shape
        count = len(board)
        if shape.cells == 1:
            planes = np.unpackbits(board.reshape(count, -1), axis=1, bitorder="little")
            planes = planes.reshape(count, 1, 1, shape.planes).astype(np.float32)
        else:
            one_hot = np.eye(shape.planes, dtype=np.float32)
            planes = one_hot[board.reshape(count, *shape.board)]
        numbers = features.reshape(count, -1).astype(np.float32) * self.feature_scale
        if shape.seats:
            numbers = np.concatenate([numbers, np.eye(shape.seats, dtype=np.float32)[seat]], axis=1)
        return planes, numbers

    def forward(self, board: Any, features: Any, seat: Any) -> tuple[Array, Array, list[Any]]:
        """Return logits, values, and what `backward` needs."""
        p, shape = self.parameters, self.shape
        planes, numbers = self._inputs(board, features, seat)
        sides = (len(planes), *shape.board, shape.channels)
        windows = _windows(planes, shape.taps)
        stem = windows @ p["stem.weight"].reshape(-1, shape.channels) + p["stem.bias"]
        stem = stem.reshape(sides) + (numbers @ p["stem.numbers"])[:, None, None]
        trunk = np.maximum(stem, 0)
        kept: list[Any] = [(windows, numbers, trunk)]
        for block in range(shape.blocks):
            first = _windows(trunk, shape.taps)
            half = np.maximum(
                first @ p[f"block{block}.a.weight"].reshape(-1, shape.channels)
                + p[f"block{block}.a.bias"],
                0,
            ).reshape(sides)
            second = _windows(half, shape.taps)
            whole = second @ p[f"block{block}.b.weight"].reshape(-1, shape.channels)
            trunk = np.maximum(whole.reshape(sides) + p[f"block{block}.b.bias"] + trunk, 0)
            kept.append((first, half, second, trunk))
        cells = trunk.reshape(-1, shape.channels)
        heads = {}
        for head in ("policy", "value"):
            if f"{head}.conv.weight" in p:
                flat = np.maximum(cells @ p[f"{head}.conv.weight"][0] + p[f"{head}.conv.bias"], 0)
                heads[head] = flat.reshape(len(planes), -1)
        logits = np.zeros((len(planes), 0), np.float32)
        if "policy" in heads:
            logits = heads["policy"] @ p["policy.weight"] + p["policy.bias"]
        if shape.cell_actions:
            each = cells @ p["policy.cells.weight"][0] + p["policy.cells.bias"]
            by_kind = each.reshape(len(planes), shape.cells, -1).transpose(0, 2, 1)
            logits = np.concatenate([logits, by_kind.reshape(len(planes), -1)], axis=1)
        hidden = np.maximum(heads["value"] @ p["value.hidden.weight"] + p["value.hidden.bias"], 0)
        value = (hidden @ p["value.weight"] + p["value.bias"])[:, 0]
        kept.append((cells, heads, hidden))
        return logits, value, kept

    def backward(self, logits: Array, value: Array, kept: list[Any]) -> Parameters:
        """Return the gradient of a loss, given its derivatives by logits and values."""
        p, shape = self.parameters, self.shape
        gradient: Parameters = {}

        def dense(name: str, inputs: Array, outputs: Array, bias: str | None = None) -> Array:
            """Store the gradient of a layer; return that of its inputs."""
            weight = p[name].reshape(-1, outputs.shape[1])
            gradient[name] = (inputs.T @ outputs).reshape(p[name].shape)
            gradient[bias or name.replace("weight", "bias")] = outputs.sum(axis=0)
            back: Array = outputs @ weight.T
            return back

        cells, heads, hidden = kept.pop()
        values, count = heads["value"], len(logits)
        back_hidden = dense("value.weight", hidden, value[:, None]) * (hidden > 0)
        backs = {"value": dense("value.hidden.weight", values, back_hidden) * (values > 0)}
        others = shape.other_actions
        if "policy" in heads:
            policy = heads["policy"]
            backs["policy"] = dense("policy.weight", policy, logits[:, :others]) * (policy > 0)
        back = np.zeros_like(cells)
        for head, flat in backs.items():
            outputs = flat.reshape(len(cells), -1)
            back += dense(f"{head}.conv.weight", cells, outputs)
        if shape.cell_actions:
            by_kind = logits[:, others:].reshape(count, shape.cell_actions, shape.cells)
            each = np.ascontiguousarray(by_kind.transpose(0, 2, 1)).reshape(len(cells), -1)
            back += dense("policy.cells.weight", cells, each)
        sides = (count, *shape.board, shape.channels)
        for block in reversed(range(shape.blocks)):
            first, half, second, trunk = kept.pop()
            back = back * (trunk.reshape(back.shape) > 0)
            inner = _unwindow(dense(f"block{block}.b.weight", second, back), sides)
            inner = inner.reshape(back.shape) * (half.reshape(back.shape) > 0)
            outer = _unwindow(dense(f"block{block}.a.weight", first, inner), sides)
            back = back + outer.reshape(back.shape)
        windows, numbers, trunk = kept.pop()
        back = back * (trunk.reshape(back.shape) > 0)
        gradient["stem.weight"] = (windows.T @ back).reshape(p["stem.weight"].shape)
        gradient["stem.bias"] = back.sum(axis=0)
        gradient["stem.numbers"] = numbers.T @ back.reshape(len(numbers), -1, shape.channels).sum(1)
        return gradient

    def save(self, path: Path, *, is_half: bool = False) -> None:
        """Write the file that the players `net` and `puct` read; with `is_half`, in half precision."""
        shape = self.shape
        fields = {
            "format": FORM,
            "game": shape.game,
            "scenario": shape.scenario,
            "encoding": shape.encoding,
            "board": _list(shape.board),
            "planes": str(shape.planes),
            "seats": str(shape.seats),
            "actions": str(shape.actions),
            "cell_actions": str(shape.cell_actions),
            "channels": str(shape.channels),
            "blocks": str(shape.blocks),
            "heads": _list(shape.heads),
            "hidden": str(shape.hidden),
            "feature_scale": _list(self.feature_scale.tolist()),
            "range": _list(shape.range),
            "precision": shape.precision,
        }
        if shape.estimate:
            fields["estimate"] = str(shape.estimate)
        tensors = {name: self.parameters[name] for name in shape.tensors()}
        write_tensors(path, fields, tensors, is_half=is_half)

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read a file that `save` wrote."""
        content = path.read_bytes()
        end = 8 + int.from_bytes(content[:8], "little")
        is_damaged = ValueError(f"{path}: damaged, or not a network")
        try:
            header = json.loads(content[8:end])
            fields = header.pop("__metadata__")
            last = max(end + tensor["data_offsets"][1] for tensor in header.values())
            form = fields.get("format")
        except (ValueError, KeyError, TypeError, AttributeError):
            # A header is a JSON object. If there is anything else, what was read as its size is none.
            if content[8:9] != b"{" or not len(content) < end <= MOST_HEADER:
                raise is_damaged from None
            last, form = end, FORM
        if form != FORM:
            raise ValueError(f"{path}: expected a network of the form “{FORM}”")
        if len(content) < last:
            raise ValueError(f"{path}: cut off: {len(content)} bytes, expected at least {last}")
        try:
            return cls._of(fields, header, content[end:])
        except (ValueError, KeyError, TypeError):
            raise is_damaged from None

    @classmethod
    def _of(cls, fields: dict[str, str], header: dict[str, Any], content: bytes) -> Network:
        scale = np.array(_numbers(fields["feature_scale"]), np.float32)
        rows, columns = map(int, _numbers(fields["board"]))
        policy, value = map(int, _numbers(fields["heads"]))
        low, high = _numbers(fields["range"])
        shape = Shape(
            game=fields["game"],
            scenario=fields["scenario"],
            encoding=fields["encoding"],
            board=(rows, columns),
            planes=int(fields["planes"]),
            features=len(scale),
            seats=int(fields["seats"]),
            actions=int(fields["actions"]),
            range=(low, high),
            cell_actions=int(fields.get("cell_actions", 0)),
            channels=int(fields["channels"]),
            blocks=int(fields["blocks"]),
            heads=(policy, value),
            hidden=int(fields["hidden"]),
            precision=fields.get("precision", "f32"),
            estimate=float(fields.get("estimate", 0)),
        )
        parameters = {}
        for name, sides in shape.tensors().items():
            begin, last = header[name]["data_offsets"]
            numbers = np.frombuffer(content[begin:last], TYPES[header[name]["dtype"]])
            parameters[name] = numbers.astype(np.float32).reshape(sides)
        return cls(shape, parameters, scale)


def write_tensors(
    path: Path, fields: dict[str, str], tensors: dict[str, Array], *, is_half: bool = False
) -> None:
    """Write a safetensors file, with `is_half` in half precision; until complete it has another name."""
    header: dict[str, Any] = {"__metadata__": fields}
    dtype = "F16" if is_half else "F32"
    at = 0
    for name, numbers in tensors.items():
        last = at + np.dtype(TYPES[dtype]).itemsize * numbers.size
        header[name] = {"dtype": dtype, "shape": numbers.shape, "data_offsets": [at, last]}
        at = last
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for numbers in tensors.values():
            file.write(numbers.astype(TYPES[dtype]).tobytes())
    partial.replace(path)


def _list(numbers: Any) -> str:
    return ",".join(str(number) for number in numbers)


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",") if part]
