#define _GNU_SOURCE
#include "include/binds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// As in process.c: it runs on memory that it shares with us, on a stack that no sanitizer knows.
#if defined(__clang__)
#define CHILD_SIDE __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined"), noinline))
#else
#define CHILD_SIDE __attribute__((noinline))
#endif

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE
// What is called by the numbers of another architecture passes: it has other numbers, and binds as it always did.
static struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog filter = {sizeof program / sizeof *program, program};

CHILD_SIDE static int notice_binds(int *loses) {
    // The filter does not hide memory from speculation: it has nothing to hide, and a worker is not to be slower for it.
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    *loses = 0;
    if (listener < 0 && errno == EACCES && syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) {
        if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
        *loses = 1;
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    }
    return listener < 0 ? -errno : (int)listener;
}
#else
CHILD_SIDE static int notice_binds(int *loses) {
    *loses = 0;
    return -ENOSYS;
}
#endif

CHILD_SIDE int torpor_notice_binds(void) {
    int loses;
    return notice_binds(&loses);
}

union one_descriptor {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

CHILD_SIDE int torpor_send_descriptor(int socket, int descriptor) {
    union one_descriptor control = {.header = {
        .cmsg_len = CMSG_LEN(sizeof descriptor), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    *(int *)(void *)CMSG_DATA(&control.header) = descriptor;
    char byte = 0;
    struct iovec vector = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    return syscall(SYS_sendmsg, socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int torpor_receive_descriptor(int socket) {
    union one_descriptor control;
    char byte;
    struct iovec vector = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t length;
    do length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    if (length < 0) return -errno;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return -EBADMSG;
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

int torpor_try_noticing_binds(int *loses) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    // Its end is told by __WALL alone.
    long child = syscall(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0) {
        int result[2];
        result[0] = notice_binds(&result[1]);
        syscall(SYS_write, ends[1], result, sizeof result);
        for (;;) syscall(SYS_exit_group, 0);
    }
    int error = errno, result[2] = {child < 0 ? -error : -EIO, 0};
    close(ends[1]);
    if (child > 0) {
        ssize_t length;
        do length = read(ends[0], result, sizeof result);
        while (length < 0 && errno == EINTR);
        while (waitpid((pid_t)child, 0, __WALL) < 0 && errno == EINTR) {}
        // A filter that kills it for the call says nothing.
        if (length != sizeof result) result[0] = -EPERM;
    }
    close(ends[0]);
    *loses = result[1];
    return result[0] < 0 ? result[0] : 0;
}

int torpor_bind_next(int listener, struct torpor_bind *bind) {
    // The call below would wait where there is none.
    struct pollfd query = {.fd = listener, .events = POLLIN};
    if (poll(&query, 1, 0) < 0) return -errno;
    if (!(query.revents & POLLIN)) return query.revents & (POLLHUP | POLLERR) ? -EPIPE : -EAGAIN;
    struct seccomp_notif call;
    memset(&call, 0, sizeof call);
    // The caller may have been interrupted meanwhile, and calls again (ENOENT).
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0) return errno == ENOENT || errno == EINTR ? -EAGAIN : -errno;
    *bind = (struct torpor_bind){call.id, (pid_t)call.pid, (int)call.data.args[0], call.data.args[1],
                                 call.data.args[2]};
    return 0;
}

int torpor_bind_waits(int listener, uint64_t id) { return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0; }

int torpor_bind_replace(int listener, uint64_t id, int source, int target, int closes_on_exec) {
    struct seccomp_notif_addfd change = {.id = id,
                                         .flags = SECCOMP_ADDFD_FLAG_SETFD,
                                         .srcfd = (uint32_t)source,
                                         .newfd = (uint32_t)target,
                                         .newfd_flags = closes_on_exec ? O_CLOEXEC : 0};
    int result;
    do result = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &change);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int torpor_bind_answer(int listener, uint64_t id, int goes_on) {
    struct seccomp_notif_resp answer = {.id = id, .flags = goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0};
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0 ? -errno : 0;
}

ssize_t torpor_read_memory(pid_t thread, uint64_t address, void *buffer, size_t length) {
    struct iovec own = {buffer, length}, theirs = {(void *)(uintptr_t)address, length};
    ssize_t result = process_vm_readv(thread, &own, 1, &theirs, 1, 0);
    return result < 0 ? -errno : result;
}
