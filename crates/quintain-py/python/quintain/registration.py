"""Tells Gymnasium which environments there are."""

from __future__ import annotations

import gymnasium


def register() -> None:
    """Register `quintain/Hextris-v0`, `quintain/Polymer-v0` and `quintain/Pentocity-v0`."""
    for game in ["hextris", "polymer", "pentocity"]:
        gymnasium.register(
            id=f"quintain/{game.capitalize()}-v0",
            entry_point="quintain.environments:Environment",
            vector_entry_point="quintain.environments:Environments",
            kwargs={"game": game},
        )
