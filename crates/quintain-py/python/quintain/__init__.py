"""Quintain: a workbench for grid-game AI.

Games with their players (`Game`, `play`, `tournament`, `tune`), players written in Python
(`Player`), environments for learners (`Batch`, `quintain.environments`, `quintain.pettingzoo`)
and searches on games written in Python (`quintain.search`).

Where Gymnasium is installed, importing this package tells it of the environments::

    gymnasium.make("quintain/Hextris-v0")
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from quintain import search
from quintain._quintain import (
    Adviser,
    Batch,
    Game,
    Match,
    Question,
    Record,
    Replay,
    Results,
    games,
    load_records,
    tournament,
    tune,
)
from quintain.player import Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quintain.player import Playing

__all__ = [
    "Adviser",
    "Batch",
    "Game",
    "Match",
    "Player",
    "Question",
    "Record",
    "Replay",
    "Results",
    "games",
    "load_records",
    "play",
    "search",
    "tournament",
    "tune",
]


def play(
    game: str,
    players: Sequence[Playing] | Playing,
    *,
    scenario: str | None = None,
    seed: int = 1,
    budget: str = "",
    notes: bool = False,
) -> Record:
    """Play one match and return its record: `Game(game, scenario).play(players, …)`."""
    return Game(game, scenario).play(players, seed=seed, budget=budget, notes=notes)


if importlib.util.find_spec("gymnasium"):
    from quintain.registration import register

    register()
