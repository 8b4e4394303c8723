"""reach, a player for quintain. `choose` is yours to change; the rest speaks the protocol."""
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


LOST, DRAWN, WON = -1000, 0, 1000


def best(free, me, you, turns):
    """The best first step, and what it is worth when the other answers it as well as can be."""
    found = (LOST - 1, "U")
    for action, mine in neighbours(me).items():
        worst = WON + 1
        for yours in neighbours(you).values():
            if mine == yours and mine in free:
                value = DRAWN
            elif mine not in free:
                value = LOST if yours in free else DRAWN
            elif yours not in free:
                value = WON
            elif turns > 1:
                value = best(free - {mine, yours}, mine, yours, turns - 1)[0]
            else:
                value = judge(free - {mine, yours}, mine, yours)
            worst = min(worst, value)
            if worst <= found[0]:
                break
        if worst > found[0]:
            found = (worst, action)
    return found


def judge(free, me, you):
    """How many more cells I reach before the other than the other before me."""
    mine, yours = {me}, {you}
    edge_of_mine, edge_of_yours = [me], [you]
    while edge_of_mine or edge_of_yours:
        reached = {cell for head in edge_of_mine for cell in neighbours(head).values()}
        reached_by_you = {cell for head in edge_of_yours for cell in neighbours(head).values()}
        open_cells = free - mine - yours
        # Cells that both reach at the same time are nobody's, and none goes on through them.
        both = reached & reached_by_you
        edge_of_mine, edge_of_yours = (reached - both) & open_cells, (reached_by_you - both) & open_cells
        free = free - both
        mine |= edge_of_mine
        yours |= edge_of_yours
    return len(mine) - len(yours)


def choose(observation, actions, match):
    """The best of two turns, by the rooms that are left after them."""
    me, you = match["seat"], 1 - match["seat"]
    heads = [tuple(head) for head in observation["heads"]]
    return best(free_cells(observation), heads[me], heads[you], 2)[1]


def say(message):
    print(json.dumps(message), flush=True)


def main():
    match = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say({"type": "ready", "name": "reach", "games": ["tron"]})
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
