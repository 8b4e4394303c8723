"""Registers the environments with Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium

from quintain._quintain import Game, games
from quintain.environments import Environment, Environments
from quintain.rendering import ONE_METADATA, VECTOR_METADATA
from quintain.selfplay import SelfPlay, SelfPlayOne


def environment_id(game: str) -> str:
    """Return the id of a game's environment: `quintain/NineMen-v0` for nine-men."""
    return f"quintain/{game.title().replace('-', '')}-v0"


def register() -> None:
    """Register every game that has an encoding for learners.

    In games of several seats the opponents are random players unless others are named.
    """
    for name in games():
        game = Game(name)
        if not game.encodings:
            continue
        kwargs = {"game": name}
        if game.seats > 1:
            kwargs["opponent"] = "random"
        gymnasium.register(
            id=environment_id(name),
            entry_point="quintain.registration:make_one",
            vector_entry_point="quintain.registration:make_many",
            kwargs=kwargs,
        )


def make_one(game: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Make one environment; with `opponent="self"`, one that has a pool of snapshots."""
    if options.get("opponent") == "self":
        return SelfPlayOne(game, **_without_opponent(options))
    return Environment(game, **options)


def make_many(game: str, **options: Any) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """Make many environments; with `opponent="self"`, ones that have a pool of snapshots."""
    if options.get("opponent") == "self":
        return SelfPlay(game, **_without_opponent(options))
    return Environments(game, **options)


# Gymnasium looks here for the modes in which an environment renders.
make_one.metadata = ONE_METADATA  # type: ignore[attr-defined]
make_many.metadata = VECTOR_METADATA  # type: ignore[attr-defined]


def _without_opponent(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "opponent"}
