#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The child runs on our memory with a stack that no sanitizer knows, and never returns from its functions. The first word leaves
// out what the sanitizers check, the second what they add to each call that may not return.
#if defined(__clang__)
#define CHILD_SIDE __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined"), noinline))
#else
#define CHILD_SIDE __attribute__((noinline))
#endif

// Signals are counted by the kernel, 1 to 64: glibc's own calls refuse the two that it keeps for itself.
enum { KERNEL_SIGNALS = 64, SIGNAL_SET_SIZE = 8, CHILD_STACK = 32 * 1024 };

// As the kernel has it: all zeroes mean SIG_DFL, no flags, empty mask, on every architecture.
struct kernel_action {
    unsigned long words[4];
};

// Every call of the child is a raw one: glibc's wrappers and the sanitizers' interceptors keep state in the memory
// that it shares with us (their table of handlers, the user ids of all threads), and would change ours.
#define raw(...) syscall(__VA_ARGS__)

CHILD_SIDE _Noreturn static void fail(struct torpor_launch *l, int stage, int error) {
    l->stage = stage;
    l->error = error;
    for (;;) raw(SYS_exit_group, 127);
}

#define must(stage, call)                                                                                          \
    do {                                                                                                           \
        if ((call) < 0) fail(l, stage, errno);                                                                     \
    } while (0)

// MARK: Descriptors

// The source of a target, moved above all targets if another target would overwrite it first.
CHILD_SIDE static int out_of_the_way(struct torpor_launch *l, int source, int target, int floor) {
    if (source < 0 || source >= floor || source == target) return source;
    int moved = (int)raw(SYS_fcntl, source, F_DUPFD_CLOEXEC, floor);
    must(TORPOR_STAGE_DESCRIPTORS, moved);
    return moved;
}

CHILD_SIDE static void place(struct torpor_launch *l, int source, int target) {
    if (source < 0) return;
    if (source == target)
        must(TORPOR_STAGE_DESCRIPTORS, raw(SYS_fcntl, target, F_SETFD, 0));
    else
        must(TORPOR_STAGE_DESCRIPTORS, raw(SYS_dup3, source, target, 0));
}

CHILD_SIDE static void close_from(unsigned first) {
    if (raw(SYS_close_range, first, ~0U, 0) == 0) return;
    // Before Linux 5.9, or forbidden by a container's system call filter: all that the limit allows.
    struct {
        uint64_t soft, hard;
    } limit = {1024, 1024};
    raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
    if (limit.soft > 65536) limit.soft = 65536;
    for (unsigned descriptor = first; descriptor < limit.soft; descriptor++) raw(SYS_close, descriptor);
}

CHILD_SIDE static void place_descriptors(struct torpor_launch *l) {
    int floor = 3 + l->passed_count;
    for (int i = 0; i < 3; i++) l->standard[i] = out_of_the_way(l, l->standard[i], i, floor);
    for (int i = 0; i < l->passed_count; i++) l->passed[i] = out_of_the_way(l, l->passed[i], 3 + i, floor);
    l->working_descriptor = out_of_the_way(l, l->working_descriptor, -1, floor);
    for (int i = 0; i < 3; i++) place(l, l->standard[i], i);
    for (int i = 0; i < l->passed_count; i++) place(l, l->passed[i], 3 + i);
    if (l->keeps_descriptors) return;
    if (l->working_descriptor > floor) {
        must(TORPOR_STAGE_DESCRIPTORS, raw(SYS_dup3, l->working_descriptor, floor, O_CLOEXEC));
        l->working_descriptor = floor;
    }
    close_from((unsigned)floor + (l->working_descriptor >= 0));
}

// MARK: The rest of the child's state

CHILD_SIDE static void reset_signals(struct torpor_launch *l) {
    struct kernel_action standard = {{0}}, ignoring = {{(unsigned long)SIG_IGN}};
    // execve would reset our handlers, but not what we ignore; SIGKILL and SIGSTOP are always as they should be.
    for (int signal = 1; signal <= KERNEL_SIGNALS; signal++)
        if (signal != SIGKILL && signal != SIGSTOP)
            raw(SYS_rt_sigaction, signal, l->ignored >> (signal - 1) & 1 ? &ignoring : &standard, 0,
                SIGNAL_SET_SIZE);
}

