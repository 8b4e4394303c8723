"""Plays the beginning of a match that example.jsonl holds, without quintain: python3 -m unittest"""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).parent
LIMIT = 60  # seconds, for all turns together
__unittest = True  # so that what is wrong is told without the lines of this file


class Example(unittest.TestCase):
    def test_every_turn_is_answered_by_an_action_that_it_offers(self) -> None:
        example = (FOLDER / "example.jsonl").read_text()
        messages = [json.loads(line) for line in example.splitlines()]
        turns = [message for message in messages if message["type"] == "turn"]
        answers = [self.read(line) for line in self.run_bot(example).splitlines()]
        kinds = [answer["type"] for answer in answers]
        if kinds != ["ready"] + ["action"] * len(turns):
            self.fail(f"expected ready and an action for each of {len(turns)} turns, got {kinds}")
        for turn, answer in zip(turns, answers[1:]):
            action = answer["action"]
            # If your player makes actions of its own, compare with something else. Those in their JSON
            # form are not compared here: `quintain bot check` plays them.
            if isinstance(action, str) and action not in turn["actions"]:
                self.fail(f"turn {turn['turn']}: {action!r} is not among {turn['actions']}")

    def run_bot(self, example: str) -> str:
        command = [sys.executable, "-B", "bot.py"]
        run = None
        try:
            run = subprocess.run(
                command, cwd=FOLDER, input=example, stdout=subprocess.PIPE, text=True, timeout=LIMIT
            )
        except subprocess.TimeoutExpired:
            pass
        if run is None:
            self.fail(f"no end after {LIMIT} seconds: does it loop?")
        if run.returncode != 0:
            self.fail(f"it ended with exit code {run.returncode}; what it wrote stands above")
        return run.stdout

    def read(self, line: str) -> dict:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict) or "type" not in message:
            self.fail(
                "standard output belongs to the protocol, and this is no message; print it with "
                f"file=sys.stderr: {line}"
            )
        return message


if __name__ == "__main__":
    unittest.main()
