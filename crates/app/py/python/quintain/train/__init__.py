"""Networks trained by self-play, from nothing to a player: `python -m quintain.train GAME`.

Self-play and search run in Rust (the verb `self-play`); this package learns from the positions that they
write. The positions are plain NumPy files and the network's file is safetensors, so a trainer in any other
framework can replace this one by reading and writing the same files.
"""

from quintain.train.learner import Learner, Window, begin
from quintain.train.network import Network, Shape

__all__ = ["Learner", "Network", "Shape", "Window", "begin"]
