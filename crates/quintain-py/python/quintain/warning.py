"""Warnings that this package gives."""

from __future__ import annotations


class SeedWarning(UserWarning):
    """Seeds do not lead to different problems: every episode, or match, begins alike.

    A learner then meets one problem and learns it by heart. Where that is meant, as in a board
    game without chance, `warnings.simplefilter("ignore", quintain.SeedWarning)` says so. Matches and
    tournaments give it where a scenario is a family of problems, and each seed could have its own.
    """
