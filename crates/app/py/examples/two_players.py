"""Two players written in Python play against each other and one of ours.

    python two_players.py [seeds]
"""

import sys

import quintain

STEPS = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}


class Walls(quintain.Player):
    """Stays beside walls: takes the free cell with the most walls around it."""

    def start(self, match_start):
        self.seat = match_start["seat"]

    def decide(self, observation, question):
        board = observation["board"]
        row, column = observation["heads"][self.seat]

        def is_free(row, column):
            return board[row][column] == " "

        def narrowness(action):
            down, right = STEPS[action]
            place = (row + down, column + right)
            if not is_free(*place):
                return -1
            return sum(not is_free(place[0] + a, place[1] + b) for a, b in STEPS.values())

        return max(question.actions, key=narrowness)


class Room(Walls):
    """Goes where the most cells can be reached."""

    def decide(self, observation, question):
        board = observation["board"]
        row, column = observation["heads"][self.seat]

        def reached(action):
            down, right = STEPS[action]
            seen, open_cells = set(), [(row + down, column + right)]
            while open_cells:
                cell = open_cells.pop()
                if cell not in seen and board[cell[0]][cell[1]] == " ":
                    seen.add(cell)
                    open_cells += [(cell[0] + a, cell[1] + b) for a, b in STEPS.values()]
            return len(seen)

        return max(question.actions, key=reached)


def main(seeds=5):
    results = quintain.tournament(
        "tron", [Walls, Room, "random"], scenarios=["hackerrank?opening=4"], seeds=seeds
    )
    print(results.table(width=80))
    record = results.records[0]
    print(record)
    # In a notebook, `record` alone shows the match; as a file, for a browser:
    # pathlib.Path("match.html").write_text(record.to_html())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
