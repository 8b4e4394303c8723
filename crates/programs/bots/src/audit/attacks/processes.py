"""Attacks on other processes: signals, tracing, priorities."""

import os, resource, signal, threading, time

from attack import call, denied, ends, survives


@denied("processes")
def seeing_other_processes():
    return len([p for p in os.listdir("/proc") if p.isdigit()]) > 3

@denied("processes")
def killing_its_supervisor(): os.kill(1, signal.SIGKILL); time.sleep(0.1)

@denied("processes")
def stopping_its_supervisor(): os.kill(1, signal.SIGSTOP); time.sleep(0.1)

@ends("processes", "crash", needs="namespaces")
def asking_its_supervisor_to_end(): os.kill(1, signal.SIGTERM); time.sleep(1000)

@survives("processes")
def waking_its_supervisor_all_the_time():
    def work():
        while True: os.kill(1, signal.SIGCHLD)
    threading.Thread(target=work, daemon=True).start()

@denied("processes")
def killing_everything():
    signal.signal(signal.SIGTERM, signal.SIG_IGN); os.kill(-1, signal.SIGTERM)

@denied("processes")
def tracing_its_supervisor(): call(101, 16, 1, 0, 0); return True

@denied("processes")
def reading_its_supervisors_memory(): open("/proc/1/mem", "rb").read(1); return True

@denied("processes")
def writing_its_supervisors_memory(): open("/proc/1/mem", "r+b").write(b"x"); return True

@denied("processes")
def opening_what_its_supervisor_has_mapped():
    for name in os.listdir("/proc/1/map_files"):
        try: os.open("/proc/1/map_files/" + name, os.O_RDWR); return True
        except OSError: pass

@denied("processes")
def reading_where_its_supervisor_has_mapped_what(): return bool(open("/proc/1/maps").read())

@denied("processes")
def reading_its_supervisors_environment(): return bool(open("/proc/1/environ", "rb").read())

@denied("processes")
def leaving_by_its_supervisors_root(): return bool(os.listdir("/proc/1/root/home"))

@denied("processes")
def leaving_by_its_supervisors_folder(): return bool(os.listdir("/proc/1/cwd/"))

@denied("processes")
def using_its_supervisors_descriptors():
    for number in os.listdir("/proc/1/fd"):
        try: os.open("/proc/1/fd/" + number, os.O_RDONLY); return True
        except OSError: pass

@denied("processes")
def offering_its_supervisor_to_the_kernel(): open("/proc/1/oom_score_adj", "w").write("1000"); return True

@denied("processes")
def being_spared_by_the_kernel_when_memory_is_short():
    return open("/proc/self/oom_score_adj").read().strip() != "1000"

@denied("processes")
def sparing_itself_when_memory_is_short(): open("/proc/self/oom_score_adj", "w").write("0"); return True

@denied("processes")
def being_continued_by_the_death_of_its_parent():
    from attack import LIBC
    return LIBC.prctl(1, int(signal.SIGCONT), 0, 0, 0) == 0

@denied("processes")
def reading_another_process(): call(310, 1, 0, 0, 0, 0, 0); return True

@denied("processes")
def taking_another_processs_descriptor(): call(438, call(434, 1, 0), 3, 0); return True

@denied("processes")
def limiting_its_supervisor(): resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)); return True

@denied("processes")
def using_inherited_descriptors():
    mine = set()
    for name in os.listdir("/proc/self/fd"):
        target = os.readlink("/proc/self/fd/" + name) if os.path.exists("/proc/self/fd/" + name) else ""
        if int(name) > 2 and target and not target.startswith("/proc"): mine.add(target)
    return bool(mine)
