/// bind(2) of other processes, told to the supervisor and answered by it (seccomp_unotify(2)).
#pragma once
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

/// Its number, as proc_pid_syscall(5) has it.
enum { TORPOR_BIND_CALL = SYS_bind };

/// A bind(2) that waits for its answer.
struct torpor_bind {
    uint64_t id;
    /// The thread that calls it; 0 where our pid namespace does not show it.
    pid_t thread;
    /// Its descriptor of the socket.
    int descriptor;
    /// Where the thread's memory has the address, and how long that is.
    uint64_t address, length;
};

/// Has bind(2) of this process wait for answers from now on, and of all that come from it: the descriptor by which they are given,
/// closed on exec, or -errno. It takes CAP_SYS_ADMIN; without, the process gets no_new_privs. Calls nothing but the kernel.
int torpor_notice_binds(void);

/// Sends `descriptor` through `socket`, by nothing but the kernel: 0, or -errno.
int torpor_send_descriptor(int socket, int descriptor);

/// Takes a descriptor that was sent through `socket`, without waiting; -errno where there is none.
int torpor_receive_descriptor(int socket);

/// Whether torpor_notice_binds works, tried in a child that is gone when this returns: 0, or -errno. `loses` is set to whether it cost
/// no_new_privs.
int torpor_try_noticing_binds(int *loses);

/// The next bind(2) that waits: 0, -EAGAIN without one, or -errno. Never waits.
int torpor_bind_next(int listener, struct torpor_bind *bind);

/// Whether it still waits: what was read of its thread in between was read of it and no other.
int torpor_bind_waits(int listener, uint64_t id);

/// Puts a copy of our descriptor `source` where the caller has the descriptor `target`: 0, or -errno. Waits until the thread has done it.
int torpor_bind_replace(int listener, uint64_t id, int source, int target, int closes_on_exec);

/// Answers it with success, or lets the kernel carry it out: 0, or -errno.
int torpor_bind_answer(int listener, uint64_t id, int goes_on);

/// Reads memory of another process (process_vm_readv(2)): how many bytes, or -errno.
ssize_t torpor_read_memory(pid_t thread, uint64_t address, void *buffer, size_t length);
