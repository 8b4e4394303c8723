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


#: What they reach in ten minutes on one core that has other work too, less a margin. In tron, the share of
#: points against random moves and against greedy, half and half; in hextris, how many times what random
#: moves earn.
LEVELS = {
    ("learn_jax", "tron"): 0.72,
    ("learn_jax", "hextris"): 2.5,
    ("learn_sb3", "tron"): 0.8,
    ("learn_sb3", "hextris"): 1.4,
}


@pytest.mark.parametrize(("learner", "task"), LEVELS)
def test_a_learner_reaches_its_level(learner, task):
    pytest.importorskip({"learn_jax": "jax", "learn_sb3": "sb3_contrib"}[learner])
    reached = means(example(learner).main(task, MINUTES))
    own = reached["python:learnt"]
    level = own if task == "tron" else own / reached["random"]
    assert level > LEVELS[learner, task]
