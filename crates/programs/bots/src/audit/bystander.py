"""The opponent of every program of the audit: it takes the first action, and means no harm. It takes PAUSE
seconds for its first answer."""

import json, os, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "bystander"}
    elif message["type"] == "turn":
        if message["turn"] == 0: time.sleep(float(os.environ.get("PAUSE", 0)))
        answer = {"type": "action", "action": message["actions"][0]}
    else:
        continue
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
