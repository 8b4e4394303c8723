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
        description="Train a network by self-play: play and learn in turn until the time is over. A run "
        "that was stopped continues where it left off.",
        epilog="Defaults are in brackets. Where they depend on the game and the time, docs/learning.md "
        "says how.",
    )
    made.add_argument("game", help="the game's name")
    made.add_argument("--minutes", type=positive, default=10, help="how long to train [%(default)s]")
    made.add_argument(
        "--generations",
        type=count,
        help="end after so many generations (or passes, when imitating) instead of by the clock, so that "
        "the run can be repeated; --minutes then only sets the usual sizes",
    )
    made.add_argument(
        "--scenario",
        action="append",
        dest="scenarios",
        help="the scenario to play; with --imitate PLAYER, this option may be repeated to play several "
        "[the game's default]",
    )
    made.add_argument("--encoding", help="the encoding that the network sees [the game's first one]")
    made.add_argument("--out", type=Path, help="the folder to write to [runs/GAME]")
    made.add_argument("--command", default=COMMAND, help="the command that plays [%(default)s]")
    made.add_argument(
        "--matches",
        type=count,
        help="matches per generation [enough for some 6000 positions if there are ten minutes]",
    )
    made.add_argument(
        "--simulations", type=count, help="simulations per decision [16; 32 from 20 minutes on]"
    )
    made.add_argument(
        "--first-matches",
        type=count,
        help="matches of the first generation, which has no network yet [enough for some 90000 "
        "positions if there are ten minutes]",
    )
    made.add_argument(
        "--first-simulations",
        type=count,
        help="simulations per decision in the first generation [160]",
    )
    made.add_argument(
        "--first-leaves",
        choices=("rollouts", "estimates"),
        help="what positions are worth in the first generation: by rollouts, or by the game's estimates "
        "[rollouts; estimates in tron]",
    )
    made.add_argument(
        "--random-turns",
        type=count_or_none,
        help="begin each match with up to this many random turns [4]",
    )
    made.add_argument("--threads", type=count, help="threads for self-play and learning [all cores]")
    made.add_argument(
        "--channels",
        type=count_up_to(MOST_CHANNELS),
        help="channels of the network [depends on the size of the board and the time]",
    )
    made.add_argument(
        "--blocks",
        type=count_up_to(MOST_BLOCKS),
        help="residual blocks of the network [2; 1 if there is no board]",
    )
    made.add_argument(
        "--precision",
        choices=PRECISIONS,
        help="precision of the network's blocks in play; i16 is faster on processors with AVX2 [f32]",
    )
    made.add_argument(
        "--window", type=count, help="positions in the replay buffer [100000]"
    )
    made.add_argument("--batch", type=count, help="positions per learning step [128]")
    made.add_argument("--reuse", type=positive, help="how many times each position is learned from [2]")
    made.add_argument(
        "--steps",
        type=count,
        help="learning steps per generation [as many as learn --reuse times from its positions]",
    )
    made.add_argument(
        "--rate",
        type=positive,
        help="learning rate at the beginning; it falls to a twentieth in half a cosine [0.002]",
    )
    made.add_argument("--seed", type=count_or_none, help="seed of everything random [1]")
    made.add_argument(
        "--imitate",
        metavar="PLAYER",
        help="for the first half of the minutes, learn from the decisions of this player of the game, "
        "or from the positions in a folder, instead of playing without a network",
    )
    made.add_argument("--no-self-play", action="store_true", help="only imitate; needs --imitate")
    made.add_argument(
        "--no-matches", action="store_true", help="play no matches between the generations at the end"
    )
    made.add_argument(
        "--symmetry",
        choices=SYMMETRIES,
        help="which images of a position are positions too: with columns, its mirror image (actions "
        "are columns from left to right); with directions, those turned and mirrored (actions are up, "
        "right, down, left) [that of the game's encoding, if it is known]",
    )
    return made
