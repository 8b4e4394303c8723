"""Tells Gymnasium which environments there are."""

from __future__ import annotations

import gymnasium

from quintain._quintain import Game, games


def environment_id(game: str) -> str:
    """Return the id of a game's environment: `quintain/NineMen-v0` for nine-men."""
    return f"quintain/{game.title().replace('-', '')}-v0"


def register() -> None:
    """Register every game of one seat that has an encoding for learners."""
    for name in games():
        game = Game(name)
        if game.seats == 1 and game.encodings:
            gymnasium.register(
                id=environment_id(name),
                entry_point="quintain.environments:Environment",
                vector_entry_point="quintain.environments:Environments",
                kwargs={"game": name},
            )
