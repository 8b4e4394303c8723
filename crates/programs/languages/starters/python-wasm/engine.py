# The code between the module's exports and `choose`; MicroPython runs it before bot.py.

import builtins
import json
import random
import sys


class Types:
    """Stands in for `typing`, whose names MicroPython never looks up in annotations."""

    TYPE_CHECKING = False

    def __getattr__(self, name):
        return self

    def __getitem__(self, parameters):
        return self


sys.modules["typing"] = sys.modules["__future__"] = Types()

print_anywhere = print


def print_error(*what, sep=" ", end="\n", file=sys.stderr, flush=False):
    print_anywhere(*what, sep=sep, end=end, file=file)


builtins.print = print_error


def on_start(text):
    global match
    match = json.loads(text)
    random.seed(match["seed"])


def on_turn(text):
    # Global, so that its memory is not freed when this function returns.
    global reply
    turn = json.loads(text)
    action = choose(turn["observation"], turn["actions"], match)
    reply = json.dumps({"type": "action", "action": action})
    return reply
