"""How tests choose among the actions that masks allow."""

import numpy as np


def drawn(masks, random):
    """Draw an allowed action for every mask; 0 where none is."""
    return (random.random(masks.shape) * masks).argmax(axis=-1).astype(np.int64)


def first_legal(seen):
    """A policy: the first legal action."""
    return int(seen["action_mask"].argmax())


def first_legal_of_each(seen):
    """The same for several states at once."""
    return seen["action_mask"].argmax(axis=1)
