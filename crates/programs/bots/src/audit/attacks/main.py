"""Plays as a good program would but for the attack that it is started with."""

import json, sys

from attack import ATTACKS, act, say

# Each of these files registers its attacks as it is imported; they are listed in this order. To carry
# one out, only its file is imported, since compiling all takes longer than most attacks.
FILES = ["files", "processes", "network", "kernel", "resources", "clock", "pauses", "protocol"]


def list_all():
    for file in FILES: __import__(file)
    for name, (expectation, group, needs, attack) in ATTACKS.items():
        print(group, name, expectation, attack.__module__, needs, sep="\t")


def main():
    file, name = sys.argv[1:]
    __import__(file)
    expectation, _, _, attack = ATTACKS[name]
    tried, later = False, None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello": say({"type": "ready", "name": "attacker"})
        elif message["type"] == "bye": return
        elif message["type"] == "turn":
            if callable(later):
                later()
                later = say({"succeeded": name})
            elif not tried:
                tried = True
                try: succeeded = later = attack()
                except (OSError, MemoryError, RuntimeError, ValueError): succeeded = False
                if callable(later): pass
                elif succeeded or expectation.startswith("ends"):
                    say({"succeeded": name})
            act(message)


list_all() if sys.argv[1] == "--list" else main()
