"""Attacks on files and their metadata: the opponent's, a store, the user's."""

import ctypes, glob, os, sys

from attack import CANARY, LIBC, call, denied


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

@denied("files", needs="namespaces")
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

@denied("files", needs="namespaces")
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

@denied("files")
def throwing_the_systems_files_out_of_memory():
    with open(os.__file__, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True

@denied("files")
def throwing_what_it_has_mapped_of_the_systems_files_out_of_memory():
    # That is allowed to whoever owns a file: a superuser's programs own the system's.
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    with open(os.__file__, "rb") as file: at = LIBC.mmap(None, 4096, 1, 2, file.fileno(), 0)
    return any(LIBC.madvise(ctypes.c_void_p(at), 4096, advice) == 0 for advice in (20, 21))

@denied("files")
def asking_where_a_file_lies_on_the_disk():
    import fcntl
    file = os.open(os.path.realpath(sys.executable), os.O_RDONLY)
    fcntl.ioctl(file, 0xc020660b, bytearray(32)); return True