// Where clone3 is forbidden the child moves itself, by writing 0 in its new group.
CHILD_SIDE static void join_cgroup(struct torpor_launch *l) {
    int descriptor = (int)raw(SYS_openat, l->cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    must(TORPOR_STAGE_CGROUP, descriptor);
    must(TORPOR_STAGE_CGROUP, raw(SYS_write, descriptor, "0", 1));
    raw(SYS_close, descriptor);
}

CHILD_SIDE static void enter_session(struct torpor_launch *l) {
    if (l->session == TORPOR_SESSION_OWN_SESSION) must(TORPOR_STAGE_SESSION, raw(SYS_setsid));
    if (l->session == TORPOR_SESSION_OWN_GROUP) {
        must(TORPOR_STAGE_SESSION, raw(SYS_setpgid, 0, 0));
        int group = (int)raw(SYS_getpid);
        // SIGTTOU is blocked, so a background group may do this. No terminal of ours is no failure.
        if (l->terminal >= 0) l->owns_terminal = raw(SYS_ioctl, l->terminal, TIOCSPGRP, &group) == 0;
    }
}

CHILD_SIDE static void set_oom_score(struct torpor_launch *l) {
    int descriptor = (int)raw(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    must(TORPOR_STAGE_OOM_SCORE, descriptor);
    must(TORPOR_STAGE_OOM_SCORE, raw(SYS_write, descriptor, l->oom_score, strlen(l->oom_score)));
    raw(SYS_close, descriptor);
}

CHILD_SIDE static void set_limits(struct torpor_launch *l) {
    for (int i = 0; i < l->limit_count; i++) {
        uint64_t pair[2] = {l->limits[i].soft, l->limits[i].hard};
        must(TORPOR_STAGE_LIMITS, raw(SYS_prlimit64, 0, l->limits[i].resource, pair, 0));
    }
}

CHILD_SIDE static void set_credentials(struct torpor_launch *l) {
    if (l->sets_groups) must(TORPOR_STAGE_CREDENTIALS, raw(SYS_setgroups, l->group_count, l->groups));
    if (l->sets_gid) must(TORPOR_STAGE_CREDENTIALS, raw(SYS_setresgid, l->gid, l->gid, l->gid));
    if (l->sets_uid) must(TORPOR_STAGE_CREDENTIALS, raw(SYS_setresuid, l->uid, l->uid, l->uid));
}

CHILD_SIDE static void write_pid(char *room) {
    char digits[12];
    int count = 0;
    for (long pid = raw(SYS_getpid); pid > 0; pid /= 10) digits[count++] = (char)('0' + pid % 10);
    while (count > 0) *room++ = digits[--count];
}

// What glibc's execvp does: EACCES is remembered, what is not there is passed over, anything else ends the search.
CHILD_SIDE static int execute(struct torpor_launch *l) {
    int denied = 0;
    for (char *const *candidate = l->candidates; *candidate; candidate++) {
        raw(SYS_execve, *candidate, l->arguments, l->environment);
        int error = errno;
        if (error == ENOEXEC) {
            l->shell_arguments[1] = *candidate;
            raw(SYS_execve, l->shell_arguments[0], l->shell_arguments, l->environment);
            error = errno;
        }
        switch (error) {
            case EACCES: denied = 1; break;
            case ENOENT: case ENOTDIR: case ESTALE: case ENODEV: case ETIMEDOUT: break;
            default: return error;
        }
    }
    return denied ? EACCES : ENOENT;
}

// While it has its capabilities still; it binds nothing itself. Without the filter it runs all the same.
CHILD_SIDE static void notice_binds(struct torpor_launch *l) {
    int listener = torpor_notice_binds();
    l->bind_error = listener < 0 ? -listener : -torpor_send_descriptor(l->bind_sockets[1], listener);
    for (int i = 0; i < 2; i++) raw(SYS_close, l->bind_sockets[i]);
    if (listener >= 0) raw(SYS_close, listener);
}

// All signals are blocked here until the last step, so nothing of ours runs in the child. The launching thread is suspended
// until the child executes, which may take for ever: path look-ups ask file systems of others, and from the change of user on
// the child can be stopped by every process of that user.
CHILD_SIDE static int child(void *context) {
    struct torpor_launch *l = context;
    if (l->parts_from)
        must(TORPOR_STAGE_DESCRIPTORS, raw(SYS_close_range, (unsigned)l->parts_from, ~0U, CLOSE_RANGE_UNSHARE));
    if (l->notices_binds) notice_binds(l);
    reset_signals(l);
    enter_session(l);
    place_descriptors(l);
    // A stdin that is no terminal, or someone else's: no failure.
    if (l->session == TORPOR_SESSION_OWN_SESSION) l->owns_terminal = raw(SYS_ioctl, 0, TIOCSCTTY, 0) == 0;
    if (l->oom_score) set_oom_score(l);
    set_limits(l);
    if (l->sets_nice) must(TORPOR_STAGE_PRIORITY, raw(SYS_setpriority, PRIO_PROCESS, 0, l->nice));
    if (l->sets_io_priority) must(TORPOR_STAGE_PRIORITY, raw(SYS_ioprio_set, 1, 0, l->io_priority));
    if (l->sets_umask) raw(SYS_umask, l->umask);
    for (int i = 0; i < 2; i++)
        if (l->pid_rooms[i]) write_pid(l->pid_rooms[i]);
    set_credentials(l);
    // As the user it runs as: root may be nobody on a network file system.
    __atomic_store_n(&l->told->step, TORPOR_STAGE_WORKING_DIRECTORY, __ATOMIC_RELAXED);
    if (l->working_directory)
        must(TORPOR_STAGE_WORKING_DIRECTORY, raw(SYS_chdir, l->working_directory));
    else if (l->working_descriptor >= 0)
        must(TORPOR_STAGE_WORKING_DIRECTORY, raw(SYS_fchdir, l->working_descriptor));
    if (l->no_new_privileges) must(TORPOR_STAGE_PRIVILEGES, raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    if (l->parent_death_signal) {
        // After the credentials, whose change clears it.
        must(TORPOR_STAGE_PRIVILEGES, raw(SYS_prctl, PR_SET_PDEATHSIG, l->parent_death_signal, 0, 0, 0));
        if (raw(SYS_getppid) != l->parent) raw(SYS_exit_group, 127);
    }
    __atomic_store_n(&l->told->step, TORPOR_STAGE_EXEC, __ATOMIC_RELAXED);
    uint64_t blocked = l->blocked;
    raw(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, 0, SIGNAL_SET_SIZE);
    fail(l, TORPOR_STAGE_EXEC, execute(l));
}

CHILD_SIDE static int child_joining(void *context) {
    struct torpor_launch *l = context;
    if (l->cgroup >= 0) join_cgroup(l);
    return child(l);
}

// MARK: The parent

// What clone(2) and clone3(2) need beyond a system call: the child calls `entry`, since its new stack
// holds nothing to return to. glibc offers this for clone alone, and sanitizers put their own in its place. The answer is a pid or -errno.
static long clone_call(long number, const unsigned long words[3], int (*entry)(void *), void *context) {
#if defined(__x86_64__)
    long result;
    register unsigned long fourth __asm__("r10") = 0;
    register int (*entry_register)(void *) __asm__("r8") = entry;
    register void *context_register __asm__("r9") = context;
    __asm__ volatile(
        "syscall\n\t"
        "test %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "xor %%ebp, %%ebp\n\t"
        "mov %%r9, %%rdi\n\t"
        "call *%%r8\n\t"
        "ud2\n"
        "1:"
        : "=a"(result)
        : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(fourth), "r"(entry_register),
          "r"(context_register)
        : "rcx", "r11", "memory", "cc");
    return result;
#elif defined(__aarch64__)
    register long call __asm__("x8") = number;
    register unsigned long first __asm__("x0") = words[0];
    register unsigned long second __asm__("x1") = words[1];
    register unsigned long third __asm__("x2") = words[2];
    register unsigned long fourth __asm__("x3") = 0;
    register unsigned long fifth __asm__("x4") = 0;
    register int (*entry_register)(void *) __asm__("x10") = entry;
    register void *context_register __asm__("x11") = context;
    __asm__ volatile(
        "svc #0\n\t"
        "cbnz x0, 1f\n\t"
        "mov x29, #0\n\t"
        "mov x0, x11\n\t"
        "blr x10\n\t"
        "brk #0\n"
        "1:"
        : "+r"(first)
        : "r"(call), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(entry_register), "r"(context_register)
        : "memory", "cc");
    return (long)first;
#else
#error "Say here how this architecture makes a system call and calls a function on a new stack."
#endif
}

// While a child that has changed its user shares our memory, no process of that user may attach to it (ptrace(2)): the memory
// is marked as not dumpable before the first such child exists, and marked as it was when the last one has executed or gone.
static pthread_mutex_t sharing_lock = PTHREAD_MUTEX_INITIALIZER;
static int sharing, dumpable_before;

static void begin_sharing(void) {
    pthread_mutex_lock(&sharing_lock);
    if (sharing++ == 0) {
        dumpable_before = prctl(PR_GET_DUMPABLE);
        prctl(PR_SET_DUMPABLE, 0);
    }
    pthread_mutex_unlock(&sharing_lock);
}

static void end_sharing(void) {
    pthread_mutex_lock(&sharing_lock);
    // Only 0 and 1 can be set (prctl(2)).
    if (--sharing == 0 && (dumpable_before == 0 || dumpable_before == 1)) prctl(PR_SET_DUMPABLE, dumpable_before);
    pthread_mutex_unlock(&sharing_lock);
}

static long start(struct torpor_launch *l, char *bottom) {
    struct clone_args arguments = {
        .flags = CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID,
        .exit_signal = SIGCHLD,
        // Written before the child runs: another thread can end a child that hangs.
        .parent_tid = (uintptr_t)&l->told->pid,
        .stack = (uintptr_t)bottom,
        .stack_size = CHILD_STACK,
    };
    if (l->wants_pidfd) {
        arguments.flags |= CLONE_PIDFD;
        arguments.pidfd = (uintptr_t)&l->pidfd;
    }
    if (l->parts_from) arguments.flags |= CLONE_FILES;
    if (l->cgroup >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)l->cgroup;
    }
    long pid = clone_call(SYS_clone3, (unsigned long[]){(uintptr_t)&arguments, sizeof arguments, 0}, child, l);
    if (pid != -ENOSYS && pid != -EPERM) return pid;
    // Containers' system call filters answer so, since they cannot look into clone3's arguments.
    // There the child opens a file of its group first, in a table of its own.
    l->parts_from = 0;
    // clone(2) has one place for either, so the pid comes only without a pidfd.
    unsigned long flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (l->wants_pidfd ? CLONE_PIDFD : CLONE_PARENT_SETTID);
    uintptr_t top = (uintptr_t)bottom + CHILD_STACK;
    void *told = l->wants_pidfd ? (void *)&l->pidfd : (void *)&l->told->pid;
    return clone_call(SYS_clone, (unsigned long[]){flags, top, (uintptr_t)told}, child_joining, l);
}

// What the child has sent by the time that it executes, or is gone.
static void take_listener(struct torpor_launch *l) {
    if (!l->notices_binds) return;
    if (l->bind_error == 0) {
        int listener = torpor_receive_descriptor(l->bind_sockets[0]);
        if (listener < 0)
            l->bind_error = -listener;
        else
            l->bind_listener = listener;
    }
    for (int i = 0; i < 2; i++) close(l->bind_sockets[i]);
    if (l->stage == TORPOR_STAGE_NONE || l->bind_listener < 0) return;
    close(l->bind_listener);
    l->bind_listener = -1;
}

pid_t torpor_launch(struct torpor_launch *l) {
    int kept_errno = errno;
    l->pidfd = -1;
    l->stage = TORPOR_STAGE_NONE;
    l->error = 0;
    l->owns_terminal = 0;
    struct torpor_told unused = {0};
    if (!l->told) l->told = &unused;
    l->parent = getpid();
    l->bind_listener = -1;
    l->bind_error = 0;
    if (l->notices_binds && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, l->bind_sockets) < 0) {
        l->bind_error = errno;
        l->notices_binds = 0;
    }

    // The child inherits the mask: our handlers never run in it, on our memory.
    uint64_t all = ~(uint64_t)0, mask = 0;
    raw(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, SIGNAL_SET_SIZE);
    l->parts_from = 0;
    torpor_lend_slots(l);
    int changes_user = l->sets_uid || l->sets_gid;
    if (changes_user) begin_sharing();
    // This frame outlives the child's use of it: the kernel suspends us until then.
    _Alignas(64) char stack[CHILD_STACK];
    long pid = start(l, stack);
    torpor_return_slots(l);
    if (changes_user) end_sharing();

    if (pid < 0) {
        l->stage = l->cgroup >= 0 && pid != -EAGAIN && pid != -ENOMEM ? TORPOR_STAGE_CGROUP : TORPOR_STAGE_CLONE;
        l->error = (int)-pid;
    } else if (l->stage != TORPOR_STAGE_NONE) {
        // Where the caller has a reaper for all children, that one sees to it: nobody else may free the number.
        while (!l->leaves_reaping && raw(SYS_wait4, pid, 0, __WALL, 0) < 0 && errno == EINTR) {
        }
        if (l->pidfd >= 0) close(l->pidfd);
        l->pidfd = -1;
    }
    take_listener(l);
    raw(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, SIGNAL_SET_SIZE);
    errno = kept_errno;
    return l->stage == TORPOR_STAGE_NONE ? (pid_t)pid : -1;
}

struct torpor_told torpor_told(const struct torpor_told *told) {
    return (struct torpor_told){__atomic_load_n(&told->pid, __ATOMIC_ACQUIRE),
                                __atomic_load_n(&told->step, __ATOMIC_RELAXED)};
}

int torpor_ignores(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}
