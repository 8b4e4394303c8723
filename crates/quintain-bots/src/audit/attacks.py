"""Programs that mean harm, for `quintain bot audit`: one function each.

Started with the name of one of them. It speaks the protocol as a good program would, and tries
its attack at its first turn. A function that is registered with @denied must fail: it raises
OSError, or returns without a value what it did not get. One that returns True has succeeded, and
says so in a line that is no message of the protocol, which the audit finds. Functions registered
with @ends do something that must end them, and ones with @survives something that they may do.

The folder CANARY belongs to somebody else; nothing in it may be read or changed.
"""

import ctypes, errno, glob, json, mmap, os, resource, signal, socket, struct, sys, threading, time

CANARY = os.environ.get("CANARY", "/nonexistent")
LIBC = ctypes.CDLL(None, use_errno=True)
ATTACKS = {}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def act(message, action=None):
    say({"type": "action", "action": action or message["actions"][0]})


def register(expectation, group):
    def add(function):
        ATTACKS[function.__name__] = (expectation, group, function)
        return function
    return add


def denied(group):
    return register("denied", group)


def ends(group, kinds):
    return register("ends:" + kinds, group)


def survives(group):
    return register("survives", group)


def call(number, *arguments):
    """A system call by its number (x86-64); OSError if the kernel refuses."""
    if os.uname().machine != "x86_64":
        raise OSError(errno.ENOSYS, "numbers are those of x86-64")
    result = LIBC.syscall(number, *[
        a if not isinstance(a, int) else ctypes.c_long(a) for a in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def burn(seconds):
    """Computes for so many seconds of processor time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def burn_children(count, seconds):
    for _ in range(count):
        if os.fork() == 0:
            burn(seconds)
            os._exit(0)


# -- Files and their metadata -------------------------------------------------------------------

def opponent():
    return os.path.join(CANARY, "bystander.py")


@denied("files")
def chmod_of_the_opponents_script(): os.chmod(opponent(), 0); return True

@denied("files")
def chmod_of_the_opponents_folder(): os.chmod(CANARY, 0); return True

@denied("files")
def utime_of_the_opponents_script(): os.utime(opponent(), (1, 1)); return True

@denied("files")
def setxattr_on_the_opponents_script(): os.setxattr(opponent(), "user.x", b"1"); return True

@denied("files")
def chown_of_the_opponents_script(): os.chown(opponent(), 65534, 65534); return True

@denied("files")
def setuid_bit_on_an_interpreter(): os.chmod(os.path.realpath(sys.executable), 0o4755); return True

@denied("files")
def chmod_by_descriptor():
    os.fchmod(os.open(os.path.realpath(sys.executable), os.O_RDONLY), 0o777); return True

@denied("files")
def fchmodat2_of_the_opponents_script():
    call(452, -100, opponent().encode(), 0, 0); return True

@denied("files")
def stat_of_the_opponents_script(): os.stat(opponent()); return True

@denied("files")
def reading_the_opponents_script(): open(opponent()).read(); return True

@denied("files")
def listing_the_opponents_folder(): os.listdir(CANARY); return True

@denied("files")
def listing_the_folder_above(): return len(os.listdir("..")) > 1

@denied("files")
def truncating_a_store():
    call(76, os.path.join(CANARY, "results.sqlite").encode(), 0); return True

@denied("files")
def locking_a_store():
    import fcntl
    fcntl.lockf(open(os.path.join(CANARY, "results.sqlite"), "r+"), fcntl.LOCK_EX); return True

@denied("files")
def reading_a_store_in_its_own_folder(): open("results.sqlite", "rb").read(); return True

@denied("files")
def deleting_the_opponents_script(): os.unlink(opponent()); return True

@denied("files")
def renaming_the_opponents_folder(): os.rename(CANARY, CANARY + "-gone"); return True

@denied("files")
def linking_to_the_opponents_script(): os.link(opponent(), "/tmp/copy"); return True

@denied("files")
def following_a_link_out_of_its_folder():
    os.symlink(opponent(), "/tmp/link"); open("/tmp/link").read(); return True

@denied("files")
def following_a_link_that_was_in_its_folder(): open("outside").read(); return True

@denied("files")
def writing_into_its_own_folder(): open("note.txt", "w"); return True

@denied("files")
def changing_its_own_script(): open(sys.argv[0], "a"); return True

@denied("files")
def chmod_of_its_own_script(): os.chmod(sys.argv[0], 0); return True

@denied("files")
def reading_the_password_file(): open("/etc/passwd").read(); return True

@denied("files")
def reading_the_users_home(): return bool(os.listdir("/root") or os.listdir("/home"))

@denied("files")
def stat_of_the_users_home(): os.stat("/home"); os.stat("/root"); return True

@denied("files")
def writing_among_the_systems_programs(): open("/usr/bin/quintain-was-here", "w"); return True

@denied("files")
def writing_into_the_root(): open("/quintain-was-here", "w"); return True

@denied("files")
def writing_into_another_temporary_folder(): open("/var/tmp/quintain-was-here", "w"); return True

@denied("files")
def reading_other_programs_snapshots(): return bool(glob.glob("/tmp/quintain-*"))

@denied("files")
def making_a_device(): os.mknod("/tmp/memory", 0o20600, os.makedev(1, 1)); return True

@denied("files")
def opening_a_disk():
    for path in ["/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/tty", "/dev/fuse", "/dev/kvm"]:
        try: os.open(path, os.O_RDWR); return True
        except OSError: pass

@denied("files")
def opening_by_handle(): call(304, -100, ctypes.create_string_buffer(32), 0); return True

@denied("files")
def taking_a_lease():
    import fcntl
    fcntl.fcntl(os.open(sys.argv[0], os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK); return True

@denied("files")
def watching_files(): call(253); return True

@denied("files")
def watching_all_files(): call(300, 0, 0); return True

@denied("files")
def reading_the_kernels_settings():
    open("/proc/sys/kernel/core_pattern", "w"); return True

@denied("files")
def triggering_the_kernel(): open("/proc/sysrq-trigger", "w"); return True


# -- Other processes ----------------------------------------------------------------------------

@denied("processes")
def seeing_other_processes():
    return len([p for p in os.listdir("/proc") if p.isdigit()]) > 3

@denied("processes")
def killing_its_supervisor(): os.kill(1, signal.SIGKILL); time.sleep(0.1)

@denied("processes")
def stopping_its_supervisor(): os.kill(1, signal.SIGSTOP); time.sleep(0.1)

@ends("processes", "crash")
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


# -- The network --------------------------------------------------------------------------------

@denied("network")
def tcp(): socket.socket(socket.AF_INET, socket.SOCK_STREAM); return True

@denied("network")
def udp(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM); return True

@denied("network")
def tcp6(): socket.socket(socket.AF_INET6, socket.SOCK_STREAM); return True

@denied("network")
def raw_packets(): socket.socket(socket.AF_PACKET, socket.SOCK_RAW); return True

@denied("network")
def netlink(): socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); return True

@denied("network")
def vsock(): socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); return True

@denied("network")
def the_kernels_cryptography(): socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET); return True

@denied("network")
def connecting_to_a_path():
    socket.socket(socket.AF_UNIX).connect(os.path.join(CANARY, "listener")); return True

@denied("network")
def connecting_to_an_abstract_name():
    socket.socket(socket.AF_UNIX).connect("\0quintain-canary"); return True

@denied("network")
def sending_a_datagram_from_a_pair():
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pair[0].sendto(b"x", os.path.join(CANARY, "datagrams")); return True

@denied("network")
def sending_to_an_address_from_a_pair():
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pair[0].sendto(b"x", os.path.join(CANARY, "datagrams")); return True

@denied("network")
def passing_descriptors():
    pair = socket.socketpair()
    socket.send_fds(pair[0], [b"x"], [0]); return True


# -- The kernel ---------------------------------------------------------------------------------

def syscall_attack(name, number, *arguments):
    def attempt(): call(number, *arguments); return True
    attempt.__name__ = name
    denied("kernel")(attempt)

for name, number, *arguments in [
    ("mounting", 165, b"x", b"/tmp", b"tmpfs", 0, 0),
    ("unmounting", 166, b"/proc", 2),
    ("a_new_user_namespace", 272, 0x10000000),
    ("a_new_mount_namespace", 272, 0x00020000),
    ("cloning_into_a_namespace", 56, 0x10000000 | 17, 0, 0, 0, 0),
    ("cloning_the_third_way", 435, ctypes.create_string_buffer(88), 88),
    ("entering_a_namespace", 308, 0, 0),
    ("chroot", 161, b"/tmp"),
    ("pivot_root", 155, b"/tmp", b"/tmp"),
    ("opening_a_tree", 428, -100, b"/", 1),
    ("a_new_file_system", 430, b"tmpfs", 0),
    ("bpf", 321, 0, 0, 0),
    ("perf", 298, ctypes.create_string_buffer(120), 0, -1, -1, 0),
    ("userfaultfd", 323, 0),
    ("io_uring", 425, 4, ctypes.create_string_buffer(120)),
    ("keys", 248, b"user", b"x", b"x", 1, -3),
    ("asking_for_keys", 249, b"user", b"x", 0, 0),
    ("memory_without_a_process", 319, b"x", 0),
    ("secret_memory", 447, 0),
    ("shared_memory_of_system_v", 29, 0, 4096, 0o1600),
    ("messages_of_system_v", 68, 0, 0o1600),
    ("semaphores_of_system_v", 64, 0, 1, 0o1600),
    ("message_queues", 240, b"x", 0o102, 0o600, 0),
    ("another_personality", 135, 0x0040000),
    ("loading_a_module", 175, 0, 0, b""),
    ("loading_a_kernel", 246, 0, 0, 0, 0),
    ("rebooting", 169, 0xfee1dead, 672274793, 0, 0),
    ("swapping_off", 168, b"/dev/sda"),
    ("reading_the_kernels_log", 103, 3, ctypes.create_string_buffer(64), 64),
    ("accounting", 163, 0),
    ("quotas", 179, 0, 0, 0, 0),
    ("setting_the_clock", 227, 0, ctypes.create_string_buffer(16)),
    ("setting_the_time", 164, ctypes.create_string_buffer(16), 0),
    ("the_hosts_name", 170, b"x", 1),
    ("ports", 172, 3),
    ("segments", 154, 1, ctypes.create_string_buffer(16), 16),
    ("splicing", 278, 0, 0, 0, 0),
    ("advising_another_process", 440, 1, 0, 0, 4, 0),
    ("a_call_of_the_x32_kind", 0x40000000 | 41, 2, 1, 0),
    ("scheduling_itself_as_idle", 144, 0, 5, ctypes.create_string_buffer(8)),
    ("scheduling_itself_by_attributes", 314, 0, ctypes.create_string_buffer(56), 0),
    ("being_nice", 141, 0, 0, 19),
    ("choosing_its_core", 203, 0, 8, struct.pack("Q", 1)),
    ("its_disk_priority", 251, 1, 0, 24576),
    ("becoming_another_user", 105, 65534),
    ("capabilities", 126, struct.pack("Ii", 0x20080522, 0), struct.pack("6I", *[0xffffffff] * 6)),
    ("comparing_processes", 312, 1, os.getpid(), 0, 0, 0),
]:
    syscall_attack(name, number, *arguments)

@denied("kernel")
def typing_into_a_terminal():
    import fcntl
    fcntl.ioctl(0, 0x5412, b"x"); return True

@denied("kernel")
def larger_pipes():
    import fcntl
    fcntl.fcntl(os.pipe()[1], 1031, 1 << 20); return True

def is_reaped_by_nobody():
    """Whether a child that ends is gone before it has been waited for: in no count of its time."""
    child = os.fork()
    if child == 0: os._exit(0)
    try: os.waitpid(child, 0)
    except ChildProcessError: return True
    return False

@denied("kernel")
def children_that_nobody_counts():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN); return is_reaped_by_nobody()

@ends("kernel", "crash")
def a_call_of_32_bits():
    code = bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3])  # getpid by int 0x80
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    page = mmap.mmap(-1, 4096, private, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    return True


# -- Memory, processes, files: more than the limit ----------------------------------------------

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

@ends("resources", "memory")
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

@ends("resources", "crash")
def a_file_beyond_the_limit_and_the_signal_for_it():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    with open("/tmp/large", "wb") as file:
        for _ in range(300): file.write(b"x" * (1 << 20)); file.flush()


# -- The clock ----------------------------------------------------------------------------------
# The limit of an answer is 300 ms here.

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

@ends("clock", "timeout")
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
    if os.fork() == 0:
        os.setsid()
        burn_children(8, 0.15)
        os._exit(0)
    os.wait()
    time.sleep(0.2)
    burn(0.12)

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

@ends("clock", "timeout")
def stopping_its_group(): os.kill(0, signal.SIGSTOP)

@survives("clock")
def computing_while_the_opponent_thinks(): threading.Thread(target=burn, args=(1000,), daemon=True).start()

@survives("clock")
def children_that_compute_while_the_opponent_thinks(): burn_children(3, 1000)


# -- The protocol -------------------------------------------------------------------------------

def line_attack(name, kinds, text):
    def attempt():
        os.write(1, text if isinstance(text, bytes) else text.encode())
        time.sleep(1000)
    attempt.__name__ = name
    ends("protocol", kinds)(attempt)

for name, kinds, text in [
    ("a_line_that_is_not_json", "protocol", "left, please\n"),
    ("bytes_that_are_no_text", "protocol", b"\xff\xfe\x00\n"),
    ("an_empty_line", "protocol", "\n"),
    ("deep_json", "protocol", "[" * 100_000 + "\n"),
    ("a_huge_number", "protocol", '{"type":"action","action":1e999999}\n'),
    ("an_action_of_another_kind", "protocol illegal", '{"type":"action","action":{"a":[1,2]}}\n'),
    ("no_action", "protocol", '{"type":"action"}\n'),
    ("an_unknown_message", "protocol", '{"type":"quit"}\n'),
    ("ready_again", "protocol", '{"type":"ready"}\n'),
    ("an_action_of_a_megabyte", "protocol flood illegal", '{"type":"action","action":"' + "U" * 900_000 + '"}\n'),
    ("notes_of_a_megabyte", "protocol flood timeout illegal", '{"type":"action","action":"U","notes":{"' + "n" * 900_000 + '":1}}\n'),
    ("control_characters", "protocol", '{"type":"action","action":"\\u001b[2J\\u0007"}\n'),
    ("a_line_without_end", "flood", "x" * (3 << 20)),
]:
    line_attack(name, kinds, text)

@ends("protocol", "timeout")
def reading_its_answers_away():
    # Its standard output, opened for reading: each byte has one reader.
    answers = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    os.write(1, b'{"type":"action",')
    def work():
        while True:
            try: os.read(answers, 1 << 16)
            except BlockingIOError: pass
    threading.Thread(target=work, daemon=True).start()
    time.sleep(1000)

@ends("protocol", "timeout crash protocol illegal")
def filling_its_own_input():
    questions = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True: os.write(questions, b'{"type":"turn","turn":0,"actions":["U"]}\n' * 100)
    except BlockingIOError: pass
    for line in sys.stdin: act(json.loads(line))

@ends("protocol", "flood")
def a_line_of_a_byte_too_much():
    line = b'{"type":"action","action":"'
    os.write(1, line + b"U" * ((1 << 20) - len(line) - 1) + b'"}\n')
    time.sleep(1000)

@ends("protocol", "protocol flood")
def many_lines():
    while True: os.write(1, b"x\n" * 1000)

@ends("protocol", "flood")
def standard_error_without_end():
    while True: os.write(2, b"x" * 100_000)

@ends("protocol", "crash")
def closing_its_output(): os.close(1); time.sleep(1000)

@ends("protocol", "timeout crash")
def closing_its_input(): os.close(0); time.sleep(1000)

@ends("protocol", "crash")
def leaving(): os._exit(0)

@ends("protocol", "crash")
def leaving_with_an_error(): os._exit(3)

@ends("protocol", "crash")
def aborting(): os.abort()

@ends("protocol", "crash")
def a_segmentation_fault(): ctypes.string_at(0)

@ends("protocol", "crash")
def killing_itself(): os.kill(os.getpid(), signal.SIGKILL)

@ends("protocol", "crash timeout")
def becoming_another_program(): os.execv("/bin/sh", ["sh", "-c", "sleep 1000"])

@ends("protocol", "crash")
def leaving_children_behind():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(1000)
        os._exit(0)
    os.wait()
    os._exit(0)

@survives("protocol")
def keeping_children():
    if os.fork() == 0: time.sleep(1000)


def main():
    name = sys.argv[1]
    if name == "--list":
        for name, (expectation, group, _) in ATTACKS.items(): print(group, name, expectation, sep="\t")
        return
    expectation, _, attack = ATTACKS[name]
    tried = False
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello": say({"type": "ready", "name": "attacker"})
        elif message["type"] == "bye": return
        elif message["type"] == "turn":
            if not tried:
                tried = True
                try: succeeded = attack()
                except (OSError, MemoryError, RuntimeError, ValueError): succeeded = False
                if succeeded or expectation.startswith("ends"):
                    say({"succeeded": name})
            act(message)


main()
