"""Programs that think longer than they may. The limit of an answer is 300 ms here."""

import os, signal, sys, threading, time

from attack import LIBC, burn, burn_children, call, ends, survives


@ends("clock", "timeout")
def processor_time():
    burn(1000)

@ends("clock", "timeout")
def computing_in_the_first_thread(): burn(0.9)

@ends("clock", "timeout")
def computing_in_threads():
    import hashlib
    data = bytes(1 << 20)
    def work():
        end = time.thread_time() + 0.25
        while time.thread_time() < end: hashlib.sha256(data)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

@ends("clock", "timeout")
def computing_in_children():
    burn_children(8, 0.2)
    for _ in range(8): os.wait()

@ends("clock", "timeout")
def computing_in_children_that_end_at_once():
    for _ in range(60):
        burn_children(1, 0.015)
        os.wait()

@ends("clock", "timeout")
def computing_in_children_while_it_waits_for_a_core():
    # The first thread keeps itself runnable beside its children, and so waits for a core: by wall time
    # without waits it answers early. It does so when six of them have computed for 100 ms, however
    # busy the machine is.
    done, tell = os.pipe()
    os.set_blocking(done, False)
    for _ in range(8):
        if os.fork() == 0:
            burn(0.1)
            os.write(tell, b"x")
            burn(0.1)
            os._exit(0)
    count = 0
    while count < 6:
        try: count += len(os.read(done, 8))
        except BlockingIOError: pass

@ends("clock", "timeout", needs="namespaces")
def computing_in_children_whose_ends_nobody_is_told():
    for _ in range(6):
        if call(56, 0, 0, 0, 0, 0) == 0:
            burn(0.15)
            os._exit(0)
    time.sleep(0.2)
    for process in os.listdir("/proc"):
        # Until each has ended, and nobody has waited for it.
        while process.isdigit() and int(process) > os.getpid():
            if open(f"/proc/{process}/stat").read().rsplit(")")[1].split()[0] == "Z": break

@ends("clock", "timeout")
def computing_under_a_name_that_reads_as_figures():
    LIBC.prctl(15, b"x) Z 1 1 1 0", 0, 0, 0)
    burn_children(8, 0.2)
    for _ in range(8): os.wait()

@ends("clock", "timeout")
def computing_in_orphans():
    # It answers when they have computed for 400 ms, however busy the machine is.
    done, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        for _ in range(8):
            if os.fork() == 0:
                burn(0.05)
                os.write(tell, b"x")
                os._exit(0)
        os._exit(0)
    os.wait()
    count = 0
    while count < 8: count += len(os.read(done, 8))

@ends("clock", "timeout")
def computing_in_children_whose_time_is_rounded_down():
    # The kernel tells the time of ended children in whole hundredths of a second, for each parent.
    parents = 17
    done, tell = os.pipe()
    for _ in range(parents):
        if os.fork() == 0:
            burn_children(1, 0.018)
            os.wait()
            os.write(tell, b"x")
            time.sleep(1000)
        os.read(done, 1)

@ends("clock", "timeout")
def yielding_while_children_compute():
    # Whoever gives its core away waits for one, and waits do not count.
    done, tell = os.pipe()
    os.set_blocking(done, False)
    for _ in range(4):
        if os.fork() == 0:
            burn(0.1)
            os.write(tell, b"x")
            os._exit(0)
    count = 0
    while count < 4:
        os.sched_yield()
        try: count += len(os.read(done, 8))
        except BlockingIOError: pass

@ends("clock", "timeout")
def sleeping_after_many_children_have_waited_for_a_core():
    # The sum of their waits is longer than the time in which any of them waited.
    for _ in range(16):
        if os.fork() == 0:
            burn(0.012)
            time.sleep(1000)
    time.sleep(1000)

@ends("clock", "timeout")
def sleeping(): time.sleep(1000)

@ends("clock", "timeout")
def sleeping_and_ignoring_every_signal():
    for number in range(1, 32):
        try: signal.signal(number, signal.SIG_IGN)
        except OSError: pass
    time.sleep(1000)

@ends("clock", "timeout")
def answering_in_part():
    sys.stdout.write('{"type":"action",'); sys.stdout.flush(); time.sleep(1000)

@ends("clock", "timeout")
def stopping_itself(): os.kill(os.getpid(), signal.SIGSTOP)

@ends("clock", "timeout", needs="namespaces")
def stopping_its_group(): os.kill(0, signal.SIGSTOP)

@survives("clock")
def computing_while_the_opponent_thinks(): threading.Thread(target=burn, args=(1000,), daemon=True).start()

@survives("clock")
def children_that_compute_while_the_opponent_thinks(): burn_children(3, 1000)
