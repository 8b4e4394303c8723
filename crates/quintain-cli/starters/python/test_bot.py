"""Plays the beginning of a match that example.jsonl holds, without quintain: python3 -m unittest"""
import json
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).parent


class Example(unittest.TestCase):
    def test_every_turn_is_answered_by_an_action_that_it_offers(self):
        example = (FOLDER / "example.jsonl").read_text()
        command = [sys.executable, "-B", "bot.py"]
        run = subprocess.run(
            command, cwd=FOLDER, input=example, stdout=subprocess.PIPE, text=True, check=True
        )
        messages = [json.loads(line) for line in example.splitlines()]
        turns = [message for message in messages if message["type"] == "turn"]
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(answers[0]["type"], "ready")
        self.assertEqual(len(answers), 1 + len(turns))
        for turn, answer in zip(turns, answers[1:]):
            # If your player makes actions of its own, compare with something else.
            self.assertIn(answer["action"], turn["actions"], f"turn {turn['turn']}")


if __name__ == "__main__":
    unittest.main()
