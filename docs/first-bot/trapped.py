"""mine, a player for quintain. `choose` is yours to change; the rest speaks the protocol."""
import json
import random
import sys


STEPS = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}


def neighbours(cell):
    """The four cells around a cell, by the action that leads there."""
    row, column = cell
    return {action: (row + down, column + right) for action, (down, right) in STEPS.items()}


def free_cells(observation):
    """The cells that nobody has been to."""
    rows = enumerate(observation["board"])
    return {(row, column) for row, cells in rows for column, cell in enumerate(cells) if cell == " "}


def exits(free, cell):
    """How many free cells are next to a cell."""
    return sum(beside in free for beside in neighbours(cell).values())


def choose(observation, actions, match):
    """Where the most ways lead on."""
    free = free_cells(observation)
    head = tuple(observation["heads"][match["seat"]])
    ways = {action: cell for action, cell in neighbours(head).items() if cell in free}
    return max(ways, key=lambda action: exits(free, ways[action]), default=actions[0])


def say(message):
    print(json.dumps(message), flush=True)


def main():
    match = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say({"type": "ready", "name": "mine", "games": ["tron"]})
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
