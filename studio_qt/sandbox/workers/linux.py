"""Landlock and seccomp for a worker, by their system calls; both hold for threads started later.

Landlock takes away every file, the network and signals; seccomp refuses the system calls by which
a process reaches anything beyond what it already has open. Everything must be imported before.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

__all__ = ["forbid_calls", "forbid_files"]

_NO_NEW_PRIVILEGES = 38
_SET_SECCOMP = 22
_FILTER = 2

# One access right a bit; each version of Landlock knows so many rights of files, ports, scopes.
_RIGHTS = {1: (13, 0, 0), 2: (14, 0, 0), 3: (15, 0, 0), 4: (15, 2, 0), 5: (16, 2, 0), 6: (16, 2, 2)}
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ASK_VERSION = 1

_MACHINES = {  # the audit number of the machine, its clone, and what is refused besides
    "x86_64": (
        0xC000003E,
        56,
        (
            *(2, 85, 257, 437),  # open creat openat openat2
            *(41, 42, 43, 49, 50, 53),  # socket connect accept bind listen socketpair
            *(57, 58, 59, 322),  # fork vfork execve execveat
            *(62, 200, 101, 310, 311),  # kill tkill ptrace process_vm_readv process_vm_writev
            *(82, 264, 316, 83, 258, 84),  # rename renameat renameat2 mkdir mkdirat rmdir
            *(86, 265, 87, 263, 88, 266),  # link linkat unlink unlinkat symlink symlinkat
            *(90, 268, 92, 260, 76, 133, 259),  # chmod fchmodat chown fchownat truncate mknod(at)
            *(165, 166, 155, 161, 308, 272),  # mount umount2 pivot_root chroot setns unshare
            *(321, 298, 323, 319),  # bpf perf_event_open userfaultfd memfd_create
            *(248, 249, 250),  # add_key request_key keyctl
            *(175, 313, 246, 304),  # init_module finit_module kexec_load open_by_handle_at
        ),
    ),
    "aarch64": (
        0xC00000B7,
        220,
        (
            *(56, 437),  # openat openat2
            *(198, 203, 202, 200, 201, 199),  # socket connect accept bind listen socketpair
            *(221, 281),  # execve execveat
            *(129, 130, 117, 270, 271),  # kill tkill ptrace process_vm_readv process_vm_writev
            *(38, 276, 34),  # renameat renameat2 mkdirat
            *(37, 35, 36),  # linkat unlinkat symlinkat
            *(53, 54, 45, 33),  # fchmodat fchownat truncate mknodat
            *(40, 39, 41, 51, 268, 97),  # mount umount2 pivot_root chroot setns unshare
            *(280, 241, 282, 279),  # bpf perf_event_open userfaultfd memfd_create
            *(217, 218, 219),  # add_key request_key keyctl
            *(105, 273, 104, 265),  # init_module finit_module kexec_load open_by_handle_at
        ),
    ),
}
_REFUSED_EVERYWHERE = (425, 434, 424, 438)  # io_uring_setup and what works by pidfd
_CLONE3 = 435  # its flags cannot be looked at: the C library falls back to clone
_CLONE_THREAD = 0x10000

_LOAD, _EQUAL, _SET, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06  # of classic BPF
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in seccomp_data
_X32 = 0x40000000


def forbid_files() -> int:
    """Refuse every file, connection and signal; return the version of Landlock, 0 without it.

    Raises OSError when the kernel has Landlock and refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        return 0
    rights = _RIGHTS[min(version, max(_RIGHTS))]
    words = [(1 << count) - 1 for count in rights if count]
    attributes = ctypes.create_string_buffer(struct.pack(f"={len(words)}Q", *words))
    size = ctypes.c_size_t(8 * len(words))
    ruleset = _checked(libc.syscall(_CREATE_RULESET, attributes, size, 0))
    try:
        _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)
    return int(version)


def forbid_calls() -> bool:
    """Refuse dangerous system calls; False on a machine whose numbers are not known here.

    Raises OSError when the kernel refuses the filter.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return False
    program = b"".join(_program(*machine))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HP", len(program) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0))
    return True


def _program(audit: int, clone: int, refused: tuple[int, ...]) -> list[bytes]:
    """Write the filter; each jump is relative and leads to one of the returns that follow it."""

    def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    refuse = step(_RETURN, _REFUSE | errno.EPERM)
    program = [
        step(_LOAD, _MACHINE),
        step(_EQUAL, audit, yes=1),
        refuse,
        step(_LOAD, _NUMBER),
        step(_AT_LEAST, _X32, no=1),
        refuse,
        step(_EQUAL, _CLONE3, no=1),
        step(_RETURN, _REFUSE | errno.ENOSYS),
        step(_EQUAL, clone, no=4),
        step(_LOAD, _FIRST_ARGUMENT),
        step(_SET, _CLONE_THREAD, yes=1),
        refuse,
        step(_RETURN, _ALLOW),
    ]
    for number in (*refused, *_REFUSED_EVERYWHERE):
        program += [step(_EQUAL, number, no=1), refuse]
    return [*program, step(_RETURN, _ALLOW)]


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
