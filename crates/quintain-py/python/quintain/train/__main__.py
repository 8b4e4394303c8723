"""`python -m quintain.train GAME --minutes N`: self-play, learn, again, until the time is over.

Everything is written into a folder: the positions and the network of every generation, figures
(`progress.json`) and their curves (`index.html`). A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from quintain._quintain import Game
from quintain.train.learner import SYMMETRIES, Learner, Window, begin, describe
from quintain.train.network import PRECISIONS, Network
from quintain.train.page import write_page
from quintain.train.self_play import count_files, self_play

#: The command, unless another one is named.
COMMAND = "quintain"
#: The share of the time in which a player is imitated before self-play goes on.
IMITATION = 0.5


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of at least 1")
    return int(text)


def count_or_none(text: str) -> int:
    """Read a whole number of at least 0."""
    return 0 if text == "0" else count(text)


def positive(text: str) -> float:
    """Read a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return number


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    made = argparse.ArgumentParser(prog="python -m quintain.train", description=__doc__)
    made.add_argument("game", help="the game's name")
    made.add_argument("--minutes", type=positive, default=10, help="how long to train [%(default)s]")
    made.add_argument("--scenario", help="where to play, instead of the game's default")
    made.add_argument("--encoding", help="what the network sees, instead of the game's first one")
    made.add_argument("--out", type=Path, help="the folder to write [runs/GAME]")
    made.add_argument("--command", default=COMMAND, help="the command [%(default)s]")
    made.add_argument(
        "--matches", type=count, default=256, help="matches of a generation [%(default)s]"
    )
    made.add_argument(
        "--simulations", type=count, default=32, help="simulations of a decision [%(default)s]"
    )
    made.add_argument(
        "--first-matches",
        type=count,
        default=2048,
        help="matches of the first generation, which has no network yet [%(default)s]",
    )
    made.add_argument(
        "--first-simulations",
        type=count,
        default=256,
        help="simulations of a decision there, by rollouts [%(default)s]",
    )
    made.add_argument(
        "--random-turns",
        type=count_or_none,
        default=4,
        help="matches begin with up to so many random turns [%(default)s]",
    )
    made.add_argument("--threads", type=count, help="threads of self-play [all cores]")
    made.add_argument("--channels", type=count, default=32, help="channels of the network [%(default)s]")
    made.add_argument("--blocks", type=count, default=2, help="residual blocks of the network [%(default)s]")
    made.add_argument(
        "--precision",
        choices=PRECISIONS,
        default="f32",
        help="of its blocks where it plays; i16 is faster where there is AVX2 [%(default)s]",
    )
    made.add_argument(
        "--window", type=count, default=100_000, help="positions in the replay buffer [%(default)s]"
    )
    made.add_argument("--batch", type=count, default=256, help="positions of a step [%(default)s]")
    made.add_argument(
        "--reuse", type=positive, default=4, help="how often a position is learned from [%(default)s]"
    )
    made.add_argument("--rate", type=positive, default=2e-3, help="learning rate [%(default)s]")
    made.add_argument(
        "--seed", type=count_or_none, default=1, help="seed of everything random [%(default)s]"
    )
    made.add_argument(
        "--imitate",
        type=Path,
        metavar="FOLDER",
        help="learn for half of the minutes from these positions, in epochs, instead of play "
        "without a network",
    )
    made.add_argument("--no-self-play", action="store_true", help="nothing but --imitate")
    made.add_argument(
        "--symmetry",
        choices=SYMMETRIES,
        default="none",
        help="images of a position that are positions: its mirror image, where actions are columns "
        "from left to right; turned and mirrored, where they are up, right, down, left [%(default)s]",
    )
    return made


def command_of(options: argparse.Namespace) -> str:
    """Return the command's path, if it is there and knows the game."""
    if options.command == COMMAND:
        try:
            Game(options.game)
        except ValueError as error:
            raise SystemExit(f"error: {error}") from None
    # Where this Python's environment is not activated, its programs are on no path.
    beside = Path(sys.executable).parent
    command: str | None = shutil.which(options.command) or shutil.which(options.command, path=str(beside))
    if command is None:
        raise SystemExit(f"error: there is no command {options.command}; name it by --command")
    return command


def arguments_of(
    options: argparse.Namespace, command: str, number: int, network: Path | None, out: Path
) -> list[str]:
    """Return the command line that plays a generation."""
    arguments = [command, "self-play", options.game, "--format", "json", "--out", str(out)]
    first = network is None
    settings: dict[str, Any] = {
        "matches": options.first_matches if first else options.matches,
        "simulations": options.first_simulations if first else options.simulations,
        "random-turns": options.random_turns,
        # Each generation has matches of its own.
        "seed": options.seed * 1_000_000_000 + number * 1_000_000,
        "scenario": options.scenario,
        "threads": options.threads,
        "net": network,
        # Later generations have that of their network.
        "encoding": options.encoding if first else None,
    }
    for name, value in settings.items():
        if value is not None:
            arguments += [f"--{name}", str(value)]
    return arguments


def without_seed(scenario: str) -> str:
    """Return a family of problems as players name it: `drawn?seed={seed}&size=8` is `drawn?size=8`."""
    name, _, settings = scenario.partition("?")
    kept = [setting for setting in settings.split("&") if setting != "seed={seed}"]
    return "?".join(part for part in (name, "&".join(kept)) if part)


