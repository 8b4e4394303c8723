"""Searches on games written in Python.

A game is an object whose methods say everything about positions, which must not change: `apply`
returns another one. Positions and actions must be hashable. Searching it is slow beside
searching one of ours, since every position, action and score is asked of the interpreter: some
thousand positions a second, where a game in Rust has millions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypedDict, TypeVar

from quintain._quintain import beam, nrpa, uct

__all__ = ["SearchResult", "Game", "Line", "beam", "nrpa", "uct"]

State = TypeVar("State")
Action = TypeVar("Action")


class SearchResult(TypedDict):
    """What `uct` found."""

    #: The action to take.
    action: Any
    #: What it is worth to the seat that moves; among rivals less the best rival's.
    value: float
    #: Turns looked ahead at most.
    depth: int
    #: Iterations taken.
    iterations: int


class Line(TypedDict):
    """What `beam` and `nrpa` found."""

    #: The actions, in order.
    actions: list[Any]
    #: What they come to.
    score: float
    #: Whether the game is over there.
    over: bool
    #: The position there.
    state: Any


class Game(Protocol[State, Action]):
    """What a search asks of a game. A class need not derive from it.

    A game may further have `seats` (1 if it says nothing), `goal` (`"highest"` or `"lowest"`),
    `score_range` (the least and the greatest score, as a pair) and
    `estimate(state, seat) -> float`, which stands for the score of positions that are not over.
    """

    def start(self) -> State:
        """Return the first position."""
        ...

    def to_act(self, state: State) -> int | None:
        """Return the seat that moves; None where the game is over."""
        ...

    def actions(self, state: State) -> Iterable[Action]:
        """Return the actions of the seat that moves, at least one."""
        ...

    def apply(self, state: State, action: Action) -> State:
        """Return the position after an action."""
        ...

    def score(self, state: State, seat: int) -> float:
        """Return the score of a seat so far; at the end, the score."""
        ...
