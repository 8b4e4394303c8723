"""What the page on Python shows is what comes out: its sessions are run as doctests."""

import doctest
import warnings
from pathlib import Path

import pytest

import quintain

PAGE = Path(__file__).parents[4] / "docs" / "python.md"


def test_the_pages_sessions_are_true():
    for name in ["gymnasium", "pettingzoo", "pandas"]:
        pytest.importorskip(name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with warnings.catch_warnings():
        # What readers copy does not begin with a warning.
        warnings.simplefilter("error", quintain.SeedWarning)
        found = doctest.testfile(
            str(PAGE), module_relative=False, optionflags=flags, encoding="utf-8"
        )
    assert found.attempted > 20
    assert found.failed == 0
