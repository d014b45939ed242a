"""Runs a command to which the kernel refuses what Docker's default seccomp profile refuses a container: refusing.py COMMAND…

Of that profile only the calls that torpor makes are here: it allows them to a container with CAP_SYS_PTRACE or CAP_SYS_ADMIN alone.
"""
import ctypes
import errno
import json
import os
import struct
import sys

# Their numbers are the same on every architecture.
CALLS = {
    "clone3": (435, errno.ENOSYS),
    "pidfd_getfd": (438, errno.EPERM),
    "process_madvise": (440, errno.EPERM),
    "io_uring_setup": (425, errno.EPERM),
}
PROFILE = "/usr/share/containers/seccomp.json"
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


def profile():
    """Podman's profile, with these refused: the text of a file for --security-opt seccomp=FILE."""
    with open(PROFILE, encoding="utf-8") as file:
        rules = json.load(file)
    for rule in rules["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name not in CALLS]
    rules["syscalls"] = [rule for rule in rules["syscalls"] if rule["names"]]
    for name, (_, number) in CALLS.items():
        rules["syscalls"].append({"names": [name], "action": "SCMP_ACT_ERRNO", "errnoRet": number, "args": []})
    return json.dumps(rules)


def refuse():
    """Applies a filter for seccomp(2) to this process and what it executes."""
    steps = [(LOAD, 0, 0, 0)]
    for number, error in CALLS.values():
        steps += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | error)]
    steps.append((RETURN, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)):
        if library.prctl(*arguments) != 0:
            sys.exit(f"prctl({arguments[0]}): {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    refuse()
    os.execvp(sys.argv[1], sys.argv[1:])
