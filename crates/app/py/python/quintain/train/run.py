"""A run: its folder, and the generations that it plays and learns from until the time is over."""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from quintain._quintain import Game
from quintain.train import imitation
from quintain.train.arguments import Refused
from quintain.train.comparison import compare_with_search, sentence
from quintain.train.estimate import refit
from quintain.train.held_out import measure, predict, sample
from quintain.train.imitation import is_player
from quintain.train.learner import Learner, Window, begin, describe, rate_at
from quintain.train.lock import Lock
from quintain.train.matches import play_generations
from quintain.train.network import Network
from quintain.train.options import COMMAND
from quintain.train.page import write_page
from quintain.train.screen import Screen
from quintain.train.self_play import MATCHES, list_files, self_play
from quintain.train.settings import (
    FIRST_MATCHES,
    LEAVES_OF,
    NOTED,
    OF_SELF_PLAY,
    settle,
    settle_by_positions,
    usual_positions,
)
from quintain.train.symmetry import check_known

#: The share of the time in which a player is imitated before self-play goes on.
IMITATION = 0.5
#: The matches of a generation that is not limited by them: it is ended once there are enough positions.
ENDLESS = 1_000_000
#: The share of the time that matches between the generations may take afterwards.
AFTERWARDS = 0.1
#: The least seconds for the matches against the search without the network.
LEAST_COMPARED = 20.0


def check_game(options: argparse.Namespace) -> None:
    """Refuse a game that the command does not know, and a symmetry that its encoding does not have."""
    if options.command != COMMAND:
        return
    try:
        encodings = Game(options.game).encodings
    except ValueError as error:
        raise Refused(f"error: {error}") from None
    if encoding := options.encoding or next(iter(encodings), None):
        check_known(options.symmetry, options.game, encoding)


def command_of(options: argparse.Namespace) -> str:
    """Return the command's path; refuse a command that is missing or does not know the game."""
    check_game(options)
    # If this Python's environment is not activated, its programs are not on the path.
    beside = Path(sys.executable).parent
    command: str | None = shutil.which(options.command) or shutil.which(options.command, path=str(beside))
    if command is None:
        raise Refused(f"error: there is no command {options.command}; name the command with --command")
    return command


def arguments_of(
    options: argparse.Namespace,
    command: str,
    number: int,
    network: Path | None,
    out: Path,
    matches: int,
) -> list[str]:
    """Return the command line that plays a generation."""
    arguments = [command, "self-play", options.game, "--format", "json", "--out", str(out)]
    first = network is None
    settings: dict[str, Any] = {
        "matches": matches,
        "simulations": options.first_simulations if first else options.simulations,
        "random-turns": options.random_turns,
        # Each generation has matches of its own.
        "seed": options.seed * 1_000_000_000 + number * 1_000_000,
        "scenario": options.scenario,
        "threads": options.threads,
        "net": network,
        # Later generations use the encoding of their network.
        "encoding": options.encoding if first else None,
        "leaves": leaves_of(options) if first else None,
    }
    for name, value in settings.items():
        if value is not None:
            arguments += [f"--{name}", str(value)]
    return arguments


def leaves_of(options: argparse.Namespace) -> str | None:
    """Return what positions are worth before there is a network, if it is not what the command does anyway."""
    leaves: str | None = options.first_leaves or LEAVES_OF.get(options.game)
    return leaves if leaves != "rollouts" else None


def without_seed(scenario: str) -> str:
    """Return a set of instances as players name it: `drawn?seed={seed}&size=8` is `drawn?size=8`."""
    name, _, settings = scenario.partition("?")
    kept = [setting for setting in settings.split("&") if setting != "seed={seed}"]
    return "?".join(part for part in (name, "&".join(kept)) if part)


def find_imitation(options: argparse.Namespace, out: Path) -> tuple[Path | None, str | None]:
    """Return the folder of the positions to imitate, and the player that they are to come from."""
    whom: str | None = options.imitate
    if whom is None:
        if options.no_self_play:
            raise Refused("error: --no-self-play needs --imitate PLAYER")
        return None, None
    if Path(whom).exists():
        return Path(whom), None
    check_game(options)
    if not is_player(whom, options.game):
        raise imitation.refuse_unknown(whom, options.game)
    imitation.check_player(out, whom)
    if not (out / imitation.NAME).exists():
        imitation.check_scenarios(
            options.game, options.scenarios or [], options.encoding, options.symmetry
        )
    return out / imitation.NAME, whom


