"""Warnings that this package gives."""

from __future__ import annotations


class SeedWarning(UserWarning):
    """Different seeds do not give different problems: every episode, or match, begins alike.

    A learner then meets a single problem and learns it by heart. Where that is intended, as in a board
    game without chance, `warnings.simplefilter("ignore", quintain.SeedWarning)` silences the warning.
    Matches and tournaments give it where a scenario has instances, so that each seed could
    have a problem of its own.
    """
