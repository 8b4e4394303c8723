"""Type stubs: strict, and in step with what is compiled."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
CRATE = Path(__file__).parents[1]


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, cwd=CRATE
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_strictly_typed():
    run("mypy", "--strict", "-p", "quintain")


def test_the_stubs_say_what_is_compiled():
    run("mypy.stubtest", "quintain._quintain", "--ignore-disjoint-bases")
