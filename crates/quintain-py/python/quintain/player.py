"""Players written in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

from quintain._quintain import Question


class Player(ABC):
    """Decides actions from observations. One player plays one seat of one match.

    Derive from it, and give the class to `quintain.play` or `quintain.tournament`. An exception
    takes the seat out of the match; the record tells what it said and where.
    """

    #: How records and standings call it; the name of the class if nothing is said.
    name: str
    #: Raise it whenever its decisions change: a store then plays anew what it had.
    version: int = 0

    def start(self, opening: dict[str, Any]) -> None:
        """Hear what is known before the first turn.

        `opening` has `game`, `scenario`, `seats`, the player's `seat`, a `seed` for its own use,
        the `budget`, and the game's `setting`.
        """

    @abstractmethod
    def decide(self, observation: dict[str, Any], question: Question) -> str | dict[str, Any]:
        """Return the action for this turn: in text, as in `question.actions`, or in its JSON form.

        Legal is what the rules accept; in some games that is more than the actions offered.
        """

    def finish(self, outcome: dict[str, Any]) -> None:
        """Hear how the match ended: `scores`, `ending`, `metrics`."""


#: What can take a seat: a player of ours in text, a class, a function that makes a player, or,
#: in a single match, a player.
Playing: TypeAlias = "str | Player | Callable[[], Player]"
