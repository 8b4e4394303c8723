"""Programs that compute between their questions. The opponent takes 600 ms for its first answer here, and
the limit of an answer is 300 ms. Each of these computes for 700 ms from its first answer to its second,
so that it must be late, unless what it does while the opponent thinks is not counted.
"""

import os, signal, threading, time

from attack import burn, ends

TOTAL = 0.7


def await_end_of(count):
    """Returns a pipe on which processes tell that they have computed enough, and what waits for that."""
    done, tell = os.pipe()
    def wait():
        left = count
        while left > 0: left -= len(os.read(done, left))
    return tell, wait

@ends("pauses", "timeout")
def computing_in_a_thread_after_its_answer():
    def work():
        time.sleep(0.01)
        burn(TOTAL)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread.join

@ends("pauses", "timeout")
def computing_in_children_after_its_answer():
    tell, wait = await_end_of(4)
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(0.01)
            burn(TOTAL / 4)
            os.write(tell, b"x")
            os._exit(0)
    return wait

@ends("pauses", "timeout")
def computing_in_short_pieces_after_its_answer():
    def work():
        end = time.thread_time() + TOTAL
        while time.thread_time() < end:
            burn(0.001)
            time.sleep(0.001)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread.join

def go_on_by_the_end_of_a_parent(prepare):
    # A process that is ending cannot be stopped, and its end lets its child go on. Several of them end at
    # different moments around that at which the program is stopped, slowly, for they have much memory.
    count = 4
    tell, wait = await_end_of(count)
    for number in range(count):
        if os.fork() == 0:
            parent, held = os.getpid(), bytearray(16 << 20)
            if os.fork() == 0:
                del held
                prepare()
                while os.getppid() == parent: time.sleep(0.0005)
                burn(TOTAL / count)
                os.write(tell, b"x")
                os._exit(0)
            time.sleep(0.015 * (number + 1))
            os._exit(0)
    return wait

@ends("pauses", "timeout")
def going_on_by_the_signal_of_a_parents_death():
    from attack import LIBC
    return go_on_by_the_end_of_a_parent(lambda: LIBC.prctl(1, int(signal.SIGCONT), 0, 0, 0))

@ends("pauses", "timeout")
def going_on_as_an_orphaned_group():
    def prepare():
        os.setpgid(0, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return go_on_by_the_end_of_a_parent(prepare)
