"""NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol."""
import json
import random
import sys


def choose(observation, actions, match):
    """Returns one of `actions`.

    observation -- what this seat sees: `quintain games --schema GAME` describes it
    actions     -- the actions that the game offers, as texts
    match       -- the message that began the match: `seat`, `seats`, `scenario`, `setting`, ...
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
            say({"type": "ready", "name": "NAME", "games": ["GAME"]})
        elif kind == "start":
            match = message
            random.seed(match["seed"])
        elif kind == "turn":
            action = choose(message["observation"], message["actions"], match)
            say({"type": "action", "action": action})
            # Standard output belongs to the protocol; look at things on standard error:
            # print(action, file=sys.stderr)
        elif kind == "bye":
            break


if __name__ == "__main__":
    main()
