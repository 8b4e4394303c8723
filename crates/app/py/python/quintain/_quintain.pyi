"""The part of quintain that is written in Rust."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar, final, overload

import numpy as np
import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]
import polars as pl  # type: ignore[import-not-found, unused-ignore]
from numpy.typing import NDArray

from quintain.player import Playing
from quintain.search import SearchResult, Line
from quintain.search import Game as SearchGame

__all__ = [
    "Adviser",
    "Batch",
    "Encoder",
    "Game",
    "Match",
    "Question",
    "Record",
    "Replay",
    "Results",
    "Single",
    "__version__",
    "_note_fork",
    "_restore_match",
    "_restore_results",
    "_restore_single",
    "_scenario_set",
    "beam",
    "games",
    "load_records",
    "nrpa",
    "tournament",
    "tune",
    "uct",
]

__version__: str

_State = TypeVar("_State")
_Action = TypeVar("_Action")

def games() -> list[str]:
    """Return the names of all games."""

@final
class Game:
    """A game with a scenario, such as `Game("tron", "rooms?width=19")` or `Game("tron:rooms")`."""

    def __new__(cls, name: str, scenario: str | None = None) -> Game: ...
    @property
    def name(self) -> str:
        """The game's name."""
    @property
    def scenario(self) -> str:
        """The scenario, in its canonical text."""
    @property
    def seats(self) -> int:
        """The number of seats."""
    @property
    def goal(self) -> str:
        """Whether high or low scores are better: `highest` or `lowest`."""
    @property
    def contest(self) -> str:
        """How scores are compared: `versus` or `score`."""
    @property
    def scenarios(self) -> list[dict[str, Any]]:
        """The scenarios of the game, with their parameters."""
    @property
    def players(self) -> list[dict[str, Any]]:
        """The players on the game's roster, with their parameters and sources."""
    @property
    def encodings(self) -> list[str]:
        """The encodings of the game's states for learners, the default first; may be empty."""
    @property
    def schemas(self) -> dict[str, Any]:
        """The JSON schemas of observations, actions and settings, and the text forms of actions."""
    def begin(self, seed: int = 1) -> Match:
        """Return the match of this seed, before its first turn."""
    def play(
        self,
        players: Sequence[Playing] | Playing,
        seed: int = 1,
        budget: str = "",
        notes: bool = False,
    ) -> Record:
        """Play a match and return its record. A single player takes all seats."""
    def adviser(self, player: str, seat: int = 0, seed: int = 1, budget: str = "") -> Adviser:
        """Return a player of the roster at a seat, to be asked outside any match."""

@final
class Match:
    """A match in progress: the position, whose move it is, which actions are offered."""

    @property
    def acting(self) -> list[int]:
        """The seats that must move now, in order; none when the match is over."""
    @property
    def turn(self) -> int:
        """The number of turns played."""
    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
    @property
    def scores(self) -> list[float]:
        """The score of each seat so far."""
    @property
    def outcome(self) -> dict[str, Any] | None:
        """The outcome once the match is over: scores, ending, metrics."""
    def observation(self, seat: int = 0) -> dict[str, Any]:
        """Return what a seat sees."""
    def actions(self, seat: int = 0) -> list[str]:
        """Return the actions offered to a seat, in text."""
    def check(self, action: str, seat: int = 0) -> None:
        """Raise ValueError, naming the rule, if a seat may not take this action now."""
    def play(self, actions: str | list[str] | dict[int, str]) -> None:
        """Play a turn: one action in text, a list with one for each acting seat, or a dict by seat."""
    def copy(self) -> Match:
        """Return a copy of the match."""
    def __copy__(self) -> Match: ...
    def __deepcopy__(self, _memo: Any) -> Match: ...
    @overload
    def render(
        self,
        mode: Literal["ansi", "svg"] = "ansi",
        seat: int | None = None,
        overlays: list[str] | None = None,
    ) -> str:
        """Return the position as `ansi`, `svg` or `rgb_array`."""
    @overload
    def render(
        self,
        mode: Literal["rgb_array"],
        seat: int | None = None,
        overlays: list[str] | None = None,
    ) -> NDArray[np.uint8]: ...
    def _repr_svg_(self) -> str: ...

