"""`python -m quintain` is the command that was installed with the package, if it was."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

INSTALLED = Path(sysconfig.get_path("scripts"), "quintain").exists()


def quintain(*words):
    return subprocess.run(
        [sys.executable, "-m", "quintain", *words], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not INSTALLED, reason="the package is installed without the command")
def test_the_module_becomes_the_command():
    done = quintain("match", "tron", "random", "random")
    assert (done.returncode, done.stderr) == (0, "")
    assert quintain("no-such-verb").returncode == 2


@pytest.mark.skipif(INSTALLED, reason="the command is installed")
def test_a_missing_command_is_one_line_with_a_way_out():
    done = quintain("games")
    assert done.returncode == 1
    assert "pip install ." in done.stderr
    assert len(done.stderr.splitlines()) == 1
