"""room, a player for quintain. `choose` is yours to change; the rest speaks the protocol."""
import json
import random
import sys


STEPS = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}


def neighbours(cell):
    """The four cells around a cell, by the action that leads there."""
    row, column = cell
    return {action: (row + down, column + right) for action, (down, right) in STEPS.items()}


def room(free, start):
    """How many free cells can be reached from a cell."""
    seen, edge = {start}, [start]
    while edge:
        for cell in neighbours(edge.pop()).values():
            if cell in free and cell not in seen:
                seen.add(cell)
                edge.append(cell)
    return len(seen)


def free_cells(observation):
    """The cells that nobody has been to."""
    rows = enumerate(observation["board"])
    return {(row, column) for row, cells in rows for column, cell in enumerate(cells) if cell == " "}


def choose(observation, actions, match):
    """The way to the largest room; among equals along a wall, which leaves no holes."""
    free = free_cells(observation)
    head = tuple(observation["heads"][match["seat"]])

    def worth(action):
        cell = neighbours(head)[action]
        if cell not in free:
            return (-1, 0)
        walls = sum(next not in free for next in neighbours(cell).values())
        return (room(free, cell), walls)

    return max(actions, key=worth)


def say(message):
    print(json.dumps(message), flush=True)


def main():
    match = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say({"type": "ready", "name": "room", "games": ["tron"]})
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
