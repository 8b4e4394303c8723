"""Plays the beginning of a match, which example.jsonl holds, without quintain: python3 -m unittest

It also asks about the lessons in the folder `lessons`, which `quintain lesson` makes of lost matches.

Like the arena, it sends one message and waits for the answer before it sends the next one.
"""
from __future__ import annotations

import ast
import contextlib
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import unittest

FOLDER = pathlib.Path(__file__).parent
LIMIT = 10  # seconds, for an answer
ANSWERS = {"hello": "ready", "turn": "action"}  # the messages that need an answer, and its type
__unittest = True  # keeps the lines of this file out of error messages


class Test(unittest.TestCase):
    def setUp(self) -> None:
        self.launch()

    def tearDown(self) -> None:
        self.kill()

    def launch(self) -> None:
        # The arena does not set this variable: without it, Python flushes where the program says so.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        command, pipe = [sys.executable, "-B", "bot.py"], subprocess.PIPE
        self.bot = subprocess.Popen(command, cwd=FOLDER, env=environment, stdin=pipe, stdout=pipe)
        assert self.bot.stdin is not None and self.bot.stdout is not None
        self.input, self.output = self.bot.stdin, self.bot.stdout
        self.pieces: queue.Queue[bytes] = queue.Queue()
        self.begun = b""
        self.listener = threading.Thread(target=self.hear, daemon=True)
        self.listener.start()

    def kill(self) -> None:
        self.bot.kill()
        self.bot.wait()
        self.listener.join()
        self.output.close()
        with contextlib.suppress(OSError):
            self.input.close()

    def test_every_turn_is_answered_by_an_action_that_it_offers(self) -> None:
        for line in (FOLDER / "example.jsonl").read_text().splitlines():
            message = json.loads(line)
            kind = message["type"]
            what = f"turn {message['turn']}" if kind == "turn" else kind
            answer = self.ask(line)
            if kind != "turn":
                continue
            action = answer["action"]
            # If your player builds its own actions, compare with something else. Actions in JSON form
            # are not compared here: `quintain bot check` plays them.
            if isinstance(action, str) and action not in message["actions"]:
                self.fail(f"{what}: {action!r} is not among {message['actions']}")
            notes = answer.get("notes", {})
            if not isinstance(notes, dict):
                self.fail(
                    f"{what}: “notes” must be an object whose values are numbers or strings: {notes!r}"
                )
            for name, note in notes.items():
                if isinstance(note, bool) or not isinstance(note, (int, float, str)):
                    self.fail(f"{what}: the note “{name}” is neither a number nor a string: {note!r}")
        code = self.end()
        if code != 0:
            self.fail(f"it ended with exit code {code}; see its output above")
        while piece := self.pieces.get(timeout=LIMIT):
            self.begun += piece
        if self.begun.strip():
            self.read(self.begun.decode(errors="replace"))
            self.fail(f"unexpected output: {self.begun.decode(errors='replace')}")

    def test_no_mistake_of_a_lesson_is_made_again(self) -> None:
        for path in sorted(FOLDER.glob("lessons/*.json")):
            with self.subTest(path.name):
                messages, mistakes, better, sentence = self.read_lesson(path)
                if not messages:
                    self.skipTest("it is too long for this file; `quintain bot check` runs it")
                self.kill()
                self.launch()
                answers = [self.ask(line) for line in messages]
                action = [answer for answer in answers if "action" in answer][-1]["action"]
                if action in mistakes:
                    self.fail(f"{path.name}: {action} again; better: {' or '.join(better)}\n{sentence}")

    def read_lesson(self, path: pathlib.Path) -> tuple[list[str], list[str], list[str], str]:
        try:
            lesson = json.loads(path.read_text(encoding="utf-8"))
            return lesson.get("messages", []), lesson["mistakes"], lesson["better"], lesson["sentence"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"{type(error).__name__}: {error}"
        self.fail(f"{path.name}: not a lesson ({problem}); make it again or delete it")

    def ask(self, line: str) -> dict:
        """Sends a message and returns its answer; an empty one if it needs none."""
        message = json.loads(line)
        kind = message["type"]
        what = f"turn {message['turn']}" if kind == "turn" else kind
        self.say(line, what)
        if kind not in ANSWERS:
            return {}
        answer = self.read(self.line(what))
        if answer.get("type") != ANSWERS[kind]:
            self.fail(f"{what}: expected a message of type {ANSWERS[kind]!r}, got {answer}")
        if kind == "turn" and "action" not in answer:
            self.fail(f"{what}: it has no “action”: {answer}")
        return answer

    def say(self, line: str, what: str) -> None:
        try:
            self.input.write(line.encode() + b"\n")
            self.input.flush()
            is_heard = True
        except OSError:
            is_heard = False
        if not is_heard:
            self.fail(f"{what}: it has ended, with exit code {self.bot.wait()}; see its output above")

    def hear(self) -> None:
        while piece := os.read(self.output.fileno(), 1 << 16):
            self.pieces.put(piece)
        self.pieces.put(b"")

    def line(self, what: str) -> str:
        while b"\n" not in self.begun:
            try:
                piece = self.pieces.get(timeout=LIMIT)
                is_late = False
            except queue.Empty:
                piece, is_late = b"", True
            if is_late and self.begun:
                begun = self.begun.decode(errors="replace")
                self.fail(f"{what}: a line without an end, after {LIMIT} seconds: {begun}")
            if is_late:
                self.fail(
                    f"{what}: no answer after {LIMIT} seconds: does it loop? If it did answer, flush "
                    "standard output: print(…, flush=True)"
                )
            if not piece:
                self.fail(f"{what}: it ended with exit code {self.end()}; see its output above")
            self.begun += piece
        line, self.begun = self.begun.split(b"\n", 1)
        return line.decode(errors="replace")

    def end(self) -> int:
        code = None
        try:
            self.input.close()
            code = self.bot.wait(LIMIT)
        except (OSError, subprocess.TimeoutExpired):
            code = self.bot.poll()
        if code is None:
            self.fail(f"bye: no end after {LIMIT} seconds: does it loop?")
        return code

    def read(self, line: str) -> dict:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict) and "type" in message:
            return message
        try:
            first, _ = json.JSONDecoder().raw_decode(line)
            is_several = message is None and isinstance(first, dict)
        except ValueError:
            is_several = False
        try:
            is_python = message is None and isinstance(ast.literal_eval(line), dict)
        except (ValueError, SyntaxError):
            is_python = False
        if is_several:
            self.fail(f"more than one message in a line; end each with a newline: {line}")
        if is_python:
            self.fail(f"a Python dictionary, not JSON; use print(json.dumps(…), flush=True): {line}")
        if isinstance(message, dict):
            self.fail(f"a message needs a “type”, such as “action”: {line}")
        self.fail(
            "standard output belongs to the protocol, and this is not a message; print it with "
            f"file=sys.stderr: {line}"
        )


if __name__ == "__main__":
    unittest.main()
