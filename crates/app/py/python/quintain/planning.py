"""PUCT with positions that any Python function evaluates: a network of PyTorch or JAX, a remote server.

The trees of all states are searched in Rust, side by side. In each round, every search descends to a
position that has to be evaluated, and the function gets all of them as one batch of arrays::

    def evaluate(seen):                        # board, features, action_mask: a row for each position
        logits, values = network(seen["board"], seen["features"])
        return logits, values                  # of all actions; from the view of the seat that moves

    batch = quintain.Batch("tron", "codingame", 256)
    found = quintain.puct(batch, evaluate=evaluate, simulations=64)
    batch.step(found["action"])

Between rivals a value is from -1 (a loss) to 1; otherwise it is the score at the end, or its negative
where less is better. Logits of actions that are not legal are ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from quintain._quintain import Batch
from quintain.arguments import MOST, SEEDS, check_policy, seed_of, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What evaluates positions: takes their arrays, returns logits of all actions and a value for each.
Evaluate: TypeAlias = "Callable[[dict[str, NDArray[Any]]], tuple[Any, Any]]"


def puct(
    batch: Batch,
    *,
    evaluate: Evaluate,
    simulations: int = 64,
    leaves: int = 1,
    root: str = "gumbel",
    considered: int = 16,
    exploration: float | None = None,
    noise: float | None = None,
    seed: int = 1,
) -> dict[str, Any]:
    """Search every state of a batch; the batch itself stays as it is.

    Returns `policy` (what a network should learn), `value` and `action` for the seat that moves in each
    state, and how many positions were `evaluated`. Where several seats move at once, the arrays have an
    axis more, for the seats.

    - `leaves` is the number of positions that one search descends to before it goes on; each further
      one is chosen as if those before it had lost (virtual loss). With few states, it makes the batches
      larger that `evaluate` gets.
    - `root` is `"gumbel"` (sequential halving over at most `considered` actions, drawn without
      replacement; Danihelka et al. 2022) or `"puct"`.
    - `noise` is the weight of Gumbel's draws (1 by default), or of Dirichlet noise (0 by default).
    - Equal seeds and equal evaluations give equal results.
    """
    check_policy(evaluate)
    return batch.search(
        evaluate,
        simulations,
        leaves=leaves,
        root=root,
        considered=considered,
        exploration=exploration,
        noise=noise,
        seed=seed,
    )


def self_play(
    game: str,
    scenario: str | None = None,
    *,
    evaluate: Evaluate,
    matches: int,
    simulations: int = 32,
    side_by_side: int = 256,
    drawn_turns: int = 8,
    encoding: str | None = None,
    seed: int = 1,
    threads: int | None = None,
    **options: Any,
) -> dict[str, NDArray[Any]]:
    """Play matches of a search against itself, and return their positions, a row for each decision.

    The arrays are those of `quintain self-play`: `match`, `turn`, `seat`, `board`, `features`, `legal`,
    `policy`, `search_value` and `value`, how the match ended for the seat. Match n begins on the seed
    `seed + n`; up to `side_by_side` matches are played at once. On the first `drawn_turns` turns of a
    match, actions are drawn from the search's policy; after that, the search's own is played. Further
    options are those of `puct`.
    """
    matches = whole("matches", matches, 1, MOST)
    side_by_side = whole("side_by_side", side_by_side, 1, MOST)
    drawn_turns = whole("drawn_turns", drawn_turns, 0, MOST)
    first = seed_of(seed)
    played = _Matches(game, scenario, encoding, threads, min(matches, side_by_side), matches, first)
    random = np.random.default_rng(first)
    while played.is_on.any():
        found = puct(
            played.batch,
            evaluate=evaluate,
            simulations=simulations,
            seed=int(random.integers(SEEDS >> 1)),
            **options,
        )
        actions = found["action"]
        policy = found["policy"]
        draws = (policy.cumsum(axis=-1) < random.random((*actions.shape, 1))).sum(axis=-1)
        # What is left of a sum that is not quite 1 would be an action that is not legal.
        last = policy.shape[-1] - 1 - (policy[..., ::-1] > 0).argmax(axis=-1)
        is_drawn = (played.turns < drawn_turns).reshape(-1, *[1] * (actions.ndim - 1))
        actions = np.where(is_drawn & policy.any(axis=-1), np.minimum(draws, last), actions)
        played.step(actions, policy, found["value"])
    return played.positions()


class _Matches:
    """Matches side by side, and the positions met in them."""

    def __init__(
        self,
        game: str,
        scenario: str | None,
        encoding: str | None,
        threads: int | None,
        count: int,
        matches: int,
        first: int,
    ) -> None:
        self.batch = Batch(
            game,
            scenario,
            count,
            seed=first,
            encoding=encoding,
            threads=threads,
            autoreset=False,
        )
        layout = self.batch.layout
        self.seats: int = layout["learner_seats"]
        self.is_simultaneous = self.seats > 1 and layout["simultaneous"]
        self.most, self.first = matches, first
        #: The match of each state, and whether it goes on; the turns and the rewards so far.
        self.numbers = np.arange(count)
        self.next = count
        self.is_on = np.ones(count, np.bool_)
        self.turns = np.zeros(count, np.int64)
        self.totals = np.zeros((count, self.seats))
        self.results = np.zeros((matches, self.seats))
        self.parts: list[dict[str, NDArray[Any]]] = []

    def step(
        self, actions: NDArray[np.int64], policy: NDArray[Any], value: NDArray[Any]
    ) -> None:
        """Keep what was found, play the actions, and begin further matches where some have ended."""
        batch, count = self.batch, len(self.batch)
        if self.is_simultaneous:
            for seat in range(self.seats):
                seats = np.full(count, seat)
                self._keep(seats, policy[:, seat], value[:, seat])
        else:
            self._keep(np.maximum(batch.current_player, 0), policy, value)
        batch.step(actions, self.is_on)
        self.turns += self.is_on
        self.totals += batch.rewards.reshape(count, self.seats)
        over = self.is_on & (batch.terminated | batch.truncated)
        self.results[self.numbers[over]] = self.totals[over]
        self.totals[over] = 0
        self.turns[over] = 0
        for n in np.flatnonzero(over):
            self.is_on[n] = self.next < self.most
            self.numbers[n] = self.next if self.is_on[n] else -1
            self.next += 1
        again = over & self.is_on
        if again.any():
            seeds = [(self.first + max(0, int(number))) % SEEDS for number in self.numbers]
            batch.reset(seeds, again)

    def _keep(
        self, seats: NDArray[np.int64], policy: NDArray[Any], value: NDArray[Any]
    ) -> None:
        """Keep the decisions of one seat of each state, where it moves."""
        rows = np.flatnonzero(self.is_on & policy.any(axis=1))
        if rows.size == 0:
            return
        seen = self.batch.observe(seats, rows)
        self.parts.append(
            {
                "match": self.numbers[rows],
                "turn": self.turns[rows].copy(),
                "seat": seats[rows],
                "board": seen["board"],
                "features": seen["features"],
                "legal": seen["action_mask"],
                "policy": policy[rows],
                "search_value": value[rows],
            }
        )

    def positions(self) -> dict[str, NDArray[Any]]:
        """Return all positions, by match and turn, each with the result of its match."""
        whole = {key: np.concatenate([part[key] for part in self.parts]) for key in self.parts[0]}
        order = np.lexsort((whole["seat"], whole["turn"], whole["match"]))
        whole = {key: values[order] for key, values in whole.items()}
        whole["value"] = self.results[whole["match"], whole["seat"]].astype(np.float32)
        return whole