def only_scenario(scenarios: list[str] | None, player: str | None) -> str | None:
    """Return the named scenario, if there is just one; several are for a player that is imitated."""
    if not scenarios or len(scenarios) > 1 and player is not None:
        return None
    if len(scenarios) > 1:
        raise Refused("error: several --scenario need --imitate PLAYER; self-play takes one")
    return scenarios[0]


def check_imitation(options: argparse.Namespace, folder: Path) -> str:
    """Refuse a folder that has no positions of the game; return the scenario that they are from."""
    try:
        about = describe(folder)
        game, scenario, encoding = about["game"], about["scenario"], about["encoding"]
    except (OSError, ValueError, KeyError, TypeError):
        game = None
    if game is None or not list_files(folder):
        raise Refused(
            f"error: {folder} has no positions; quintain export --what positions --out {folder} "
            "writes some"
        )
    if game != options.game:
        raise Refused(f"error: {folder} has positions of {game}, not of {options.game}")
    if options.encoding not in (None, encoding):
        raise Refused(
            f"error: {folder} has positions in the encoding {encoding}, not in {options.encoding}"
        )
    check_known(options.symmetry, game, encoding)
    return without_seed(scenario)


def contradiction(option: str, wanted: Any, found: Any, out: Path) -> Refused:
    """Return the refusal of an option that contradicts the run that would go on."""
    return Refused(
        f"error: {option} is {wanted}, but the run in {out}, which would continue, has {found}; "
        "name another folder with --out to start over"
    )


def check_network(options: argparse.Namespace, network: Network, out: Path) -> None:
    """Refuse options that contradict the network of a run that goes on."""
    for name in ("game", "encoding", "channels", "blocks", "precision"):
        wanted, found = getattr(options, name), getattr(network.shape, name)
        if wanted is not None and wanted != found:
            raise contradiction("the game" if name == "game" else f"--{name}", wanted, found, out)


def check_settings(
    options: argparse.Namespace,
    noted: dict[str, Any],
    out: Path,
    *,
    has_played: bool,
    has_scenario: bool,
) -> None:
    """Refuse settings that differ from those of a run that goes on, if they would make a difference.

    Simulations and the like do if it has played with itself, scenarios if it has positions of its own.
    """
    for name in NOTED:
        wanted = getattr(options, name)
        is_free = name in OF_SELF_PLAY and not has_played or name in ("scenario", "scenarios")
        if wanted is not None and not is_free and name in noted and wanted != noted[name]:
            found = "the usual one" if noted[name] is None else noted[name]
            raise contradiction(f"--{name.replace('_', '-')}", wanted, found, out)
    if options.scenarios and has_scenario and "scenario" in noted:
        # If no scenario was named then, it is the game's default, or that of the positions.
        usual = Game(options.game).scenario if options.command == COMMAND else "the usual one"
        found = noted.get("scenarios") or [noted["scenario"] or usual]
        if options.scenarios != found:
            raise contradiction("--scenario", ", ".join(options.scenarios), ", ".join(found), out)


def read_json(path: Path, otherwise: Any) -> Any:
    """Read a JSON file of a run; if it does not exist, return `otherwise`."""
    if not path.exists():
        return otherwise
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise SystemExit(f"error: {path} is damaged: {error}") from None


#: What to try if a network predicts no better than a guess.
REMEDIES = {
    "policy": "more --minutes, or more --simulations, which leave less to chance",
    "value": "more --minutes, or more --matches",
}


def no_better(figures: dict[str, float] | None) -> str | None:
    """Return a warning if a network predicts something no better than a guess, with what to try."""
    for name, remedy in REMEDIES.items():
        if figures and figures[name] >= figures[f"{name}_guess"]:
            return (
                f"warning: on held-out matches, the network predicts the {name} no better than a guess "
                f"({figures[name]:.3f}, guess {figures[f'{name}_guess']:.3f}); try {remedy}"
            )
    return None