def check_imitation(options: argparse.Namespace) -> str | None:
    """Refuse a folder that has no positions of the game; return the scenario that they are from."""
    folder: Path | None = options.imitate
    if folder is None:
        if options.no_self_play:
            raise SystemExit("error: --no-self-play is for --imitate FOLDER")
        return None
    try:
        about = describe(folder)
        game, scenario, encoding = about["game"], about["scenario"], about["encoding"]
    except (OSError, ValueError, KeyError, TypeError):
        game = None
    if game is None or not count_files(folder):
        raise SystemExit(
            f"error: {folder} has no positions; quintain export --what positions --out {folder} "
            "writes some"
        )
    if game != options.game:
        raise SystemExit(f"error: {folder} has positions of {game}, not of {options.game}")
    if options.encoding not in (None, encoding):
        raise SystemExit(
            f"error: {folder} has positions in the encoding {encoding}, not in {options.encoding}"
        )
    return without_seed(scenario)


def train(options: argparse.Namespace) -> None:
    """Train until the time is over."""
    # Self-play goes on where the positions are from, unless it is told otherwise.
    imitated_in = check_imitation(options)
    options.scenario = options.scenario or imitated_in
    command = "" if options.no_self_play else command_of(options)
    out: Path = options.out or Path("runs") / options.game
    progress_file = out / "progress.json"
    progress: list[dict[str, Any]] = []
    if progress_file.exists():
        try:
            progress = json.loads(progress_file.read_text())
        except ValueError as error:
            raise SystemExit(f"error: {progress_file} is damaged: {error}") from None
    window = Window(options.window)
    for number, row in enumerate(progress):
        if "imitates" not in row:
            window.add(out / f"generation-{number:03}")
        elif number == 0:
            window.add(Path(row["imitates"]))
    network_file = out / f"generation-{len(progress) - 1:03}.safetensors" if progress else None
    try:
        network = Network.load(network_file) if network_file else None
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: {error}; delete {out} to begin anew") from None
    learner = None
    before = progress[-1]["minutes"] if progress else 0.0
    began = time.monotonic()

    def minutes() -> float:
        return before + (time.monotonic() - began) / 60

    while minutes() < options.minutes or not progress:
        number = len(progress)
        folder = out / f"generation-{number:03}"
        share = IMITATION if not options.no_self_play else 1
        imitates = options.imitate and minutes() < share * options.minutes
        # However slow the machine, there is time for a few generations.
        quarter = 60 * options.minutes / 4
        left = 60 * max(0.0, options.minutes - minutes())
        seconds = min(quarter, left)
        # Without a network there is nothing yet to end with.
        most_seconds = left if progress else math.inf

        def tell(text: str, number: int = number) -> None:
            print(f"{minutes():7.2f} min  generation {number:3}  {text}", flush=True)

        if imitates:
            # A pass over all positions; the first one finds them.
            folder, played_seconds = options.imitate, 0.0
            added = 0 if progress else window.add(folder)
            learned_from = len(window)
        else:
            tell(f"self-play begins: {seconds:.0f} s at most")
            played = self_play(
                arguments_of(options, command, number, network_file, folder),
                folder,
                seconds,
                most_seconds,
                tell,
            )
            if played is None:
                tell(
                    "self-play: the time was over before the first file of positions (16 matches) "
                    "was full; it takes more --minutes, or fewer --simulations"
                )
                break
            added, played_seconds = window.add(folder), played["seconds"]
            learned_from = added * options.reuse
        if network is None:
            network = begin(
                folder,
                options.seed,
                channels=options.channels,
                blocks=options.blocks,
                precision=options.precision,
            )
        if learner is None:
            learner = Learner(network, options.seed + number, symmetry=options.symmetry)
        share = min(minutes() / options.minutes, 1.0)
        rate = options.rate * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * share)))
        steps = max(1, round(learned_from / options.batch))
        wanted = steps
        policy_loss, value_loss, steps = learner.learn(
            window, steps, options.batch, rate, left if imitates else quarter
        )
        network_file = out / f"generation-{number:03}.safetensors"
        out.mkdir(parents=True, exist_ok=True)
        network.save(network_file)
        network.save(out / "network.safetensors")
        row = {
            "generation": number,
            "minutes": round(minutes(), 3),
            "positions": added,
            "self_play_seconds": round(played_seconds, 2),
            "steps": steps,
            "policy_loss": round(policy_loss, 4),
            "value_loss": round(value_loss, 4),
        }
        if imitates:
            row["imitates"] = str(options.imitate)
        progress.append(row)
        progress_file.write_text(json.dumps(progress, indent=1) + "\n")
        write_page(out / "index.html", options.game, progress)
        short = "" if steps == wanted else f" of {wanted}, for want of time"
        tell(
            f"{len(window) if imitates else added} positions  {steps} steps{short}  "
            f"policy loss {policy_loss:.3f}  value loss {value_loss:.3f}"
        )
    print(f"the network: {out / 'network.safetensors'}")


def main(arguments: list[str]) -> None:
    """Run the command line."""
    options = parser().parse_args(arguments)
    try:
        train(options)
    except KeyboardInterrupt:
        raise SystemExit("stopped; the same command goes on from here") from None


if __name__ == "__main__":
    main(sys.argv[1:])
