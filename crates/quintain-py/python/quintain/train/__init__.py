"""Networks trained by self-play, from nothing to a player: `python -m quintain.train GAME`.

Self-play and search are Rust's (the verb `self-play`); here is what learns from its positions. The
positions are plain NumPy files and the network's file is safetensors, so another trainer, in a
framework of one's choice, takes the place of this one by reading and writing the same.
"""

from quintain.train.learner import Learner, Window, begin
from quintain.train.network import Network, Shape

__all__ = ["Learner", "Network", "Shape", "Window", "begin"]
