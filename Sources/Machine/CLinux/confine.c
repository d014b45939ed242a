#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "relay.h"

int torpor_relay_confine(uid_t user, gid_t group) {
    if (geteuid() == 0) {
        if (setgroups(0, 0) < 0 || setresgid(group, group, group) < 0 || setresuid(user, user, user) < 0) return -errno;
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {0};
    if (syscall(SYS_capset, &header, none) < 0) return -errno;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    // Others of the same user can neither trace it nor read its memory.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
    return 0;
}

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int torpor_relay_filter(void) {
    static struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // What each byte needs comes first.
        ALLOW(splice),
#ifdef SYS_epoll_wait
        ALLOW(epoll_wait),
#endif
        ALLOW(epoll_pwait),
        ALLOW(recvfrom),
        ALLOW(sendto),
        ALLOW(epoll_ctl),
        ALLOW(accept4),
        ALLOW(setitimer),
#ifdef SYS_poll
        ALLOW(poll),
#endif
        ALLOW(ppoll),
        ALLOW(fcntl),
        ALLOW(connect),
        ALLOW(bind),
        ALLOW(getsockopt),
        ALLOW(setsockopt),
        ALLOW(getsockname),
        ALLOW(getpeername),
        ALLOW(shutdown),
        ALLOW(close),
        ALLOW(pipe2),
        ALLOW(read),
        ALLOW(write),
        ALLOW(sendmsg),
        ALLOW(recvmsg),
        ALLOW(clock_gettime),
        // Memory, and the end.
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(futex),
        ALLOW(getrandom),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(restart_syscall),
        ALLOW(sched_yield),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(tgkill),
        ALLOW(exit),
        ALLOW(exit_group),
        // Sockets of the internet, and Unix ones.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) < 0 ? -errno : 0;
}
#else
int torpor_relay_filter(void) {
    return -ENOSYS;
}
#endif
