"""A sixth game, in Python: Domineering (Göran Andersson). One seat lays dominoes upright, the other
across; a seat that finds no room has lost. `python sixth_game.py [games] [iterations]` has UCT play it.
"""

import random
import sys

from quintain import search

SIDE = 5


class Domineering:
    """A position is the set of taken cells, as bits, and the seat that moves."""

    seats = 2
    score_range = (0, 1)

    def __init__(self):
        cells = [(row, column) for row in range(SIDE) for column in range(SIDE)]
        self.places = []
        for down, right in [(1, 0), (0, 1)]:
            inside = [(r, c) for r, c in cells if r + down < SIDE and c + right < SIDE]
            domino = 1 | 1 << (down * SIDE + right)
            self.places.append([domino << (r * SIDE + c) for r, c in inside])

    def start(self):
        return (0, 0)

    def actions(self, state):
        taken, seat = state
        return [domino for domino in self.places[seat] if not domino & taken]

    def to_act(self, state):
        return state[1] if self.actions(state) else None

    def apply(self, state, action):
        return (state[0] | action, 1 - state[1])

    def score(self, state, seat):
        return 0.5 if self.actions(state) else float(seat != state[1])


def main(games=6, iterations=150):
    game = Domineering()
    won = 0
    for number in range(games):
        draw, searcher, state = random.Random(number), number % 2, game.start()
        while (seat := game.to_act(state)) is not None:
            if seat == searcher:
                action = search.uct(game, state, iterations=iterations, seed=number)["action"]
            else:
                action = draw.choice(game.actions(state))
            state = game.apply(state, action)
        won += game.score(state, searcher) == 1
    print(f"tree search won {won} of {games} games")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
