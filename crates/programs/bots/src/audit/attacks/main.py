"""Plays as a good program would but for the attack that it is started with."""

import json, sys

# Each of these files registers its attacks as it is imported; they are listed in this order.
import files, processes, network, kernel, resources, clock, pauses, protocol
from attack import ATTACKS, act, say


def main():
    name = sys.argv[1]
    if name == "--list":
        for name, (expectation, group, _) in ATTACKS.items(): print(group, name, expectation, sep="\t")
        return
    expectation, _, attack = ATTACKS[name]
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


main()
