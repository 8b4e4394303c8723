"""Nim, as a game written in Python."""


class Nim:
    """Take one to three of a heap; who takes the last one wins."""

    seats, score_range = 2, (0, 1)

    def __init__(self, heap):
        self.heap = heap

    def start(self):
        return (self.heap, 0)

    def to_act(self, state):
        return state[1] if state[0] else None

    def actions(self, state):
        return range(1, min(3, state[0]) + 1)

    def apply(self, state, action):
        return (state[0] - action, 1 - state[1])

    def score(self, state, seat):
        heap, to_act = state
        return 0.5 if heap else float(seat != to_act)
