"""What the pages on Python show is what comes out: their sessions are run as doctests."""

import doctest
import warnings
from pathlib import Path

import pytest

import quintain

DOCS = Path(__file__).parents[4] / "docs"


@pytest.mark.parametrize(("page", "least"), [("python.md", 12), ("environments.md", 12)])
def test_the_pages_sessions_are_true(page, least):
    for name in ["gymnasium", "pettingzoo", "pandas"]:
        pytest.importorskip(name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with warnings.catch_warnings():
        # What readers copy does not begin with a warning.
        warnings.simplefilter("error", quintain.SeedWarning)
        found = doctest.testfile(
            str(DOCS / page), module_relative=False, optionflags=flags, encoding="utf-8"
        )
    assert found.attempted > least
    assert found.failed == 0
