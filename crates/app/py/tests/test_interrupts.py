"""Ctrl-C ends long work, and what it broke off starts over."""

import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import quintain

#: Work that would take hours.
LONG = {
    "a search": "quintain.search.uct(Nim(400), iterations=10**9)",
    "a search of lines": "quintain.search.nrpa(Digits(), level=6)",
    "a search among equals": "quintain.search.beam(Equals(), width=10**6)",
    "tuning": (
        "quintain.tune('tron', 'uct', ['exploration=0.1..2'], budget='iterations=100000000',"
        " scenarios=['empty?width=30'])"
    ),
    "a batch": "quintain.Batch('tron', 'empty', 10**6, opponent='uct', budget='iterations=1000')",
    "a step": (
        "env = gymnasium.make('quintain/Tron-v0', scenario='empty?width=30', opponent='uct',"
        " budget='iterations=1000000000'); env.reset(seed=1); env.step(0)"
    ),
    "a step of many": (
        "envs = gymnasium.make_vec('quintain/Tron-v0', 64, scenario='empty?width=30',"
        " opponent='uct', budget='iterations=100000000'); envs.reset(seed=1);"
        " envs.step(np.zeros(64, np.int64))"
    ),
    "a match": "quintain.play('tron', ['champion?nodes=300000000'] * 2, scenario='empty?width=30')",
    "a tournament": (
        "quintain.tournament('tron', ['champion?nodes=300000000', 'random'],"
        " scenarios=['empty?width=30'])"
    ),
    "a tournament with a player that sleeps": (
        "quintain.tournament('tron', [Sleeping, 'random'], seeds=2)"
    ),
    "a tournament with a player in a loop": (
        "quintain.tournament('tron', [Looping, 'random'], seeds=2, threads=1)"
    ),
    "a tournament whose progress takes long": (
        "quintain.tournament('tron', ['random', 'greedy'], seeds=2,"
        " progress=lambda *_: time.sleep(10**6))"
    ),
    "an adviser": (
        "game = quintain.Game('tron', 'empty?width=30');"
        "game.adviser('champion?nodes=300000000').decide(game.begin(1).observation(0))"
    ),
}


#: What a program has at hand; Ctrl-C ends it although it was begun in the background.
PREPARED = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "import gymnasium, numpy as np, quintain, time;"
    "from long_games import Digits, Equals, Looping, Sleeping; from nim import Nim;"
    "print('begun', flush=True)"
)


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_ends_long_work(work):
    child = subprocess.Popen(
        [sys.executable, "-c", f"{PREPARED}; {LONG[work]}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)},
    )
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    # Without it, every one of them would take hours.
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said


@pytest.fixture
def interrupt_soon():
    """Raise KeyboardInterrupt by another signal, so that the test goes on."""

    def interrupt(*_):
        raise KeyboardInterrupt

    kept = signal.signal(signal.SIGALRM, interrupt)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, kept)


def test_ctrl_c_reaches_a_player_in_a_loop_and_the_program_goes_on(interrupt_soon):
    # The loop would hold a core for ever.
    class Endless(quintain.Player):
        ended = threading.Event()

        def decide(self, observation, question):
            interrupt_soon()
            try:
                while True:
                    pass
            finally:
                self.ended.set()

    with pytest.raises(KeyboardInterrupt):
        quintain.tournament("tron", [Endless, "random"], seeds=2)
    assert Endless.ended.wait(60)
    assert quintain.tournament("tron", ["random", "greedy"], seeds=1).faults == 0


def test_progress_of_tuning_that_waits_is_not_waited_for(interrupt_soon):
    go_on, waited = threading.Event(), []

    def progress(*_):
        interrupt_soon()
        waited.append(go_on.wait(60))

    options = {"generations": 1, "population": 4, "seeds": 1, "budget": "iterations=5"}
    try:
        with pytest.raises(KeyboardInterrupt):
            quintain.tune("tron", "uct", ["exploration=0.1..2"], progress=progress, **options)
        assert not waited
    finally:
        go_on.set()


def test_a_match_that_was_broken_off_is_not_kept(tmp_path):
    class Stopping(quintain.Player):
        def decide(self, observation, question):
            raise KeyboardInterrupt

    store = tmp_path / "kept.sqlite"
    with pytest.raises(KeyboardInterrupt):
        quintain.tournament("tron", [Stopping, "random"], seeds=5, store=store)
    assert quintain.load_records(store) == []


@pytest.mark.parametrize("opponent", [None, "uct"])
def test_a_batch_whose_step_was_broken_off_begins_anew(opponent, interrupt_soon):
    options = {} if opponent is None else {"opponent": opponent, "budget": "iterations=2000"}
    batch = quintain.Batch("tron", "empty?width=30", 500, threads=1, **options)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        while True:
            batch.step(batch.sample().copy() if opponent else batch.sample())
    try:
        pickle.dumps(batch)
    except ValueError as error:
        assert "a step was interrupted or failed; reset(seed=…) starts over" in str(error)
        with pytest.raises(ValueError, match="interrupted or failed"):
            batch.reset()
    batch.reset(3)
    fresh = quintain.Batch("tron", "empty?width=30", 500, seed=3, **options)
    assert np.array_equal(batch.board, fresh.board)
