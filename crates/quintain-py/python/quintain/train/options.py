"""The options of `python -m quintain.train`."""

from __future__ import annotations

from pathlib import Path

from quintain.train.arguments import Parser, count, count_or_none, count_up_to, positive
from quintain.train.network import PRECISIONS
from quintain.train.symmetry import SYMMETRIES

#: The command, unless another one is named.
COMMAND = "quintain"
#: Limits on a network's size; those that learn on a processor are far smaller.
MOST_CHANNELS, MOST_BLOCKS = 512, 64


def parser() -> Parser:
    """Return the options."""
    made = Parser(
        prog="python -m quintain.train",
        description="Train a network by self-play: play, learn, again, until the time is over. A run "
        "that was stopped goes on where it was.",
        epilog="What is in brackets holds where nothing is named. Where it depends on game and time, "
        "docs/learning.md says how.",
    )
    made.add_argument("game", help="the game's name")
    made.add_argument("--minutes", type=positive, default=10, help="how long to train [%(default)s]")
    made.add_argument(
        "--scenario",
        action="append",
        dest="scenarios",
        help="where to play; a player that is imitated may play on several, each named by one of these "
        "[the game's default]",
    )
    made.add_argument("--encoding", help="what the network sees [the game's first one]")
    made.add_argument("--out", type=Path, help="the folder to write [runs/GAME]")
    made.add_argument("--command", default=COMMAND, help="the command [%(default)s]")
    made.add_argument(
        "--matches", type=count, help="matches of a generation [some 6000 positions in ten minutes]"
    )
    made.add_argument(
        "--simulations", type=count, help="simulations of a decision [16; 32 from 20 minutes on]"
    )
    made.add_argument(
        "--first-matches",
        type=count,
        help="matches of the first generation, which has no network yet [some 90000 positions in "
        "ten minutes]",
    )
    made.add_argument(
        "--first-simulations", type=count, help="simulations of a decision there, by rollouts [160]"
    )
    made.add_argument(
        "--random-turns",
        type=count_or_none,
        help="matches begin with up to so many random turns [4]",
    )
    made.add_argument("--threads", type=count, help="threads of self-play and learning [all cores]")
    made.add_argument(
        "--channels",
        type=count_up_to(MOST_CHANNELS),
        help="channels of the network [by the size of the board and time]",
    )
    made.add_argument(
        "--blocks",
        type=count_up_to(MOST_BLOCKS),
        help="residual blocks of the network [2; 1 where there is no board]",
    )
    made.add_argument(
        "--precision",
        choices=PRECISIONS,
        help="of its blocks where it plays; i16 is faster where there is AVX2 [f32]",
    )
    made.add_argument(
        "--window", type=count, help="positions in the replay buffer [100000]"
    )
    made.add_argument("--batch", type=count, help="positions of a step [128]")
    made.add_argument("--reuse", type=positive, help="how often a position is learned from [2]")
    made.add_argument("--rate", type=positive, help="learning rate [0.002]")
    made.add_argument("--seed", type=count_or_none, help="seed of everything random [1]")
    made.add_argument(
        "--imitate",
        metavar="PLAYER",
        help="learn for half of the minutes from what a player of the game does, in passes, instead "
        "of play without a network; or from the positions of a folder",
    )
    made.add_argument("--no-self-play", action="store_true", help="nothing but --imitate")
    made.add_argument(
        "--no-matches", action="store_true", help="no matches between the generations at the end"
    )
    made.add_argument(
        "--symmetry",
        choices=SYMMETRIES,
        help="images of a position that are positions: its mirror image, where actions are columns "
        "from left to right; turned and mirrored, where they are up, right, down, left [that of the "
        "game's encoding, where it is known]",
    )
    return made
