"""Warnings that this package gives."""

from __future__ import annotations


class SeedWarning(UserWarning):
    """Nothing in an environment depends on the seed: every episode begins alike.

    A learner then meets one problem and learns it by heart. Where that is meant, as in a board
    game without chance, `warnings.simplefilter("ignore", quintain.SeedWarning)` says so.
    """
