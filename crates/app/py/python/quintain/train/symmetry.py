"""Symmetries: the images of a position that leave the game the same, and which encodings have which."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quintain.train.arguments import Refused

#: The images of a board that are allowed: none but itself; its mirror image, where actions are columns; all
#: images of a square, where actions are up, right, down and left.
SYMMETRIES = ("none", "columns", "directions")
#: The symmetries of known encodings, by game and encoding.
SYMMETRY_OF = {
    ("tron", "board"): "directions",
    ("connect-four", "board"): "columns",
    ("polymer", "head"): "columns",
}


def turned(
    symmetry: str, board: NDArray[Any], actions: list[NDArray[Any]], random: np.random.Generator
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Return a random image of a batch: its boards, and arrays with a column for each action."""
    if symmetry == "columns" and random.random() < 0.5:
        return board[:, :, ::-1], [array[:, ::-1] for array in actions]
    if symmetry == "directions":
        order = np.arange(4)
        if board.shape[1] == board.shape[2]:
            turns = int(random.integers(4))
            # A quarter turn to the left: what was up is left, so its number moves by 3.
            board = np.rot90(board, turns, axes=(1, 2))
            order = np.roll(order, -turns)
        if random.random() < 0.5:
            board, order = board[:, :, ::-1], order[[0, 3, 2, 1]]
        return board, [array[:, order] for array in actions]
    return board, actions


def check_known(symmetry: str | None, game: str, encoding: str) -> None:
    """Refuse a symmetry of a known encoding that is not the one it has."""
    known = SYMMETRY_OF.get((game, encoding))
    if known is not None and symmetry not in (None, "none", known):
        raise refusal(symmetry, f"{game}'s encoding {encoding} has {known}; expected that, or none")


def check_symmetry(
    symmetry: str | None,
    game: str,
    encoding: str,
    *,
    board: tuple[int, int],
    actions: int,
    cell_actions: int = 0,
) -> None:
    """Refuse a symmetry that an encoding with such boards and so many actions cannot have."""
    check_known(symmetry, game, encoding)
    is_known = (game, encoding) in SYMMETRY_OF
    if symmetry in (None, "none"):
        return
    if board == (1, 1):
        problem = "sees no board"
    elif cell_actions:
        problem = "has actions for each cell of the board"
    elif symmetry == "directions" and actions != 4:
        problem = f"has {actions} actions, not four directions"
    elif symmetry == "columns" and not is_known and actions != board[1]:
        problem = f"has {actions} actions, not one for each of {board[1]} columns"
    else:
        return
    raise refusal(symmetry, f"the encoding {encoding} {problem}; leave it out")


def refusal(symmetry: str | None, problem: str) -> Refused:
    """Return the refusal that ends the command."""
    return Refused(f"error: --symmetry {symmetry}: {problem}")
