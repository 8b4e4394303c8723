"""What learners reach in some minutes: `just learners`, every night.

They are skipped unless `QUINTAIN_LEARN_MINUTES` says how long each may learn.
"""

import os

import pytest
from test_examples import example

MINUTES = float(os.environ.get("QUINTAIN_LEARN_MINUTES", "0"))
pytestmark = pytest.mark.skipif(MINUTES == 0, reason="QUINTAIN_LEARN_MINUTES is not set")


def means(results):
    """Return each player's mean over all scenarios."""
    pytest.importorskip("pandas")
    frame = results.standings()
    return frame.groupby("player")["mean"].mean()


@pytest.mark.parametrize("learner", ["learn_jax", "learn_sb3"])
@pytest.mark.parametrize("task", ["tron", "hextris"])
def test_a_learner_reaches_its_level(learner, task):
    pytest.importorskip({"learn_jax": "jax", "learn_sb3": "sb3_contrib"}[learner])
    reached = means(example(learner).main(task, MINUTES))
    own, chance = reached["python:learnt"], reached["random"]
    if task == "tron":
        # Points against random moves and against greedy, half and half.
        assert own > 0.6
    else:
        # Single commands earn little before whole lines are cleared: that takes longer.
        assert own > 0.9 * chance
