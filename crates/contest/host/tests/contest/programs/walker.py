"""A player of any game: it chooses at random among the actions that the game offers."""
import json
import random
import sys


def choose(observation, actions, match):
    return random.choice(actions)


def say(message):
    print(json.dumps(message), flush=True)


def main():
    match = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say({"type": "ready", "name": "walker"})
        elif kind == "start":
            match = message
            random.seed(match["seed"])
        elif kind == "turn":
            action = choose(message["observation"], message["actions"], match)
            say({"type": "action", "action": action})
        elif kind == "bye":
            break


main()