class Run:
    """A run, whether it begins or goes on."""

    def __init__(self, options: argparse.Namespace, arguments: list[str], lock: Lock) -> None:
        self.options = options
        self.lock = lock
        self.out = lock.folder
        self.imitated, self.player = find_imitation(options, self.out)
        options.scenario = only_scenario(options.scenarios, self.player)
        # The matches for a player's positions are played later, unless they were played before.
        is_there = self.imitated is not None and (self.player is None or self.imitated.exists())
        imitated_in = check_imitation(options, self.imitated) if self.imitated and is_there else None
        needs_command = self.player is not None or not options.no_self_play
        self.command = command_of(options) if needs_command else ""
        self.progress: list[dict[str, Any]] = read_json(self.out / "progress.json", [])
        self.about: dict[str, Any] = read_json(self.out / "run.json", {})
        self.network_file: Path | None = None
        self.network: Network | None = None
        if self.progress:
            self.network_file = self.out / f"generation-{len(self.progress) - 1:03}.safetensors"
            try:
                self.network = Network.load(self.network_file)
            except (OSError, ValueError) as error:
                raise SystemExit(f"error: {error}; delete {self.out} to start over") from None
            check_network(options, self.network, self.out)
        noted: dict[str, Any] = self.about.get("settings", {})
        has_played = any("imitates" not in row for row in self.progress)
        check_settings(
            options,
            noted,
            self.out,
            has_played=has_played,
            has_scenario=has_played or (self.player is not None and is_there),
        )
        settle(options, noted)
        # Self-play goes on in the scenario that the positions are from, unless another is named.
        options.scenario = options.scenario or imitated_in
        line = shlex.join(["python", "-m", "quintain.train", *arguments])
        self.about["commands"] = [
            *(known for known in self.about.get("commands", []) if known != line),
            line,
        ]
        self.window = Window(options.window)
        for number, row in enumerate(self.progress):
            if "imitates" not in row:
                self.window.add(self.out / f"generation-{number:03}")
            elif number == 0:
                self.window.add(self.find_imitated(row["imitates"]), is_whole=True)
        self.learner: Learner | None = None
        self.imitates = False
        self.before = self.progress[-1]["minutes"] if self.progress else 0.0
        self.began = time.monotonic()
        self.screen = Screen(self.prefix)

    def find_imitated(self, noted: str) -> Path:
        """Return the folder of the positions that were imitated, which may have been moved since."""
        for folder in (self.imitated, Path(noted), self.out / imitation.NAME):
            if folder is not None and list_files(folder):
                return folder
        raise Refused(
            f"error: the run in {self.out} has learned from positions in {noted}, which are not there "
            "any more; name their folder with --imitate"
        )

    def minutes(self) -> float:
        """Return how long the run has taken in all, with the time before it was last stopped."""
        return self.before + (time.monotonic() - self.began) / 60

    def is_imitating(self) -> bool:
        """Return whether the run imitates now, rather than learning from self-play."""
        options = self.options
        return self.imitated is not None and (options.no_self_play or self.share() < IMITATION)

    def share(self) -> float:
        """Return how much of the run is over, from 0 to 1."""
        generations: int | None = self.options.generations
        minutes: float = self.options.minutes
        if generations is not None:
            return min(1.0, len(self.progress) / generations)
        return min(1.0, self.minutes() / minutes)

    def seconds_left(self) -> float:
        """Return how long the run may still take."""
        if self.options.generations is not None:
            return math.inf
        minutes: float = self.options.minutes
        return 60 * max(0.0, minutes - self.minutes())

    def most_seconds(self) -> float:
        """Return how long a generation may play, and how long it may learn."""
        # However slow the machine, there is time for a few generations.
        minutes: float = self.options.minutes
        return math.inf if self.options.generations is not None else 60 * minutes / 4

    def prefix(self) -> str:
        """Return the prefix of each line: the time so far, and which network is being made."""
        word = "pass" if self.imitates else "generation"
        return f"{self.minutes():7.2f} min  {word} {len(self.progress):3}"

    def train(self) -> None:
        """Train until the run is over."""
        options = self.options
        began_with = len(self.progress)
        is_over = self.share() >= 1
        if self.player is not None and self.imitated is not None and not (is_over or self.imitated.exists()):
            self.play_imitated(self.player)
        while self.share() < 1 or not self.progress:
            self.imitates = self.is_imitating()
            if self.imitates and self.imitated is not None:
                # A pass over all positions; the first pass loads them.
                added = 0 if self.progress else self.window.add(self.imitated, is_whole=True)
                played = {"positions": added, "self_play_seconds": 0.0}
                self.learn(self.imitated, played, len(self.window))
                continue
            folder = self.out / f"generation-{len(self.progress):03}"
            found = self.play(folder)
            if found is None:
                if len(self.progress) == began_with:
                    self.screen.tell(
                        "self-play: the time was over before the first file of positions (16 matches) "
                        "was full; try more --minutes or fewer --simulations"
                    )
                break
            self.learn(folder, found, found["positions"] * options.reuse)
        if len(self.progress) > began_with and not (options.no_matches or options.no_self_play):
            self.play_matches()
            self.compare()
        if self.progress and (warning := no_better(self.progress[-1].get("held_out"))):
            print(warning)
        if is_over and len(self.progress) == began_with:
            has_had, option = f"{self.minutes():.1f} minutes", "--minutes"
            if options.generations is not None:
                has_had, option = f"{len(self.progress)} generations", "--generations"
            print(f"the run's {has_had} are over; with more {option} it continues")
        print(f"the network: {self.out / 'network.safetensors'}")
        print(f"the curves:  {self.out / 'index.html'}")

    def matches(self) -> tuple[int, float]:
        """Return how many matches a generation has, and how many positions are enough."""
        options, is_first = self.options, self.network is None
        named = options.first_matches if is_first else options.matches
        if named is not None:
            return named, math.inf
        wanted = usual_positions(options.minutes, is_first=is_first)
        if is_first and options.generations is not None:
            return FIRST_MATCHES, math.inf
        if is_first:
            return ENDLESS, wanted
        # As many as it takes if they are as long as those before, in whole files: at least one for each of
        # two threads.
        played = [row for row in self.progress if row.get("matches")]
        each = played[-1]["positions"] / played[-1]["matches"] if played else wanted / 64
        return MATCHES * max(2, round(wanted / each / MATCHES)), math.inf

    def play(self, folder: Path) -> dict[str, Any] | None:
        """Play a generation; return its figures, or None if no positions were written."""
        options = self.options
        left = self.seconds_left()
        seconds = min(self.most_seconds(), left)
        # Before there is a network, the run has nothing to end with, so self-play may take longer.
        most_seconds = left if self.progress else math.inf
        matches, enough = self.matches()
        at_most = f": {seconds:.0f} s at most" if seconds < math.inf else ""
        self.screen.pass_on(f"self-play begins{at_most}")
        arguments = arguments_of(
            options, self.command, len(self.progress), self.network_file, folder, matches
        )
        is_new = not self.out.exists()
        run_file = self.out / "run.json"
        before = run_file.read_text() if run_file.exists() else None
        self.note()
        try:
            played = self_play(
                arguments, folder, seconds, most_seconds, self.screen.pass_on, matches, enough
            )
        except SystemExit:
            # What was refused is no part of the run.
            if is_new and not folder.exists():
                shutil.rmtree(self.out)
            elif before is not None:
                run_file.write_text(before)
            raise
        if played is None:
            return None
        return {
            "positions": self.window.add(folder),
            "matches": self.window.count_newest_matches(),
            "self_play_seconds": round(played["seconds"], 2),
        }

    def learn(self, folder: Path, played: dict[str, Any], learned_from: float) -> None:
        """Learn from the window; write the network, the figures and the page."""
        options, number = self.options, len(self.progress)
        if self.network is None:
            settle_by_positions(options, describe(folder))
            self.network = begin(
                folder,
                options.seed,
                channels=options.channels,
                blocks=options.blocks,
                precision=options.precision,
            )
        if self.learner is None:
            shape = self.network.shape
            settle_by_positions(options, about_network(shape.game, shape.encoding, shape.board))
            self.learner = Learner(
                self.network,
                options.seed + number,
                symmetry=options.symmetry,
                threads=options.threads or os.cpu_count() or 1,
            )
            self.learner.load(self.learner_file(number - 1))
        last = self.progress[-1].get("rate") if self.progress else None
        rate = rate_at(options.rate, self.share(), last)
        wanted = options.steps or max(1, round(learned_from / options.batch))
        seconds = self.seconds_left() if self.imitates else self.most_seconds()
        policy_loss, value_loss, steps = self.learner.learn(
            self.window,
            wanted,
            options.batch,
            rate,
            seconds,
            lambda step: self.screen.pass_on(f"learning: step {step} of {wanted}"),
        )
        learned, held_out = self.window.split()
        if self.network.shape.estimate and len(held_out):
            known = sample(held_out)
            refit(self.network, known, predict(self.network, known)[1])
        figures = measure(self.network, held_out, learned)
        self.make_folder()
        self.network_file = self.out / f"generation-{number:03}.safetensors"
        self.network.save(self.network_file)
        self.network.save(self.out / "network.safetensors")
        self.learner.save(self.learner_file(number))
        row = {
            "generation": number,
            "minutes": round(self.minutes(), 3),
            **played,
            "steps": steps,
            "rate": rate,
            "policy_loss": round(policy_loss, 4),
            "value_loss": round(value_loss, 4),
            "held_out": figures,
        }
        if self.imitates:
            row["imitates"] = str(self.imitated)
        short = "" if steps == wanted else f" of {wanted} (out of time)"
        positions = len(self.window) if self.imitates else played["positions"]
        said = f"{positions} positions, {steps} steps{short}"
        if figures:
            said += (
                f"; held out: policy {figures['policy']:.3f} (guess {figures['policy_guess']:.3f}), "
                f"value {figures['value']:.3f} (guess {figures['value_guess']:.3f})"
            )
            if "value_estimate" in figures:
                said += f", the game's estimate alone {figures['value_estimate']:.3f}"
        else:
            said += f"; policy {policy_loss:.3f}, value {value_loss:.3f}, no match held out"
        self.screen.tell(said)
        self.progress.append(row)
        part = self.out / "progress.part"
        part.write_text(json.dumps(self.progress, indent=1) + "\n")
        part.replace(self.out / "progress.json")
        # The one before is needed as long as this generation is not noted.
        self.learner_file(number - 1).unlink(missing_ok=True)
        self.note()
        self.write_page()

    def learner_file(self, number: int) -> Path:
        """Return the file with what learning goes on from after a generation, besides its network."""
        return self.out / f"generation-{number:03}.learner.npz"

    def play_imitated(self, player: str) -> None:
        """Have the player that is to be imitated play, for a small share of the time."""
        options, is_new, self.imitates = self.options, not self.out.exists(), True
        self.make_folder()
        try:
            written = imitation.write_positions(
                self.command,
                player,
                options.game,
                self.out,
                scenarios=options.scenarios or [],
                encoding=options.encoding,
                # Seeds that no generation uses, nor anybody who counts from 1.
                seed=(options.seed + 1) * 1_000_000_000 - imitation.MOST,
                minutes=options.minutes,
                tell=self.screen.pass_on,
            )
        except SystemExit:
            # What was refused is no part of a run.
            if is_new:
                shutil.rmtree(self.out)
            raise
        self.screen.tell(written)
        options.scenario = options.scenario or check_imitation(options, self.out / imitation.NAME)

    def play_matches(self) -> None:
        """Let the generations play against each other."""
        assert self.network is not None
        screen = Screen(lambda: f"{self.minutes():7.2f} min")
        found = play_generations(
            self.command,
            self.out,
            len(self.progress),
            self.network.shape,
            60 * AFTERWARDS * self.options.minutes,
            screen.pass_on,
        )
        screen.clear()
        if isinstance(found, str):
            print(f"no matches between the generations: {found}")
            return
        self.about["strength"] = found
        self.note()
        self.write_page()

    def compare(self) -> None:
        """Say whether the last network makes the search stronger that does without it."""
        assert self.network is not None
        screen = Screen(lambda: f"{self.minutes():7.2f} min")
        found = compare_with_search(
            self.command,
            self.out / "network.safetensors",
            self.network.shape,
            max(LEAST_COMPARED, 60 * AFTERWARDS * self.options.minutes),
            screen.pass_on,
        )
        screen.clear()
        if isinstance(found, str):
            print(f"no matches against the search without a network: {found}")
            return
        for row in found:
            print(sentence(row))
        self.about["against_search"] = found
        self.note()
        self.write_page()

    def make_folder(self) -> None:
        """Make the run's folder, if it does not exist, and lock it."""
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = "it is a file" if self.out.is_file() else error.strerror
            raise Refused(f"error: {self.out} cannot be the run's folder: {reason}") from None
        self.lock.take()

    def note(self) -> None:
        """Write the description of the run, for when it goes on and for its page."""
        self.about["settings"] = {name: getattr(self.options, name) for name in NOTED}
        self.make_folder()
        (self.out / "run.json").write_text(json.dumps(self.about, indent=1) + "\n")

    def write_page(self) -> None:
        """Write the page of curves."""
        assert self.network is not None
        write_page(self.out / "index.html", self.network.shape, self.progress, self.about)


def about_network(game: str, encoding: str, board: tuple[int, int]) -> dict[str, Any]:
    """Return what settings depend on, for a network that already exists."""
    return {"game": game, "encoding": encoding, "board": board, "words": board == (1, 1)}
