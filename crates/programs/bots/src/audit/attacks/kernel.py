"""Attacks on the kernel: system calls that no player needs."""

import ctypes, mmap, os, signal, struct

from attack import call, denied, ends, is_reaped_by_nobody


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
    ("a_child_whose_end_continues_its_parent", 56, int(signal.SIGCONT), 0, 0, 0, 0),
    ("a_thread_with_files_of_its_own", 56, 0x10900, 0, 0, 0, 0),
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
    # These would succeed for everybody if they were allowed.
    ("watching_files_the_new_way", 294, 0),
    ("a_timer_that_sends_signals", 222, 1, 0, ctypes.create_string_buffer(8)),
    ("asking_about_filters", 317, 2, 0, struct.pack("I", 0x7fff0000)),
    ("rules_for_its_files", 444, struct.pack("Q", 1), 8, 0),
    ("a_policy_for_its_memory", 238, 0, 0, 0),
    ("moving_its_pages", 279, 0, 0, 0, 0, 0, 0),
    ("files_read_in_the_background", 206, 1, ctypes.create_string_buffer(8)),
    ("a_pair_of_sockets", 53, 1, 1, 0, ctypes.create_string_buffer(8)),
    ("asking_how_the_clock_is_kept", 159, ctypes.create_string_buffer(208)),
    ("adopting_orphans", 157, 36, 1, 0, 0, 0),
    ("being_traced_by_everybody", 157, 0x59616d61, -1, 0, 0, 0),
    ("a_policy_for_memory_that_fails", 157, 33, 1, 0, 0, 0),
    ("reading_no_clock_of_the_processor", 157, 26, 1, 0, 0, 0),
    ("making_no_code", 157, 65, 1, 0, 0, 0),
    ("sharing_its_core_with_its_own_only", 157, 62, 1, 0, 0, 0),
    ("a_signal_at_the_death_of_its_parent", 157, 1, int(signal.SIGUSR1), 0, 0),
    ("owning_the_signals_of_a_file", 72, 0, 8, os.getpid()),
    ("choosing_the_signal_of_a_file", 72, 0, 10, int(signal.SIGCONT)),
    ("watching_a_folder", 72, 0, 1026, 1),
    ("delegating_a_folder", 72, 0, 1040, ctypes.create_string_buffer(16)),
    # These would succeed for a superuser.
    ("picking_a_file_system", 433, -100, b"/", 0),
    ("the_attributes_of_a_mount", 442, -100, b"/", 0, struct.pack("4Q", 1, 0, 0, 0), 32),
    ("the_domains_name", 171, b"x", 1),
    ("a_port_of_the_machine", 173, 0x378, 1, 1),
    ("unloading_a_module", 176, b"loop", 0),
    ("loading_a_module_from_a_file", 313, 0, b"", 0),
    ("loading_a_kernel_from_a_file", 320, 0, 0, 0, 0, 0),
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
