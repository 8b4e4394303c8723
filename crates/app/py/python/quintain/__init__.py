"""Quintain: a workbench for grid-game AI.

Games with their players (`Game`, `play`, `tournament`, `tune`), players written in Python
(`Player`), environments for learners (`Batch`, `quintain.environments`, `quintain.pettingzoo`)
and searches on games written in Python (`quintain.search`).

Where Gymnasium is installed, importing this package registers the environments with it::

    gymnasium.make("quintain/Hextris-v0")
"""

from __future__ import annotations

import importlib.util
import os
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _version_of
from typing import TYPE_CHECKING

from quintain import search
from quintain._quintain import __version__ as _compiled_version
from quintain._quintain import (
    Adviser,
    Batch,
    Encoder,
    Game,
    Match,
    Question,
    Record,
    Replay,
    Results,
    games,
    _note_fork,
    load_records,
    tournament,
    tune,
)
from quintain.planning import puct, self_play
from quintain.player import Player, VoidMatch, policy_player
from quintain.warning import SeedWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quintain.player import Playing

try:
    __version__ = _version_of("quintain")
except PackageNotFoundError:  # Run from a checkout that was not installed.
    __version__ = _compiled_version

# A batch's threads do not follow into a forked process.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)

__all__ = [
    "Adviser",
    "Batch",
    "Encoder",
    "Game",
    "Match",
    "Player",
    "Question",
    "Record",
    "Replay",
    "Results",
    "SeedWarning",
    "VoidMatch",
    "__version__",
    "games",
    "load_records",
    "play",
    "policy_player",
    "puct",
    "search",
    "self_play",
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
    """Play one match and return its record.

    - `game` is one of `quintain.games()`, such as `"tron"`.
    - `players` is one player for each seat, or a single one for all seats. A player is a name that
      `Game(game).players` lists, with parameters if you like (`"uct?exploration=1"`), or a `Player` of
      your own.
    - `scenario` is the scenario to play, such as `"obstacles"`; by default the game's first one.
    - `seed` seeds all randomness: the same seed gives the same match.
    - `budget` limits how long or how much each player may think: `"nodes=1000"`, `"iterations=500"`,
      `"move=100ms"`, `"match=5s"`. By default each player has its usual budget.
    - `notes` keeps the players' notes about their decisions in the record.

    ::

        record = quintain.play("tron", ["space", "basic"], scenario="obstacles", seed=3)
        record.scores, record.ending, record.actions
        record.replay()  # position by position
        open("match.html", "w").write(record.to_html())
    """
    return Game(game, scenario).play(players, seed=seed, budget=budget, notes=notes)


if importlib.util.find_spec("gymnasium"):
    from quintain.registration import register

    register()
