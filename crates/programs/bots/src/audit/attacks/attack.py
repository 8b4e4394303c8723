"""What the attacks of `quintain bot audit` have in common. Each attack is a function in one of the
files beside this one.

`main.py` is started with the name of one of them. It speaks the protocol as a good program would, and tries
its attack at its first turn. A function that is registered with @denied must fail: it raises
OSError, or returns without a value what it did not get. One that returns True has succeeded, and
says so in a line that is no message of the protocol, which the audit finds. One that returns a
function has that called at its next turn, and has succeeded if it is still there then. Functions registered
with @ends do something that must end them, and ones with @survives something that they may do.

The folder CANARY belongs to somebody else; nothing in it may be read or changed.
"""

import ctypes, errno, json, os, sys, time

CANARY = os.environ.get("CANARY", "/nonexistent")
LIBC = ctypes.CDLL(None, use_errno=True)
ATTACKS = {}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def act(message, action=None):
    say({"type": "action", "action": action or message["actions"][0]})


def register(expectation, group, needs=""):
    """`needs` is what the attack needs to be tried, or to be withstood, beyond Landlock and seccomp."""
    def add(function):
        ATTACKS[function.__name__] = (expectation, group, needs, function)
        return function
    return add


def denied(group, needs=""):
    return register("denied", group, needs)


def ends(group, kinds, needs=""):
    return register("ends:" + kinds, group, needs)


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


def is_reaped_by_nobody():
    """Whether a child that ends is gone before it has been waited for: in no count of its time."""
    child = os.fork()
    if child == 0: os._exit(0)
    try: os.waitpid(child, 0)
    except ChildProcessError: return True
    return False
