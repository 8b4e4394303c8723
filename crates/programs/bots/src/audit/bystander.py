"""The opponent of every program of the audit: it takes the first action, and means no harm."""

import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "bystander"}
    elif message["type"] == "turn":
        answer = {"type": "action", "action": message["actions"][0]}
    else:
        continue
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
