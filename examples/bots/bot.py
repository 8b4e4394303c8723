"""A player of tron and hextris in plain Python: run it with `python3 bot.py`."""
import json
import random
import sys

STEPS = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}


def room(board, start):
    """The cells that can be reached from a cell."""
    seen, edge = {start}, [start]
    while edge:
        row, column = edge.pop()
        for down, right in STEPS.values():
            cell = (row + down, column + right)
            if cell not in seen and board[cell[0]][cell[1]] == " ":
                seen.add(cell)
                edge.append(cell)
    return len(seen)


def tron(seen, seat, actions):
    """The way to the largest room; ties by chance."""
    row, column = seen["heads"][seat]

    def worth(action):
        down, right = STEPS[action]
        cell = (row + down, column + right)
        free = seen["board"][cell[0]][cell[1]] == " "
        return (room(seen["board"], cell) if free else -1), random.random()

    return max(actions, key=worth)


def hextris(seen, seat, actions):
    """The longest way down."""
    return max(actions, key=len)


PLAYERS = {"tron": tron, "hextris": hextris}


def say(message):
    print(json.dumps(message), flush=True)


match = {}
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        say({"type": "ready", "name": "bot.py", "games": list(PLAYERS)})
    elif kind == "start":
        match = message
        random.seed(match["seed"])
    elif kind == "turn":
        play = PLAYERS[match["game"]]
        say({"type": "action", "action": play(message["observation"], match["seat"], message["actions"])})
    elif kind == "bye":
        break
