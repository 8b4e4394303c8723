"""Players written in Python."""

from __future__ import annotations

import copyreg
import threading
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from quintain._quintain import Encoder, Game, Question, games
from quintain.arguments import check_policy, whole, whole_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class VoidMatch(Exception):
    """Raised by a player when something fails that it depends on: a server, a device, a licence.

    The match is void: it has no result and no record, and the same tournament plays it again. A
    `ConnectionError` has the same effect. `quintain.play` raises this exception.
    """


class Player(ABC):
    """Decides actions from observations. One player plays one seat of one match.

    Derive a class from it, and pass that class to `quintain.play` or `quintain.tournament`. An exception
    takes the seat out of the match; the record keeps its message and where it was raised. If the
    exception is a `VoidMatch` or a `ConnectionError`, the match is void instead. Every method may be
    `async`.

    Matches with Python players are played one at a time, so that what players share (a network, a
    source of random numbers) is used by one thread and in one match at a time.
    """

    #: Its name in records and standings; by default the name of the class.
    name: str
    #: Increase it whenever the player's decisions change: its matches in a store are then played again.
    version: int = 0
    #: Set it to True if players of the class may play in several matches and threads at once. Those at
    #: seats that move at once are then asked at once.
    concurrent: bool = False

    def start(self, match_start: dict[str, Any]) -> None:
        """Receive what is known before the first turn.

        `match_start` has `game`, `scenario`, `seats`, the player's `seat`, a `seed` for its own use,
        the `budget`, and the game's `setting`.
        """

    @abstractmethod
    def decide(
        self, observation: dict[str, Any], question: Question
    ) -> str | dict[str, Any] | Awaitable[str | dict[str, Any]]:
        """Return the action for this turn: in text, as in `question.actions`, or in its JSON form.

        Every action that the rules accept is legal; in some games there are more of them than are
        offered, and `question.check(action)` says whether one is legal.
        """

    def finish(self, outcome: dict[str, Any]) -> None:
        """Receive how the match ended: `scores`, `ending`, `metrics`.

        The match is over: an exception no longer changes it, and becomes a warning.
        """


#: What a policy gets: arrays with a state for each question asked at once, and the number of them.
Arrays: TypeAlias = "dict[str, NDArray[Any]]"
#: A policy: takes the arrays `board`, `features` and `action_mask` of one seat and returns the number
#: of an action; or takes arrays of several states at once and returns an array of numbers.
Policy: TypeAlias = "Callable[[Arrays], Any]"


#: The most questions that are answered at once: as many as the threads that a call may have.
_MOST_THREADS = 1024


class _MadePlayer(ABCMeta):
    """The metaclass of classes that a function makes, and makes again when they are unpickled."""

    made_by: Callable[[], type[Player]]


def _make_again(made: _MadePlayer) -> tuple[Callable[[], type[Player]], tuple[()]]:
    return made.made_by, ()


copyreg.pickle(_MadePlayer, _make_again)  # type: ignore[arg-type]


def _check_name(name: Any) -> None:
    expected = f"name={name!r}: expected a string without spaces, ?, & and commas"
    if not isinstance(name, str):
        raise TypeError(expected)
    if not name or any(letter.isspace() or letter in "?&," for letter in name):
        raise ValueError(expected)


def _check_encoding(encoding: Any) -> None:
    if encoding is None:
        return
    known = {known for game in games() for known in Game(game).encodings}
    expected = f"encoding={encoding!r}: expected one of {', '.join(sorted(known))}, or None"
    if not isinstance(encoding, str):
        raise TypeError(expected)
    if encoding not in known:
        raise ValueError(expected)


def policy_player(
    name: str,
    policy: Policy,
    *,
    encoding: str | None = None,
    version: int = 0,
    batch: int = 1,
) -> type[Player]:
    """Return a player that decides by a policy on arrays, such as a trained network.

    `policy` gets the arrays that the environments give, from the view of the seat that moves: `board`,
    `features` and `action_mask`. It returns the number of an action.

    With `batch` above 1, up to that many matches ask at once, from as many threads (give `tournament`
    the same number of `threads`). The policy then gets arrays with one row for each question, of shape
    `(questions, …)` with at most `batch` questions, and returns one number for each.

    The class can be pickled if the policy can.
    """
    _check_name(name)
    check_policy(policy)
    _check_encoding(encoding)
    version = whole("version", version, 0, (1 << 32) - 1)
    batch = whole("batch", batch, 1, _MOST_THREADS)
    questions = Questions(policy, batch) if batch > 1 else None
    encoders: dict[tuple[str, str], Encoder] = {}

    class PolicyPlayer(Player, metaclass=_MadePlayer):
        concurrent = batch > 1

        def start(self, match_start: dict[str, Any]) -> None:
            key = (match_start["game"], match_start["scenario"])
            if key not in encoders:
                encoders[key] = Encoder(*key, encoding=encoding)
            self.encoder, self.seat = encoders[key], match_start["seat"]

        def decide(self, observation: dict[str, Any], question: Question) -> str:
            seen = self.encoder.encode(observation, self.seat)
            if questions is None:
                most = len(seen["action_mask"]) - 1
                number = whole("the policy's answer", policy(seen), 0, most)
            else:
                number = questions.ask(seen)
            return self.encoder.decode(observation, number, self.seat)

    PolicyPlayer.__name__ = PolicyPlayer.__qualname__ = name
    PolicyPlayer.name, PolicyPlayer.version = name, version
    PolicyPlayer.made_by = partial(
        policy_player, name, policy, encoding=encoding, version=version, batch=batch
    )
    return PolicyPlayer


class Questions:
    """Collects the questions of several threads, so that a policy answers them together."""

    #: How many seconds the first question waits for others: less than a small network takes.
    PATIENCE = 0.002

    def __init__(self, policy: Policy, most: int) -> None:
        self.policy, self.most = policy, most
        self.waiting: list[_Asked] = []
        self.changed = threading.Condition()
        self.evaluating = threading.Lock()

    def ask(self, seen: Arrays) -> int:
        """Ask the policy, together with other threads' questions, and return its answer."""
        asked = _Asked(seen)
        with self.changed:
            self.waiting.append(asked)
            is_first = len(self.waiting) == 1
            if len(self.waiting) == self.most:
                self.changed.notify_all()
            if is_first:
                self.changed.wait_for(lambda: len(self.waiting) >= self.most, self.PATIENCE)
        while is_first:
            with self.changed:
                together, self.waiting = self.waiting[: self.most], self.waiting[self.most :]
            if not together:
                break
            self.answer(together)
        asked.done.wait()
        if asked.error is not None:
            raise asked.error
        return asked.number

    def answer(self, together: list[_Asked]) -> None:
        """Have the policy answer all of these questions."""
        try:
            arrays = {
                key: np.stack([asked.seen[key] for asked in together]) for key in together[0].seen
            }
            with self.evaluating:
                answered = self.policy(arrays)
            most = arrays["action_mask"].shape[1] - 1
            numbers = whole_numbers("the policy's answers", answered, len(together), 0, most)
            for asked, number in zip(together, numbers, strict=True):
                asked.number = int(number)
        except Exception as error:
            for asked in together:
                asked.error = error
        finally:
            for asked in together:
                asked.done.set()


class _Asked:
    """A question, and its answer once there is one."""

    def __init__(self, seen: Arrays) -> None:
        self.seen, self.number = seen, 0
        self.error: Exception | None = None
        self.done = threading.Event()


#: What can take a seat: the text of a player of the roster, a class, a function that makes a player,
#: or, in a single match, a player itself.
Playing: TypeAlias = "str | Player | Callable[[], Player]"
