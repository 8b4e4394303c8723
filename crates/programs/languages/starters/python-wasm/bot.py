"""NAME, a player for quintain. `choose` is yours to change; build.js puts it into bot.wasm, together with
MicroPython, which runs it. It cannot use other files, and `print` writes to standard error."""
from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # read by editors and type checkers; this file plays without it
    from observation import Action, Observation


def choose(observation: Observation, actions: list[str], match: dict) -> Action | str:
    """Returns one of `actions`, or another action of the game.

    observation -- what this seat sees; observation.py has its type, and that of an action
    actions     -- the actions that the game offers, as strings
    match       -- the message that began the match: `seat`, `seats`, `scenario`, `setting` (its type is
                   Setting in observation.py), ...
    """
    return random.choice(actions)
