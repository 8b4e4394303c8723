"""Programs that want more memory, processes, files or output than their limits."""

import ctypes, mmap, os, resource, signal, socket, struct, threading, time

from attack import LIBC, call, denied, ends, is_reaped_by_nobody


@ends("resources", "memory")
def memory():
    kept = []
    while True: kept.append(bytearray(1 << 20))

@ends("resources", "memory")
def memory_in_children():
    for _ in range(4):
        if os.fork() == 0:
            kept = bytearray(b"x") * (80 << 20)
            time.sleep(100)
    time.sleep(100)

@denied("resources")
def shared_memory(): mmap.mmap(-1, 1 << 20); return True

@denied("resources")
def children_that_nobody_counts_by_an_address_with_low_bits_of_zero():
    # struct sigaction at 2³²: a filter that compares 32 bits takes it for none.
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    fixed = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x10
    at = libc.mmap(1 << 32, 4096, mmap.PROT_READ | mmap.PROT_WRITE, fixed, -1, 0)
    ctypes.c_ulong.from_address(at).value = 1  # SIG_IGN
    number = {"x86_64": 13, "aarch64": 134}[os.uname().machine]
    libc.syscall(number, signal.SIGCHLD, ctypes.c_void_p(at), None, 8)
    return is_reaped_by_nobody()

@denied("clock")
def a_timer_that_continues_it():
    # struct sigevent: value, signal, notify by signal.
    event = struct.pack("=Qii48x", 0, signal.SIGCONT, 0)
    timer = ctypes.c_void_p()
    return ctypes.CDLL(None).timer_create(1, event, ctypes.byref(timer)) == 0

@denied("kernel")
def a_filter_of_its_own():
    allow = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000), 8)
    program = struct.pack("@HP", 1, ctypes.addressof(allow))
    return ctypes.CDLL(None).prctl(22, 2, program, 0, 0) == 0

@denied("kernel")
def a_table_of_futexes():
    return ctypes.CDLL(None).prctl(78, 1, 1 << 20, 0, 0) == 0

@ends("resources", "memory", needs="namespaces")
def memory_in_files():
    for number in range(2):
        with open(f"/tmp/{number}", "wb") as file: file.write(b"x" * (20 << 20))
    kept = bytearray(b"x") * (225 << 20)
    time.sleep(100)

@denied("resources")
def files_larger_than_the_limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/large", "wb") as file:
        for _ in range(300): file.write(b"x" * (1 << 20))
    return True

@denied("resources")
def more_files_than_a_folder_holds():
    for number in range(100_000): os.close(os.open(f"/tmp/{number}", os.O_CREAT))
    return True

@denied("resources")
def more_open_files_than_the_limit(): kept = [os.open("/dev/null", 0) for _ in range(5000)]; return True

@denied("resources")
def using_up_the_users_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, [40])
    count = 0
    while LIBC.sigqueue(os.getpid(), 40, ctypes.c_void_p(0)) == 0:
        count += 1
        if count > 20_000: return True
    raise OSError("refused")

@denied("resources")
def memory_in_sockets(): kept = [socket.socketpair() for _ in range(100)]; return True

@ends("resources", "memory")
def memory_in_mappings():
    # Neighbours with other rights are not merged: each is kernel memory, and holds no page.
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    for number in range(60_000): LIBC.mmap(None, 4096, number % 2, private, -1, 0)
    for _ in range(17):
        if os.fork() == 0: time.sleep(100)
    time.sleep(100)

@ends("resources", "memory")
def memory_in_files_that_are_waited_for():
    import select
    for _ in range(17):
        if os.fork() == 0:
            watched = [os.dup(0) for _ in range(15)]
            waiting = [select.epoll() for _ in range(230)]
            for one in waiting:
                for file in watched: one.register(file)
            time.sleep(100)
    time.sleep(100)

@ends("resources", "memory")
def one_file_waited_for_under_many_numbers():
    # Each is counted for the user, of whom all programs are; one process with few files has many.
    import select
    files = [end for _ in range(40) for end in os.pipe()]
    waiting = [select.epoll() for _ in range(60)]
    for number in range(160, 250):
        for file in files:
            os.dup2(file, number)
            for one in waiting: one.register(number)
    time.sleep(100)

@ends("resources", "memory")
def mappings_inherited_by_a_chain_of_processes():
    # Each process keeps a link for every mapping to each process before it.
    size, page = 24_000 * 4096, 4096
    LIBC.mmap.restype = ctypes.c_void_p
    base = LIBC.mmap(None, ctypes.c_size_t(size), 3, 0x22, -1, 0)
    ctypes.memset(base, 1, size)
    for at in range(0, size, 2 * page):
        LIBC.mprotect(ctypes.c_void_p(base + at), ctypes.c_size_t(page), 1)
    LIBC.madvise(ctypes.c_void_p(base), ctypes.c_size_t(size), 4)
    for _ in range(16):
        if os.fork(): break
    time.sleep(100)

@ends("resources", "memory")
def timers_that_run_out_while_others_play():
    # The kernel serves them on whatever core set them, whoever runs there.
    timers = [LIBC.timerfd_create(time.CLOCK_MONOTONIC, 0) for _ in range(200)]
    if min(timers) < 0: raise OSError("refused")
    time.sleep(100)

@ends("resources", "memory")
def memory_of_a_process_whose_first_thread_has_ended():
    # What the kernel shows of it is what its first thread has: nothing any more.
    def work():
        time.sleep(0.1)
        kept = [bytearray(b"x") * (1 << 20) for _ in range(300)]
        time.sleep(100)
    threading.Thread(target=work).start()
    call(60, 0)

@denied("resources")
def memory_in_locks_on_files():
    import fcntl
    with open("/tmp/locked", "w") as file:
        for at in range(1000): fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 2 * at)
    return True

@denied("resources")
def huge_pages(): mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)[0] = 1; return True

@denied("resources")
def having_the_machine_keep_its_memory_when_it_fails():
    if resource.getrlimit(resource.RLIMIT_CORE) != (1, 1): return True
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); return True

@ends("resources", "memory")
def memory_in_page_tables():
    kept = []
    for _ in range(16):
        if os.fork() == 0:
            page = mmap.mmap(-1, 15 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
            page.madvise(15)
            for at in range(0, 15 << 30, 2 << 20): page[at]
            time.sleep(100)
    time.sleep(100)

@denied("resources")
def raising_its_limits():
    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 16, 1 << 16)); return True

@ends("resources", "processes memory timeout")
def a_fork_bomb():
    while True:
        try: os.fork()
        except OSError: time.sleep(0.001)

@ends("resources", "processes timeout crash")
def a_thread_bomb():
    while True:
        try: threading.Thread(target=time.sleep, args=(1000,)).start()
        except RuntimeError: time.sleep(0.001)

@ends("resources", "crash", needs="namespaces")
def a_file_beyond_the_limit_and_the_signal_for_it():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    with open("/tmp/large", "wb") as file:
        for _ in range(300): file.write(b"x" * (1 << 20)); file.flush()
