"""Games and players that take as long as they may: what Ctrl-C is tried on."""

import time

import quintain


class Digits:
    """Write digits; their sum counts. One seat."""

    def start(self):
        return ()

    def to_act(self, state):
        return 0 if len(state) < 60 else None

    def actions(self, state):
        return range(10)

    def apply(self, state, action):
        return (*state, action)

    def score(self, state, seat):
        return float(sum(state))


class Slow:
    """A position that takes long to compare, and is like all others."""

    def __init__(self, depth):
        self.depth = depth

    def __hash__(self):
        return sum(range(20_000)) % 7

    def __eq__(self, other):
        return False


class Equals(Digits):
    """Positions whose hashes are Python's own work."""

    def start(self):
        return Slow(0)

    def to_act(self, state):
        return 0

    def apply(self, state, action):
        return Slow(state.depth + 1)

    def score(self, state, seat):
        return float(state.depth)


class Sleeping(quintain.Player):
    """Does not come back to Python."""

    def decide(self, observation, question):
        time.sleep(10**6)


class Looping(quintain.Player):
    """Thinks for ever in Python."""

    def decide(self, observation, question):
        while True:
            pass
