"""NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol."""
from __future__ import annotations

import json
import random
import sys
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


def say(message):
    print(json.dumps(message), flush=True)


def main():
    match = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say({"type": "ready", "name": "NAME", "games": ["GAME"], "protocol": 2})
        elif kind == "start":
            match = message
            random.seed(match["seed"])
        elif kind == "turn":
            action = choose(message["observation"], message["actions"], match)
            say({"type": "action", "action": action})
            # Standard output belongs to the protocol; for debugging, print to standard error:
            # print(action, file=sys.stderr)
        elif kind == "bye":
            break


if __name__ == "__main__":
    main()