@final
class Adviser:
    """A player at a seat, which can be asked what it would do."""

    @property
    def player(self) -> str:
        """The player's canonical text."""
    @property
    def seat(self) -> int:
        """The player's seat."""
    def decide(self, observation: dict[str, Any], turn: int = 0) -> str:
        """Return the action, in text, that it would take if it saw this observation on this turn."""
    def explain(
        self, observation: dict[str, Any], turn: int = 0
    ) -> tuple[str, dict[str, float]]:
        """Return the action, and the player's notes on it: depth, value, nodes."""

@final
class Question:
    """What a Python player gets besides its observation."""

    @property
    def turn(self) -> int:
        """The turn of the match, from 0."""
    @property
    def seat(self) -> int:
        """The seat that is asked."""
    @property
    def actions(self) -> list[str]:
        """The actions offered, in text."""
    @property
    def seconds(self) -> float | None:
        """The seconds for this decision; None if time is not limited."""
    def note(self, name: str, value: float | str) -> None:
        """Keep a figure or words about this decision, if notes are kept."""
    def check(self, action: str | dict[str, Any]) -> None:
        """Raise ValueError, naming the rule, if this action is not legal here."""

@final
class Record:
    """A match as it was played. It replays bit for bit, and a notebook displays it."""

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read a record from its JSON, and check that nobody has changed it."""
    def to_json(self) -> str:
        """Return the record as one line of JSON."""
    @property
    def id(self) -> str:
        """The hash of what was to be played."""
    @property
    def game_name(self) -> str:
        """The game's name."""
    @property
    def scenario(self) -> str:
        """The scenario."""
    @property
    def seed(self) -> int:
        """The seed of the match."""
    @property
    def players(self) -> list[str]:
        """The player of each seat."""
    @property
    def budget(self) -> str:
        """The budget of each player."""
    @property
    def actions(self) -> list[str]:
        """Every action, by turn, then by seat."""
    @property
    def scores(self) -> list[float]:
        """The score of each seat."""
    @property
    def ending(self) -> str:
        """Why the match ended, in a word or two."""
    @property
    def truncated(self) -> bool:
        """Whether a limit cut the match off."""
    @property
    def fault(self) -> dict[str, Any] | None:
        """The seat that was taken out of the match, and why."""
    @property
    def metrics(self) -> dict[str, float]:
        """Further figures, by name."""
    @property
    def notes(self) -> list[dict[str, Any]]:
        """The players' notes: `turn`, `seat`, `name`, `value` (a number or words)."""
    def verify(self) -> None:
        """Replay the match by the rules; raise ValueError if it does not end as recorded."""
    def replay(self) -> Replay:
        """Return the match position by position."""
    def to_html(self) -> str:
        """Return a self-contained page that plays the match."""
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Replay:
    """The positions of a record, starting before the first turn: `replay[turn]`."""

    def __len__(self) -> int: ...
    def __getitem__(self, turn: int, /) -> Match: ...
    def played(self, turn: int) -> list[str]:
        """Return the action of each seat that moved on a turn, in order."""

