"""Searches on games written in Python.

A game is an object whose methods say everything about positions. Positions must not change: `apply`
returns another one. Positions and actions must be hashable. Searching such a game is slow compared
with a game in Rust, since the interpreter is asked for every position, action and score: some
thousand positions a second instead of millions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, Protocol, TypedDict, TypeVar

from quintain._quintain import beam, nrpa, uct

__all__ = ["SearchResult", "Game", "Line", "beam", "nrpa", "uct"]

State = TypeVar("State")
Action = TypeVar("Action")


# A dictionary's type has parameters from Python 3.11 on.
if TYPE_CHECKING or sys.version_info >= (3, 11):

    class SearchResult(TypedDict, Generic[Action]):
        """What `uct` found."""

        #: The action to take.
        action: Action
        #: Its value to the seat that moves; among rivals, minus the value to the best rival.
        value: float
        #: The greatest number of turns that were looked ahead.
        depth: int
        #: The iterations that were run.
        iterations: int

    class Line(TypedDict, Generic[State, Action]):
        """What `beam` and `nrpa` found."""

        #: The actions, in order.
        actions: list[Action]
        #: The score that they lead to.
        score: float
        #: Whether the game is over at their end.
        over: bool
        #: The position at their end.
        state: State

else:
    SearchResult = Line = dict


class Game(Protocol[State, Action]):
    """What a search asks of a game. A class need not derive from it.

    A game may also have `seats` (1 by default), `goal` (`"highest"` or `"lowest"`), `score_range` (the
    least and the greatest score, as a pair) and `estimate(state, seat) -> float`, which replaces the
    score in positions where the game is not over.
    """

    def start(self) -> State:
        """Return the first position."""
        ...

    def to_act(self, state: State) -> int | None:
        """Return the seat that moves, or None if the game is over."""
        ...

    def actions(self, state: State) -> Iterable[Action]:
        """Return the actions of the seat that moves: at least one."""
        ...

    def apply(self, state: State, action: Action) -> State:
        """Return the position after an action."""
        ...

    def score(self, state: State, seat: int) -> float:
        """Return the score of a seat so far; at the end of the game, its final score."""
        ...