class Results:
    """The results of a tournament: its records and the standings over them."""

    @property
    def name(self) -> str:
        """The tournament's name."""
    @property
    def game(self) -> str:
        """The game's name."""
    @property
    def played(self) -> int:
        """The number of matches played by this call."""
    @property
    def skipped(self) -> int:
        """The number of matches that the store already had."""
    @property
    def faults(self) -> int:
        """The number of matches that a player lost by a fault, whenever they were played."""
    @property
    def failed(self) -> int:
        """The number of matches that have no result, because they are void or could not be played.

        The same tournament plays them again.
        """
    @property
    def failures(self) -> list[str]:
        """The reasons why matches have no record, for the first such matches."""
    @property
    def records(self) -> list[Record]:
        """Every record, in an order that depends only on the matches."""
    @overload
    def standings(self, frame: Literal["pandas"] = "pandas") -> pd.DataFrame:
        """Return the standings as a frame of `pandas` or `polars`."""
    @overload
    def standings(self, frame: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def matches(self, frame: Literal["pandas"] = "pandas") -> pd.DataFrame:
        """Return the matches as a frame of `pandas` or `polars`: a row for each seat of each match."""
    @overload
    def matches(self, frame: Literal["polars"]) -> pl.DataFrame: ...
    def to_csv(self) -> str:
        """Return the standings as comma-separated values."""
    def to_dict(self) -> dict[str, Any]:
        """Return the standings with all digits, as dictionaries and lists."""
    def table(self, width: int = 100) -> str:
        """Return the standings as tables for a terminal."""
    def save(self, path: str | PathLike[str]) -> None:
        """Write the records to a file as JSON, one on each line."""
    def _repr_html_(self) -> str: ...

def tournament(
    game: str,
    players: Sequence[Playing] | None = None,
    *,
    scenarios: list[str] | None = None,
    seeds: int | None = None,
    seed: int | None = None,
    budget: str | None = None,
    format: str | None = None,
    sample: int | None = None,
    notes: bool | None = None,
    name: str | None = None,
    store: str | PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Results:
    """Play the matches of a tournament, on all cores, and return its results.

    `game` is a game's name, or a tournament file (`.toml`), which sets all the rest. By default there are
    10 `seeds`, starting at `seed` 1.
    """

def tune(
    game: str,
    player: str,
    parameters: list[str],
    *,
    scenarios: list[str] | None = None,
    opponent: str | None = None,
    budget: str = "",
    generations: int = 10,
    population: int = 0,
    seeds: int = 8,
    seed: int = 1,
    held_out: int = 32,
    gain: str = "relative",
    threads: int | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> dict[str, Any]:
    """Tune numeric parameters of a player on common seeds, and measure the gain."""

def load_records(path: str | PathLike[str], tournament: str | None = None) -> list[Record]:
    """Return the records of a file with one JSON record on each line, or of a store (`.sqlite`)."""

def uct(
    game: SearchGame[_State, _Action],
    state: _State | None = None,
    *,
    iterations: int = 1000,
    exploration: float = 0.5,
    seed: int = 1,
    playout: int = 10_000,
) -> SearchResult[_Action]:
    """Return the action that Monte Carlo tree search settles on, with figures on it."""

def beam(
    game: SearchGame[_State, _Action],
    state: _State | None = None,
    *,
    width: int = 100,
    depth: int = 1000,
) -> Line[_State, _Action]:
    """Return the best line that beam search finds in a game of one seat."""

def nrpa(
    game: SearchGame[_State, _Action],
    state: _State | None = None,
    *,
    level: int = 2,
    iterations: int = 30,
    rate: float = 1.0,
    seed: int = 1,
) -> Line[_State, _Action]:
    """Return the best line that nested rollout policy adaptation finds in a game of one seat."""

class Batch:
    """Many states of a game. Every step writes into the same arrays, so copy what you want to keep.

    The arrays cannot be written to.
    """

    def __new__(
        cls,
        game: str,
        scenario: str | None = None,
        count: int = 1024,
        *,
        seed: int = 1,
        threads: int | None = None,
        observe: bool = True,
        masks: bool = True,
        encoding: str | None = None,
        letters: bool = False,
        opponent: str | Sequence[str] | None = None,
        seat: int | None = None,
        budget: str = "",
        autoreset: bool = True,
    ) -> Batch: ...
    def __len__(self) -> int: ...
    @property
    def game(self) -> str:
        """The game's name."""
    @property
    def scenario(self) -> str:
        """The scenario, in its canonical text."""
    @property
    def threads(self) -> int:
        """The number of threads that step."""
    @property
    def layout(self) -> dict[str, Any]:
        """The form of actions and observations."""
    @property
    def board(self) -> NDArray[np.uint8]:
        """The boards: one byte for each cell."""
    @property
    def features(self) -> NDArray[np.int32]:
        """The features: 32-bit whole numbers, named in the layout."""
    @property
    def masks(self) -> NDArray[np.int8]:
        """Which actions each seat may take: 1 or 0."""
    @property
    def rewards(self) -> NDArray[np.float32]:
        """The reward of each seat for the last step."""
    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores of the episode that ended last."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended an episode."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether a limit cut the episode off on the last step."""
    @property
    def illegal(self) -> NDArray[np.bool_]:
        """Whether an illegal action ended the episode on the last step."""
    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seed of each state's episode."""
    @property
    def learners(self) -> NDArray[np.int64] | None:
        """The learner's seat in each state, if it plays against others."""
    def scenario_of(self, index: int | None = None) -> str:
        """Return the scenario of a state's episode, with the instance that it plays.

        `Game(game, batch.scenario_of(n)).begin(int(batch.seeds[n]))` begins the same match.
        """
    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        which: Sequence[bool] | NDArray[np.bool_] | None = None,
    ) -> None:
        """Begin anew: with a seed, state n uses seed + n; with a list, each state uses its own; without
        one, each state begins its next match. With `which`, only the states that it marks begin anew.
        """
    @property
    def current_player(self) -> NDArray[np.int64]:
        """The seat that moves in each state; -1 where the episode is over or seats move at once."""
    @property
    def offenders(self) -> NDArray[np.int64]:
        """The seat whose illegal action ended the episode on the last step; -1 where none did."""
    def standing(
        self, seats: Sequence[int] | NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return whether one seat of each state is still in the game, and its score so far."""
    def observe(
        self,
        seats: Sequence[int] | NDArray[np.int64] | None = None,
        states: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Return what a seat sees of each state: `board`, `features`, `action_mask`, in new arrays.

        `seats` is one seat for each state; by default the one that moves, or the learner. With `states`,
        an array of indices, the rows are those of these states.
        """
    def search(
        self,
        evaluate: Callable[[dict[str, NDArray[Any]]], tuple[Any, Any]],
        simulations: int = 64,
        *,
        leaves: int = 1,
        root: str = "gumbel",
        considered: int = 16,
        exploration: float | None = None,
        noise: float | None = None,
        seed: int = 1,
    ) -> dict[str, Any]:
        """Search every state by PUCT: `policy`, `value`, `action`, and how many positions were `evaluated`.

        `evaluate` gets the arrays of many positions, of all searches at once, and returns logits of all
        actions and a value for each; see `quintain.puct`.
        """
    def copy_states(
        self,
        sources: Sequence[int] | NDArray[np.int64],
        targets: Sequence[int] | NDArray[np.int64],
    ) -> None:
        """Make states copies of others, as `array[targets] = array[sources]` does."""
    def step(
        self, actions: Any, which: Sequence[bool] | NDArray[np.bool_] | None = None
    ) -> None:
        """Play a turn in every state, given the number of an action for each (state, seat).

        Where seats move one after another, a number for each state is enough. With `which`, only the
        states that it marks take a turn.
        """
    def sample(self) -> NDArray[np.int32]:
        """Draw an action that the masks allow for every (state, seat); 0 if there is none.

        Every call returns the same array, of 32-bit numbers.
        """
    @overload
    def render(self, index: int | None = None, mode: Literal["ansi", "svg"] = "ansi") -> str:
        """Return a state as `ansi`, `svg` or `rgb_array`."""
    @overload
    def render(
        self, index: int | None = None, *, mode: Literal["rgb_array"]
    ) -> NDArray[np.uint8]: ...
    @overload
    def render(self, index: int | None, mode: Literal["rgb_array"]) -> NDArray[np.uint8]: ...
    @overload
    def render(self, index: int | None, mode: str) -> str | NDArray[np.uint8]: ...

@final
class Single:
    """One state of a game, stepped by the numbers of actions."""

    def __new__(
        cls,
        game: str,
        scenario: str | None = None,
        *,
        encoding: str | None = None,
        letters: bool = False,
        opponent: str | Sequence[str] | None = None,
        seat: int | None = None,
        budget: str = "",
    ) -> Single: ...
    @property
    def game(self) -> str:
        """The game's name."""
    @property
    def scenario(self) -> str:
        """The scenario of the episode, in its canonical text, with the instance that it plays."""
    @property
    def layout(self) -> dict[str, Any]:
        """The form of actions and observations."""
    @property
    def seed(self) -> int:
        """The seed of the episode."""
    @property
    def scores(self) -> list[float]:
        """The score of each seat once the episode is over."""
    @property
    def has_begun(self) -> bool:
        """Whether an episode has begun, so that another may follow it."""
    @property
    def is_over(self) -> bool:
        """Whether the episode is over."""
    @property
    def was_illegal(self) -> bool:
        """Whether an illegal action ended the episode."""
    @property
    def offender(self) -> int | None:
        """The seat whose illegal action ended the episode, if one did."""
    def score(self, seat: int) -> float:
        """Return the score of a seat: the final one once the episode is over, else the one so far."""
    def reset(
        self, seed: int | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begin the match of a seed; without a seed, the match that follows the last one.

        Returns what seat 0 sees, and the information that goes with it. A match that is over before
        a learner's first turn is skipped.
        """
    def step(
        self, action: int | np.int64
    ) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Play an action for the only seat."""
    def step_together(self, actions: list[int]) -> tuple[list[float], bool, bool]:
        """Play one action for each seat; return the rewards, terminated, truncated."""
    @property
    def learner(self) -> int | None:
        """The learner's seat, if it plays against others."""
    def observation(self, seat: int = 0, own: bool = False) -> dict[str, NDArray[Any]]:
        """Return what a seat sees: `board` and `features`; with `own`, it sees itself as seat 0."""
    def mask(self, seat: int = 0) -> NDArray[np.int8]:
        """Return which actions a seat may take: 1 or 0."""
    def acts(self, seat: int) -> bool:
        """Return whether a seat must move now."""
    def lives(self, seat: int) -> bool:
        """Return whether a seat is still in the game."""
    @overload
    def render(self, mode: Literal["ansi", "svg"] = "ansi", seat: int | None = None) -> str:
        """Return the position as `ansi`, `svg` or `rgb_array`."""
    @overload
    def render(
        self, mode: Literal["rgb_array"], seat: int | None = None
    ) -> NDArray[np.uint8]: ...
    @overload
    def render(self, mode: str, seat: int | None = None) -> str | NDArray[np.uint8]: ...

@final
class Encoder:
    """Encodes observations as a game's environments do: a seat sees itself as seat 0."""

    def __new__(
        cls, game: str, scenario: str | None = None, *, encoding: str | None = None
    ) -> Encoder: ...
    @property
    def layout(self) -> dict[str, Any]:
        """The form of actions and observations."""
    def encode(self, observation: dict[str, Any], seat: int = 0) -> dict[str, NDArray[Any]]:
        """Return the arrays of an observation: `board`, `features`, `action_mask`."""
    def decode(self, observation: dict[str, Any], number: int, seat: int = 0) -> str:
        """Return in text the action of this number, for a seat with this observation."""

def _note_fork() -> None: ...
def _scenario_set(game: str, scenario: str) -> str: ...
def _restore_results(text: str) -> Results: ...
def _restore_match(game: str, scenario: str, seed: int, played: list[list[str]]) -> Match: ...
def _restore_single(
    game: str,
    scenario: str,
    encoding: str | None,
    opponents: list[str],
    seat: int | None,
    budget: str,
    saved: tuple[int, int, int, bytes] | None,
) -> Single: ...
